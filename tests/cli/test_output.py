"""A report replaces a file whole or not at all, follows no link, and is never lost where a file cannot be written."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import PROGRAM, Ran, environment, run

from offsetproof.cli import output
from offsetproof.cli.output import keep_aside, writable, write
from offsetproof.reading.files import UnusableFileError

SHOW = ("show", "I8-two-owners")


@pytest.fixture
def umask() -> Iterator[None]:
    """A umask that leaves a new file to its owner and group."""
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_new_file_has_what_the_umask_leaves_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new.txt", tmp_path / "old.txt"
    old.write_text("old")
    old.chmod(0o604)
    for file in (new, old):
        write("report", file, "--output")
    assert (mode(new), mode(old)) == (0o640, 0o604)
    assert (new.read_text(), old.read_text()) == ("report", "report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.txt", "old.txt"]


def test_name_on_the_way_is_new_each_time_and_never_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write to the folder can plant a link under a name that can be guessed."""
    planted = tmp_path / ".offsetproof-0.part"
    planted.symlink_to(tmp_path / "victim")
    monkeypatch.setattr(output.secrets, "token_hex", lambda size: "0")
    with pytest.raises(UnusableFileError, match=r"cannot write .*report\.txt: File exists"):
        write("report", tmp_path / "report.txt", "--output")
    assert planted.is_symlink()
    assert not (tmp_path / "victim").exists()
    monkeypatch.undo()
    (tmp_path / "report.txt.part").symlink_to(tmp_path / "victim")
    write("report", tmp_path / "report.txt", "--output")
    assert not (tmp_path / "victim").exists()


@pytest.mark.parametrize("target", ["there.txt", "not_there.txt"])
def test_link_to_a_file_is_refused_and_neither_it_nor_the_file_is_touched(tmp_path: Path, target: str) -> None:
    (tmp_path / "there.txt").write_text("mine")
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    ran = run(*SHOW, "--output", link)
    assert (ran.code, ran.out) == (150, "")
    why = f"it is a link to {target}; name the file itself"
    assert ran.complaint == f"offsetproof: --output: cannot write {link}: {why}"
    assert (link.readlink(), (tmp_path / "there.txt").read_text()) == (Path(target), "mine")
    assert not (tmp_path / "not_there.txt").exists()


def test_unwritable_output_is_refused_before_the_work_and_leaves_nothing(models: Path) -> None:
    place, why = "lock.py/report.txt", "there is no folder lock.py"
    before = sorted(models.iterdir())
    ran = run("check", "missing.py", f"--output={place}", cwd=models)
    assert (ran.code, ran.out, ran.complaint) == (150, "", f"offsetproof: --output: cannot write {place}: {why}")
    assert sorted(models.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        "check lock.py --output=lock.py", "check ./lock.py:Lock --output=lock.py", "list lock.py --output=./lock.py",
        "graph lock.py --output=lock.py", "explain lock.py L1 --output=lock.py", "mutate lock.py --output=lock.py",
        "simulate lock.py --output=lock.py", "guard lock.py --output=lock.py", "show b.json --output=b.json",
        "guard lock.py --output=b.json --baseline=b.json", "guard lock.py --update --baseline=lock.py",
        "show b.json --subject=lock.py --output=lock.py",
    ],
)  # fmt: skip
def test_report_never_replaces_what_it_is_about(models: Path, command: str) -> None:
    (models / "b.json").write_text("{}")
    before = {path: path.read_bytes() for path in models.iterdir() if path.is_file()}
    ran = run(*command.split(), cwd=models)
    assert (ran.code, ran.out) == (150, "")
    assert ran.complaint.endswith(": this run reads it; name another file")
    assert {path: path.read_bytes() for path in models.iterdir() if path.is_file()} == before


def test_unreadable_baseline_is_kept_under_a_name_of_its_own_each_time(models: Path) -> None:
    for text in ("notes, no baseline", "other notes"):
        (models / "notes.txt").write_text(text)
        ran = run("guard", "lock.py", "--update", "--accept", "--quiet", "--baseline=notes.txt", cwd=models)
        assert ran.code == 0
    kept = {path.name: path.read_text() for path in models.glob("notes.txt.*")}
    assert kept == {"notes.txt.unreadable": "notes, no baseline", "notes.txt.unreadable-2": "other notes"}
    assert run("guard", "lock.py", "--quiet", "--baseline=notes.txt", cwd=models).code == 0


def test_baseline_that_cannot_be_copied_leaves_no_empty_copy(tmp_path: Path) -> None:
    with pytest.raises(UnusableFileError, match="No such file"):
        keep_aside(tmp_path / "gone.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("place", "why"), [("lock.py", "it is not a folder"), ("lock.py/x", "Not a directory")])
def test_folder_that_cannot_be_made_is_refused_before_the_work(models: Path, place: str, why: str) -> None:
    ran = run("check", "missing.py", f"--out-dir={place}", cwd=models)
    assert (ran.code, ran.out, ran.complaint) == (150, "", f"offsetproof: --out-dir: cannot write {place}: {why}")


@pytest.mark.parametrize(
    ("folder", "why"), [(False, "it is write-protected"), (True, "no permission to write to the folder")]
)
def test_what_the_owner_has_protected_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool, why: str
) -> None:
    """Root may write everywhere, so that the answer is given here."""
    file = tmp_path / "report.txt"
    file.write_text("old")
    shut = tmp_path if folder else file
    monkeypatch.setattr(output.os, "access", lambda path, how: path != shut)
    with pytest.raises(UnusableFileError, match=why):
        writable(file)


def test_full_disk_prints_the_report_and_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    file.write_text("old")
    whole = run(*SHOW).out
    limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", str(PROGRAM), *SHOW, "--output", str(file)]
    done = subprocess.run(limited, env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (150, whole)
    assert done.stderr == f"offsetproof: --output: cannot write {file}: File too large; the report follows on stdout\n"
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]
    assert file.read_text() == "old"


def test_report_of_work_that_is_done_is_printed_where_its_file_cannot_take_it(models: Path) -> None:
    ran = run("check", "lock.py", "--output=/dev/full", cwd=models)
    assert ran.code == 150
    assert ran.out.startswith("Lock 1.0, 2.0: 2 REFUTED;")
    why = "No space left on device; the report follows on stdout"
    assert ran.complaint == f"offsetproof: --output: cannot write /dev/full: {why}"


def test_stdout_has_other_names_and_devices_are_written_to(models: Path) -> None:
    assert run(*SHOW, "--output=/dev/stdout") == run(*SHOW)
    assert run("check", "lock.py", "--output=/dev/null", cwd=models) == Ran(12, "", "")
    assert Path("/dev/null").is_char_device()
    assert Path("/dev/stdout").is_symlink()


def test_pipe_is_written_to_where_somebody_reads_it_and_refused_where_nobody_does(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    whole = run(*SHOW).out
    alone = run(*SHOW, "--output=pipe", cwd=tmp_path)
    why = "nobody reads this pipe; start its reader first; the report follows on stdout"
    assert alone == Ran(150, whole, f"offsetproof: --output: cannot write pipe: {why}\n")
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        opened = os.open(pipe, os.O_WRONLY)  # waits until the reader is there, and holds it until the report has come
        assert run(*SHOW, "--output=pipe", cwd=tmp_path) == Ran(0, "", "")
        os.close(opened)
        assert reader.stdout is not None
        assert reader.stdout.read() == whole
    assert pipe.is_fifo()


@pytest.mark.parametrize("option", ["--html", "--out-dir"])
@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_linked_folder_is_refused_before_the_work_and_what_it_leads_to_is_untouched(
    models: Path, option: str, target: str
) -> None:
    (models / "there").mkdir()
    (models / "link").symlink_to(target)
    ran = run("check", "lock.py", f"{option}=link", cwd=models)
    why = f"it is a link to {target}; name the folder itself"
    assert (ran.code, ran.out, ran.complaint) == (150, "", f"offsetproof: {option}: cannot write link: {why}")
    assert list((models / "there").iterdir()) == []
    assert not (models / "nowhere").exists()


def test_baseline_is_on_the_disk_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    synced, replaced = os.fsync, Path.replace
    monkeypatch.setattr(output.os, "fsync", lambda opened: (order.append("sync"), synced(opened))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (order.append("replace"), replaced(self, to))[1])
    write("cells", tmp_path / "a.json", "--baseline", lasting=True)
    assert order == ["sync", "replace", "sync"]
    order.clear()
    write("report", tmp_path / "b.json", "--output")
    assert order == ["replace"]


def test_name_of_a_file_that_is_not_unicode_is_no_obstacle(tmp_path: Path) -> None:
    name = os.fsdecode(b"r\xe9port.txt")
    assert run(*SHOW, f"--output={tmp_path / name}") == Ran(0, "", "")
    write("half a pair: \ud800", tmp_path / name, "--output")
    assert (tmp_path / name).read_text() == "half a pair: ?"

"""stdout has the report and nothing else, whatever else prints; a stream that is closed or full costs no traceback."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli.program import CLOSED, COUNTER, PROGRAM, Ran, environment, run, run_anew, write_models
from systems.samples import one_in

VERBS = {
    "list": 0, "show I8-two-owners": 0, "check lock.py": 12, "check lock.py --format=json": 12, "graph lock.py": 0,
    "guard lock.py --baseline=b.json": 12, "--version": 0, "--help": 0, "check --help": 0,
}  # fmt: skip
"""Commands, and what they end with where all is well."""


def shell(command: str, cwd: Path) -> Ran:
    """What a shell makes of a command in which `$O` is the program."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=cwd, env=environment(O=str(PROGRAM)), capture_output=True, text=True, timeout=120
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def folder(models: Path) -> Path:
    """A folder with the small models and a baseline in which the lock holds."""
    lock = (models / "lock.py").read_text()
    (models / "lock.py").write_text(lock.replace("not self.held[w]", "False"))
    run("guard", "lock.py", "--update", "--quiet", "--baseline=b.json", cwd=models)
    (models / "lock.py").write_text(lock)
    return models


UNWRITABLE = {Path("/dev/full"): "No space left on device", CLOSED: "it is closed"}

every_verb_and_way = pytest.mark.parametrize(
    ("verb", "stream"),
    [
        pytest.param(verb, stream, marks=() if (row + column) % 4 == 1 else pytest.mark.slow)
        for row, verb in enumerate(VERBS)
        for column, stream in enumerate(UNWRITABLE)
    ],
)
"""Each verb with each stream; one of the two in the fast suite, by turns."""


@every_verb_and_way
def test_stdout_that_cannot_be_written_is_code_150_and_one_line(folder: Path, verb: str, stream: Path) -> None:
    ran, why = run(*verb.split(), cwd=folder, out=stream), UNWRITABLE[stream]
    assert ran.code == 150
    assert ran.complaint in (
        f"offsetproof: cannot write the report to stdout: {why}",
        f"offsetproof: cannot write to stdout: {why}",
    )


@every_verb_and_way
def test_stderr_that_cannot_be_written_changes_nothing(folder: Path, verb: str, stream: Path) -> None:
    ran = run(*verb.split(), cwd=folder, err=stream)
    assert ran.code == VERBS[verb]
    assert len(ran.out) > 10


@pytest.mark.parametrize("where", one_in(5, ["<&- >&- 2>&-", ">&-", ">/dev/full", "2>&-", ">&- 2>&-"]))
def test_streams_that_the_shell_closes_are_as_those_closed_later(folder: Path, where: str) -> None:
    code = 12 if where == "2>&-" else 150
    assert shell(f"$O check lock.py {where}", folder).code == code


@pytest.mark.parametrize("err", one_in(2, [CLOSED, Path("/dev/full")]))
@pytest.mark.parametrize("out", one_in(2, [CLOSED, Path("/dev/full"), None]))
def test_error_keeps_its_code_where_nobody_can_read_it(folder: Path, out: Path | None, err: Path) -> None:
    assert run("check", "missing.py", cwd=folder, out=out, err=err) == Ran(2, "", "")
    assert run("check", "--nonsense", cwd=folder, out=out, err=err) == Ran(2, "", "")
    (folder / "bad.py").write_text("1 / 0")
    assert run("check", "bad.py", cwd=folder, out=out, err=err) == Ran(120, "", "")


def test_quiet_needs_no_stdout(folder: Path) -> None:
    assert run("check", "lock.py", "--quiet", cwd=folder, out=CLOSED) == Ran(12, "", "")


def test_gravest_code_is_given_where_the_report_cannot_be_written_either(folder: Path) -> None:
    assert run("check", "overflow.py", cwd=folder, out=Path("/dev/full")).code == 75
    assert run("check", "lock.py", cwd=folder, out=Path("/dev/full")).code == 150


@pytest.mark.parametrize("verb", one_in(3, ["list --format=json", "show I5-late-poll", "check lock.py --format=json"]))
def test_reader_that_wants_one_line_changes_no_code(folder: Path, verb: str) -> None:
    ran = shell(f"$O {verb} | head -1; exit ${{PIPESTATUS[0]}}", folder)
    assert (ran.code, ran.err, ran.out.count("\n")) == (VERBS.get(verb, 0), "", 1)


CHATTY = """
import ctypes, os, subprocess, sys
from offsetproof.lang import *

def says(word):
    print("print", word)
    sys.stdout.write(f"write {word}\\n")
    os.write(1, f"descriptor {word}\\n".encode())
    return word

says("at import")
subprocess.run(["echo", "child at import"])
ctypes.CDLL(None).puts(b"C at import")
ctypes.CDLL(None).fflush(None)


class Chatty(Model):
    scopes = (Scope("small", {"top": 2}),)
    x: int = integer(0, lambda scope: scope.top + 1)

    @action()
    def rises(self) -> None:
        require(self.x < self.scope.top)
        self.x = self.x + 1

    @always(expected=REFUTED)
    def fits(self) -> bool:
        return self.x < self.scope.top
"""


@pytest.mark.parametrize("verb", one_in(3, ["check", "list", "graph", "guard", "simulate", "explain"]))
def test_what_a_model_prints_goes_to_stderr_and_never_into_a_report(tmp_path: Path, verb: str) -> None:
    (tmp_path / "chatty.py").write_text(CHATTY)
    more = {"guard": "--update --baseline=b.json", "simulate": "--steps=1000 --examples=1", "explain": ""}.get(verb, "")
    what = ("chatty.py", "fits") if verb == "explain" else ("chatty.py",)
    ran = run(verb, *what, "--format=json", *more.split(), cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert isinstance(json.loads(ran.out), dict)
    for word in ("print at import", "write at import", "descriptor at import", "child at import", "C at import"):
        assert word in ran.err


def test_model_that_closes_stdout_loses_no_report(tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text(COUNTER + "\nimport os, sys\nsys.stdout.close()\nos.close(1)\n")
    ran = run("check", "rude.py", "--property=never_falls", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Counter: 1 HOLDS")


def test_report_goes_to_a_pipe_that_does_not_block_however_slowly_it_is_read(tmp_path: Path) -> None:
    script = (
        "import fcntl, os, subprocess, sys, time\n"
        "reading, writing = os.pipe()\n"
        "fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)\n"
        "p = subprocess.Popen(sys.argv[1:], stdout=writing)\n"
        "os.close(writing)\n"
        "time.sleep(2)\n"
        "sys.stdout.write(os.fdopen(reading).read())\n"
        "sys.exit(p.wait())\n"
    )
    done = subprocess.run(
        ["python3", "-c", script, str(PROGRAM), "list", "--format=json"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout) > 2**16
    assert json.loads(done.stdout)["subject"] == "rocketmq"


@pytest.mark.parametrize(("columns", "widest"), [("60", 60), ("", 100), ("wide", 100), ("500", 120)])
def test_variable_columns_is_the_width_of_text_in_a_pipe(tmp_path: Path, columns: str, widest: int) -> None:
    ran = run_anew("check", "counter.py", "--no-progress", cwd=write_models(tmp_path), COLUMNS=columns)
    assert ran.code == 12
    assert max(map(len, ran.out.splitlines())) <= widest
    assert widest == 60 or max(map(len, ran.out.splitlines())) > 60

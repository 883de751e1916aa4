"""Files are told relative to the repository, so that an annotation lands; installed ones as they are imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import LOCK, line_of, run

from offsetproof.lang.source_paths import is_installed, shown_file, shown_place

ROOT = Path(__file__).parents[2]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a model two folders down, and a working directory one folder down."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "models" / "deep").mkdir(parents=True)
    (tmp_path / "repo" / "models" / "deep" / "lock.py").write_text(LOCK)
    monkeypatch.chdir(tmp_path / "repo" / "models")
    return tmp_path / "repo"


def test_file_is_relative_to_the_repository_else_to_the_working_directory(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(repository / "models" / "deep" / "lock.py")
    assert shown_file("deep/lock.py") == shown_file(file) == "models/deep/lock.py"
    assert shown_place(file, 3) == "models/deep/lock.py:3"
    (repository / ".git").rmdir()
    monkeypatch.chdir(repository / "models" / "deep")
    assert shown_file(file) == "lock.py"
    monkeypatch.chdir(repository)
    assert shown_file(file) == "models/deep/lock.py"


def test_file_outside_is_told_by_its_name_in_reports_and_whole_in_errors(repository: Path) -> None:
    outside = str(repository.parent / "lock.py")
    assert (shown_file(outside), shown_place(outside, 3)) == ("lock.py", f"{outside}:3")


def test_working_directory_that_is_gone_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert shown_file("/somewhere/lock.py") == "lock.py"


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_installed_file_is_told_as_it_is_imported_wherever_the_environment_is(repository: Path, folder: str) -> None:
    file = repository / ".venv" / "lib" / folder / "theirs" / "lock.py"
    assert shown_file(str(file)) == "theirs/lock.py"
    assert is_installed(file)
    assert not is_installed(repository / "models" / "deep" / "lock.py")


def test_own_files_in_a_checkout_are_relative_to_it(repository: Path) -> None:
    assert not repository.is_relative_to(ROOT)
    assert shown_file(str(ROOT / "src" / "offsetproof" / "model" / "shared" / "group.py")) == "model/shared/group.py"
    assert not is_installed(ROOT / "properties" / "baseline.json")


@pytest.mark.parametrize("cwd", [".", "models", "models/deep"])
def test_annotation_names_the_file_as_the_repository_does_from_any_folder(repository: Path, cwd: str) -> None:
    model, line = repository / "models" / "deep" / "lock.py", line_of("lock", "@always")
    args = ("check", str(model), "--release=2.0", "--no-progress")
    formats = ("github", "sarif", "json", "text", "junit")
    told = {format: run(*args, f"--format={format}", cwd=repository / cwd).out for format in formats}
    assert told["github"].startswith(
        f"::error file=models/deep/lock.py,line={line},title=one_holds_it (L1) REFUTED in 2.0::"
    )
    result = json.loads(told["sarif"])["runs"][0]["results"][0]
    steps = [step for flow in result["codeFlows"][0]["threadFlows"] for step in flow["locations"]]
    places = [result["locations"][0], *(step["location"] for step in steps)]
    assert {place["physicalLocation"]["artifactLocation"]["uri"] for place in places} == {"models/deep/lock.py"}
    trace = json.loads(told["json"])["results"][0]["trace"]
    assert {step["file"] for step in trace["steps"]} == {"models/deep/lock.py"}
    assert all(f"at models/deep/lock.py:{trace['steps'][0]['line']}\n" in told[format] for format in ("text", "junit"))


def test_error_names_the_file_as_the_repository_does(repository: Path) -> None:
    (repository / "models" / "bad.py").write_text("x = 1 / 0\n")
    ran = run("check", "bad.py", cwd=repository / "models")
    assert ran.complaint == "offsetproof: models/bad.py:1: ZeroDivisionError while it was imported: division by zero"
    (repository / "models" / "bad.py").write_text("import json\njson.loads('x')\n")
    ran = run("check", "bad.py", cwd=repository / "models")
    assert ran.complaint.startswith("offsetproof: models/bad.py:2: JSONDecodeError while it was imported: ")

"""`new` writes a model whose every file works at once, and replaces nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cli.program import PROGRAM, run

from offsetproof.cli import new_verb
from offsetproof.doctor import Examined
from offsetproof.version import __version__


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new folder."""
    folder = tmp_path_factory.mktemp("new") / "print-queue"
    ran = run("new", folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("&& offsetproof check print_queue.py && offsetproof guard print_queue.py && pytest\n")
    return folder


def test_files_are_there_and_nothing_else(written: Path) -> None:
    files = sorted(str(path.relative_to(written)) for path in written.rglob("*") if path.is_file())
    assert files == [
        ".github/workflows/claims.yml",
        "print_queue.baseline.json",
        "print_queue.py",
        "test_print_queue.py",
    ]


def test_steps_of_the_workflow_pass(written: Path) -> None:
    workflow = yaml.safe_load((written / ".github" / "workflows" / "claims.yml").read_text())
    commands = [step["run"] for step in workflow["jobs"]["claims"]["steps"] if "run" in step]
    assert workflow["env"] == {"OFFSETPROOF": f"offsetproof=={__version__}"}
    install, *others = commands
    assert install == 'python -m pip install "$OFFSETPROOF" pytest'
    environment = {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "HOME": str(written), "GITHUB_STEP_SUMMARY": "summary.md"}
    for command in others:
        done = subprocess.run(command, shell=True, cwd=written, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert "2 questions, 2 decided" in (written / "summary.md").read_text()


@pytest.mark.slow
def test_model_is_typed_and_its_named_change_fails_test_and_baseline(written: Path, tmp_path: Path) -> None:
    """The model itself says what to try: to count in a step of its own."""
    model = (written / "print_queue.py").read_text()
    typed = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "print_queue.py"]
    done = subprocess.run(typed, cwd=written, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (tmp_path / "print_queue.py").write_text(model.replace("self.counted = self.counted + 1", "pass"))
    for name in ("print_queue.baseline.json", "test_print_queue.py"):
        (tmp_path / name).write_text((written / name).read_text())
    assert run("guard", "print_queue.py", cwd=tmp_path).code == 12
    tested = subprocess.run([sys.executable, "-m", "pytest"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert tested.returncode == 1
    assert "counter_is_right (always) fails after 2 steps in two" in tested.stdout


def test_pytest_that_is_not_beside_the_program_is_named_with_what_brings_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(new_verb, "examine", lambda parts: [Examined(part, lacks="not there") for part in parts])
    assert new_verb.new("jobs") == 0
    assert capfd.readouterr().out.endswith("&& pytest\npytest has to be where offsetproof is: not there\n")


@pytest.mark.parametrize(("name", "code", "said"), [
    ("json", 2, "a module json would hide another one of that name"),
    ("class", 2, "'class' is no name of a Python module"),
    ("7jobs", 2, "'7jobs' is no name of a Python module"),
    ("full", 150, "it is there already"),
    ("file", 150, "it is there already"),
])  # fmt: skip
def test_name_that_cannot_be_used_is_refused_and_nothing_is_written(
    name: str, code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    ran = run("new", name, cwd=tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert said in " ".join(ran.err.replace("│", " ").split())
    assert sorted(tmp_path.rglob("*")) == before

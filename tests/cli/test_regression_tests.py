"""`show --format junit5` and `pytest`: tests that fail on the release and pass on a class with the fix."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from cli.program import PROGRAM, run
from real.patched import patch

from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import find_jdk
from offsetproof.real.maven import copy_artifacts

STORY, NAME = "I5-late-poll", "BackwardResetStaysI5Test"
_CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.10.5"


@pytest.fixture(scope="module")
def classes(published: Callable[[str], JarSet], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """A callback that checks `dropped`, and one that does what it did on other lines."""
    changes = ("callback-checks-dropped", "moved-lines")
    return {change: patch(published("4.9.4"), tmp_path_factory.mktemp(change), change) for change in changes}


def written(folder: Path, format: str, file: str) -> Path:
    """The test of the story, as the program writes it."""
    assert run("show", STORY, f"--format={format}", "--output", folder / file).code == 0
    return folder / file


def in_pytest(file: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A run of a test in a project that has nothing else."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(file.parent), str(file)]
    env = {**os.environ, **environment}
    return subprocess.run(command, env=env, cwd=file.parent, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_pytest_fails_on_the_release_and_on_other_lines_and_passes_with_the_fix(
    tmp_path: Path, classes: Mapping[str, Path], published: Callable[[str], JarSet]
) -> None:
    file = written(tmp_path, "pytest", "test_story.py")
    jars = published("4.9.4").class_path.split(os.pathsep)
    own = os.pathsep.join(jar for jar in jars if Path(jar).name.startswith("rocketmq-"))
    said = {}
    for name, path in {"4.9.4": own, **classes}.items():
        ran = in_pytest(file, {"OFFSETPROOF_PROGRAM": str(PROGRAM), "OFFSETPROOF_CLASSPATH": str(path)})
        said[name] = ran.returncode, "AssertionError: the story happens:" in ran.stdout
    assert said == {"4.9.4": (1, True), "callback-checks-dropped": (0, False), "moved-lines": (1, True)}


@pytest.mark.slow
def test_pytest_that_finds_no_program_fails(tmp_path: Path) -> None:
    file = written(tmp_path, "pytest", "test_story.py")
    ran = in_pytest(file, {"OFFSETPROOF_PROGRAM": str(tmp_path / "nowhere"), "OFFSETPROOF_CLASSPATH": "x"})
    assert (ran.returncode, "FileNotFoundError" in ran.stdout) == (1, True)


@pytest.mark.slow
def test_junit_fails_on_the_release_and_on_other_lines_and_passes_with_the_fix(
    tmp_path: Path, classes: Mapping[str, Path], published: Callable[[str], JarSet]
) -> None:
    (console,) = copy_artifacts([_CONSOLE], tmp_path / "jars", seconds=300, tell=lambda said: None).values()
    java, jars = find_jdk(), published("4.9.4").class_path
    source = written(tmp_path, "junit5", f"{NAME}.java")
    options = ["-Xlint:all", "-Werror", "--release", "11", "-d", str(tmp_path / "out"), "-cp", str(console)]
    subprocess.run([java.javac, *options, str(source)], check=True)
    said = {}
    for name, folder in {"4.9.4": "", **classes}.items():
        path = os.pathsep.join(filter(None, [str(tmp_path / "out"), str(folder), jars]))
        command = [java.java, f"-Doffsetproof.program={PROGRAM}", "-jar", str(console), "execute", "-cp", path]
        ran = subprocess.run([*command, "-c", NAME], capture_output=True, text=True, check=False)
        said[name] = ran.returncode, "AssertionFailedError: the story happens:" in ran.stdout
    assert said == {"4.9.4": (1, True), "callback-checks-dropped": (0, False), "moved-lines": (1, True)}


@pytest.mark.parametrize("format", ["junit5", "pytest"])
def test_trace_that_no_rig_can_do_is_refused(tmp_path: Path, format: str) -> None:
    assert run("check", "toys:Counter", "stays_below_two", f"--out-dir={tmp_path}").code == 0
    (trace,) = tmp_path.glob("*.json")
    ran = run("show", trace, "--subject=toys:Counter", f"--format={format}")
    assert (ran.code, ran.out) == (152, "")
    assert "which says nothing of how its actions are done on the real" in ran.complaint


@pytest.mark.parametrize("format", ["junit5", "pytest"])
def test_text_is_the_same_twice_and_names_no_machine_path(format: str) -> None:
    first, again = (run("show", "I5-late-poll", f"--format={format}") for _ in range(2))
    assert (first.code, first.out) == (0, again.out)
    assert str(Path(__file__).parents[2]) not in first.out
    assert first.out.endswith("\n")

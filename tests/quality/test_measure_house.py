"""The measures of a tiny checkout, counted by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from systems.folders import write_files

from tools.measure_house import ROOT, Measures, measure

TREE = {
    "pyproject.toml": "",
    "Makefile": "VENV := .venv\n\nhelp: ## the list\n\tsh\n\ntest-all: help\n",
    "README.md": "x" * 2400,
    "docs/adding.md": "x" * 100,
    "docs/decisions/0009-one-queue-not-two.md": "",
    "src/a.py": (
        "class AnError(Exception):\n    '''About.'''\n\n\n"
        "def _once(): ...\ndef _twice(): _once() or _twice() or _twice()\n"
    ),
    "src/shapes/b.schema.json": "{\n}\n",
    "model/steps.py": (
        "class A:\n    @action\n    def goes(self): ...\n    @THREAD.step(at)\n    def stops(self): ...\n"
        "    @property\n    def gone(self): ...\n\n_FINE = ('stops', 'waits')\n"
    ),
    "model/other/steps.py": (
        "from model.steps import A, _FINE\n_GONE = ('goes',)\n\n\nclass B(A):\n    without = (*_GONE, 'stops')\n"
        "    @action('goes')\n    def goes(self): ...\n"
    ),
    "tests/test_a.py": "import os  # a comment\n\nassert os\n",
}  # fmt: skip


@pytest.fixture
def measures(tmp_path: Path) -> Measures:
    write_files(tmp_path, TREE)
    (tmp_path / "src" / "model").symlink_to(tmp_path / "model")
    return measure(tmp_path)


def test_measures_of_a_tiny_checkout_are_those_counted_by_hand(measures: Measures) -> None:
    rooms = {"src": (1, 3), "model": (2, 13), "tests": (1, 1)}
    for room in ("src", "model", "properties", "traces", "examples", "tests", "studies", "tools", "bench"):
        counted = measures.pop(f"{room}: files"), measures.pop(f"{room}: lines of code")
        assert counted == rooms.get(room, (0, 0)), room
    assert measures == {
        "pages": 3,
        "pages: records of decisions among them": 1,
        "pages: kB": 2,
        "error classes": 1,
        "private functions": 2,
        "private functions used once in their file": 1,
        "names of actions": 2,
        "names of actions declared in several files": 1,
        "inherited actions taken away": 2,
        "places that name an action by a string": 4,
        "commands of make": 2,
        "schemas": 1,
        "schemas: lines": 2,
    }


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.measure_house", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_command_measures_another_checkout_as_json(measures: Measures, tmp_path: Path) -> None:
    done = _command("--json", str(tmp_path))
    assert (done.returncode, json.loads(done.stdout)) == (0, measures)


def test_command_refuses_a_folder_that_is_no_checkout(tmp_path: Path) -> None:
    done = _command(str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{tmp_path} has no pyproject.toml: name the root of a checkout\n"

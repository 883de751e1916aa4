"""Tests that share what is expensive to set up run in one process: with other processes each would set it up again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
import os, pathlib, pytest

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(8))
def test_which_process(number: int) -> None:
    (pathlib.Path(__file__).parent / f"{number}.pid").write_text(str(os.getpid()))

@pytest.mark.parametrize("number", range(8))
def test_alone(number: int) -> None:
    pass
"""


def test_tests_of_a_group_share_a_process(tmp_path: Path) -> None:
    """pytest 9.2 took the groups of pytest-xdist 3.8 away without a word, and the suite twice its processor time."""
    (tmp_path / "test_grouped.py").write_text(TESTS)
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", "2", "--dist", "loadgroup", "-q", "."]
    done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "16 passed" in done.stdout
    processes = [file.read_text() for file in sorted(tmp_path.glob("*.pid"))]
    assert (len(processes), len(set(processes))) == (8, 1)

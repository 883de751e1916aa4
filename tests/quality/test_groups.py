"""Tests that share what is expensive to set up run in one process; where time is short, others come first each turn."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from systems.turns import TOGETHER, in_turn

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


SUITE = [(file, number) for file, size in (("a", 50), ("b", 3), ("c", 20), ("d", 41)) for number in range(size)]


def unit(test: tuple[str, int]) -> str:
    return test[0]


@given(st.integers(0, 10**6))
def test_a_turn_has_every_test_once_and_pieces_of_a_file_in_their_order(turn: int) -> None:
    dealt = in_turn(SUITE, turn, unit)
    assert sorted(dealt) == SUITE
    assert dealt == in_turn(SUITE, turn, unit)
    pieces = [[*piece] for _, piece in groupby(dealt, key=lambda test: (test[0], test[1] // TOGETHER))]
    assert len(pieces) == 3 + 1 + 1 + 3
    assert all(piece == sorted(piece) for piece in pieces)


def test_what_comes_first_is_something_else_in_each_turn() -> None:
    assert {in_turn(SUITE, turn, unit)[0] for turn in range(100)} == {(f, n) for f, n in SUITE if n % TOGETHER == 0}

"""Tests that share what is expensive to set up run in one process; a suite is run in parts, and tells what it left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from argparse import ArgumentTypeError
from itertools import chain
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.parts import in_part, number_of_part
from systems.reproducible import reproducible

ROOT = Path(__file__).parents[2]

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


@reproducible(60)
@given(st.integers(1, 60))
def test_parts_add_up_to_the_suite_and_each_has_its_share_of_a_file(of: int) -> None:
    parts = [in_part(SUITE, number, of, itemgetter(0)) for number in range(1, of + 1)]
    assert sorted(chain(*parts)) == SUITE
    assert all(part == sorted(part) for part in parts)
    for file in "abcd":
        shares = [sum(test[0] == file for test in part) for part in parts]
        assert max(shares) - min(shares) <= 1


def test_small_files_are_dealt_to_all_parts() -> None:
    alone = [(str(number), 0) for number in range(100)]
    sizes = [len(in_part(alone, number, 4, itemgetter(0))) for number in range(1, 5)]
    assert sum(sizes) == 100
    assert min(sizes) > 10


@pytest.mark.parametrize("text", ["0/5", "6/5", "1", "1/", "a/b", "-1/5"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is no part; 2/5 is the second of five"):
        number_of_part(text)


def _run_suite(*options: str) -> str:
    """What pytest prints of this file's tests about parts alone."""
    own = ["-p", "no:cacheprovider", "-q", "-k", "is_no_part", *options, str(Path(__file__).relative_to(ROOT))]
    done = subprocess.run([sys.executable, "-m", "pytest", *own], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_run_of_a_part_leaves_the_others_out() -> None:
    passed = [re.search(r"(\d+) passed", _run_suite(f"--part={number}/2")) for number in (1, 2)]
    assert [found and found[1] for found in passed] == ["3", "3"]


@pytest.mark.parametrize("processes", ["0", pytest.param("2", marks=pytest.mark.slow)])
def test_tests_that_there_is_no_time_for_are_listed_and_counted(processes: str) -> None:
    printed = _run_suite("--minutes=0", "-n", processes, "--dist", "loadgroup")
    assert "NOT RUN: 6 of 6 tests\n" in printed
    assert "test_what_is_no_part_is_refused[6/5]" in printed
    assert "6 skipped" in printed


CRASHING = """
import os
from pathlib import Path

def test_that_ends_its_process(request) -> None:
    Path("begun").write_text(str(request.config.workerinput["begun"]))
    os._exit(1)

def test_that_a_process_in_its_place_runs(request) -> None:
    assert Path("begun").read_text() == str(request.config.workerinput["begun"])
"""


def test_process_that_replaces_a_crashed_one_counts_the_minutes_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_crashing.py").write_text(CRASHING)
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-n", "1", str(tmp_path)]
    imported = {**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
    done = subprocess.run(command, cwd=tmp_path, env=imported, capture_output=True, text=True, timeout=120)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr

"""`doctor` tells of each optional part what it is for and what brings it, as messages of other verbs do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.program import run, run_anew
from systems.schemas import read_valid

from offsetproof.verdict.prerequisite import PARTS

ROOT = Path(__file__).parents[2]


def test_parts_that_are_not_there_are_told_with_the_command_that_brings_them(tmp_path: Path) -> None:
    ran = run_anew("doctor", "--format=json", PATH=str(tmp_path), JAVA_HOME="", OFFSETPROOF_CACHE=str(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    rows = {row["name"]: row for row in read_valid("doctor", ran.out)["parts"]}
    assert [*rows] == [part.name for part in PARTS]
    for name in ("jdk", "maven", "jars", "spark", "spin", "cargo", "chromium"):
        assert rows[name]["found"] is None
    for name in ("jdk", "maven", "spin", "cargo", "jars"):
        assert rows[name]["command"] in rows[name]["lacks"]
    assert rows["pytest"] == {**rows["pytest"], "found": f"pytest {pytest.__version__}", "lacks": None}


@pytest.mark.parametrize(("asked", "code"), [(("pytest",), 0), (("pytest", "maven"), 69)])
def test_part_that_has_to_be_there_is_a_missing_prerequisite_where_it_is_not(
    asked: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    ran = run_anew("doctor", *asked, PATH=str(tmp_path))
    assert (ran.code, ran.err) == (code, "")
    assert re.findall(r"(?m)^(there|missing) +(\w+)", ran.out) == [
        ("there" if name == "pytest" else "missing", name) for name in asked
    ]


def test_part_that_does_not_exist_is_refused_with_the_nearest() -> None:
    ran = run("doctor", "mavn")
    assert (ran.code, ran.out) == (2, "")
    assert ran.complaint == "offsetproof: no part named 'mavn'; did you mean maven?"


def test_commands_that_bring_parts_stand_in_the_table_alone() -> None:
    sources = [*(ROOT / "src" / "offsetproof").rglob("*.py")]
    with_command = {path.name for path in sources if re.search(r"apt-get install|pip install", path.read_text())}
    assert with_command == {"prerequisite.py", "fresh.py"}  # the other is the workflow of somebody else

"""What people wrote of what they saw is answered by the symptom that it is, among the first three: how often."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from offsetproof.symptoms.declared import symptoms
from offsetproof.symptoms.finding import find

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("reported.toml")
AT_LEAST = {"of the page": 20, "more": 26, "aside": 20}
"""So many were answered when this was measured; nobody had seen those that are aside when the phrases were written."""


@cache
def reports(kind: str) -> list[dict[str, Any]]:
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["report"]
    groups = {"of the page": rows[:20], "more": [row for row in rows[20:] if not row.get("aside")]}
    return groups.get(kind) or [row for row in rows if row.get("aside")]


def is_answered(row: dict[str, Any]) -> bool:
    return any(match.symptom.id in row["expected"] for match in find(row["words"]).answers[:3])


@pytest.mark.parametrize("kind", AT_LEAST)
def test_as_many_are_answered_as_were_when_it_was_measured(kind: str) -> None:
    answered = [row["where"] for row in reports(kind) if is_answered(row)]
    assert len(answered) >= AT_LEAST[kind], sorted({row["where"] for row in reports(kind)} - {*answered})


def test_forty_six_are_known_and_twenty_seven_are_aside() -> None:
    assert [len(reports(kind)) for kind in AT_LEAST] == [20, 26, 27]
    chinese = [row for kind in AT_LEAST for row in reports(kind) if not row["words"].isascii()]
    assert len(chinese) >= 15


def test_what_is_expected_is_declared() -> None:
    ids = {symptom.id for symptom in symptoms()}
    assert {each for kind in AT_LEAST for row in reports(kind) for each in row["expected"]} <= ids


def test_page_says_how_many() -> None:
    page = " ".join((ROOT / "docs" / "verbs.md").read_text(encoding="utf-8").split())
    of_page, more, aside = ((AT_LEAST[kind], len(reports(kind))) for kind in AT_LEAST)
    assert f"{of_page[0]} of {of_page[1]} reports of" in page
    assert f"and {more[0]} of {more[1]} more are answered among the first three" in page
    assert f"of {aside[1]} titles that nobody had seen when the phrases were written, {aside[0]}." in page

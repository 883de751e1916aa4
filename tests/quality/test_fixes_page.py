"""docs/studies/fixes.md tells the truth: its records speak of every claim and fix as they are now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from systems.sizes import FEW, is_small

from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.verdict.question import Question
from studies.fixes import PLOT, Row, combined_questions, decide_record, digest_of, rows
from studies.fixes_page import draw, effects

ROOT = Path(__file__).parents[2]
KNOWN = json.loads((ROOT / "studies" / "data" / "fixes.json").read_text(encoding="utf-8"))
CLAIMS: dict[str, dict[str, Any]] = KNOWN["claims"]
ROWS = {row.name: row for row in rows()}
COMBINED = combined_questions()
COLUMNS = {each.name for each in (*RocketMQ.fixes, *RocketMQ.assumptions)}
QUICK = 400_000
"""Up to this many states the cells of the page are decided anew."""

TURNED = [(*cell, verdict) for verdict in ("HOLDS", "REFUTED") for cell in effects(CLAIMS, verdict)]
"""Cells that repair or break a claim: its name, the fix or assumption, and the verdict with it."""


def _named(row: Row) -> str:
    return row.name.replace(" ", "-")


def _cell(name: str, column: str) -> Question:
    question = dict(ROWS[name].cells())[column]
    assert question is not None
    return question


def test_plot_is_made_of_its_records(tmp_path: Path) -> None:
    draw(KNOWN, tmp_path / "verdicts.svg")
    assert PLOT.read_bytes() == (tmp_path / "verdicts.svg").read_bytes()


def test_every_claim_is_recorded_with_every_fix_and_assumption() -> None:
    assert list(CLAIMS) == list(ROWS)
    for row in ROWS.values():
        assert {name for name, _ in row.cells()} == COLUMNS
    assert list(KNOWN["combinations"]) == list(COMBINED)


def _differing(row: Row, columns: set[str]) -> dict[str, str]:
    """The systems of these columns, where they are not the claim's own."""
    asked = {name: question for name, question in row.cells() if question is not None and name in columns}
    own = digest_of(row.question)
    assert CLAIMS[row.name]["alone"]["digest"] == own
    return {name: digest for name, question in asked.items() if (digest := digest_of(question)) != own}


def _told(row: Row, columns: set[str]) -> dict[str, str]:
    return {name: cell["digest"] for name, cell in CLAIMS[row.name]["cells"].items() if name in columns}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS.values(), ids=_named)
def test_every_cell_speaks_of_the_system_as_it_is(row: Row) -> None:
    assert _told(row, COLUMNS) == _differing(row, COLUMNS)


SAMPLE = [row for row in ROWS.values() if crc32(row.name.encode()) % 3 == 0 and is_small(row.question)]


@pytest.mark.parametrize("row", SAMPLE, ids=_named)
def test_cells_that_say_most_and_one_more_speak_of_the_system_as_it_is(row: Row) -> None:
    columns = {column for name, column, _ in TURNED if name == row.name}
    columns.add(sorted(COLUMNS)[crc32(row.name.encode()) % len(COLUMNS)])
    assert _told(row, columns) == _differing(row, columns)


@pytest.mark.parametrize("row", ROWS.values(), ids=_named)
def test_claim_as_it_is_stated_has_its_expected_verdict_unless_it_is_too_large(row: Row) -> None:
    question, alone = row.question, CLAIMS[row.name]["alone"]
    too_large = alone["verdict"] == "UNKNOWN" and alone["reason"] == "state limit"
    assert too_large or alone["verdict"] == str(question.prop.expects(question.setting))


def test_hardly_anything_is_too_large_for_the_page() -> None:
    assert [name for name, told in CLAIMS.items() if told["alone"]["verdict"] == "UNKNOWN"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "column", "verdict"), [cell for cell in TURNED if CLAIMS[cell[0]]["cells"][cell[1]]["states"] <= QUICK]
)
def test_what_a_fix_repairs_and_breaks_is_decided_again(name: str, column: str, verdict: str) -> None:
    question, told = _cell(name, column), CLAIMS[name]["cells"][column]
    assert told["verdict"] == verdict
    assert decide_record(question, digest_of(question)) == told


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, marks=() if KNOWN["combinations"][options]["states"] < FEW else pytest.mark.slow)
        for options in COMBINED
    ],
)
def test_combinations_hold_and_speak_of_the_system_as_it_is(options: str) -> None:
    record = KNOWN["combinations"][options]
    assert record["verdict"] == "HOLDS"
    assert record["digest"] == digest_of(COMBINED[options])


def test_known_repairs_and_breaks_are_told() -> None:
    assert ("I13 warm-start", "no-zero-answer", "HOLDS") in TURNED
    assert ("I4-expansion expansion", "no-zero-answer", "REFUTED") in TURNED

"""Reports of sweeps: everything is readable in full, on narrow terminals too, and releases are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sweep.grid import Grid
from offsetproof.sweep.report import column_of, letters_of, matrix, sweep_text
from offsetproof.sweep.run import Swept
from offsetproof.verdict.limits import Limits

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "studies" / "data" / "sweep.json").read_text("utf-8")
)["rows"]


def _swept(rows: list[dict[str, Any]]) -> Swept:
    return Swept(Grid("some", "rocketmq", (ClaimInWorld("I1", None, "small"),) * len(rows), Limits()), tuple(rows))


@pytest.mark.parametrize("width", [80, 100, 120])
def test_matrix_is_cut_nowhere(width: int) -> None:
    text = sweep_text(ROCKETMQ, _swept(ROWS), width, colour=False)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    words = " ".join(text.split())
    for row in ROWS:
        assert f"{row['property']} {row['scope']} " in words
        assert letters_of(row) in text
    columns, _ = matrix(ROWS)
    for number, name in enumerate(columns, 1):
        assert f"{number} {name}" in words


def test_claims_are_lines_of_their_own_by_name_with_their_cases_below() -> None:
    lines = sweep_text(ROCKETMQ, _swept(ROWS), 80, colour=False).splitlines()
    at = lines.index("backward-reset-stays")
    assert lines[at + 1].startswith("  I5 ")
    assert lines.count("backward-reset-stays") == sum(line.startswith("claim ") for line in lines)


def test_releases_are_columns_of_their_own_where_there_are_several() -> None:
    other = [{**row, "release": "5.3.3"} for row in ROWS[:1]]
    columns, lines = matrix([*ROWS[:1], *other])
    assert columns == [column_of(row, release=True) for row in (*ROWS[:1], *other)]
    assert [len(cells) for cells in lines.values()] == [2]
    assert matrix(ROWS[:1])[0] == [column_of(ROWS[0])]


def test_holds_that_means_nothing_is_no_holds() -> None:
    why = "its premise is never true"
    vacuous = {**ROWS[0], "verdict": "HOLDS", "faults": None, "steps": None, "vacuous": why}
    assert (letters_of(vacuous), letters_of({**vacuous, "vacuous": ""})) == ("V", "H")
    text = sweep_text(ROCKETMQ, _swept([vacuous]), 80, colour=False)
    assert "0 HOLDS, 1 VACUOUS, 0 REFUTED" in text
    assert f"nothing could have broken the claim:\n  {ROCKETMQ.find(ROWS[0]['property']).title} " in text
    assert why in " ".join(text.split())
    assert "VACUOUS" not in sweep_text(ROCKETMQ, _swept([{**vacuous, "vacuous": ""}]), 80, colour=False)


def test_what_is_not_decided_is_told_with_its_reason() -> None:
    undecided = {**ROWS[0], "verdict": "UNKNOWN", "steps": None, "reason": "time limit", "detail": "after 3 s"}
    text = sweep_text(ROCKETMQ, _swept([undecided]), 80, colour=False)
    assert "1 UNKNOWN" in text
    assert "time limit after 3 s" in " ".join(text.split())


def test_trace_that_may_need_fewer_faults_has_a_question_mark_and_its_reason() -> None:
    why = "whether fewer faults suffice was not established: state limit"
    refuted = {**ROWS[0], "verdict": "REFUTED", "faults": 1, "steps": 25, "detail": why}
    assert (letters_of(refuted), letters_of({**refuted, "detail": ""})) == ("R 1,25?", "R 1,25")
    text = " ".join(sweep_text(ROCKETMQ, _swept([refuted]), 80, colour=False).split())
    assert "with a trace that may not be the smallest:" in text
    assert why in text

"""The rows of the sweep in docs/measurements.md are still what the checker finds."""

from __future__ import annotations

import pytest
from systems.sizes import FEW

from offsetproof.checking.request import question_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from studies.sweep import DOCS, recorded_sweep

SWEPT = recorded_sweep()
ROWS = {row["cell"]: row for row in SWEPT.rows}
SMALL = [question for question in SWEPT.grid.questions if 0 < (ROWS[question.id]["states"] or 0) < 60_000][::12]


def test_plots_are_there() -> None:
    for name in ("messages-sizes.svg", "messages-verdicts.svg"):
        assert (DOCS / "pictures" / name).read_text(encoding="utf-8").startswith("<?xml")


def test_every_question_of_the_grid_has_a_row() -> None:
    assert set(ROWS) == {question.id for question in SWEPT.grid.questions}
    assert len(ROWS) >= 200


def test_every_row_is_a_verdict_or_met_a_limit() -> None:
    assert {row["reason"] for row in ROWS.values()} <= {None, "state limit", "time limit"}
    assert len(SMALL) >= 5


@pytest.mark.parametrize(
    "question",
    [pytest.param(question, marks=() if ROWS[question.id]["states"] < FEW else pytest.mark.slow) for question in SMALL],
    ids=lambda question: question.id,
)
def test_question_is_what_the_checker_finds_today(question: ClaimInWorld) -> None:
    result, row = Explicit().decide(question_of(ROCKETMQ, question, SWEPT.grid.limits)), ROWS[question.id]
    steps = None if result.replay is None else len(result.replay.labels)
    assert (row["verdict"], row["states"], row["steps"]) == (str(result.verdict), result.counts.states, steps)
    assert row["digest"] == result.digest

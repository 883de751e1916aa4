"""What one more error of the broker refutes in mixed clusters is found again, and asked of all that holds."""

from __future__ import annotations

import pytest

from studies.mixed_wider import PAIRS, recorded, rows_of, wider_worlds
from studies.rows import Row

ROWS = recorded()


def _place(row: Row) -> tuple[str, str, str]:
    return row["claim"], row["scope"], row["pair"]


def test_rows_are_of_what_holds_in_both_pairs() -> None:
    asked = {
        (question.prop.id, question.setting.scope.name, str(question.setting.release)) for question, _ in wider_worlds()
    }
    assert {*map(_place, ROWS)} <= asked
    assert {row["pair"] for row in ROWS} == {*PAIRS}
    assert len(ROWS) == len({*map(_place, ROWS)})


def test_resets_that_hold_in_a_pair_are_refuted_by_an_error_that_an_old_client_misreads() -> None:
    refuted = {row["claim"] for row in ROWS if row["outcome"] == "refuted" and row["pair"] == PAIRS[0]}
    assert {"I4-reset", "I5-while-down", "I5-while-down-restarted"} <= refuted


@pytest.mark.slow
@pytest.mark.parametrize("claim", sorted({row["claim"] for row in ROWS if row["outcome"] == "refuted"}))
def test_worlds_that_the_error_refutes_are_found_again(claim: str) -> None:
    worlds = [(question, wider) for question, wider in wider_worlds() if question.prop.id == claim]
    assert [*rows_of(worlds)] == [row for row in ROWS if row["claim"] == claim]

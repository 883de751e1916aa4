"""What is written down of mixed clusters is found again, and said with its reason."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from studies.mixed import PAIRS, claims_in_pairs, recorded, rows_of
from studies.mixed_page import BOTH, Cell, cells, neither
from studies.mixed_reasons import REASONS

RECORDED = recorded()


def test_rows_are_of_all_claims_that_are_asked_in_each_pair() -> None:
    asked = {
        (question.prop.id, question.setting.scope.name, question.setting.release)
        for questions in claims_in_pairs()
        for question in questions
    }
    assert {*RECORDED} == asked
    assert {pair for _, _, pair in RECORDED} == {*PAIRS}
    assert {row["verdict"] for row in RECORDED.values()} <= {"HOLDS", "REFUTED", "UNKNOWN"}


def test_verdicts_are_those_that_are_expected() -> None:
    questions = [question for those in claims_in_pairs() for question in those]
    expected = {
        (each.prop.id, each.setting.scope.name, each.setting.release): str(each.prop.case.expected_in(each.setting))
        for each in questions
    }
    assert expected == {key: row["verdict"] for key, row in RECORDED.items()}


def test_each_cell_that_is_as_neither_release_has_a_reason_and_no_other_has() -> None:
    assert {cell.row["claim"] for cell in neither()} == {*REASONS}


def test_kinds_are_told_by_the_verdicts_of_both_releases() -> None:
    row = {"verdict": "HOLDS"}
    kinds = [Cell(row, *alone).kind for alone in (("HOLDS", "HOLDS"), ("HOLDS", "REFUTED"), ("not asked", "REFUTED"))]
    assert kinds == [BOTH, "as its client's", "as neither"]
    assert len({cell.kind for cell in cells()}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("claim", sorted({claim for claim, _, _ in RECORDED}))
def test_verdicts_are_found_again(claim: str) -> None:
    found = [row for questions in claims_in_pairs((claim,)) for row in rows_of(questions, ENGINES)]
    known = [row for row in found if (row["claim"], row["scope"], row["pair"]) in RECORDED]
    assert known
    for row in known:
        assert row == RECORDED[row["claim"], row["scope"], row["pair"]]

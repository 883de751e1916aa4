"""Remedies that no case states are asked of each release whose operators are told of them."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from offsetproof.model.releases import R_4_9_4, R_4_9_8, R_5_3_3
from offsetproof.verdict.question import Question
from studies.remedies import DATA, Key, known_remedies, unasked
from studies.rows import read_rows
from studies.verdicts import case_named

ROWS = {(row["case"], row["remedy"], row["release"]): row for row in read_rows(DATA)}
ASKED = dict(unasked())
SMALL = 10_000


def test_rows_are_of_all_that_nobody_else_asks_and_each_is_decided() -> None:
    assert ROWS.keys() == ASKED.keys()
    assert {row["verdict"] for row in ROWS.values()} == {"HOLDS", "REFUTED"}


@pytest.mark.parametrize(("key", "question"), [
    pytest.param(key, question, id=" ".join((key[0], key[2])), marks=() if row["states"] < SMALL else pytest.mark.slow)
    for key, question in ASKED.items()
    if (row := ROWS[key])
])  # fmt: skip
def test_verdict_is_found_again(key: Key, question: Question) -> None:
    result = ENGINES.only.decide(question)
    assert (str(result.verdict), result.counts.states) == (ROWS[key]["verdict"], ROWS[key]["states"])
    assert not result.vacuous


@pytest.mark.parametrize(("case", "known"), [
    ("rocketmq I5", [1, 1, 7]),
    ("rocketmq I5-forward-by-time", [1, 1, 2]),
    ("rocketmq I6-time", [1, 1, 2]),
    ("rocketmq I5-forward", [1, 1, 1]),
    ("rocketmq I28", [1, 1, 0]),
])  # fmt: skip
def test_remedies_known_in_a_release_are_those_that_hold_there(case: str, known: list[int]) -> None:
    releases = (R_4_9_4, R_4_9_8, R_5_3_3)
    assert [len(known_remedies(case_named(case), release)) for release in releases] == known


def test_remedies_of_the_reset_at_the_broker_are_the_stopped_group_and_resets_with_numbers() -> None:
    assert {each.case for each in known_remedies(case_named("rocketmq I5"), R_5_3_3)} == {
        "I5-while-down",
        "I5-numbered",
    }
    assert [each.case for each in known_remedies(case_named("rocketmq I5"), R_4_9_8)] == [""]

"""What `check` says of wider worlds: of what holds, in the system that was asked about, what was found there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offsetproof.checking.answers import answer_to
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.wider import in_words, with_wider_worlds
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.result import Result, Verdict
from studies.widened_worlds import WIDENINGS
from studies.wider import FILE, summary, text

SAID = "with one bound or fault raised by one: "


def result_of(id: str, scope: str, **world: tuple[str, ...]) -> Result:
    (question,) = questions_of(Request(ROCKETMQ, properties=(id,), scope=scope, **world))
    return answer_to(ROCKETMQ, explicit_alone(), question).result


def said(result: Result) -> list[str]:
    return [note for note in result.notes if note.startswith(SAID)]


def test_file_is_what_was_found() -> None:
    assert FILE.read_text(encoding="utf-8") == text()


def test_each_case_counts_the_worlds_in_which_its_system_is_another() -> None:
    for widening in WIDENINGS:
        cases = {key.rsplit(" ", 1)[0]: case for key, case in summary()[widening.subject.name].items()}
        for name, row in widening.read().items():
            case, others = cases[name], {raised for raised, found in row.items() if found.outcome != "same"}
            assert sum(case.worlds.values()) == len(others)
            held = {raised for raised in others if row[raised].outcome in ("holds", "by stubborn sets")}
            assert {raised: row[raised].digest for raised in held} == case.held


@pytest.mark.parametrize(("id", "scope"), [("I20", "batch"), ("I32", "batch")])
def test_claim_that_holds_says_what_was_found(id: str, scope: str) -> None:
    result = result_of(id, scope)
    assert said(result) == [in_words(summary()["rocketmq"][f"{id} {scope} 4.9.4"].worlds)]
    assert with_wider_worlds(replace(result, notes=(), digest="0" + result.digest[1:]), ROCKETMQ).notes == ()


def test_nothing_is_said_of_what_is_refuted() -> None:
    refuted = result_of("I4", "calm-reset")
    assert (refuted.verdict, said(refuted)) == (Verdict.REFUTED, [])


@pytest.mark.parametrize("world", [{"fixes": ("only-code-22",)}, {"releases": ("4.9.8",)}])
def test_nothing_is_said_of_a_world_with_the_same_system_and_other_wider_ones(
    world: dict[str, tuple[str, ...]],
) -> None:
    """With one broker error the fix makes another system of it; nobody has asked that one."""
    asked, other = result_of("I4-tags", "tags"), result_of("I4-tags", "tags", **world)
    assert (other.verdict, other.digest) == (Verdict.HOLDS, asked.digest)
    assert (len(said(asked)), said(other)) == (1, [])


def test_answer_taken_from_another_release_does_not_take_what_was_found_there() -> None:
    asked, other = result_of("I4-tags", "tags"), result_of("I4-tags", "tags", releases=("4.9.8",))
    assert said(with_wider_worlds(replace(asked, setting=other.setting), ROCKETMQ)) == []

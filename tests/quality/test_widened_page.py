"""docs/widened.md: made of its data, which speak of every claim that holds; whatever is refuted there has a reason."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest
from systems.answered import ENGINES
from systems.sizes import is_small

from offsetproof.lang import REFUTED
from offsetproof.properties.catalogue import ROCKETMQ
from studies.widened_page import flips, page
from studies.widened_reasons import REASONS, Kind, NoReasonError, Reason, reason_for
from studies.widened_worlds import RAISED, SAME, Found, decided, digest_of, pairs, read, scope_with_raised

PAGE = Path(__file__).parents[2] / "docs" / "widened.md"
RECORD = read()
PAIRS = {pair.name: pair for pair in pairs()}
FLIPS = list(flips(RECORD))
FEW_STEPS = 20
"""A story of at most so many steps is found in a second."""


def _chosen(name: str, raised: str, share: int) -> bool:
    """Is this world in a sample of one in `share`, the same in each run?"""
    return crc32(f"{name} {raised}".encode()) % share == 0


def _found_now(name: str, raised: str) -> Found | None:
    """What is found in this world today; None where it cannot be."""
    question = PAIRS[name].with_raised(raised)
    if question is None:
        return None
    digest = digest_of(question, ENGINES)
    same = digest == digest_of(PAIRS[name].question, ENGINES)
    return Found(digest, SAME) if same else decided(question, digest, ENGINES)


def test_page_is_made_of_its_data_and_reasons() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(RECORD)


def test_data_speak_of_every_claim_that_holds_in_each_of_its_scopes() -> None:
    assert list(RECORD) == list(PAIRS)


def test_every_world_has_been_asked() -> None:
    can_be = {(name, raised) for name, pair in PAIRS.items() for raised in RAISED if pair.with_raised(raised)}
    assert {(name, raised) for name, row in RECORD.items() for raised in row} == can_be


@pytest.mark.parametrize(("claim", "scope", "raised"), FLIPS)
def test_whatever_is_refuted_has_a_reason(claim: str, scope: str, raised: str) -> None:
    assert reason_for(claim, raised).words, f"{claim} in {scope}"


@pytest.mark.parametrize(("claim", "scope", "raised"), FLIPS)
def test_claim_says_what_it_excludes(claim: str, scope: str, raised: str) -> None:
    said, prop = reason_for(claim, raised).said, ROCKETMQ.find(claim)
    text = " ".join(f"{prop.about} {prop.function.__doc__}".split())
    assert not said or any(words in text for words in said), f"{claim} in {scope}: {text}"


def test_claim_of_which_nothing_is_said_has_no_reason() -> None:
    with pytest.raises(NoReasonError, match="I13-fixed is refuted where resets is one more"):
        reason_for("I13-fixed", "resets")


def test_what_is_said_of_a_case_comes_before_what_is_said_of_its_claim() -> None:
    assert reason_for("I4-expansion", "cold").cases == ("I4-expansion-late",)
    assert reason_for("I4", "cold").cases == ("I4-new-group",)


def test_no_reason_is_left_over_nor_given_for_a_claim_without_need() -> None:
    needed = {
        (reason_for(claim, raised), name)
        for claim, _, raised in FLIPS
        for name in (claim, ROCKETMQ.find(claim).name)
        if name in reason_for(claim, raised).claims
    }
    given = {(reason, claim) for reason in REASONS for claim in reason.claims}
    assert {(reason.raised, claim) for reason, claim in given - needed} == set()


@pytest.mark.parametrize("reason", [r for r in REASONS if r.cases], ids=lambda r: f"{r.raised}-{'-'.join(r.cases)}")
def test_cases_that_a_reason_names_are_refuted(reason: Reason) -> None:
    assert [ROCKETMQ.find(id).case.expected for id in reason.cases] == [REFUTED] * len(reason.cases)


def test_reason_that_is_on_record_names_its_cases_and_any_other_the_words_that_exclude() -> None:
    assert [r for r in REASONS if (r.kind is Kind.CASE) != bool(r.cases)] == []
    assert [r for r in REASONS if (r.kind is Kind.EXCLUDED) != bool(r.said)] == []


def test_faults_are_raised_from_none_and_bounds_not_beyond_what_they_may_be() -> None:
    scope = PAIRS["I4-expansion expansion"].question.setting.scope
    raised = {name: scope_with_raised(scope, name) for name in RAISED}
    assert {name for name, wider in raised.items() if wider is None} == {"expansion", "queue"}
    assert raised["kill"] is not None
    assert raised["kill"].faults["kill"] == 1
    assert raised["messages"] is not None
    assert raised["messages"].messages == scope.messages + 1


SAMPLE = [(name, raised) for name in PAIRS for raised in RAISED if _chosen(name, raised, 60)]


@pytest.mark.parametrize(
    ("name", "raised"),
    [pytest.param(*world, marks=() if is_small(PAIRS[world[0]].question) else pytest.mark.slow) for world in SAMPLE],
)
def test_sample_is_found_again(name: str, raised: str) -> None:
    assert _found_now(name, raised) == RECORD[name].get(raised)


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "scope", "raised"), [each for each in FLIPS if _chosen(each[0], each[2], 4)])
def test_sample_of_what_is_refuted_is_found_again(claim: str, scope: str, raised: str) -> None:
    assert _found_now(f"{claim} {scope}", raised) == RECORD[f"{claim} {scope}"][raised]

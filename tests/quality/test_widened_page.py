"""docs/studies/widened.md: its data speak of every claim that holds; whatever is refuted there has a reason."""

from __future__ import annotations

from collections import Counter
from zlib import crc32

import pytest
from systems.answered import ENGINES
from systems.sizes import is_small

from offsetproof.checking.widening import scope_with_raised
from offsetproof.lang import REFUTED
from studies.widened_page import flips
from studies.widened_reasons import NoReasonError, Reason, case_named, reason_for, reasons
from studies.widened_worlds import OPEN, SAME, TOO_LARGE, WIDENINGS, Found, Pair, Widening, decided, digest_of

RECORDS = {widening: widening.read() for widening in WIDENINGS}
ASKED = [widening for widening, record in RECORDS.items() if record]
ROCKETMQ = WIDENINGS[0]
World = tuple[Widening, Pair, str]
FLIPS = [(widening, *flip) for widening in ASKED for flip in flips(RECORDS[widening])]


def _name(value: object) -> str:
    return value.subject.name if isinstance(value, Widening) else getattr(value, "name", str(value))


def _chosen(name: str, raised: str, share: int) -> bool:
    """Is this world in a sample of one in `share`, the same in each run?"""
    return crc32(f"{name} {raised}".encode()) % share == 0


def _found_now(pair: Pair, raised: str, recorded: Found | None) -> Found | None:
    """What is found in this world today; None where it cannot be. Not all that is recorded as too large was asked again
    by stubborn sets."""
    question = pair.with_raised(raised)
    if question is None:
        return None
    digest = digest_of(question, ENGINES)
    same = digest == digest_of(pair.question, ENGINES)
    whole = recorded is not None and recorded.outcome == TOO_LARGE
    return Found(digest, SAME) if same else decided(question, digest, ENGINES, whole=whole)


@pytest.mark.parametrize("widening", ASKED, ids=_name)
def test_data_speak_of_every_claim_that_holds_in_each_of_its_scopes(widening: Widening) -> None:
    assert list(RECORDS[widening]) == [pair.name for pair in widening.pairs]


@pytest.mark.parametrize("widening", ASKED, ids=_name)
def test_every_world_has_been_asked(widening: Widening) -> None:
    can_be = {(pair.name, raised) for pair in widening.pairs for raised in widening.raised if pair.with_raised(raised)}
    assert {(name, raised) for name, row in RECORDS[widening].items() for raised in row} == can_be


@pytest.mark.parametrize("widening", ASKED, ids=_name)
def test_at_most_a_tenth_of_the_worlds_is_yet_to_be_asked(widening: Widening) -> None:
    outcomes = Counter(found.outcome for row in RECORDS[widening].values() for found in row.values())
    assert outcomes[OPEN] * 10 <= outcomes.total()


@pytest.mark.parametrize(("widening", "claim", "scope", "raised"), FLIPS, ids=_name)
def test_whatever_is_refuted_has_a_reason(widening: Widening, claim: str, scope: str, raised: str) -> None:
    assert reason_for(widening.subject, claim, raised).words, f"{claim} in {scope}"


@pytest.mark.parametrize(("widening", "claim", "scope", "raised"), FLIPS, ids=_name)
def test_claim_says_what_it_excludes(widening: Widening, claim: str, scope: str, raised: str) -> None:
    said, prop = reason_for(widening.subject, claim, raised).said, widening.subject.find(claim)
    text = " ".join(f"{prop.about} {prop.function.__doc__}".split())
    assert not said or any(words in text for words in said), f"{claim} in {scope}: {text}"


def test_claim_of_which_nothing_is_said_has_no_reason() -> None:
    with pytest.raises(NoReasonError, match="rocketmq I13-fixed is refuted where resets is one more"):
        reason_for(ROCKETMQ.subject, "I13-fixed", "resets")


def test_what_is_said_of_a_case_comes_before_what_is_said_of_its_claim() -> None:
    assert reason_for(ROCKETMQ.subject, "I4-expansion", "cold").cases == ("I4-expansion-cold",)
    assert reason_for(ROCKETMQ.subject, "I4", "cold").cases == ("I4-new-group",)


def test_reason_has_either_cases_or_words_that_exclude() -> None:
    for both in ({}, {"cases": ("I1",), "said": ("no reset",)}):
        with pytest.raises(ValueError, match="the reason for resets "):
            Reason("resets", ("I1",), "because", **both)


@pytest.mark.parametrize("widening", ASKED, ids=_name)
def test_no_reason_is_left_over_nor_given_for_a_claim_without_need(widening: Widening) -> None:
    subject = widening.subject
    needed = {
        (reason_for(subject, claim, raised), name)
        for claim, _, raised in flips(RECORDS[widening])
        for name in (claim, subject.find(claim).name)
        if name in reason_for(subject, claim, raised).claims
    }
    given = {(reason, claim) for reason in reasons(subject) for claim in reason.claims}
    assert {(reason.raised, claim) for reason, claim in given - needed} == set()


@pytest.mark.parametrize("widening", ASKED, ids=_name)
def test_cases_that_a_reason_names_are_refuted(widening: Widening) -> None:
    named = {name for reason in reasons(widening.subject) for name in reason.cases}
    assert {name for name in named if case_named(widening.subject, name).case.expected != REFUTED} == set()


def test_faults_are_raised_from_none_and_bounds_not_beyond_what_they_may_be() -> None:
    (pair,) = [pair for pair in ROCKETMQ.pairs if pair.name == "I4-expansion expansion"]
    scope = pair.question.setting.scope
    raised = {name: scope_with_raised(scope, name, pair.question.model) for name in ROCKETMQ.raised}
    assert {name for name, wider in raised.items() if wider is None} == {"expansion", "queue"}
    assert raised["kill"] is not None
    assert raised["kill"].faults["kill"] == 1
    assert raised["messages"] is not None
    assert raised["messages"].messages == scope.messages + 1


def _worlds(share: int) -> list[World]:
    every = [(widening, pair, raised) for widening in ASKED for pair in widening.pairs for raised in widening.raised]
    chosen = [world for world in every if _chosen(world[1].name, world[2], share)]
    return [world for world in chosen if _recorded(*world) != Found("", OPEN)]


def _recorded(widening: Widening, pair: Pair, raised: str) -> Found | None:
    return RECORDS[widening][pair.name].get(raised)


@pytest.mark.parametrize(
    ("widening", "pair", "raised"),
    [pytest.param(*world, marks=() if is_small(world[1].question) else pytest.mark.slow) for world in _worlds(60)],
    ids=_name,
)
def test_sample_is_found_again(widening: Widening, pair: Pair, raised: str) -> None:
    recorded = _recorded(widening, pair, raised)
    assert _found_now(pair, raised, recorded) == recorded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("widening", "pair", "raised"),
    [world for world in _worlds(4) if (found := _recorded(*world)) and found.outcome == "refuted"],
    ids=_name,
)
def test_sample_of_what_is_refuted_is_found_again(widening: Widening, pair: Pair, raised: str) -> None:
    recorded = RECORDS[widening][pair.name][raised]
    assert _found_now(pair, raised, recorded) == recorded

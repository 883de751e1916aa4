"""A verdict without its evidence cannot be made; codes of several results are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise, permutations

import pytest

from offsetproof.examples.toys import Counter, Stairs
from offsetproof.lang import Property, Setting
from offsetproof.lang.claim import NO_DEADLOCK, Expectation
from offsetproof.lang.reference import Reference, Replay
from offsetproof.verdict.exits import PRECEDENCE, Exit, exit_of, worst
from offsetproof.verdict.result import Counts, Reason, Result, Verdict

COUNTER, STAIRS = Setting(Counter.scopes[0]), Setting(Stairs.scopes[0])


def unexpected(prop: Property) -> Property:
    """The claim without the verdict that it expects."""
    return replace(prop, case=replace(prop.case, expected=None))


BELOW_TWO, BELOW_FOUR = unexpected(Counter.stays_below_two), Counter.stays_below_four
ON_TOP, ON_THREE = Stairs.stands_on_top, unexpected(Stairs.stands_on_three)
RISES, CLIMBS = ("counter_rises", ()), ("climbs_two", ())
TO_TWO = Replay(Reference(Counter, COUNTER), BELOW_TWO, [RISES] * 2)
TO_TOP = Replay(Reference(Stairs, STAIRS), ON_TOP, [CLIMBS] * 3)
STUCK = Replay(Reference(Stairs, STAIRS), NO_DEADLOCK, [CLIMBS] * 3)


def result(
    prop: Property, verdict: Verdict, *, exhaustive: bool = False, replay: Replay | None = None,
    reason: Reason | None = None, witnesses: Mapping[str, bool] | None = None,
) -> Result:  # fmt: skip
    """A result with nothing in it but the evidence."""
    setting = COUNTER if prop in (BELOW_TWO, *Counter.claims) else STAIRS
    return Result(prop, setting, "none", "by hand", verdict, Counts(1, 1, 0, 0), 0.0, exhaustive, replay, reason,
                  witnesses=witnesses or {})  # fmt: skip


def test_refuted_needs_a_trace_that_replayed_to_this_very_claim() -> None:
    assert result(BELOW_TWO, Verdict.REFUTED, replay=TO_TWO).replay is TO_TWO
    with pytest.raises(AssertionError, match="stays_below_two is REFUTED without a trace that replayed"):
        result(BELOW_TWO, Verdict.REFUTED, exhaustive=True)
    with pytest.raises(AssertionError, match="stays_below_four is REFUTED without a trace that replayed"):
        result(BELOW_FOUR, Verdict.REFUTED, replay=TO_TWO)


def test_holds_needs_the_exhausted_scope_and_every_witness() -> None:
    assert result(BELOW_FOUR, Verdict.HOLDS, exhaustive=True, witnesses={"W": True}).exhaustive
    told = "stays_below_four is HOLDS without having exhausted its scope and witnesses"
    with pytest.raises(AssertionError, match=told):
        result(BELOW_FOUR, Verdict.HOLDS)
    with pytest.raises(AssertionError, match=told):
        result(BELOW_FOUR, Verdict.HOLDS, exhaustive=True, witnesses={"V": True, "W": False})


def test_witness_holds_by_a_trace_and_is_refuted_by_the_exhausted_scope() -> None:
    assert result(ON_TOP, Verdict.HOLDS, replay=TO_TOP).replay is TO_TOP
    assert result(ON_THREE, Verdict.REFUTED, exhaustive=True).replay is None
    with pytest.raises(AssertionError, match="stands_on_top is HOLDS without a trace"):
        result(ON_TOP, Verdict.HOLDS, exhaustive=True)
    with pytest.raises(AssertionError, match="stands_on_three is REFUTED without having exhausted"):
        result(ON_THREE, Verdict.REFUTED)


def test_unknown_needs_a_reason() -> None:
    assert result(BELOW_TWO, Verdict.UNKNOWN, reason=Reason.TIME).reason is Reason.TIME
    with pytest.raises(AssertionError, match="stays_below_two is UNKNOWN without a reason"):
        result(BELOW_TWO, Verdict.UNKNOWN)


@pytest.mark.parametrize(("found", "code"), [
    (result(BELOW_FOUR, Verdict.HOLDS, exhaustive=True), Exit.AS_EXPECTED),
    (result(BELOW_TWO, Verdict.REFUTED, replay=TO_TWO), Exit.VIOLATION),
    (result(NO_DEADLOCK, Verdict.REFUTED, replay=STUCK), Exit.DEADLOCK),
    (result(ON_THREE, Verdict.REFUTED, exhaustive=True), Exit.LIVENESS),
    *((result(BELOW_TWO, Verdict.UNKNOWN, reason=r), Exit.UNKNOWN) for r in Reason if r is not Reason.OVERFLOW),
    (result(BELOW_TWO, Verdict.UNKNOWN, reason=Reason.OVERFLOW), Exit.MODEL_ERROR),
])  # fmt: skip
def test_code_follows_verdict_and_kind_of_claim(found: Result, code: Exit) -> None:
    assert exit_of(found) is code


@pytest.mark.parametrize(("expected", "refuted", "holds"), [
    (Expectation.REFUTED, Exit.AS_EXPECTED, Exit.DIFFERS),
    (Expectation.HOLDS, Exit.VIOLATION, Exit.AS_EXPECTED),
])  # fmt: skip
def test_expected_refutation_is_no_failure_and_its_absence_differs(
    monkeypatch: pytest.MonkeyPatch, expected: Expectation, refuted: Exit, holds: Exit
) -> None:
    monkeypatch.setattr(Property, "expects", lambda self, setting: expected)
    assert exit_of(result(BELOW_TWO, Verdict.REFUTED, replay=TO_TWO)) is refuted
    assert exit_of(result(BELOW_FOUR, Verdict.HOLDS, exhaustive=True)) is holds


def test_codes_are_those_of_the_contract_in_its_order() -> None:
    assert list(map(int, PRECEDENCE)) == [255, 120, 75, 150, 152, 69, 12, 11, 13, 20, 30, 0]
    assert {Exit.USAGE: 2, Exit.INTERRUPTED: 130, Exit.TERMINATED: 143}.items() == {2: 2, 130: 130, 143: 143}.items()


def test_gravest_code_wins_in_any_order() -> None:
    assert worst([]) is Exit.AS_EXPECTED
    for graver, lighter in pairwise(PRECEDENCE):
        assert {worst(pair) for pair in permutations([graver, lighter, Exit.AS_EXPECTED])} == {graver}

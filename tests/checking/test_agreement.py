"""Engines side by side: what agrees, and every kind of contradiction that must be noticed."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import Engines
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels
from offsetproof.examples import toys
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.lang import Subject
from offsetproof.verdict.agreement import Agreement, total
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict


def question(toy: Toy) -> Question:
    return Question(toy.model, toy.setting, toy.prop)


def _subject(toy: Toy) -> Subject:
    return Subject("toys", toy.model, toy.model.claims)


REFUTED = next(t for t in TOYS if t.model is toys.Counter and t.prop is toys.Counter.never_falls)
EASY = next(t for t in TOYS if t.model is toys.Counter and t.prop is toys.Counter.moves_by_one_or_wraps)


def explicit(toy: Toy) -> Result:
    return Explicit().decide(question(toy))


def test_opposite_verdicts_are_a_disagreement() -> None:
    """The holding claim's answer, given the name of another engine, beside a refutation."""
    a, b = explicit(REFUTED), replace(explicit(EASY), engine="smt")
    agreement = Agreement((a, b))
    assert agreement.problems == ("explicit says REFUTED, smt says HOLDS",)
    assert str(agreement).startswith("DISAGREEMENT: explicit says REFUTED, smt says HOLDS")


def test_a_smaller_trace_than_the_smallest_is_a_disagreement() -> None:
    long, short = explicit(REFUTED), explicit(next(t for t in TOYS if t.prop is toys.Counter.stays_below_two))
    other = replace(short, engine="stateful", counts=replace(short.counts, states=None))
    assert Agreement((long, other)).problems == (
        "explicit's smallest trace has (faults, steps) (0, 4), but stateful's has (0, 2)",
    )
    open_one = replace(long, fewer_faults_open=Reason.STATES)
    assert Agreement((open_one, other)).problems == ()
    assert Agreement((open_one, other)).decisive is other
    assert Agreement((long, other)).decisive is long


def test_a_longer_trace_from_a_search_that_looked_deep_enough_is_a_disagreement() -> None:
    short, long = explicit(next(t for t in TOYS if t.prop is toys.Counter.stays_below_two)), explicit(REFUTED)
    other = replace(long, engine="smt", counts=replace(long.counts, states=None), within=9)
    assert Agreement((short, other)).problems == (
        "explicit's smallest trace has (faults, steps) (0, 2), but smt's has (0, 4)",
    )


def test_nothing_found_to_a_depth_that_a_trace_fits_into_is_a_disagreement() -> None:
    found = explicit(REFUTED)
    blind = replace(
        found, engine="smt", verdict=Verdict.UNKNOWN, reason=Reason.DEPTH, replay=None,
        counts=replace(found.counts, states=None, depth=9), within=9,
    )  # fmt: skip
    assert Agreement((found, blind)).problems == ("smt found nothing to depth 9, but explicit's trace has 4",)
    for reason in (Reason.TIME, Reason.SOLVER):
        assert Agreement((found, replace(blind, reason=reason))).problems
    shallow = replace(blind, within=3)
    assert Agreement((found, shallow)).problems == ()


def test_a_witness_that_an_exhausted_scope_lacks_is_a_disagreement() -> None:
    holds = explicit(EASY)
    a = replace(holds, witnesses={"W": True})
    assert Agreement((a, replace(a, engine="smt"))).problems == ()
    blind = replace(holds, verdict=Verdict.UNKNOWN, reason=Reason.WITNESS, exhaustive=True, witnesses={"W": False})
    assert Agreement((blind, replace(a, engine="smt"))).problems == ("smt reaches W, explicit does not",)


def test_disagreement_ends_with_the_internal_code_and_the_total_counts_it() -> None:
    class Wrong(Explicit):
        name = "smt"

        def decide(self, asked: Question) -> Result:
            return replace(explicit(EASY), engine="smt", prop=asked.prop)

    (answer,) = answers(_subject(REFUTED), Engines(StagedModels(), (Explicit(), Wrong())), [question(REFUTED)])
    assert answer.exit is Exit.INTERNAL
    assert answer.agreement is not None
    assert total([answer.agreement]) == "1 question: explicit decided 1, smt decided 1; 1 disagreement"

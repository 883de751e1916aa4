"""Every toy through every engine: the answers worked out by hand, the same with reductions, the same twice."""

from __future__ import annotations

from functools import cache

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.system import show_label
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Result

ENGINE = Explicit()
NONE = Reductions(slicing=False, dead=False)

each_toy = pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)


@cache
def answer(toy: Toy, reductions: Reductions) -> Result:
    return ENGINE.decide(Question(toy.model, toy.setting, toy.prop, reductions=reductions))


def trace(result: Result) -> tuple[str, ...] | None:
    return tuple(map(show_label, result.replay.labels)) if result.replay else None


@each_toy
def test_unreduced_search_gives_the_hand_counted_answer(toy: Toy) -> None:
    result = answer(toy, NONE)
    counts = result.counts
    assert (result.verdict, result.reason) == (toy.verdict, toy.reason)
    assert (counts.states, counts.transitions, counts.depth) == (toy.states, toy.transitions, toy.depth)
    assert (counts.initial, counts.bound_cuts) == (toy.initial, toy.cuts)
    assert sum(counts.fired.values()) == counts.transitions


@each_toy
def test_reductions_keep_verdict_and_shortest_trace(toy: Toy) -> None:
    plain, reduced = answer(toy, NONE), answer(toy, Reductions())
    assert (reduced.verdict, reduced.reason, trace(reduced)) == (plain.verdict, plain.reason, trace(plain))
    counts = reduced.counts
    expected = toy.reduced or (toy.states, toy.transitions, toy.depth)
    assert (counts.states, counts.transitions, counts.depth) == expected


@each_toy
def test_trace_is_the_canonical_shortest_one(toy: Toy) -> None:
    result = answer(toy, Reductions())
    assert (None if result.replay is None else len(result.replay.labels)) == toy.length
    if result.replay is not None:
        assert result.replay.faults == toy.faults
        assert toy.start is None or result.replay.states[0] == toy.start
    assert toy.trace is None or trace(result) == toy.trace


@each_toy
def test_a_new_engine_gives_the_same_result_again(toy: Toy) -> None:
    first = answer(toy, Reductions())
    again = Explicit().decide(Question(toy.model, toy.setting, toy.prop))
    assert (again.verdict, again.counts, again.digest, trace(again)) == (
        first.verdict,
        first.counts,
        first.digest,
        trace(first),
    )


def test_model_error_names_action_field_value_domain_and_steps() -> None:
    toy = next(t for t in TOYS if t.reason is not None)
    detail = answer(toy, Reductions()).detail
    assert "counter_rises: field x: 3 is not in its domain, 0 to 2" in detail
    assert "toys/overflow.py:" in detail
    assert detail.endswith("after 2 steps: counter_rises -> counter_rises")

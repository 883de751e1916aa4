"""One contract for all engines: what they must tell of every toy, and of claims about RocketMQ in small scopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from _pytest.mark import ParameterSet
from contract.checkers import DEPTH
from contract.promises import Told, bounded, exact, known, sampled, told
from contract.zoo import STUCK, ZOO
from engines.naive import Naive
from exports.rocketmq_cases import PLAIN, Case
from systems.samples import one_of_each_kind

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.verdict.agreement import Agreement, total
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

EFFORT = Effort(walk_steps=60_000, walk_length=150, examples=5, example_steps=20)
FARTHER = Effort(walk_steps=400_000, walk_length=60, examples=0)

CASES = (
    Case("hand-over", "I8", {"messages": 1}),
    Case("hand-over", "W-two-owners", {"messages": 1}),
    Case("come-back", "I17", {"messages": 1}),
    Case("come-back", "W-ghost-cell", {"messages": 1}),
    Case("come-back", "W-overtaken", {"messages": 1}),
    Case("come-back", "W-late-poll", {"messages": 1}),
    Case("come-back", "I1", {"messages": 1}),
    Case("calm-reset", "I5-forward-calm", {"messages": 1}),
    Case("calm-reset", "W-reset-landed", {"messages": 1}),
    Case("reset-two", "I1", {"view_changes": 0}),
)
"""Up to 30,000 states each; the smt engine looks as far as it takes to find what the first five have to show."""

QUICK = (CASES[0], CASES[5])
"""A claim, and one that is too large for smt; the rest is asked in the slow suite."""

each_toy = pytest.mark.parametrize("toy", [*one_of_each_kind(TOYS), *ZOO, *STUCK], ids=lambda toy: toy.name)
BY_NAME = {case.name: case for case in CASES}


@each_toy
def test_every_engine_keeps_its_promise_on_the_toys(toy: Toy) -> None:
    question = Question(toy.model, toy.setting, toy.prop)
    whole = Explicit().decide(replace(question, reductions=PLAIN))
    results = [Explicit().decide(question), Smt(depth=DEPTH).decide(question), Stateful(EFFORT).decide(question)]
    assert list(exact(known(toy), told(whole))) == []
    promises = (exact, bounded(DEPTH), sampled)
    truth = known(toy, reduced=True)
    assert [list(promise(truth, told(r))) for promise, r in zip(promises, results, strict=True)] == [[], [], []]
    assert Agreement((*results, replace(whole, engine="explicit, unreduced"))).problems == ()


@pytest.mark.parametrize("toy", [*ZOO, *STUCK], ids=lambda toy: toy.name)
def test_brute_force_gives_the_answers_of_the_zoo(toy: Toy) -> None:
    answer = Naive(toy.model, toy.setting).decide(toy.prop)
    counts = (answer.states, answer.transitions, answer.depth)
    assert (answer.verdict, *counts, answer.length) == (
        toy.verdict, toy.states, toy.transitions, toy.depth, toy.length
    )  # fmt: skip


@cache
def agreement(name: str) -> Agreement:
    """What the three engines say about a case."""
    engines = (Explicit(), Smt(depth=DEPTH, induction=1), Stateful(FARTHER))
    return Agreement(tuple(engine.decide(BY_NAME[name].question) for engine in engines))


def _some_slow(cases: Sequence[Case], quick: Sequence[Case]) -> list[ParameterSet]:
    return [pytest.param(case, marks=() if case in quick else pytest.mark.slow, id=case.name) for case in cases]


@pytest.mark.parametrize("case", _some_slow(CASES, QUICK))
def test_every_engine_keeps_its_promise_on_rocketmq(case: Case) -> None:
    explicit, smt, stateful = map(told, agreement(case.name).results)
    assert list(bounded(DEPTH)(explicit, smt)) == []
    assert list(sampled(explicit, stateful)) == []
    assert agreement(case.name).problems == ()


@pytest.mark.slow
@pytest.mark.parametrize("case", [CASES[0], CASES[2]], ids=lambda case: case.name)
def test_brute_force_gives_the_explicit_engines_answer_on_rocketmq(case: Case) -> None:
    question = replace(case.question, reductions=PLAIN)
    answer = Naive(question.model, question.setting).decide(question.prop)
    trace = None if answer.length is None else (answer.faults, answer.length)
    truth = Told(Verdict(answer.verdict), None, answer.states, answer.transitions, answer.depth, trace)
    assert list(exact(truth, told(Explicit().decide(question)))) == []


def test_total_counts_who_decided_what() -> None:
    line = total([agreement(case.name) for case in QUICK])
    assert line == "2 questions: explicit decided 2, smt decided 2, stateful decided 1; 0 disagreements"


TRUTH = Told(Verdict.REFUTED, None, 7, 8, 5, (1, 5))
HOLDS = Told(Verdict.HOLDS, None, 3, 4, 2)


@pytest.mark.parametrize("answer", [
    replace(TRUTH, verdict=Verdict.HOLDS), replace(TRUTH, states=8), replace(TRUTH, transitions=9),
    replace(TRUTH, depth=4), replace(TRUTH, trace=(0, 6)), replace(TRUTH, trace=None),
    replace(TRUTH, verdict=Verdict.UNKNOWN, reason=Reason.TIME, trace=None),
])  # fmt: skip
def test_exact_answers_may_differ_in_nothing(answer: Told) -> None:
    assert len(list(exact(TRUTH, answer))) >= 1
    assert list(exact(TRUTH, replace(TRUTH, states=None, depth=None))) == []


@pytest.mark.parametrize(("truth", "answer", "kept"), [
    (TRUTH, Told(Verdict.REFUTED, trace=(1, 5)), True),
    (TRUTH, Told(Verdict.REFUTED, trace=(2, 4)), False),
    (TRUTH, Told(Verdict.UNKNOWN, Reason.DEPTH), False),
    (replace(TRUTH, trace=(1, 9)), Told(Verdict.UNKNOWN, Reason.DEPTH), True),
    (replace(TRUTH, trace=(1, 9)), Told(Verdict.REFUTED, trace=(2, 4)), True),
    (replace(TRUTH, trace=(1, 9)), Told(Verdict.REFUTED, trace=(0, 4)), False),
    (replace(TRUTH, trace=(1, 9)), Told(Verdict.HOLDS), False),
    (HOLDS, Told(Verdict.HOLDS), True),
    (HOLDS, Told(Verdict.UNKNOWN, Reason.DEPTH), True),
    (HOLDS, Told(Verdict.UNKNOWN, Reason.SOLVER), False),
    (HOLDS, Told(Verdict.REFUTED, trace=(0, 3)), False),
])  # fmt: skip
def test_bounded_answers_are_exact_within_their_bound(truth: Told, answer: Told, kept: bool) -> None:
    assert (list(bounded(5)(truth, answer)) == []) is kept


@pytest.mark.parametrize(("truth", "answer", "kept"), [
    (TRUTH, Told(Verdict.REFUTED, trace=(1, 7)), True),
    (TRUTH, Told(Verdict.REFUTED, trace=(0, 7)), False),
    (TRUTH, Told(Verdict.UNKNOWN, Reason.SAMPLED), False),
    (HOLDS, Told(Verdict.UNKNOWN, Reason.SAMPLED), True),
    (HOLDS, Told(Verdict.HOLDS), False),
    (HOLDS, Told(Verdict.REFUTED, trace=(0, 1)), False),
])  # fmt: skip
def test_sampling_finds_but_never_proves(truth: Told, answer: Told, kept: bool) -> None:
    assert (list(sampled(truth, answer)) == []) is kept

"""The order on traces: the smallest trace made of given actions, and shortening what a random run found."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.examples.toys import TOYS, TokenRing, Toy
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Reference, Replay
from offsetproof.traces.shrink import shorten_replay
from offsetproof.traces.trace_order import canonical, rank
from offsetproof.verdict.question import Question

FOUND = [toy for toy in TOYS if toy.length]


def wandering(toy: Toy, seed: int) -> Replay | None:
    """A random run of the reference semantics up to the first state or step that shows the claim."""
    reference, random = Reference(toy.model, toy.setting), Random(seed)
    state = random.choice(reference.initial())
    start, labels = state, []
    if toy.prop.kind is not ClaimKind.EACH_STEP and reference.judge(toy.prop, state) is shows(toy):
        return Replay(reference, toy.prop, (), start)
    for _ in range(200):
        steps = list(reference.steps(state))
        if not steps:
            return None
        label, after = random.choice(steps)
        labels.append(label)
        if toy.prop.kind is ClaimKind.EACH_STEP:
            found = not reference.judge_step(toy.prop, state, label, after)
        else:
            found = reference.judge(toy.prop, after) is shows(toy)
        if found:
            return Replay(reference, toy.prop, labels, start)
        state = after
    return None


def shows(toy: Toy) -> bool:
    return toy.prop.kind is ClaimKind.SOMETIMES


@pytest.mark.parametrize(
    "toy",
    [pytest.param(toy, marks=pytest.mark.slow if toy.model is TokenRing else ()) for toy in FOUND],
    ids=lambda toy: toy.name,
)
def test_canonical_trace_is_never_larger_and_needs_no_new_action(toy: Toy) -> None:
    runs = list(islice(filter(None, (wandering(toy, seed) for seed in range(100))), 4))
    assert runs, "no random run met the violation"
    for run in runs:
        short, best = shorten_replay(run), canonical(run)
        assert len(short.labels) <= len(run.labels)
        assert rank(best) <= rank(run)
        assert set(best.labels) <= set(run.labels)
        assert canonical(best).labels == best.labels


@pytest.mark.parametrize("toy", FOUND, ids=lambda toy: toy.name)
def test_the_smallest_trace_of_all_is_its_own_canonical_one(toy: Toy) -> None:
    replay = Explicit().decide(Question(toy.model, toy.setting, toy.prop)).replay
    assert replay is not None
    assert canonical(replay).labels == replay.labels
    assert shorten_replay(replay).labels == replay.labels


def test_a_trace_with_too_many_detours_comes_back_as_it_is() -> None:
    toy = next(toy for toy in FOUND if toy.length and toy.length > 2)
    run = next(run for run in (wandering(toy, seed) for seed in range(50)) if run and len(run.labels) > 2)
    assert canonical(run, takes_max=1) is run

"""The other orders of a story are all that replay to the same end, one of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from systems.crowd import SETTING, STAGED, Crowd, stories
from systems.reproducible import reproducible

from offsetproof.ir.system import Label
from offsetproof.lang import Step, each_step
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.severity import orders
from offsetproof.severity.orders import other_orders
from offsetproof.severity.remembering import RememberingReference
from offsetproof.traces.happens_before import happens_before
from offsetproof.verdict.limits import Deadline, LimitMetError

Edges = frozenset[tuple[int, int]]


class Watched(Crowd):
    """The same, and somebody looks at each letter that is taken."""

    @each_step
    def received_never_falls(before: Crowd, after: Crowd, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
        return after.received >= before.received


(FALLS,) = (prop for prop in Watched.claims if prop.kind is ClaimKind.EACH_STEP)
WATCHED, STAGED_WATCHED = Reference(Watched, SETTING), Staged(Watched, SETTING)


@st.composite
def falls(draw: st.DrawFn) -> Replay:
    """A walk that ends with the first step that breaks a claim about steps."""
    state, labels = WATCHED.first(), list[Label]()
    for choice in draw(st.lists(st.integers(0, 1000), min_size=4, max_size=6)):
        possible = [each for each in WATCHED.steps(state) if each[0][0] in ("person_sends", "postman_takes")]
        label, after = possible[choice % len(possible)]
        labels.append(label)
        if not WATCHED.judge_step(FALLS, state, label, after):
            return Replay(WATCHED, FALLS, labels)
        state = after
    return reject()


def staged_of(story: Replay) -> Staged:
    return STAGED_WATCHED if story.prop is FALLS else STAGED


def edges_of(replay: Replay, order: Sequence[int]) -> Edges:
    return frozenset((order[a - 1], order[b - 1]) for a, b in happens_before(replay, staged_of(replay)).edges)


def kind_of(replay: Replay, order: Sequence[int]) -> list[int]:
    before = [0] * len(order)
    for earlier, later in edges_of(replay, order):
        before[later] |= 1 << earlier
    return before


def places_in(story: Replay, other: Replay) -> list[int]:
    """The old place of each step; of equal steps the first one that is left."""
    left = [*enumerate(story.labels)]
    places = []
    for label in other.labels:
        places.append(next(i for i, own in left if own == label))
        left = [each for each in left if each[0] != places[-1]]
    return places


def remembered(story: Replay) -> tuple[Replay, RememberingReference]:
    reference = RememberingReference(staged_of(story))
    return Replay(reference, story.prop, story.labels, story.states[0]), reference


def kinds_of_all_permutations(story: Replay) -> set[Edges]:
    kinds = set()
    for order in permutations(range(len(story.labels))):
        try:
            other = Replay(story.reference, story.prop, [story.labels[i] for i in order], story.states[0])
        except ReplayError:
            continue
        if other.states[-1] == story.states[-1]:
            kinds.add(edges_of(other, places_in(story, other)))
    return kinds


@reproducible(80)
@given(st.one_of(stories(steps=6), falls()))
def test_kinds_are_those_of_all_permutations_that_replay_to_the_same_end(story: Replay) -> None:
    others = [*other_orders(*remembered(story), kind_of, Deadline())]
    found = [edges_of(each, places_in(story, each)) for each in (story, *others)]
    assert len(found) == len({*found})
    assert {*found} == kinds_of_all_permutations(story)


@reproducible(60)
@given(stories())
def test_what_is_remembered_of_a_step_is_what_it_does(story: Replay) -> None:
    remembering = RememberingReference(STAGED)
    for state in (*story.states, *reversed(story.states)):
        for label in story.reference.labels:
            assert remembering.take(state, label) == story.reference.take(state, label)
        assert remembering.judge(story.prop, state) == story.reference.judge(story.prop, state)


@reproducible(20)
@given(stories(steps=6))
def test_story_with_too_many_states_on_the_way_has_no_other_orders(story: Replay) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(orders, "NODES_MAX", len(story.labels))
        assert [*other_orders(*remembered(story), kind_of, Deadline())] == []


@given(stories(steps=3))
@reproducible(5)
def test_search_for_orders_ends_at_the_deadline(story: Replay) -> None:
    with pytest.raises(LimitMetError):
        next(other_orders(*remembered(story), kind_of, Deadline(0.0)))

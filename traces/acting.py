"""Who acts on whom: of each step of a trace the other threads that it acts on, for drawings.

A step *hands on* a field if a later one took it up: read it and wrote it again, and could not have been taken without
it, or found it with the other actor. So a request, an answer or a PullRequest goes from the step that wrote it to the
thread that takes it up, which may be much later. A number that many count up, or a value that is written over, is
handed to nobody; nor is a field that a step leaves as it was in the beginning.

A step that nobody takes up acts on the owner of what it changed (`broker` owns `broker.committed`), unless it has taken
that up itself. All others stay within their own thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from offsetproof.ir.kind import Kind
from offsetproof.ir.node import evaluate_all, topological
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import TouchedSteps
from offsetproof.traces.trace import Trace, TraceStep

Lane = tuple[str, str]
"""An actor and one of its threads."""

Takers = Mapping[int, tuple[int, ...]]
"""For each step that handed something on, those that took it up, ascending; both by their places from 1."""


@dataclass(frozen=True)
class Arrow:
    """From a step to a thread that it acts on, and to the step with which that takes it up (None: with no one step)."""

    lane: Lane
    step: int | None


def lane_of(step: TraceStep) -> Lane:
    """The thread that takes a step."""
    return step.actor, step.thread


def takers(replay: Replay, staged: Staged, steps: TouchedSteps | None = None) -> Takers:
    """Who took up what in a replay, by what each step read and wrote; `steps` saves looking at them again."""
    steps = steps or TouchedSteps(replay, staged)
    actors = [replay.reference.grown.actor(label) for label in replay.labels]
    writer: dict[str, int] = {}
    later_by_number: dict[int, set[int]] = {}
    for number, step in enumerate(steps, 1):
        for name in step.reads & step.writes & writer.keys():
            earlier, position = writer[name], steps.places[name]
            giver = actors[earlier - 1]
            lies_with_giver = giver != actors[number - 1] and name.startswith(f"{giver}.")
            if replay.states[number - 1][position] != replay.states[0][position] and (
                lies_with_giver or _is_let_by(steps, number - 1, name, replay.states[earlier - 1][position])
            ):
                later_by_number.setdefault(earlier, set()).add(number)
        writer.update(dict.fromkeys(step.writes, number))
    return {number: tuple(sorted(later)) for number, later in later_by_number.items()}


def _is_let_by(steps: TouchedSteps, step: int, name: str, old: int) -> bool:
    """Could a step (counted from 0) not be taken if a field still had its old value?"""
    enabled = steps.instances[steps.labels[step]].enabled
    nodes = list(topological([enabled]))
    state = steps.states[step]
    values = {node.name: state[steps.places[node.name]] for node in nodes if node.kind is Kind.VAR}
    return name in values and not evaluate_all(nodes, {**values, name: old})[enabled]


def takers_by_changes(story: Trace) -> Takers:
    """The same where no model is at hand: a field that another actor changed next was taken up by it."""
    later_by_number: dict[int, set[int]] = {}
    for number, path, earlier in _changes(story):
        if earlier is not None and story.steps[earlier - 1].actor != story.steps[number - 1].actor:
            before, _ = story.steps[number - 1].changed[path]
            if before != story.initial[path]:
                later_by_number.setdefault(earlier, set()).add(number)
    return {number: tuple(sorted(later)) for number, later in later_by_number.items()}


def acted_on(story: Trace, taken: Takers) -> tuple[tuple[Lane, ...], ...]:
    """For each step the threads that it acts on, the first to notice first; none for a step that stays within its own.

    `story` is a trace as it is told (`Trace.story`).
    """
    return tuple(tuple(arrow.lane for arrow in those) for those in arrows(story, taken))


def arrows(story: Trace, taken: Takers) -> tuple[tuple[Arrow, ...], ...]:
    """The same with the step at which each arrow ends: the first of that thread that takes something up."""
    given = _lanes_given_to(story)
    found = []
    for number, step in enumerate(story.steps, 1):
        ends: dict[Lane, int | None] = {}
        for later in taken.get(number, ()):
            ends.setdefault(lane_of(story.steps[later - 1]), later)
        ends = ends or dict.fromkeys(given.get(number, []))
        found.append(tuple(Arrow(lane, end) for lane, end in ends.items() if lane != lane_of(step)))
    return tuple(found)


def _changes(story: Trace) -> Iterator[tuple[int, str, int | None]]:
    """Each step with each field that it changed, and the step that had changed that last."""
    last: dict[str, int] = {}
    for number, step in enumerate(story.steps, 1):
        for path in step.changed:
            yield number, path, last.get(path)
            last[path] = number


def _lanes_given_to(story: Trace) -> dict[int, list[Lane]]:
    """For each step the threads of the other actors in whose fields it left something that it had not taken up."""
    actors = {step.actor for step in story.steps}
    following = _next_lanes(story)
    lanes: dict[int, list[Lane]] = {}
    for number, path, earlier in _changes(story):
        step, owner = story.steps[number - 1], _owner(path, actors)
        took = earlier is not None and story.steps[earlier - 1].actor == owner
        before, after = step.changed[path]
        is_left = after != story.initial[path] and not (took and before != story.initial[path])
        if owner not in (None, step.actor) and is_left:
            lanes.setdefault(number, []).append(following[number - 1][owner])
    return lanes


def _owner(path: str, actors: set[str]) -> str | None:
    """The actor whose component a field is in, the innermost one; None for a field of nobody."""
    ends = [i for i, letter in enumerate(path) if letter == "."]
    return next((path[:end] for end in reversed(ends) if path[:end] in actors), None)


def _next_lanes(story: Trace) -> list[dict[str | None, Lane]]:
    """For each step the thread in which each actor is met next; for one that is not met again, where it was last."""
    met: dict[str | None, Lane] = {step.actor: lane_of(step) for step in story.steps}
    following = []
    for step in reversed(story.steps):
        following.append(dict(met))
        met[step.actor] = lane_of(step)
    return following[::-1]

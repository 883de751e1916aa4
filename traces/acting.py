"""Who acts on whom: of each step of a trace the other threads that it acts on, for drawings.

A step *hands on* a field if a later one took it up: was let by it, and wrote it again. So a request, an answer or a
token goes from the step that wrote it to the thread that takes it up, which may be much later. What a step leaves as it
was in the beginning is given back, and handed to nobody.

A step that nobody takes up acts on the owner of what it changed (`broker` owns `broker.committed`), unless it has taken
that up itself. All others stay within their own thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import Steps
from offsetproof.traces.trace import Trace, TraceStep

Lane = tuple[str, str]
"""An actor and one of its threads."""

Takers = Mapping[int, tuple[int, ...]]
"""For each step that handed something on, those that took it up, ascending; both by their places from 1."""


def lane_of(step: TraceStep) -> Lane:
    """The thread that takes a step."""
    return step.actor, step.thread


def takers(replay: Replay, staged: Staged) -> Takers:
    """Who took up what in a replay, by what each step's guard read and what it wrote."""
    places = {leaf.path: at for at, leaf in enumerate(replay.reference.grown.tree.leaves)}
    first = replay.states[0]
    writer: dict[str, int] = {}
    found: dict[int, set[int]] = {}
    for number, step in enumerate(Steps(replay, staged), 1):
        before = replay.states[number - 1]
        for name in step.guard & step.writes & writer.keys():
            if before[places[name]] != first[places[name]]:
                found.setdefault(writer[name], set()).add(number)
        writer.update(dict.fromkeys(step.writes, number))
    return {number: tuple(sorted(later)) for number, later in found.items()}


def takers_by_changes(story: Trace) -> Takers:
    """The same where no model is at hand: a field that another actor changed next was taken up by it."""
    found: dict[int, set[int]] = {}
    for number, path, earlier in _changes(story):
        if earlier is not None and story.steps[earlier - 1].actor != story.steps[number - 1].actor:
            before, _ = story.steps[number - 1].changed[path]
            if before != story.initial[path]:
                found.setdefault(earlier, set()).add(number)
    return {number: tuple(sorted(later)) for number, later in found.items()}


def acted_on(story: Trace, taken: Takers) -> tuple[tuple[Lane, ...], ...]:
    """For each step the threads that it acts on, the first to notice first; none for a step that stays within its own.

    `story` is a trace as it is told (`Trace.story`).
    """
    given = _given(story)
    return tuple(
        tuple(dict.fromkeys(lane for lane in lanes if lane != lane_of(step)))
        for step, lanes in (
            (step, [lane_of(story.steps[later - 1]) for later in taken.get(place, ())] or given.get(place, []))
            for place, step in enumerate(story.steps, 1)
        )
    )


def _changes(story: Trace) -> Iterator[tuple[int, str, int | None]]:
    """Each step with each field that it changed, and the step that had changed that last."""
    last: dict[str, int] = {}
    for number, step in enumerate(story.steps, 1):
        for path in step.changed:
            yield number, path, last.get(path)
            last[path] = number


def _given(story: Trace) -> dict[int, list[Lane]]:
    """For each step the threads of the other actors in whose fields it left something that it had not taken up."""
    actors = {step.actor for step in story.steps}
    following = _next_lanes(story)
    found: dict[int, list[Lane]] = {}
    for number, path, earlier in _changes(story):
        step, owner = story.steps[number - 1], _owner(path, actors)
        took = earlier is not None and story.steps[earlier - 1].actor == owner
        if owner not in (None, step.actor) and not (took and step.changed[path][0] != story.initial[path]):
            found.setdefault(number, []).append(following[number - 1][owner])
    return found


def _owner(path: str, actors: set[str]) -> str | None:
    """The actor whose component a field is in, the innermost one; None for a field of nobody."""
    ends = [at for at, letter in enumerate(path) if letter == "."]
    return next((path[:end] for end in reversed(ends) if path[:end] in actors), None)


def _next_lanes(story: Trace) -> list[dict[str | None, Lane]]:
    """For each step the thread in which each actor is met next; for one that is not met again, where it was last."""
    met: dict[str | None, Lane] = {step.actor: lane_of(step) for step in story.steps}
    found = []
    for step in reversed(story.steps):
        found.append(dict(met))
        met[step.actor] = lane_of(step)
    return found[::-1]

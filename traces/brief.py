"""A trace in brief: a line per step, with who, what in words, and the values that the violation was made of.

What is told first is what the claim read: the last step, faults, and the steps whose values reached the claim, nearest
first; then what let these be taken, latest first. So a story has as many steps as it may have; it numbers them as the
whole trace does. What does not fit into a line goes on in the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from offsetproof.escaping import one_line
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.acting import Takers, takers
from offsetproof.traces.cause import Part, parts_of
from offsetproof.traces.reads import TouchedSteps
from offsetproof.traces.trace import Trace, TraceStep, show_value

GHOST = "ghost_"
"""What the names of fields begin with that are history for claims."""

_VALUES_MAX = 2
"""How many values of a step are told."""

_HARD_BLANK = "\N{NO-BREAK SPACE}"
"""Where a line must not end."""

_LAST, _FAULT, _NEAREST = -2, -1, 0
_FAR = 1 << 30


@dataclass(frozen=True)
class Outline:
    """What a story that is drawn or told in brief knows besides the trace.

    `words` are actions in words, `parts` the steps that were needed. `taken` says who took up what a step handed on,
    `rests_on` which steps wrote last what a step read. Steps are counted as the trace lists them, from 1.
    """

    words: Mapping[str, str]
    parts: Mapping[int, Part]
    taken: Takers = field(default_factory=dict)
    rests_on: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Brief:
    """A story in brief: its lines, and the numbers of the steps that they tell."""

    lines: tuple[str, ...]
    steps: tuple[int, ...]


def outline_of(replay: Replay, staged: Staged) -> Outline:
    """The outline of a replay's story."""
    actions = {name: action for (name, _), (action, _) in replay.reference.grown.instances.items()}
    names = sorted({label[0] for label in replay.labels})
    steps = TouchedSteps(replay, staged)
    return Outline(
        {name: actions[name].about for name in names},
        {part.number: part for part in parts_of(replay, staged, steps)},
        takers(replay, staged, steps),
        _last_writers(steps),
    )


def _last_writers(steps: TouchedSteps) -> dict[int, tuple[int, ...]]:
    """For each step the earlier ones that wrote last what it read, ascending."""
    writer: dict[str, int] = {}
    found = {}
    for number, step in enumerate(steps, 1):
        found[number] = tuple(sorted({writer[name] for name in step.reads & writer.keys()}))
        writer.update(dict.fromkeys(step.writes, number))
    return found


def brief(trace: Trace, outline: Outline, width: int, steps_max: int) -> Brief:
    """The story in up to `steps_max` steps (at least one), in lines of up to `width` columns."""
    story = trace.story
    listed = trace.timing.order if trace.timing and trace.timing.order else range(1, trace.length + 1)
    parts = [outline.parts.get(number) for number in listed]
    places = sorted(_by_weight(story, parts)[: max(1, steps_max)])
    who = _names_of_actors(story)
    room = max((len(who[story.steps[i].actor, story.steps[i].thread]) for i in places), default=0)
    lines: list[str] = []
    for i in places:
        step = story.steps[i]
        head = f"{step.number:>3} {one_line(who[step.actor, step.thread]):<{room}}  "
        words = one_line(outline.words.get(step.action) or step.name).rstrip(".")
        lines += _lines_of(step, parts[i], head, words, width)
    return Brief(tuple(lines), tuple(story.steps[i].number for i in places))


def telling_values(step: TraceStep, part: Part | None) -> list[str]:
    """The few values of a step that the violation was made of, the most telling first: `cell 0 -> 1`."""
    return [value for is_needed, value in _values(step, part) if is_needed][:_VALUES_MAX]


def _by_weight(story: Trace, parts: list[Part | None]) -> list[int]:
    """The places of all steps, the most telling one first."""

    def weight(index: int) -> tuple[int, int]:
        part = parts[index]
        if index == story.length - 1:
            return _LAST, 0
        if story.steps[index].fault:
            return _FAULT, index
        if part is None:
            return _FAR + 1, -index
        return (_FAR if part.distance is None else _NEAREST + part.distance), -index

    return sorted(range(story.length), key=weight)


def _names_of_actors(story: Trace) -> Mapping[tuple[str, str], str]:
    """What each actor and thread is called in a story.

    Threads matter within the actor that has the most: it is told by them, with its own name only where there are
    several of its kind (`consumer[0]`, `consumer[1]`). Every other actor is told by its name.
    """
    pairs = list(dict.fromkeys((step.actor, step.thread) for step in story.steps))
    actors = [actor for actor, _ in pairs]
    most = max(actors, key=actors.count, default="")
    if actors.count(most) < 2:
        return {pair: pair[0] for pair in pairs}
    kind = most.partition("[")[0]
    same = {actor for actor in actors if actor.partition("[")[0] == kind}
    alone = len(same) == 1 and not {thread for actor, thread in pairs if actor == most} & {*actors}
    return {
        (actor, thread): actor if actor not in same else thread if alone else f"{actor} {thread}"
        for actor, thread in pairs
    }


def _lines_of(step: TraceStep, part: Part | None, head: str, words: str, width: int) -> list[str]:
    """A step with all its words and with a value that the violation was made of; others where that takes no more lines.

    A value stays in one piece where that is possible.
    """
    head_of_all, values = f"{head}{'fault: ' if step.fault else ''}{words}", [*_values(step, part)]

    def line(some: Sequence[str]) -> str:
        return f"{head_of_all} ({', '.join(some)})" if some else head_of_all

    def lines(some: Sequence[str]) -> list[str]:
        text = line([value.replace(" ", _HARD_BLANK) for value in some])
        wrapped = wrap(text, width, subsequent_indent=" " * (len(head) + 2), break_on_hyphens=False)
        return [each.replace(_HARD_BLANK, " ") for each in wrapped]

    needed = [value for is_needed, value in values if is_needed][:_VALUES_MAX]
    if len(line(needed[:1])) > width:
        return lines(needed) if len(lines(needed)) == len(lines(needed[:1])) else lines(needed[:1])
    fitting: list[str] = []
    for _, value in values:
        if len(fitting) < _VALUES_MAX and len(line([*fitting, value])) <= width:
            fitting.append(value)
    return [line(fitting)]


def _values(step: TraceStep, part: Part | None) -> Iterator[tuple[bool, str]]:
    """What the step changed, the most telling first; with each whether the violation was made of it."""
    fields = part.fields if part else {}

    def weight(path: str) -> tuple[bool, bool, int]:
        far = fields.get(path)
        return far is None, GHOST in path, -1 if far is None else far

    for path in sorted((path for path in step.changed if path in fields), key=weight):
        old, new = step.changed[path]
        yield fields.get(path) is not None, f"{_short(path, step.actor)} {show_value(old)} -> {show_value(new)}"


def _short(path: str, actor: str) -> str:
    """A field as the actor calls it, by up to two of its names.

    >>> _short("consumer[0].process_queue[1].task[0].result", "consumer[0]"), _short("broker.committed", "broker")
    ('task[0].result', 'committed')
    """
    return ".".join(path.removeprefix(f"{actor}.").split(".")[-2:])

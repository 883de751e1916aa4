"""A trace in brief: a line per step, with who, what in words, and the values that the violation was made of.

What is told first is what the claim read: the last step, faults, and the steps whose values reached the claim, nearest
first; then what let these be taken, latest first. So a story has as many steps as there is room for, and its numbers
are those of the whole trace. What does not fit into a line goes on in the next while there are lines left; only then
are words cut.
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

WORDS_MIN = 24
"""Columns that words keep before a value is given room."""

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
    """A story in brief: its lines, how many steps they tell, how many they leave out, and the numbers of those told."""

    lines: tuple[str, ...]
    step_count: int
    left_out: int
    steps: tuple[int, ...] = ()


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


def brief(trace: Trace, outline: Outline, width: int, lines_max: int, steps_max: int | None = None) -> Brief:
    """The story in up to `lines_max` lines (at least one) of up to `width` columns, of up to `steps_max` steps.

    Another step comes before words that are not cut.
    """
    story = trace.story
    listed = trace.timing.order if trace.timing and trace.timing.order else range(1, trace.length + 1)
    parts = [outline.parts.get(number) for number in listed]
    most = max(1, lines_max if steps_max is None else min(lines_max, steps_max))
    weighty = _by_weight(story, parts)[:most]
    who = _names_of_actors(story)
    room = max((len(who[story.steps[i].actor, story.steps[i].thread]) for i in weighty), default=0)
    spare = max(1, lines_max) - len(weighty)
    lines: dict[int, list[str]] = {}
    for i in weighty:
        step = story.steps[i]
        head = f"{step.number:>3} {one_line(who[step.actor, step.thread]):<{room}}  "
        telling = _Telling(step, parts[i], outline, head, width)
        lines[i] = telling.in_full if len(telling.in_full) <= spare + 1 else [telling.in_a_line]
        spare -= len(lines[i]) - 1
    numbers = tuple(story.steps[i].number for i in sorted(lines))
    told_lines = tuple(line for i in sorted(lines) for line in lines[i])
    return Brief(told_lines, len(lines), trace.length - len(lines), numbers)


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


@dataclass(frozen=True)
class _Telling:
    """How one step is told behind its head, in a line or in as many as it takes."""

    step: TraceStep
    part: Part | None
    outline: Outline
    head: str
    width: int

    @property
    def in_a_line(self) -> str:
        """Values that the violation was made of have room before words have, and words before other values."""
        values = ""
        for needed, value in _values(self.step, self.part):
            more = f"{values}, {value}" if values else value
            least = len(self._words) if not needed or values else min(len(self._words), WORDS_MIN)
            if least + len(more) + 3 <= self._room and values.count(" -> ") < _VALUES_MAX:
                values = more
        said = _fit_words(self._words, self._room - (len(values) + 3 if values else 0))
        return self._line(said, values)

    @property
    def in_full(self) -> list[str]:
        """With all words, and a value that the violation was made of, in one piece where that is possible."""
        needed = [value for is_needed, value in _values(self.step, self.part) if is_needed][:_VALUES_MAX]
        if len(self._line(self._words, "".join(needed[:1]))) <= self.width:
            return [self.in_a_line]
        one, all_of_them = self._wrap(needed[:1]), self._wrap(needed)
        return all_of_them if len(all_of_them) == len(one) else one

    def _wrap(self, values: Sequence[str]) -> list[str]:
        line = self._line(self._words, ", ".join(value.replace(" ", _HARD_BLANK) for value in values))
        lines = wrap(line, self.width, subsequent_indent=" " * (len(self.head) + 2), break_on_hyphens=False)
        return [line.replace(_HARD_BLANK, " ") for line in lines]

    @property
    def _words(self) -> str:
        return one_line(self.outline.words.get(self.step.action) or self.step.name).rstrip(".")

    @property
    def _fault(self) -> str:
        return "fault: " if self.step.fault else ""

    @property
    def _room(self) -> int:
        return self.width - len(self.head) - len(self._fault)

    def _line(self, words: str, values: str) -> str:
        return f"{self.head}{self._fault}{words}" + (f" ({values})" if values else "")


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


def _fit_words(words: str, room: int) -> str:
    """The words, or as many of them as there is room for.

    >>> _fit_words("The cell is sent one-way, if there is one", 30), _fit_words("short", 30)
    ('The cell is sent one-way...', 'short')
    """
    if len(words) <= room:
        return words
    cut = words[: max(1, room - 2)].rpartition(" ")[0] or words[: max(1, room - 3)]
    return cut.rstrip(",;:. ") + "..."

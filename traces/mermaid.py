"""A trace as a Mermaid sequence chart: a lane per thread, an arrow for each step that acts on another one.

Lanes of one actor stand together in a box. A step that stays within its thread is a note over its lane, so that arrows
are what passes between threads (`acting` says which). An arrow stands where it was sent, with an open head where it
arrives only after other steps; what it changed stands in a note below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from offsetproof.escaping import visible
from offsetproof.traces.acting import Lane, Takers, acted_on, lane_of, takers_by_changes
from offsetproof.traces.text import changes_by_actor, time_of_step
from offsetproof.traces.trace import Trace

_ENTITIES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "%": "#37;", "{": "#123;", "}": "#125;"}

_NOBODY = ("the initial state", "")
"""The lane of a trace without a step."""


def to_mermaid(trace: Trace, taken: Takers | None = None) -> str:
    """The trace as the text of a Mermaid sequence chart; `taken` is what its model says about who took up what."""
    story = trace.story
    by_actor: dict[str, list[Lane]] = {}
    for lane in dict.fromkeys(map(lane_of, story.steps)) or [_NOBODY]:
        by_actor.setdefault(lane[0], []).append(lane)
    names = {lane: f"p{i}" for i, lane in enumerate(lane for lanes in by_actor.values() for lane in lanes)}
    lines = [*_participants(by_actor, names), *_steps(story, taken, names), _end(story, names)]
    return "\n".join(["sequenceDiagram", *(f"    {line}" for line in lines)]) + "\n"


def mermaid_text(text: str) -> str:
    """A text as Mermaid takes it: what it would read as syntax becomes entities, line ends become breaks.

    >>> mermaid_text("a; b")
    'a#59; b'
    """
    entities = "".join(_ENTITIES.get(letter, letter) for letter in visible(text))
    return "<br/>".join(re.sub(r"\bend\b", "#101;nd", line, flags=re.IGNORECASE) for line in entities.splitlines())


def _participants(by_actor: Mapping[str, list[Lane]], names: Mapping[Lane, str]) -> Iterator[str]:
    """The lanes; an actor with several threads is a box around theirs. A step that names no thread is its actor's."""
    for actor, lanes in by_actor.items():
        if len(lanes) == 1:
            yield f"participant {names[lanes[0]]} as {mermaid_text(actor)}"
            continue
        yield f"box transparent {mermaid_text(actor)}"
        yield from (f"participant {names[lane]} as {mermaid_text(lane[1] or actor)}" for lane in lanes)
        yield "end"


def _steps(story: Trace, taken: Takers | None, names: Mapping[Lane, str]) -> Iterator[str]:
    taken = takers_by_changes(story) if taken is None else taken
    for position, (step, targets) in enumerate(zip(story.steps, acted_on(story, taken), strict=True), 1):
        own = names[lane_of(step)]
        later = [lane_of(story.steps[number - 1]) for number in taken.get(position, ()) if number > position + 1]
        at_once = position < story.length and position + 1 in taken.get(position, ()) and lane_of(story.steps[position])
        fault = f" (fault: {step.fault})" if step.fault else ""
        words = f"{step.number}. {step.name}{fault}{time_of_step(story, position - 1)}"
        for also, target in enumerate(targets):
            arrow = "-)" if target in later and target != at_once else "->>"
            yield f"{own}{arrow}{names[target]}: {mermaid_text(f'{step.number}.' if also else words)}"
        said = [*([] if targets else [words]), *changes_by_actor(step)]
        if said:
            yield f"Note over {own}: {mermaid_text(chr(10).join(said))}"


def _end(story: Trace, names: Mapping[Lane, str]) -> str:
    verb = "is shown here" if story.property.kind == "sometimes" else "fails here"
    over = ",".join(dict.fromkeys([next(iter(names.values())), list(names.values())[-1]]))
    words = f"{story.goes_on}: {story.property.title} fails" if story.goes_on else f"{story.property.title} {verb}"
    return f"Note over {over}: {mermaid_text(words)}"

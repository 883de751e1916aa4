"""A trace as a Mermaid sequence chart: one participant per actor, one message per step, notes for what changed.

A message goes to the actor whose fields the step changed (`consumer[0]` owns `consumer[0].cell`), else to itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from offsetproof.traces.text import changes_shown
from offsetproof.traces.trace import Trace, TraceStep
from offsetproof.traces.visible import visible

_ENTITIES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "%": "#37;", "{": "#123;", "}": "#125;"}


def to_mermaid(trace: Trace) -> str:
    """The trace as the text of a Mermaid sequence chart."""
    actors = dict.fromkeys(step.actor for step in trace.steps) or {"the initial state": None}
    names = {actor: f"p{i}" for i, actor in enumerate(actors)}
    lines = ["sequenceDiagram", *(f"    {line}" for line in _lines(trace, names))]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text as Mermaid takes it: what it would read as syntax becomes entities, line ends become breaks.

    >>> escaped("a; b")
    'a#59; b'
    """
    entities = "".join(_ENTITIES.get(letter, letter) for letter in visible(text))
    return "<br/>".join(re.sub(r"\bend\b", "#101;nd", line, flags=re.IGNORECASE) for line in entities.splitlines())


def _lines(trace: Trace, names: Mapping[str, str]) -> Iterator[str]:
    yield from (f"participant {name} as {escaped(actor)}" for actor, name in names.items())
    for step in trace.steps:
        source, target = names[step.actor], names[_target(step, names)]
        fault = f" (fault: {step.fault})" if step.fault else ""
        yield f"{source}->>{target}: {escaped(f'{step.number}. {step.name}{fault}')}"
        if step.changed:
            yield f"Note over {target}: {escaped(chr(10).join(changes_shown(step)))}"
    verb = "is shown here" if trace.property.kind == "sometimes" else "fails here"
    over = ",".join(dict.fromkeys([next(iter(names.values())), list(names.values())[-1]]))
    yield f"Note over {over}: {escaped(f'{trace.property.id} {trace.property.name} {verb}')}"


def _target(step: TraceStep, names: Mapping[str, str]) -> str:
    """The other actor whose fields the step changed; the step's own where there is none."""
    owners = {path[:end] for path in step.changed for end in _dots(path)} & names.keys()
    return step.actor if step.actor in owners or not owners else min(owners, key=list(names).index)


def _dots(path: str) -> list[int]:
    """Where the names of a path end, but for the last."""
    return [at for at, letter in enumerate(path) if letter == "."]

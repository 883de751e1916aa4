"""What conformance says: a line for each component, and the shortened steps where model and real classes differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.conformance.walks import Conformed
from offsetproof.escaping import visible
from offsetproof.ir.system import show_label
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, Seconds, write_json
from offsetproof.real.conform import Disagreement
from offsetproof.real.own_classes import classes_of
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.traces.text import wrap_lines
from offsetproof.verdict.phrases import quantity

ShownValue = Annotated[
    bool | int | str | list[bool | int | str | None] | None,
    Meta(description='A field on one side; "nothing" where the real one does not show it.'),
]


class DifferenceJson(JsonObject):
    """Steps after the last of which the two differ; none where they differ before the first."""

    steps: Names
    field: Annotated[str | None, Meta(description="null: the last step was not done.")]
    model: ShownValue
    real: ShownValue
    reason: str


class ComponentJson(JsonObject):
    """A part of the model, compared with the classes of a release."""

    component: Annotated[Name, Meta(description="A scope and its listener, or a class.")]
    release: str
    classpath: Annotated[Names | None, Meta(description="Classes of one's own in front of the release's.")]
    fixes: Annotated[Names, Meta(description="Those that the classes are said to have.")]
    steps: Count
    silent: Annotated[Count, Meta(description="Steps that have no line of their own and change nothing.")]
    walks: Count
    disagreements: Count
    reason: Annotated[str | None, Meta(description="Why nothing was compared.")]
    seconds: Seconds
    lacking: Annotated[
        dict[str, str], Meta(description="Actions for which the release has no place, each with the reason.")
    ]
    found: tuple[DifferenceJson, ...]


class ConformJson(DocumentJson):
    """Version 1 of how components were compared with real classes."""

    conformance: tuple[ComponentJson, ...]


def conformance_text(components: Sequence[Conformed], width: int) -> str:
    """A line for each component, below it the steps to a disagreement; then how much was compared."""
    room = max((len(each.component) for each in components), default=0)
    lines: list[str] = []
    for each in components:
        result = each.result
        how_many = f"{quantity(result.steps, 'step'):>13} in {quantity(result.walks, 'walk')}, {each.seconds:.1f} s"
        verdict = "agrees " if each.agrees else "UNKNOWN" if each.not_held else "DIFFERS"
        lines.append(f"{each.component:<{room}}  {verdict}  {how_many}")
        reasons = [each.not_held] if each.not_held else []
        reasons += [f"{why}: {action} is not done" for action, why in each.lacking.items()]
        lines += wrap_lines((f"    {reason}" for reason in reasons), width)
        for disagreement in result.disagreements:
            lines += wrap_lines((f"    {line}" for line in _lines_of(disagreement)), width)
    return visible("\n".join([*lines, *([""] if lines else []), *wrap_lines(_summary(components), width)])) + "\n"


def conformance_json(components: Sequence[Conformed]) -> str:
    """One document, with every component in the order in which it was compared."""
    subjects = {each.subject for each in components}
    subject = subjects.pop() if len(subjects) == 1 else DEFAULT
    return write_json(ConformJson(**envelope(subject), conformance=tuple(map(conformed_json, components))))


def _lines_of(disagreement: Disagreement) -> Iterator[str]:
    yield str(disagreement)
    for number, label in enumerate(disagreement.steps, 1):
        yield f"  {number:>3} {show_label(label)}"


def _summary(components: Sequence[Conformed]) -> Iterator[str]:
    steps = sum(each.result.steps for each in components)
    seconds = sum(each.seconds for each in components)
    wrong = sum(len(each.result.disagreements) for each in components)
    silent = sum(each.result.silent for each in components)
    lacking = sum(bool(each.lacking) for each in components)
    places = f"; {quantity(lacking, 'component')} with actions that have no place there" if lacking else ""
    release = classes_of(components[0].release, components[0].own) if components else "nothing"
    with_fixes = f" of a model with {' and '.join(components[0].fixes)}" if components and components[0].fixes else ""
    yield (
        f"{quantity(steps, 'step')} of {quantity(len(components), 'component')}{with_fixes} compared with {release} in "
        f"{seconds:.1f} s; {wrong or 'no'} disagreement{'s' * (wrong != 1)}{places}; {quantity(silent, 'step')} had "
        "no line of their own there and changed nothing that both sides show"
    )


def conformed_json(each: Conformed) -> ComponentJson:
    """A component as one row of a document."""
    return ComponentJson(
        component=each.component,
        release=each.release,
        classpath=each.own.paths if each.own else None,
        fixes=each.fixes,
        steps=each.result.steps,
        silent=each.result.silent,
        walks=each.result.walks,
        disagreements=len(each.result.disagreements),
        reason=each.not_held or None,
        seconds=round(each.seconds, 3),
        lacking=dict(each.lacking),
        found=tuple(map(_difference_json, each.result.disagreements)),
    )


def _difference_json(found: Disagreement) -> DifferenceJson:
    steps = tuple(map(show_label, found.steps))
    return DifferenceJson(steps=steps, field=found.field, model=found.model, real=found.real, reason=found.reason)

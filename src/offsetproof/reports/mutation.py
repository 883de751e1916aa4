"""The score of a model's mutants, as text for people and as one JSON document; who was not noticed is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from textwrap import fill
from typing import Annotated

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.checking.mutating import Mutated
from offsetproof.mutation.judging import Judged, Outcome
from offsetproof.mutation.workshop import Operator
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, write_json
from offsetproof.reports.json import DocumentJson, FlatScope, envelope, scope_json
from offsetproof.reports.page import Page

_LISTED = (
    (Outcome.SURVIVED, "survived (no claim, story, witness or count shows them)"),
    (Outcome.COUNTS, "only counts moved (no claim, story or witness shows them; `guard` would)"),
    (Outcome.UNDECIDED, "undecided (a limit was met before anybody noticed)"),
    (Outcome.SAME, "shown to do what the model does, in every state that was looked at"),
    (Outcome.UNSEEN, "in no claim's slice (nothing that is claimed can depend on them)"),
)
"""What is listed one by one."""


class LeftOutJson(JsonObject):
    """A question that notices nothing."""

    property: str
    scope: FlatScope
    reason: str


class MutantJson(JsonObject):
    """A changed model, and whether anything noticed."""

    action: Name
    operator: Operator
    change: str
    outcome: Outcome
    noticed: bool
    property: Annotated[str | None, Meta(description="The claim that noticed, if it was one.")]
    scope: Annotated[str | None, Meta(description="The scope in which it did.")]
    detail: str | None
    scopes: Annotated[Names, Meta(description="Scopes whose slices the mutant changes.")]


class MutateJson(DocumentJson):
    """Version 1 of the outcomes of a model's mutants."""

    made: Count
    tried: Count
    noticed: Count
    score: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="The share that was noticed of the mutants that could be; null where there are none."),
    ]
    outcomes: Annotated[
        dict[Outcome, Count],
        Meta(description="How many mutants came to each outcome.", extra_json_schema={"required": [*Outcome]}),
    ]
    left_out: tuple[LeftOutJson, ...]
    mutants: tuple[MutantJson, ...]


def mutation_text(mutated: Mutated, width: int, *, colour: bool = False) -> str:
    """The score, a table by kind of change, and everything that nobody noticed."""
    page = Page(width, colour=colour)
    page.put(fill(_summary(mutated), width))
    if mutated.judged:
        page.put(_table(mutated))
    for line in (_noticed_by(mutated), *_left_out(mutated)):
        page.put(fill(line, width, subsequent_indent="  "))
    for outcome, title in _LISTED:
        mutants = mutated.of(outcome)
        if mutants:
            page.put("\n" + fill(f"{title}: {len(mutants)}", width, subsequent_indent="  "))
        for each in mutants:
            page.put(fill(f"  {each.mutation}", width, subsequent_indent="      "))
            if each.notice.detail:
                page.put(fill(f"      {each.notice.detail}", width, subsequent_indent="      "))
    return page.text


def mutation_json(mutated: Mutated) -> str:
    """One document: every mutant with what became of it."""
    document = MutateJson(
        **envelope(mutated.subject.name),
        made=len(mutated.matrix.mutations),
        tried=len(mutated.judged),
        noticed=mutated.noticed,
        score=None if mutated.score is None else round(mutated.score, 4),
        outcomes={outcome: len(mutated.of(outcome)) for outcome in Outcome},
        left_out=tuple(
            LeftOutJson(property=question.prop.id, scope=scope_json(question.setting.scope), reason=reason)
            for question, reason in mutated.matrix.left_out
        ),
        mutants=tuple(map(_mutant_json, mutated.judged)),
    )
    return write_json(document)


def _summary(mutated: Mutated) -> str:
    made, tried = len(mutated.matrix.mutations), len(mutated.judged)
    head = f"{mutated.subject.name}: {made} mutants" + (f", {tried} of them tried" if tried < made else "")
    if mutated.score is None:
        return f"{head}; none to judge"
    others = [f"{len(mutants)} {outcome}" for outcome, _ in _LISTED if (mutants := mutated.of(outcome))]
    able = sum(not each.notice.outcome.hidden for each in mutated.judged)
    noticed = f"{mutated.noticed} noticed of {able} that could be, score {mutated.score:.1%}"
    return "; ".join([head, noticed, *([", ".join(others)] if others else [])])


def _table(mutated: Mutated) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("change", overflow="fold")
    for name in ("made", "noticed", "survived", "counts", "undecided", "same", "unseen"):
        table.add_column(name, justify="right", no_wrap=True)
    for operator in Operator:
        outcomes = [each.notice.outcome for each in mutated.judged if each.mutation.operator is operator]
        counts = [outcomes.count(outcome) for outcome, _ in _LISTED]
        if outcomes:
            table.add_row(str(operator), *map(str, (len(outcomes), sum(o.noticed for o in outcomes), *counts)))
    return table


def _noticed_by(mutated: Mutated) -> str:
    """What gave mutants away, and which claims were the first to notice."""
    how = [f"{len(mutants)} {outcome}" for outcome in Outcome if outcome.noticed and (mutants := mutated.of(outcome))]
    first = Counter(each.notice.claim for each in mutated.judged if each.notice.claim)
    often = sorted(first.items(), key=lambda pair: (-pair[1], pair[0]))
    who = [f"{mutated.subject.find(id).title} {count}" for id, count in often]
    return f"noticed by: {', '.join(how) or 'nobody'}; first to notice: {', '.join(who) or 'nobody'}"


def _left_out(mutated: Mutated) -> Iterator[str]:
    for question, reason in mutated.matrix.left_out:
        yield f"left out: {question.prop.title} in {question.setting.scope.name} ({reason})"


def _mutant_json(each: Judged) -> MutantJson:
    notice = each.notice
    return MutantJson(
        action=each.mutation.action,
        operator=each.mutation.operator,
        change=each.mutation.text,
        outcome=notice.outcome,
        noticed=notice.outcome.noticed,
        property=notice.claim,
        scope=notice.scope,
        detail=notice.detail or None,
        scopes=each.scopes,
    )

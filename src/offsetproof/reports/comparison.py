"""What a comparison of two sides came to, for people and for programs.

A run and the other side's run as far as it can follow show the same changes but the last: so they stand beside each
other by what changes, with the step of each that changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.checking.comparing import Comparison, Explored, Followed, Shown, Story
from offsetproof.lang.claim import Property
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, Seconds, write_json
from offsetproof.reports.json import DocumentJson, FlatScope, ReportedTraceJson, envelope, setting_json, trace_json
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.reports.stories import Stories
from offsetproof.traces.store import ValueJson, value_json
from offsetproof.traces.trace import Trace, show_value
from offsetproof.traces.two_traces import side_by_side
from offsetproof.verdict.phrases import first_few, quantity
from offsetproof.verdict.result import Reason, Verdict

_FEW = 5
"""How many of a list are named."""


class SideJson(JsonObject):
    """One side, and what was found of it."""

    name: Name
    subject: Name
    release: str | None
    fixes: Names
    assumptions: Names
    scope: FlatScope
    imported: Annotated[Names, Meta(description="What a file from git imports, as it is now and not as git has it.")]
    only: Annotated[Names, Meta(description="Fields that it alone has, and that are not compared.")]
    states: Annotated[Count | None, Meta(description="null: it was not explored to its end.")]
    transitions: Count | None
    bound_cuts: Count | None
    seen: Annotated[Count | None, Meta(description="How many different things can be seen in its states.")]


class InclusionJson(JsonObject):
    """Does a side show only what the other shows?"""

    side: Name
    by: Name
    verdict: Verdict
    reason: Reason | None
    differing: Annotated[Names, Meta(description="The fields that change last in the run, and cannot so on the other.")]
    run: Annotated[
        ReportedTraceJson | None, Meta(description="What the other cannot follow: fewest changes, then steps.")
    ]
    other: Annotated[ReportedTraceJson | None, Meta(description="The other's run as far as it can.")]
    instead: Annotated[tuple[dict[str, ValueJson], ...], Meta(description="What can be seen next on the other side.")]
    cut: Annotated[bool, Meta(description="Does a bound of the scope alone keep the other from a step there?")]
    broken: Annotated[Names, Meta(description="Claims that the run breaks, and the other's run does not.")]
    readers: Annotated[Names, Meta(description="Claims that read a field that differs.")]


class CompareJson(DocumentJson):
    """Version 1 of a comparison."""

    fields: Names
    vacuous: Annotated[bool, Meta(description="Does nothing that is looked at ever change, on either side?")]
    sides: tuple[SideJson, SideJson]
    directions: tuple[InclusionJson, InclusionJson]
    seconds: Seconds


def comparison_text(
    compared: Comparison,
    stories: Stories,
    width: int,
    *,
    colour: bool = False,
    smaller: Sequence[tuple[str, int]] = (),
) -> str:
    """Both verdicts, and beneath them what one side does and the other cannot.

    `smaller` are scopes to try where this one is too large, each with the states that are known of it.
    """
    page = Page(width, colour=colour)
    page.put_lines(_lead(compared))
    for direction in compared.directions:
        page.put_lines(["", _verdict(direction)])
        if direction.story is not None and stories is not Stories.NONE:
            _put_story(page, direction, direction.story, stories, width)
    if smaller:
        named = ", ".join(f"{name} ({quantity(states, 'state')})" for name, states in smaller)
        page.put_lines(["", f"smaller, by the states of their claims: --scope {named}"])
    return page.text


def _lead(compared: Comparison) -> Iterator[str]:
    one, other = compared.sides
    scopes = dict.fromkeys(f"{side.setting.scope.name} ({side.setting.scope.describe()})" for side in compared.sides)
    looked_at = f", by what {_fields(compared.fields)} show" if compared.fields else ""
    yield f"{one.name} and {other.name} in scope {' and '.join(scopes)}{looked_at}"
    for side, found, only in zip(compared.sides, compared.explored, compared.only, strict=True):
        yield f"{side.name}: {_counts(found)}"
        if side.imported:
            yield f"  it imports {first_few(side.imported, _FEW)} as it is now, not as git has it"
        if only:
            yield f"  it alone has {first_few(only, _FEW)}: not compared"
    if compared.is_vacuous:
        yield "nothing that is looked at ever changes, on either side: this says nothing"


def _fields(fields: tuple[str, ...]) -> str:
    return first_few(fields, _FEW) if len(fields) <= _FEW else f"{len(fields)} fields"


def _counts(found: Explored | None) -> str:
    if found is None:
        return "not explored to its end"
    cuts = f", {quantity(found.cuts, 'bound cut')}" if found.cuts else ""
    states, steps = quantity(found.states, "state"), quantity(found.transitions, "step")
    looked = found.looked.taken + found.looked.cut + found.looked.disabled
    seen = f"{quantity(found.seen, 'combination')} of values seen"
    return f"{states}, {steps}{cuts}; {seen}; {quantity(looked, 'step')} compared with the model's own Python"


def _verdict(direction: Followed) -> str:
    side, by = direction.side.name, direction.by.name
    if direction.verdict is Verdict.HOLDS:
        return f"HOLDS    {by} shows all that {side} shows (exhaustive)"
    if direction.story is None:
        return f"UNKNOWN  does {by} show all that {side} shows? {_why_unknown(direction)}"
    return f"REFUTED  {side} shows in {quantity(direction.story.run.length, 'step')} what {by} cannot show"


def _why_unknown(direction: Followed) -> str:
    if not direction.wrong:
        return str(direction.reason)
    where = " and ".join(side.name for side in direction.wrong)
    how = "a step goes wrong (an error, or a value out of its range)"
    return f"in {where} {how}; `check` tells it where no claim fails before"


def _put_story(page: Page, direction: Followed, story: Story, stories: Stories, width: int) -> None:
    if stories is Stories.FULL:
        page.put("")
        both = side_by_side(story.run, story.other, width) if story.other else str(story.run)
        for line in both.splitlines():
            page.put(line)
    else:
        page.put(_table(direction, story))
    page.put_lines(_after(direction, story))


def _table(direction: Followed, story: Story) -> Table:
    """The changes of what is looked at, with the step of each side that makes it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("changes", direction.side.name, direction.by.name):
        table.add_column(heading, overflow="fold")
    others = [*_changes(story.other, story)] if story.other and story.other.steps else []
    for number, (change, step) in enumerate(_changes(story.run, story)):
        beside = others[number][1] if number < len(others) else "cannot"
        table.add_row(change, Hyphenated(step), Hyphenated(beside))
    return table


def _changes(trace: Trace, story: Story) -> Iterator[tuple[str, str]]:
    """What is seen first where that is all; then each change of a field that is looked at, and its step."""
    if not trace.steps:
        yield "\n".join(_values(story.shown)), "initial state"
    for step in trace.steps:
        changed = [
            f"{path}\n  {show_value(before)} -> {show_value(after)}"
            for path, (before, after) in step.changed.items()
            if path in story.shown
        ]
        if changed:
            yield "\n".join(changed), f"{step.number} {step.actor}\n{step.name}"


def _values(shown: Shown) -> Iterator[str]:
    for path, value in shown.items():
        yield f"{path} = {show_value(value)}"


def _after(direction: Followed, story: Story) -> Iterator[str]:
    by = direction.by.name
    if story.other is None:
        yield f"{by} cannot begin so"
    elif not story.instead:
        yield f"{by} shows no change at all after that"
    else:
        last = story.other.states[-1]
        nexts = [", ".join(f"{p} = {show_value(v)}" for p, v in each.items() if last[p] != v) for each in story.instead]
        more = f", or {len(nexts) - _FEW} more" if len(nexts) > _FEW else ""
        yield f"{by} can only show next: {'; or '.join(nexts[:_FEW])}{more}"
    if story.is_cut:
        yield f"a bound of the scope alone keeps {by} from a step there: in a larger scope it may show it after all"
    if story.broken:
        yield f"broken on the way in {direction.side.name} alone: {_titles(story.broken)}"
    if story.readers:
        readers = first_few((prop.id for prop in story.readers), _FEW)
        yield f"claims that read {first_few(story.differing, _FEW)}: {readers}"


def _titles(claims: Iterable[Property]) -> str:
    return ", ".join(prop.title for prop in claims)


def comparison_json(compared: Comparison) -> str:
    """One document with both directions and the traces."""
    one, other = (
        SideJson(
            name=side.name,
            subject=side.subject.name,
            release=side.setting.release,
            fixes=tuple(fix.name for fix in side.setting.fixes),
            assumptions=tuple(each.name for each in side.setting.assumptions),
            scope=setting_json(side.setting)["scope"],
            imported=side.imported,
            only=only,
            states=found.states if found else None,
            transitions=found.transitions if found else None,
            bound_cuts=found.cuts if found else None,
            seen=found.seen if found else None,
        )
        for side, found, only in zip(compared.sides, compared.explored, compared.only, strict=True)
    )
    first, second = map(_direction_json, compared.directions)
    return write_json(
        CompareJson(
            **envelope(compared.sides[0].subject.name),
            fields=compared.fields,
            vacuous=compared.is_vacuous,
            sides=(one, other),
            directions=(first, second),
            seconds=compared.seconds,
        )
    )


def _direction_json(direction: Followed) -> InclusionJson:
    story = direction.story
    return InclusionJson(
        side=direction.side.name,
        by=direction.by.name,
        verdict=direction.verdict,
        reason=direction.reason,
        differing=story.differing if story else (),
        run=trace_json(story.run) if story else None,
        other=trace_json(story.other) if story and story.other else None,
        instead=tuple({path: value_json(value) for path, value in each.items()} for each in story.instead)
        if story
        else (),
        cut=bool(story and story.is_cut),
        broken=tuple(prop.id for prop in story.broken) if story else (),
        readers=tuple(prop.id for prop in story.readers) if story else (),
    )

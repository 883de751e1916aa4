"""What a search over sets of fixes and assumptions found, for people and for programs.

First the sets, then what each part adds for the causes that were met, and the causes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.explain.on_causes import MetCause, OnCauses
from offsetproof.explain.removers import removers_left
from offsetproof.explain.repairs import SEARCHED_STATES, Repair, Repairs
from offsetproof.lang.setting import Assumption, Fix
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, write_json
from offsetproof.reports.json import DocumentJson, FlatScope, envelope, setting_json
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.verdict.phrases import describe_method, nothing_expected_in_words, quantity
from offsetproof.verdict.result import Reason, Result, Verdict


class ScopeOfRepairJson(JsonObject):
    """The claim's result in a scope."""

    scope: FlatScope
    verdict: Verdict
    reason: Reason | None
    vacuous: Annotated[bool, Meta(description="Is nothing left there that the claim could say something of?")]
    states: Count | None


class RepairJson(JsonObject):
    """A set that no search has refuted."""

    fixes: Names
    assumptions: Names
    holds: Annotated[bool, Meta(description="Does the claim hold with it in every scope?")]
    scopes: tuple[ScopeOfRepairJson, ...]
    narrowed: Annotated[
        tuple[ScopeOfRepairJson, ...], Meta(description="Smaller bounds of scopes in which it is not known.")
    ]


class MetCauseJson(JsonObject):
    """A cause that the search met."""

    name: Name
    sentence: str
    cause: Names
    scopes: Names
    steps: Count


class AloneJson(JsonObject):
    """What a fix or an assumption alone does to the causes, by their names."""

    name: Name
    whose: Annotated[str, Meta(description="Whose patch; `operator`: to be had today; `nobody`: taken for granted.")]
    today: str
    removes: Names
    leaves: Names
    unknown: Names


class RepairsJson(DocumentJson):
    """Version 1 of the smallest repairs of a claim."""

    property: Name
    release: str | None
    size: Annotated[int, Meta(description="Every set of at most so many parts was tried.")]
    tried: Count
    searched: Annotated[Count, Meta(description="So many of them; in the others a known counterexample replays.")]
    interrupted: bool
    without: Annotated[tuple[ScopeOfRepairJson, ...], Meta(description="The results without a repair.")]
    repairs: tuple[RepairJson, ...]
    causes: tuple[MetCauseJson, ...]
    alone: tuple[AloneJson, ...]


def repairs_text(subject: str, repairs: Repairs, width: int, *, colour: bool = False) -> str:
    """The repairs in a table, how they were found, and what each part alone does."""
    page = Page(width, colour=colour)
    page.put_lines(_lead(subject, repairs))
    if repairs.found:
        page.put(_table(repairs.found))
    page.put_lines(_open_lines(repairs.found))
    if repairs.alone:
        met = quantity(len(repairs.causes), "cause")
        lead = f"what each adds for the {met} below, to the fixes and assumptions in spite of which a cause was met"
        page.put_lines(["", lead])
        page.put(_table_of_parts(repairs.alone))
        page.put_lines([*_part_lines(repairs), "", *_cause_lines(repairs.causes)])
    return page.text


def _lead(subject: str, repairs: Repairs) -> Iterator[str]:
    asked = repairs.asked
    refuted = [_name(result) for result in repairs.first if result.verdict is Verdict.REFUTED]
    yield from dict.fromkeys(line for result in repairs.first for line in nothing_expected_in_words(result))
    yield f"{subject} {asked.setting.release or ''}: {asked.prop.title}{_found_in_words(repairs)}".replace(" :", ":")
    yield f"refuted without a repair in {', '.join(refuted) or 'none of its scopes'}"
    if refuted:
        sets = quantity(repairs.tried, "set")
        how = f"{repairs.searched:,} of them searched; in each of the others a counterexample replays that was known"
        but = " but for those that contain one of the table" if repairs.found else ""
        whole = f", all those of at most {repairs.size}{but}" if repairs.size else ""
        yield f"{sets} of fixes and assumptions tried{whole}: {how}"
    if any(result.reason is Reason.STATES for each in repairs.found for result in each.undecided):
        limit = repairs.asked.limits.states or SEARCHED_STATES
        yield f"the state limit of a search is {limit:,} here; `--max-states N` lets it go further"
    if repairs.interrupted:
        yield "interrupted: there may be others"


def _found_in_words(repairs: Repairs) -> str:
    if not repairs.is_needed:
        is_open = repairs.interrupted or any(each.verdict is Verdict.UNKNOWN for each in repairs.first)
        return " was not decided before the search ended" if is_open else " needs no repair"
    if repairs.whole:
        return f" holds in all of its scopes with {quantity(len(repairs.whole), 'smallest repair')}"
    if not repairs.open:
        sought = f"of at most {repairs.size} parts " if repairs.size else ""
        return f" has no repair {sought}that is known to hold in all of its scopes"
    known = (
        f"UNKNOWN in {', '.join(map(_name, repair.undecided))} with {_names(repair)}, and holds with it in all others"
        for repair in repairs.open
    )
    return f" is {'; '.join(known)}"


def _table(found: Iterable[Repair]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("repair", "holds in", "says nothing in", "not known in"):
        table.add_column(heading, overflow="fold")
    for repair in found:
        apart = (*repair.vacuous, *repair.undecided)
        names = "\n".join(f"{each.name}{'' if isinstance(each, Fix) else ' (assumed)'}" for each in repair.removers)
        those = ([result for result in repair.results if result not in apart], repair.vacuous, repair.undecided)
        table.add_row(Hyphenated(names), *(Hyphenated(", ".join(map(_place, results)) or "-") for results in those))
    return table


def _place(result: Result) -> str:
    """A scope, and why it is not decided there."""
    is_open = result.verdict is Verdict.UNKNOWN and result.reason is not Reason.WITNESS
    return f"{_name(result)} ({result.reason})" if is_open else _name(result)


def _name(result: Result) -> str:
    return result.setting.scope.name


def _open_lines(found: Iterable[Repair]) -> Iterator[str]:
    """How far the searches went that have not come to their end, and what was found in smaller bounds."""
    for repair in found:
        for result in repair.undecided:
            yield f"with {_names(repair)}: UNKNOWN, {describe_method(result)}"
        for result in repair.narrowed:
            yield f"with {_names(repair)} in smaller bounds: {result.verdict}, {describe_method(result)}"


def _names(repair: Repair) -> str:
    return " and ".join(each.name for each in repair.removers)


def _table_of_parts(parts: Iterable[OnCauses]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("fix or assumption", "whose", "removes", "leaves", "not known"):
        table.add_column(heading, overflow="fold")
    for part in parts:
        places = (part.removes, part.leaves, part.unknown)
        table.add_row(Hyphenated(part.remover.name), part.whose, *(numbers_from_one(those) or "-" for those in places))
    return table


def numbers_from_one(places: Sequence[int]) -> str:
    """Places as numbers from 1, those that follow each other in one.

    >>> numbers_from_one([0, 1, 2, 5])
    '1-3, 6'
    """
    runs = [[number for _, number in run] for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0] + 1}-{run[-1] + 1}" if len(run) > 1 else str(run[0] + 1) for run in runs)


def _part_lines(repairs: Repairs) -> Iterator[str]:
    """What each part is, and what an operator does for it today; how many others there are."""
    silent = {each.removers[0].name: each.vacuous for each in repairs.found if len(each.removers) == 1}
    for part in repairs.alone:
        if part.unknown and silent.get(part.remover.name):
            scopes = ", ".join(map(_name, silent[part.remover.name]))
            yield f"{part.remover.name}: not known of causes that were met in {scopes}, where it says nothing"
        if part.remover.about:
            yield f"{part.remover.name}: {part.remover.about}"
        if isinstance(part.remover, Assumption) and part.remover.today:
            yield f"  today: {part.remover.today}"
    others = len(removers_left(repairs.asked)) - len(repairs.alone)
    if others:
        yield f"of the model's others, {others}, each leaves them all, or makes other causes of them"


def _cause_lines(causes: Iterable[MetCause]) -> Iterator[str]:
    """The causes, by the numbers of the table."""
    for number, cause in enumerate(causes, 1):
        steps = quantity(len(cause.shown[0].replay.labels), "step")
        yield f"cause {number}, {cause.name.name}, {steps} in {', '.join(_scopes(cause))}: {cause.name.sentence}"


def _scopes(cause: MetCause) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.scope for each in cause.shown))


def repairs_json(subject: str, repairs: Repairs) -> str:
    """One document: the sets, and how many were tried."""
    document = RepairsJson(
        **envelope(subject),
        property=repairs.asked.prop.id,
        release=repairs.asked.setting.release,
        size=repairs.size,
        tried=repairs.tried,
        searched=repairs.searched,
        interrupted=repairs.interrupted,
        without=tuple(map(_scope_json, repairs.first)),
        repairs=tuple(map(_repair_json, repairs.found)),
        causes=tuple(map(_cause_json, repairs.causes)),
        alone=tuple(_part_json(each, repairs.causes) for each in repairs.alone),
    )
    return write_json(document)


def _cause_json(cause: MetCause) -> MetCauseJson:
    return MetCauseJson(
        name=cause.name.name,
        sentence=cause.name.sentence,
        cause=cause.actions,
        scopes=_scopes(cause),
        steps=len(cause.shown[0].replay.labels),
    )


def _part_json(part: OnCauses, causes: Sequence[MetCause]) -> AloneJson:
    removes, leaves, unknown = (
        tuple(causes[place].name.name for place in places) for places in (part.removes, part.leaves, part.unknown)
    )
    remover = part.remover
    today = remover.today if isinstance(remover, Assumption) else ""
    return AloneJson(name=remover.name, whose=part.whose, today=today, removes=removes, leaves=leaves, unknown=unknown)


def _repair_json(repair: Repair) -> RepairJson:
    return RepairJson(
        fixes=tuple(each.name for each in repair.removers if isinstance(each, Fix)),
        assumptions=tuple(each.name for each in repair.removers if not isinstance(each, Fix)),
        holds=repair.holds,
        scopes=tuple(map(_scope_json, repair.results)),
        narrowed=tuple(map(_scope_json, repair.narrowed)),
    )


def _scope_json(result: Result) -> ScopeOfRepairJson:
    return ScopeOfRepairJson(
        scope=setting_json(result.setting)["scope"],
        verdict=result.verdict,
        reason=result.reason,
        vacuous=bool(result.vacuous) or result.reason is Reason.WITNESS,
        states=result.counts.states,
    )

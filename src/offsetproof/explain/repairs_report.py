"""What a search over sets of fixes and assumptions found, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import fill
from typing import Annotated

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.explain.repairs import SEARCHED_STATES, Repair, Repairs
from offsetproof.lang.setting import Fix
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, write_json
from offsetproof.reports.json import DocumentJson, FlatScope, envelope, setting_json
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.verdict.phrases import quantity
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


def repairs_text(subject: str, repairs: Repairs, width: int, *, colour: bool = False) -> str:
    """The repairs in a table, and how they were found."""
    page = Page(width, colour=colour)
    for line in _lead(subject, repairs):
        page.put(fill(line, width, subsequent_indent="  ", break_on_hyphens=False))
    if repairs.found:
        page.put(_table(repairs.found))
    return page.text


def _lead(subject: str, repairs: Repairs) -> Iterator[str]:
    asked = repairs.asked
    refuted = [result.setting.scope.name for result in repairs.first if result.verdict is Verdict.REFUTED]
    yield f"{subject} {asked.setting.release or ''}: {asked.prop.title}{_found_in_words(repairs)}".replace(" :", ":")
    yield f"refuted without a repair in {', '.join(refuted) or 'none of its scopes'}"
    if refuted:
        sets = quantity(repairs.tried, "set")
        how = f"{repairs.searched:,} of them searched; in each of the others a counterexample replays that was known"
        yield f"{sets} of fixes and assumptions tried, all those of at most {repairs.size}: {how}"
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
    return f" has no repair of at most {repairs.size} parts that is known to hold in all of its scopes"


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
    return f"{result.setting.scope.name} ({result.reason})" if is_open else result.setting.scope.name


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
    )
    return write_json(document)


def _repair_json(repair: Repair) -> RepairJson:
    return RepairJson(
        fixes=tuple(each.name for each in repair.removers if isinstance(each, Fix)),
        assumptions=tuple(each.name for each in repair.removers if not isinstance(each, Fix)),
        holds=repair.holds,
        scopes=tuple(map(_scope_json, repair.results)),
    )


def _scope_json(result: Result) -> ScopeOfRepairJson:
    return ScopeOfRepairJson(
        scope=setting_json(result.setting)["scope"],
        verdict=result.verdict,
        reason=result.reason,
        vacuous=bool(result.vacuous) or result.reason is Reason.WITNESS,
        states=result.counts.states,
    )

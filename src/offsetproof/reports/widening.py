"""What cases that hold are in wider worlds, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import join
from typing import Annotated, Any

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.checking.answers import Answer
from offsetproof.checking.widening import Found, WiderWorld, WorldOutcome
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, write_json
from offsetproof.reports.json import DocumentJson, FlatScope, envelope, scope_json
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.verdict.phrases import length_in_words, quantity, thousands, verdict_in_words
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result

_COLUMNS = {
    WorldOutcome.SAME: "same",
    WorldOutcome.HOLDS: "hold",
    WorldOutcome.REFUTED: "flip",
    WorldOutcome.TOO_LARGE: "too large",
}
"""The outcomes that have a column; the others are counted together."""


_SETTLED = WorldOutcome.SAME, WorldOutcome.HOLDS, WorldOutcome.REFUTED, WorldOutcome.UNRELATED
"""The outcomes after which nothing is open; of a pair that is not related nothing was asked."""


@dataclass(frozen=True)
class Widened:
    """What was found: of which model (as it is named on a command line, if it is), and in which worlds.

    `odd` are the cases that were asked and not found to hold themselves; nothing of them is raised. `left` is how many
    worlds were not asked.
    """

    subject: str
    model: str
    worlds: Sequence[tuple[WiderWorld, Found]]
    odd: Sequence[Answer]
    left: int = 0

    def count(self, *outcomes: WorldOutcome) -> int:
        """How many worlds are so."""
        return sum(found.outcome in outcomes for _, found in self.worlds)

    @property
    def undecided(self) -> int:
        """How many are neither the same, nor hold, nor are refuted."""
        return len(self.worlds) - self.count(*_SETTLED)


class WorldJson(JsonObject):
    """One wider world."""

    property: Name
    release: str | None
    scope: Annotated[FlatScope, Meta(description="As the case has it.")]
    raised: Annotated[dict[Name, Count], Meta(description="What is raised by one, with what it is then.")]
    found: WorldOutcome
    reason: Reason | None
    detail: str
    faults: Count | None
    steps: Count | None
    states: Count | None
    reduced: Annotated[bool, Meta(description="Did stubborn sets find it?")]


class WidenJson(DocumentJson):
    """Version 1 of what holds in wider worlds."""

    worlds: tuple[WorldJson, ...]
    not_holding: Annotated[Names, Meta(description="Cases, with scope and release, that are not found to hold.")]
    not_asked: Count


def widening_json(widened: Widened) -> str:
    """Every world, as one JSON document."""
    odd = tuple(" ".join(_place(answer.result)) for answer in widened.odd)
    worlds = tuple(WorldJson(**world_members(world, found)) for world, found in widened.worlds)
    return write_json(
        WidenJson(**envelope(widened.subject), worlds=worlds, not_holding=odd, not_asked=widened.left),
    )


def world_members(world: WiderWorld, found: Found) -> dict[str, Any]:
    """What is told of a world, by the names of the members."""
    setting = world.question.setting
    return {
        "property": world.question.prop.id,
        "release": setting.release,
        "scope": scope_json(setting.scope),
        "raised": world.values,
        "found": found.outcome,
        "reason": found.reason,
        "detail": found.detail,
        "faults": found.faults,
        "steps": found.steps,
        "states": found.states,
        "reduced": found.reduced,
    }


def widening_text(widened: Widened, width: int, *, colour: bool = False) -> str:
    """A row per case, scope and release; then each flip with the command that shows it, and what was not decided."""
    page = Page(width, colour=colour)
    page.put_lines(_lead(widened), indent="    ", breaks_words=False)
    if widened.worlds:
        page.put(_table(widened))
    for title, lines in (("flips", [*_flips(widened)]), ("not decided", [*_undecided_lines(widened)])):
        if lines:
            page.put_lines(["", title, *lines], indent="    ", breaks_words=False)
    return page.text


def _lead(widened: Widened) -> Iterator[str]:
    if widened.worlds:
        unrelated = widened.count(WorldOutcome.UNRELATED)
        reduced = sum(found.reduced for _, found in widened.worlds if found.outcome is WorldOutcome.HOLDS)
        counts = {
            f"hold ({reduced:,} of them by stubborn sets)" if reduced else "hold": widened.count(WorldOutcome.HOLDS),
            "are the same system as before": widened.count(WorldOutcome.SAME),
            "flip": widened.count(WorldOutcome.REFUTED),
            **({"raise two that are not related": unrelated} if unrelated else {}),
            "are not decided": widened.undecided,
        }
        counted = ", ".join(f"{count:,} {what}" for what, count in counts.items())
        worlds = quantity(len(widened.worlds), "world")
        yield f"{widened.subject}, each bound and fault raised by one: {worlds}; {counted}"
    if widened.left:
        yield f"{quantity(widened.left, 'world')} not asked"
    if widened.odd:
        named = ", ".join(
            f"{' '.join(_place(answer.result))} ({verdict_in_words(answer.result)})" for answer in widened.odd
        )
        yield f"nothing is raised of what is not found to hold itself: {named}"
    elif not widened.worlds:
        yield f"{widened.subject}: no case holds of which anything can be raised"


def _table(widened: Widened) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("case", "scope", "release"):
        table.add_column(name, overflow="fold")
    for name in ("worlds", *_COLUMNS.values(), "other"):
        table.add_column(name, justify="right", no_wrap=True)
    rows: dict[tuple[str, ...], Counter[WorldOutcome]] = {}
    for world, found in widened.worlds:
        rows.setdefault(_place(world.question), Counter())[found.outcome] += 1
    for place, counted in rows.items():
        other = counted.total() - sum(counted[outcome] for outcome in _COLUMNS)
        numbers = [counted.total(), *(counted[outcome] for outcome in _COLUMNS), other]
        case, scope, *release = place
        table.add_row(Hyphenated(case), Hyphenated(scope), "".join(release), *map(thousands, numbers))
    return table


def _flips(widened: Widened) -> Iterator[str]:
    for world, found in widened.worlds:
        if found.outcome is WorldOutcome.REFUTED:
            length = length_in_words(found.steps or 0, found.faults or 0)
            yield f"  {_where(world)}: REFUTED ({length})"
            yield f"    {_command(widened, world)}"


def _undecided_lines(widened: Widened) -> Iterator[str]:
    """The worlds that were not decided, by why; a claim's worlds in one line."""
    by_why: dict[str, dict[str, list[str]]] = {}
    for world, found in widened.worlds:
        if found.outcome not in _SETTLED:
            why = str(found.outcome) if found.outcome is WorldOutcome.WITNESS else f"{found.outcome} ({_why(found)})"
            by_why.setdefault(why, {}).setdefault(" ".join(_place(world.question)), []).append(" ".join(world.changes))
    for why, by_case in by_why.items():
        for case, raised in by_case.items():
            yield f"  {case}: {why}: {', '.join(raised)}"


def _why(found: Found) -> str:
    return ": ".join(filter(None, (str(found.reason or ""), found.detail)))


def _place(question: Question | Result) -> tuple[str, ...]:
    release = question.setting.release
    return (question.prop.id, question.setting.scope.name, *([] if release is None else [release]))


def _where(world: WiderWorld) -> str:
    return f"{' '.join(_place(world.question))}: {' '.join(world.changes)}"


def _command(widened: Widened, world: WiderWorld) -> str:
    """The command that shows the world's counterexample."""
    setting = world.question.setting
    words = ["offsetproof", "check", *([widened.model] if widened.model else []), world.question.prop.id]
    words += ["--scope", setting.scope.name, *([] if setting.release is None else ["--release", setting.release])]
    return join([*words, *(word for change in world.changes for word in ("--bound", change))])

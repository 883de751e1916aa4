"""Resets at a broker of 5.x: commits that it refuses, and a marker that somebody else's pull took (I5)."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Finding, FindingKind
from offsetproof.audit.gold.history import History
from offsetproof.audit.gold.rules.owners import Spell, spells_of
from offsetproof.audit.gold.rules.resets import REACH
from offsetproof.verdict.phrases import quantity

_NEAR = 15_000_000
"""A client says within this time that its pull was moved: it waits ten seconds before it repairs."""


def refused_commits(history: History) -> Iterator[Finding]:
    """A broker refused commits of a queue that it had reset (no claim: that is how the reset is kept).

    Inferred from the broker's own lines; one finding for the lines between two resets. It does not say that messages
    are handled again, only that this client had not taken the reset yet.
    """
    run: list[Event] = []
    for event in [*history.of(EventKind.COMMIT_REFUSED, EventKind.RESET_MARKED), None]:
        if event is not None and event.kind is EventKind.COMMIT_REFUSED:
            run.append(event)
            continue
        if run:
            yield history.finding(
                FindingKind.COMMIT_REFUSED_AFTER_RESET,
                True,
                f"{quantity(len(run), 'commit')} {'was' if len(run) == 1 else 'were'} refused after a reset, the first "
                f"of {run[0].offset}",
                [(run[0], "commit refused"), *((each, "last commit refused") for each in run[1:][-1:])],
                commits=len(run),
                offset=run[0].offset,
            )
        run = []


def markers_taken_by_others(history: History) -> Iterator[Finding]:
    """Claim I5: a reset at the broker reaches the client that consumes the queue.

    A marker works once: the pull that takes it is sent to the target. Inferred from the broker's marker and its taking
    (same offset; that line has no queue), and the client whose pull was moved to that offset then. Certain if another
    client had the queue by then. Possible if no client says that it was moved, and the owner's commits go on above.
    """
    marks = history.of(EventKind.RESET_MARKED)
    for number, mark in enumerate(marks):
        until = marks[number + 1].time_from if number + 1 < len(marks) else None
        taken = next(
            (
                each
                for each in history.of_group(EventKind.MARKER_TAKEN)
                if each.offset == mark.offset
                and history.clocks.before(mark, each) is True
                and (until is None or each.time_from < until)
            ),
            None,
        )
        if taken is not None:
            yield from _by_another(history, mark, taken)


def _by_another(history: History, mark: Event, taken: Event) -> Iterator[Finding]:
    moved = next(
        (
            each
            for each in history.of(EventKind.PULL_FIXED, EventKind.PULL_ILLEGAL)
            if mark.offset in (each.offset if each.kind is EventKind.PULL_FIXED else None, each.other_offset)
            and abs(each.time_from - taken.time_from) <= _NEAR + history.clocks.apart
        ),
        None,
    )
    parts = [(mark, "marker set"), (taken, "marker taken")]
    spells = spells_of(history)
    if moved is not None:
        other = next((each for each in spells if _had_it_instead(history, each, moved, taken)), None)
        if other is not None:
            yield history.finding(
                FindingKind.MARKER_TAKEN_BY_OTHER,
                history.clocks.before(other.first, taken) is True and history.clocks.before(taken, other.last) is True,
                f"{history.members.name(moved)} took the marker, though {history.members.name(other.first)} "
                "had the queue",
                [*parts, (moved, "pull moved"), (other.first, "owner's first sign"), (other.last, "owner's last sign")],
                target=mark.offset,
            )
        return
    after = [
        each
        for each in history.commits
        if history.clocks.before(taken, each) is True and each.time_from - taken.time_to <= REACH
    ]
    if len(after) >= 2 and all((each.offset or 0) > (mark.offset or 0) for each in after):
        before = [each for each in history.commits if history.clocks.before(each, mark) is True]
        if before and (after[0].offset or 0) >= (before[-1].offset or 0):
            yield history.finding(
                FindingKind.MARKER_TAKEN_BY_OTHER,
                False,
                f"a pull took the marker of {mark.offset}, and the commits went on at {after[0].offset}",
                [*parts, (after[0], "owner's commit")],
                "the log of the client whose pull was moved",
                target=mark.offset,
                after=after[0].offset,
            )


def _had_it_instead(history: History, spell: Spell, moved: Event, taken: Event) -> bool:
    """Had another client the queue when the marker was taken, and got it later than the one that was moved?"""
    if spell.owner == history.members.owner(moved):
        return False
    mine = [each for each in spells_of(history) if each.owner == history.members.owner(moved)]
    earlier = all(each.first.time_from < spell.first.time_from for each in mine if each.first.time_from < taken.time_to)
    return earlier and spell.first.time_from <= taken.time_to and spell.last.time_to >= taken.time_from

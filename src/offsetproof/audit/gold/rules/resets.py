"""The resets of a queue, as logs show them: when, to which offset if that is known, and what was committed before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.history import History

ONE_RESET = 30_000_000
"""Lines of a reset, of the broker and of the clients, that follow each other within this time are of one."""

REACH = 60_000_000
"""How long after its line a reset may still be carried out: clients wait 10 s, and a marker waits for a pull."""

_SAYS_RESET = (EventKind.RESET_STARTED, EventKind.RESET_SENT, EventKind.COMMANDED)


@dataclass(frozen=True)
class Reset:
    """One reset: `lines` by time; `target` where a line of 5.x tells it."""

    lines: tuple[Event, ...]
    target: int | None

    @property
    def begun(self) -> Event:
        """Its first line."""
        return self.lines[0]

    @property
    def ended(self) -> int:
        """When it has been carried out at the latest, in microseconds."""
        return self.lines[-1].time_to + REACH


def resets_of(history: History) -> list[Reset]:
    """The resets of the queue, by time."""
    lines = sorted(
        [*history.of_group(*_SAYS_RESET), *history.of(EventKind.RESET_MARKED)],
        key=history.rank,
    )
    found: list[list[Event]] = []
    for line in lines:
        if found and line.time_from - found[-1][-1].time_to <= ONE_RESET and not _is_another(line, found[-1]):
            found[-1].append(line)
        else:
            found.append([line])
    return [_reset(each) for each in found]


def _is_another(line: Event, lines: Sequence[Event]) -> bool:
    return line.kind is EventKind.RESET_STARTED and any(each.kind is line.kind for each in lines)


def _reset(lines: Sequence[Event]) -> Reset:
    marked = [line.offset for line in lines if line.kind is EventKind.RESET_MARKED]
    return Reset(tuple(lines), marked[-1] if marked else None)


def reset_behind(history: History, resets: Sequence[Reset], low: Event) -> tuple[Reset | None, bool]:
    """The last reset that may have caused a lower offset, and whether its lines are surely before that."""
    for reset in reversed(resets):
        order = history.clocks.before(reset.begun, low)
        if order is not False and low.time_from <= reset.ended + history.clocks.apart:
            return reset, order is True
    return None, False

"""Were messages delivered again? The broker's count of the last minute bounds it.

The broker adds up per group and topic what pulls were answered with, and looks at the sum every ten seconds; what it
tells is the difference between its last look and the one a minute before (BrokerStatsManager, GROUP_GET_NUMS). Told at
t, the span that it counts began between t - 70 s and t - 60 s, and ended between t - 10 s and t. New messages are in
it, too: at least those that were stored since t - 60 s and are committed at t - 10 s, at most those that were not
committed at t - 70 s. What is left are messages that had been given before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from offsetproof.audit.event import SECOND, Event, EventKind

SPAN = 60 * SECOND
_LOOKS_EVERY, _SURELY_LOOKED = 10 * SECOND, 20 * SECOND
_LATE = 2 * SECOND
"""By so much may a look come late."""
_REMEMBERED = 100 * SECOND
LAST_LOOK_AFTER = 55 * SECOND
"""So long after an offset has fallen the count is told last that still begins before it."""
ALL = "*"
"""The expression of a subscription to all messages: others are passed over, and are not counted."""
NOTICED_WITHIN = 5 * SECOND
"""With so long between two polls a broker cannot be started again unseen, nor a consumer come and go."""

_Row = tuple[int, int, int]
"""When a row was told, the offset, the end."""


@dataclass
class Given:
    """What was told so far; `interval` is the time between polls in microseconds."""

    interval: int
    _counts_since: dict[tuple[str | None, str | None], int] = field(default_factory=dict)
    _rows: dict[tuple[str | None, str | None], dict[int | None, list[_Row]]] = field(default_factory=dict)

    def look(self, event: Event) -> None:
        """Takes notice. A broker that was started again begins to count anew."""
        key = event.topic, event.broker
        if event.kind is EventKind.BROKER_ANSWERS:
            for each in [each for each in self._counts_since if each[1] == event.broker]:
                del self._counts_since[each]
        elif event.kind is EventKind.MESSAGES_GIVEN:
            self._counts_since.setdefault(key, event.time_to)
        elif event.kind is EventKind.OFFSET_STORED and event.offset is not None and event.other_offset is not None:
            rows = self._rows.setdefault(key, {}).setdefault(event.queue, [])
            rows.append((event.time_from, event.offset, event.other_offset))
            while len(rows) > 1 and rows[1][0] < event.time_from - _REMEMBERED:
                del rows[0]

    def came_again(self, count: Event, since: int, until: int, missing: int) -> bool | None:
        """Were so many messages delivered again between two times? None where what is told does not decide it.

        `count` is a MESSAGES_GIVEN, the times are in microseconds.
        """
        given = count.offset
        if given is None or not self._covers(count, since, until):
            return None
        if given - self._new_at_least(count) < missing:
            return False
        new = self._new_at_most(count)
        return True if new is not None and given - new >= missing else None

    def _covers(self, count: Event, since: int, until: int) -> bool:
        """Does the span of the count begin before, end after, and leave nothing out?"""
        counts = self._counts_since.get((count.topic, count.broker))
        return (
            self.interval <= NOTICED_WITHIN
            and counts is not None
            and counts + _SURELY_LOOKED <= since
            and until + _LOOKS_EVERY + _LATE <= count.time_from
            and count.time_to - SPAN + _LATE <= since
            and count.detail == ALL
        )

    def _new_at_least(self, count: Event) -> int:
        """Messages that were stored, and committed, while they were counted."""
        began = count.time_from - SPAN + _LATE + 2 * self.interval
        ended = count.time_from - _LOOKS_EVERY - _LATE
        total = 0
        for rows in self._rows.get((count.topic, count.broker), {}).values():
            first, last = _at(rows, began), _at(rows, ended)
            if first is not None and last is not None:
                total += max(0, last[1] - first[2])
        return total

    def _new_at_most(self, count: Event) -> int | None:
        """Messages that were not committed when the count began; None where nobody had looked by then."""
        began = count.time_from - SPAN - _LOOKS_EVERY - _LATE - self.interval
        total = 0
        for rows in self._rows.get((count.topic, count.broker), {}).values():
            first = _at(rows, began)
            if first is None:
                return None
            total += max(0, rows[-1][2] - first[1])
        return total


def _at(rows: list[_Row], time: int) -> _Row | None:
    """The row as it was at a time."""
    return next((row for row in reversed(rows) if row[0] <= time), None)

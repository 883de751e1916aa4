"""How many messages a group was given at the most in a while, from the broker's count of the last minute.

The broker adds up per group and topic what pulls were answered with, and looks at the sum every ten seconds; what it
tells is the difference between its last look and the one a minute before (BrokerStatsManager, GROUP_GET_NUMS). So the
count is of all queues of the topic at that broker, more than one queue's, and never less than what was redelivered.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from offsetproof.audit.event import Event, EventKind

_SECOND = 1_000_000
_LOOKS_EVERY, _TELLS_OF, _SURELY_LOOKED = 10 * _SECOND, 60 * _SECOND, 20 * _SECOND
ALL = "*"
"""The expression of a subscription to all messages: others are passed over, and are not counted."""


@dataclass
class Given:
    """What the broker told last, and since when it has been counting."""

    _counts_since: dict[tuple[str | None, str | None], int] = field(default_factory=dict)

    def look(self, event: Event) -> None:
        """Takes notice: a broker that was started again begins to count anew."""
        if event.kind is EventKind.BROKER_ANSWERS:
            for key in [each for each in self._counts_since if each[1] == event.broker]:
                del self._counts_since[key]
        elif event.kind is EventKind.MESSAGES_GIVEN:
            self._counts_since.setdefault((event.topic, event.broker), event.time_to)

    def at_most(self, told: Event, since: int, until: int) -> int | None:
        """The most that the group can have been given between two times; None where what was told does not cover them.

        `told` is a MESSAGES_GIVEN, the times are in microseconds.
        """
        counts = self._counts_since.get((told.topic, told.broker))
        covers = (
            counts is not None
            and counts + _SURELY_LOOKED <= since
            and until + _LOOKS_EVERY <= told.time_from
            and told.time_to - _TELLS_OF <= since
        )
        return told.offset if covers and told.detail == ALL else None

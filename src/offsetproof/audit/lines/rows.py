"""Rows: what the lines of a log said, as `parsing` makes it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from offsetproof.audit.lines.layouts import Layout
from offsetproof.audit.lines.tables import PATTERNS

Fields = tuple[bytes | None, ...]
Row = tuple[int, int, int, int, int, bytes | None, Fields]
"""Line, byte offset, begin and end of the interval, number of the template, process id, a value for each of COLUMNS."""


@dataclass(frozen=True)
class Reading:
    """How a file is read: its layout, the zone of its stamps and whether that is known, year and day of those without.

    `host`, `process` and `broker` become the columns of those names where the lines say nothing better.
    """

    file: str
    layout: Layout
    zone: str = "UTC"
    zone_known: bool = False
    year: int = 1970
    host: str = ""
    process: str = ""
    broker: str | None = None
    day: str | None = None


@dataclass(frozen=True)
class Malformed:
    """A known message of which the values, or the time, cannot be read."""

    line: int
    byte_offset: int
    byte_length: int
    reason: str
    template: str


@dataclass
class Parsed:
    """What lines say: `rows` with `lengths`, the lines by what became of them, unknown messages by their shape."""

    rows: list[Row] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    exceptions: dict[int, bytes] = field(default_factory=dict)
    malformed: list[Malformed] = field(default_factory=list)
    shapes: Counter[bytes] = field(default_factory=Counter)
    event_lines: int = 0
    unknown_lines: int = 0
    further_lines: int = 0

    @property
    def malformed_lines(self) -> int:
        """How many lines begin a malformed record."""
        return len(self.malformed)

    @property
    def lines(self) -> int:
        """All lines."""
        return self.event_lines + self.unknown_lines + self.further_lines + self.malformed_lines


_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def in_year(row: Row, written: int) -> Row:
    """A row whose stamp has no year, in the last one in which it is not later than its file was `written` to.

    `written` is in microseconds; a day is left for zones.
    """
    line, at, begins, ends, *others = row
    begun = _EPOCH + timedelta(microseconds=begins)
    for years in (1, 0, -1):
        with suppress(ValueError):  # a 29th of February
            moved = begun.replace(year=begun.year + years)
            if moved <= _EPOCH + timedelta(microseconds=written) + _DAY:
                by = (moved - begun) // timedelta(microseconds=1)
                return line, at, begins + by, ends + by, *others  # type: ignore[return-value]  # as they were
    return row


KINDS = tuple(pattern.template.kind for pattern in PATTERNS)
DETAILS = tuple(pattern.template.detail for pattern in PATTERNS)
WITH_EXCEPTION = frozenset(number for number, pattern in enumerate(PATTERNS) if pattern.template.with_exception)

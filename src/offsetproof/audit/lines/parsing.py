"""Parsing: bytes of a log to the rows of events, with nothing dropped in silence. No Spark, no Arrow.

`parse` takes whole lines. Each line is one of: an event's, an unknown message's, a malformed one's, or a further one
of the record before it; `Parsed.lines` is the sum of the four. `silver.parquet.table_of` makes a table of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from offsetproof.audit.event import EventKind
from offsetproof.audit.lines.layouts import ANY, OWN, Layout, layout_of, message_at, message_behind_level, own_layout_of
from offsetproof.audit.lines.rows import Fields, Malformed, Parsed, Reading
from offsetproof.audit.lines.shapes import SHAPES_KEPT, collapse, shape_of
from offsetproof.audit.lines.stamps import FORMS, HEADED, Clock, clock_in
from offsetproof.audit.lines.tables import ANCHORS, BY_KEY, FIRST_BYTES, KEY_BYTES, PATTERNS, patterns_at
from offsetproof.audit.lines.templates import Pattern

FRACTIONS = {bytes([mark]): {b"%c%03d" % (mark, millis): millis * 1000 for millis in range(1000)} for mark in b".,:"}
"""By the mark in front of it: what a fraction of three digits says in microseconds."""

_NUMBER_OF = {pattern: number for number, pattern in enumerate(PATTERNS)}
_MATCHED_BYTES = 1 << 20
"""No known message is longer: more of a line is not looked at."""
_SHORT = 8192
_MISFITS = 50
"""So many lines of another layout in one piece, and the layout is looked for again."""


def parse(
    data: bytes, reading: Reading, line: int = 0, at: int = 0, behind: bytes = b"", before: bytes = b""
) -> Parsed:
    """The events of whole lines; `line` lines and `at` bytes of the file stand before them, the last of them `before`.

    `behind` is what follows them in the file, as far as it is known: further lines of the last record are counted into
    its length, and into nothing else.
    """
    parser = _Parser(reading)
    parser.note_head(before, line)
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    parser.run(lines, line, at)
    parser.join(behind)
    return parser.parsed


Place = tuple[tuple[int, int] | None, int, bytes | None]
"""Of a record: its interval, where its message begins, and the process id, if the line has one."""


class _Parser:
    """One pass over lines."""

    def __init__(self, reading: Reading) -> None:
        self.parsed = Parsed()
        self._reading = reading
        self._use(reading.layout)
        self._record_rows = range(0)
        """The rows of the record that may have further lines."""
        self._head_of: dict[int, tuple[int, int]] = {}
        """By a line's number: what the line before says of its time, if that is all it says."""

    def _use(self, layout: Layout) -> None:
        self._layout = layout
        self._clock = clock_in(layout.zone or self._reading.zone, layout.form, self._reading.year, self._reading.day)
        self._head = re.compile(layout.head.encode()) if layout.head else None
        self._misfits = 0

    def run(self, lines: list[bytes], line: int, at: int) -> None:
        """Reads all lines, by the fast way as long as the layout has one."""
        done = 0
        while done < len(lines):
            layout = self._layout
            way = self._run_fast if layout.is_fixed else self._run_slow
            taken, size = way(lines[done:] if done else lines, line + done, at)
            done, at = done + taken, at + size
            if done < len(lines):
                found = layout_of(b"\n".join(lines[done : done + 400]))
                self._use(found if found != layout else ANY)

    def _run_fast(self, lines: list[bytes], line: int, at: int) -> tuple[int, int]:
        """Lines whose stamp and separator stand where they should; `_other` takes the rest."""
        parsed, layout, clock = self.parsed, self._layout, self._clock
        rows, lengths, shapes = parsed.rows, parsed.lengths, parsed.shapes
        begin, at_first, line_first = layout.stamp_at or 0, at, line
        end, separator = begin + 19, layout.separator
        stamp_end = end + 4 if layout.digits else end
        behind, lasts = len(separator), 1000 if layout.digits else 1_000_000
        seconds, get, pid_at = clock.seconds, _QUICK.get, stamp_end + 8 if layout.has_process else 0
        fractions = FRACTIONS.get(layout.mark, {})
        events = unknown = 0
        for text in lines:
            line += 1
            message = text.find(separator, stamp_end)
            second = seconds.get(text[begin:end])
            if message > 0 and second is not None:
                message += behind
                fraction = fractions.get(text[end:stamp_end]) if fractions else 0
                patterns = get(text[message : message + KEY_BYTES])
                if fraction is not None and patterns is not None:
                    for number, match, fields, is_plain in patterns:
                        found = match(text, message)
                        if found is not None and is_plain:
                            time = second[0] + fraction
                            process = text[pid_at : text.find(b"]", pid_at)] if pid_at else None
                            self._record_rows = range(len(rows), len(rows) + 1)
                            rows.append(
                                (line, at, time, time + lasts + second[1], number, process, found.group(*fields))
                            )
                            lengths.append(len(text))
                            events += 1
                            break
                        if found is not None:
                            self._other(text, line, at)
                            break
                    else:
                        self._other(text, line, at)
                elif patterns is None and fraction is not None and text[message : message + 1] not in _ODD_STARTS:
                    shapes[shape_of(text, message)] += 1
                    unknown += 1
                    self._record_rows = _NONE
                else:
                    self._other(text, line, at)
            else:
                self._other(text, line, at)
                if self._misfits > _MISFITS:
                    at += len(text) + 1
                    break
            at += len(text) + 1
        parsed.event_lines += events
        parsed.unknown_lines += unknown
        if len(shapes) > SHAPES_KEPT:
            parsed.shapes = collapse(shapes)
        return line - line_first, at - at_first

    def _run_slow(self, lines: list[bytes], line: int, at: int) -> tuple[int, int]:
        at_first, line_first = at, line
        for text in lines:
            line += 1
            self._other(text, line, at)
            at += len(text) + 1
            if self._misfits > _MISFITS and not self._layout.is_any:
                break
        if len(self.parsed.shapes) > SHAPES_KEPT:
            self.parsed.shapes = collapse(self.parsed.shapes)
        return line - line_first, at - at_first

    def _other(self, text: bytes, line: int, at: int) -> None:
        """Any line: a record's first, in this layout or another, or a further one."""
        if text[:1] in (b"\0", b"\xef"):
            size, text = len(text), text.lstrip(b"\0").removeprefix(b"\xef\xbb\xbf")
            at += size - len(text)
        place = self._place_below_head(text, line) or self._place(text)
        if place is None:
            self.note_head(text, line)
            self._further(text)
            return
        time, message, process = place
        self._record_rows = _NONE
        patterns = patterns_at(text, message)
        for pattern in patterns:
            found = pattern.exact.match(text, message, message + _MATCHED_BYTES)
            fields = pattern.values(found) if found is not None else None
            if fields is not None:
                self._take_known(pattern, fields, time, text, line, at, process)
                return
        broken = _broken_pattern(patterns, text[message : message + _SHORT]) if time is not None else None
        if broken is not None:
            reason = "its values cannot be read"
            self.parsed.malformed.append(Malformed(line, at, len(text), reason, broken.template.text))
            return
        self.parsed.unknown_lines += 1
        self.parsed.shapes[shape_of(text, message)] += 1

    def _take_known(
        self,
        pattern: Pattern,
        fields: Fields,
        time: tuple[int, int] | None,
        text: bytes,
        line: int,
        at: int,
        process: bytes | None,
    ) -> None:
        if pattern.template.kind is None:
            self.parsed.unknown_lines += 1
            self.parsed.shapes[pattern.template.text.encode()] += 1
            return
        if time is None:
            self.parsed.malformed.append(
                Malformed(line, at, len(text), "there is no time with its day in front of it", pattern.template.text)
            )
            return
        rows = self.parsed.rows
        first = len(rows)
        for each in _rows_of(pattern, fields):
            rows.append((line, at, *time, _NUMBER_OF[pattern], process, each))
            self.parsed.lengths.append(len(text))
        if first == len(rows):
            self.parsed.malformed.append(
                Malformed(line, at, len(text), "it names no queue with an offset", pattern.template.text)
            )
            return
        self._record_rows = range(first, len(rows))
        self.parsed.event_lines += 1

    def _place(self, text: bytes) -> Place | None:
        """The time of a record and where its message begins; None for a further line of a record."""
        layout = self._layout
        if self._head is not None:
            if head := self._head.match(text):
                return self._clock.read(head), head.end(), None
        elif layout.separator and (place := self._place_in(layout, self._clock, text)):
            return place
        return self._place_in_any(text)

    def note_head(self, text: bytes, line: int) -> None:
        """Notes what a line says of the time of the next one, as java.util.logging writes them; it begins a record."""
        if stamp := HEADED.pattern.match(text):
            time = self._clock_for(HEADED.name).read(stamp)
            self._head_of = {line + 1: time} if time else {}
            self._record_rows = _NONE

    def _place_below_head(self, text: bytes, line: int) -> Place | None:
        time = self._head_of.get(line)
        message = None if time is None else message_behind_level(text)
        return None if message is None else (time, message, None)

    def _place_in(self, layout: Layout, clock: Clock, text: bytes) -> Place | None:
        """The same in a layout; None for a line that does not have it."""
        form, at = layout.stamp_form.pattern, layout.stamp_at
        stamp = form.match(text, at) if at is not None else form.search(text[:_SHORT])
        time = clock.read(stamp) if stamp else None
        if stamp is None or time is None or (layout.digits is not None and _mark_of(stamp) != layout.mark):
            return None
        process = _process_of(text) if layout.has_process else None
        message = message_at(layout, text, 0 if layout.counts_from_start else stamp.end())
        if message >= 0 and (layout.counts_from_start or not _is_elsewhere(text, message)):
            return time, message, process
        anchor = ANCHORS.search(text, stamp.end(), stamp.end() + _SHORT)
        return time, anchor.start() if anchor else stamp.end() + 1, process

    def _place_in_any(self, text: bytes) -> Place | None:
        """The same for a line that does not fit the layout: by a known message and a stamp, wherever they are."""
        if text[:1] in _FURTHER_STARTS or text.startswith(_FURTHER):
            return None
        own = own_layout_of(text) if self._layout.name in OWN else None
        if own is not None and own != self._layout:
            clock = clock_in(own.zone or self._reading.zone, own.form, self._reading.year)
            if place := self._place_in(own, clock, text):
                self._misfits += not self._layout.is_any
                return place
        anchor = ANCHORS.search(text, 0, _SHORT)
        head = text[: anchor.start()] if anchor else text[:_HEAD_BYTES]
        for pattern, form in _ANY_STAMP if anchor else _FIRST_STAMP:
            stamp = pattern.search(head) or (anchor and pattern.search(text, anchor.end(), _SHORT))
            time = self._clock_for(form).read(stamp) if stamp else None
            if stamp and time:
                self._misfits += not self._layout.is_any
                return time, anchor.start() if anchor else stamp.end(), None
        if bare := _BARE_TIME.match(text):
            return None, anchor.start() if anchor else bare.end(), None
        if anchor is not None and self._layout.is_any and anchor.start() < _HEAD_BYTES:
            return None, anchor.start(), None
        return None

    def _clock_for(self, form: str) -> Clock:
        return clock_in(self._reading.zone, form, self._reading.year, self._reading.day)

    def _further(self, text: bytes) -> None:
        self.parsed.further_lines += 1
        for row in self._record_rows:
            self.parsed.lengths[row] += len(text) + 1
            if row not in self.parsed.exceptions and (found := _EXCEPTION.match(text)):
                self.parsed.exceptions[row] = found[1]

    def join(self, behind: bytes) -> None:
        """Counts further lines of the last record that stand in the next piece."""
        if not self._record_rows:
            return
        counted = self.parsed.further_lines
        for text in behind.split(b"\n")[:-1]:
            if HEADED.pattern.match(text) or self._place(text) is not None:
                break
            self._further(text)
        self.parsed.further_lines = counted


_QUICK = {
    key: tuple(
        (_NUMBER_OF[each], each.exact.match, each.fields, each.is_plain and each.has_one_event) for each in patterns
    )
    for key, patterns in BY_KEY.items()
}
"""The same as BY_KEY, as the fast way needs it."""

_ODD_STARTS = frozenset(bytes([byte]) for byte in FIRST_BYTES | {0}) | {b""}
_NONE = range(0)
_HEAD_BYTES = 60
_FURTHER_STARTS = frozenset((b"", b" ", b"\t", b"\r", b"}", b")"))
_FURTHER = (b"Caused by:", b"... ", b"at ", b"Suppressed:")
_EXCEPTION = re.compile(rb"((?:[a-z_]\w*\.)+[A-Z][\w$]*)(?:[:\r\n]|$)")
_ANY_STAMP = tuple((form.pattern, form.name) for form in FORMS)
_FIRST_STAMP = tuple(
    (re.compile(rb"^\W{0,3}" + form.pattern.pattern.replace(rb"(?<![\d:.])", b"")), form.name) for form in FORMS[:5]
)
_BARE_TIME = re.compile(rb"\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:])")
_PROCESS = re.compile(rb" [A-Z]+ +\[(\d+)\]")
_MARK = re.compile(rb"\{([^{}]*)\}\s*:\s*(-?\d+)")
_MARK_BROKER = re.compile(rb'\\?"brokerName\\?"\s*:\s*\\?"([^"\\]+)')
_MARK_QUEUE = re.compile(rb'\\?"queueId\\?"\s*:\s*(\d+)')


def _mark_of(stamp: re.Match[bytes]) -> bytes:
    """The mark in front of a stamp's fraction."""
    return stamp.string[stamp.end("whole") :][:1] if stamp["fraction"] else b""


def _is_elsewhere(text: bytes, message: int) -> bool:
    """Does a known message begin behind this place, and none here? Then the separator stood in a thread's name."""
    if patterns_at(text, message):
        return False
    anchor = ANCHORS.search(text, message, message + _HEAD_BYTES)
    return anchor is not None and any(
        each.exact.match(text, anchor.start()) for each in patterns_at(text, anchor.start())
    )


def _process_of(text: bytes) -> bytes | None:
    found = _PROCESS.search(text, 0, 80)
    return found[1] if found else None


def _broken_pattern(patterns: tuple[Pattern, ...], message: bytes) -> Pattern | None:
    """The known message that this was to be: all its words are there, or the first ones and then the line ends."""
    for pattern in patterns:
        if pattern.template.start and (pattern.loose.match(message) or _is_cut(pattern, message.rstrip(b"\r"))):
            return pattern
    return None


def _is_cut(pattern: Pattern, message: bytes) -> bool:
    """Does the message end before the second of the template's words do, or go on with them?"""
    first, *others = pattern.template.text.encode().split(b"{}")
    if KEY_BYTES <= len(message) < len(first):
        return first.startswith(message)
    if not message.startswith(first) or not others:
        return False
    rest = message[len(first) :].lstrip(_NO_SEPARATORS)
    if len(rest) >= len(others[0]) > 0:
        return len(others[0]) > _DISTINCTIVE and rest.startswith(others[0])
    return others[0].startswith(rest)


_DISTINCTIVE = 4
"""Longer than `, ` and `] `, with which other messages go on as well."""

_NO_SEPARATORS = bytes(set(range(33, 256)) - set(b",]"))


def _rows_of(pattern: Pattern, fields: Fields) -> Iterator[Fields]:
    """The rows of a message: one, or one for each queue that it names."""
    if pattern.template.kind is not EventKind.RESET_MARKED:
        yield fields
        return
    group, _, topic, *_, marks = fields
    for key, offset in _MARK.findall(marks or b""):
        broker, queue = _MARK_BROKER.search(key), _MARK_QUEUE.search(key)
        if queue:
            yield group, None, topic, broker[1] if broker else None, queue[1], offset, None, None

"""Layouts: where in a line its stamp is and where its message begins, found by where known messages begin.

Applications route RocketMQ's logger to files of their own form. So no form is known by its own pattern: the messages
are, and what stands in front of them in the first lines of a file is its layout. Where the first lines decide nothing,
each line is looked at for itself (`separator` empty), which takes longer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from offsetproof.audit.lines.stamps import DAY_FIRST, FORMS, HEADED, StampForm, day_or_month_first, form_named
from offsetproof.audit.lines.tables import ANCHORS, is_of_broker

SNIFF_BYTES = 1 << 16
"""How much of a file's start is looked at."""

GMT_8 = "GMT+8"
"""The zone of all brokers and of clients from 5.0 on: it stands in their own configuration of logging."""


@dataclass(frozen=True)
class Layout:
    """Where a line's stamp and message are.

    `stamp_at` is the stamp's place, None where it is searched for. The message begins after the separator has come
    `times` times behind the stamp, or behind the line's start where `counts_from_start`. An empty separator: it begins
    where a known message does. `head` is a user's own description, and replaces all of these. `zone` is what the
    layout itself says of the zone. `has_process`: the process id stands in brackets behind the level, as of 5.x.
    `digits` is how many digits of a second every stamp has, 0 or 3, and no zone; None where they differ. `mark` stands
    in front of them: a dot where all others have a comma is of another layout. `day` is that of stamps without one.
    """

    name: str
    form: str = "iso"
    stamp_at: int | None = None
    separator: bytes = b""
    times: int = 1
    counts_from_start: bool = False
    zone: str | None = None
    has_process: bool = False
    head: str | None = None
    digits: int | None = None
    mark: bytes = b""
    day: str | None = None

    @property
    def stamp_form(self) -> StampForm:
        """How its stamps are written."""
        return form_named(self.form)

    @property
    def is_any(self) -> bool:
        """Is each line looked at for itself?"""
        return not self.separator and self.head is None

    @property
    def is_fixed(self) -> bool:
        """Do stamps stand at one place and look alike, and does the message follow the separator's first time?"""
        return (
            self.stamp_at is not None
            and self.digits is not None
            and bool(self.separator)
            and (self.times, self.counts_from_start) == (1, False)
        )

    def as_data(self) -> dict[str, object]:
        """The layout as JSON can hold it."""
        return {
            name: value.decode("latin-1") if isinstance(value, bytes) else value
            for name, value in ((each, getattr(self, each)) for each in self.__dataclass_fields__)
        }

    @classmethod
    def from_data(cls, data: dict[str, object]) -> Layout:
        """The layout that `as_data` told."""
        separator, mark = (str(data[name]).encode("latin-1") for name in ("separator", "mark"))
        return cls(**{**data, "separator": separator, "mark": mark})  # type: ignore[arg-type]  # what as_data wrote


ANY = Layout("any")
"""Each line is looked at for itself."""

CLIENT_4 = Layout("client-4", stamp_at=0, separator=b" - ", digits=3, mark=b",")
CLIENT_5 = Layout("client-5", stamp_at=0, separator=b"] - ", zone=GMT_8, has_process=True, digits=3, mark=b".")
BROKER = Layout("broker", stamp_at=0, separator=b" - ", zone=GMT_8, digits=0)

JAVA_UTIL = Layout("java.util.logging", form=HEADED.name)
"""A record has two lines: the stamp and the logger, then the level and the message."""

_STAMP = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_HEADS = (
    (CLIENT_5, re.compile(_STAMP + rb"\.\d{3} [A-Z]+ +\[\d+\] \[.*?\] \[[^\]]*#[^\]]*\] - ")),
    (CLIENT_4, re.compile(_STAMP + rb",\d{3} [A-Z]+ [\w.$]+ - ")),
    (BROKER, re.compile(_STAMP + rb" [A-Z]+ [^\[\r\n]*? - ")),
)
"""RocketMQ's own: known even where the first lines have no known message."""

OWN = {layout.name: layout for layout in (CLIENT_4, CLIENT_5, BROKER, ANY)}

_DIRECTIVES = {
    "%Y-%m-%d %H:%M:%S": "iso",
    "%Y-%m-%dT%H:%M:%S": "iso",
    "%Y/%m/%d %H:%M:%S": "slashes",
    "%Y.%m.%d %H:%M:%S": "dots",
    "%Y%m%d %H:%M:%S": "compact",
    "%Y%m%d%H%M%S": "digits",
    "%d %b %Y %H:%M:%S": "day first",
    "%d/%b/%Y:%H:%M:%S": "web",
    "%y-%m-%d %H:%M:%S": "short year",
    "%b %d %H:%M:%S": "syslog",
    "%d.%m.%Y %H:%M:%S": "day dots",
    "%d/%m/%Y %H:%M:%S": "day/month",
    "%m/%d/%Y %H:%M:%S": "month/day",
    "%d-%m-%Y %H:%M:%S": "day/month",
    "%m-%d-%Y %H:%M:%S": "month/day",
    "%y/%m/%d %H:%M:%S": "short slashes",
    "%H:%M:%S": "time",
}


def layout_named(text: str) -> Layout:
    """A layout by its name, or by a description; ValueError where it is neither.

    A description has the time in the directives of strptime without its fraction, `*` for anything and `{}` for the
    message: `[%Y-%m-%d %H:%M:%S*] * msg={}`. Behind it, ` on 2024-06-01` says the day of `%H:%M:%S`.
    """
    if text in OWN:
        return OWN[text]
    written = re.fullmatch(r"(.*)\{\}(?: on (\d{4}-\d\d-\d\d))?", text)
    found = [(text.index(each), each) for each in _DIRECTIVES if each in text]
    if not found or not written:
        raise ValueError(
            f"{text} is neither a layout ({', '.join(OWN)}) nor a description such as '[%Y-%m-%d %H:%M:%S*] * - {{}}'"
        )
    if written[2]:
        date.fromisoformat(written[2])
    at, directives = min(found)
    form = form_named(_DIRECTIVES[directives])
    stamp = form.pattern.pattern.decode()
    before, after = text[:at], written[1][at + len(directives) :]
    head = _loosely(before) + stamp[stamp.index("(?P<whole>") :] + _loosely(after)
    return Layout(text, form=form.name, head=head, day=written[2])


def _loosely(text: str) -> str:
    return ".*?".join(re.escape(part) for part in text.split("*"))


def layout_of(start: bytes) -> Layout:
    """The layout of a file by its first bytes; ANY where they do not decide.

    >>> layout_of(b"2024-06-01 08:00:00,123 INFO RocketmqClient - suspend this consumer, g\\r\\n").name
    'client-4'
    """
    lines = [line for line in start.split(b"\n") if len(line) > 1]
    own = _own_layout(lines)
    anchored = [(line, found.start()) for line in lines if (found := ANCHORS.search(line))]
    if own is not None and (own is not BROKER or not anchored or any(is_of_broker(*each) for each in anchored)):
        return own
    if any(HEADED.pattern.match(line) and message_behind_level(after) for line, after in pairwise(lines)):
        return JAVA_UTIL
    if not anchored:
        return ANY
    form = _form_of(anchored)
    if form is None:
        return ANY
    stamped = [(line, at, stamp) for line, at in anchored if (stamp := form.pattern.search(line))]
    places = {stamp.start() if stamp.start() < at else None for _, at, stamp in stamped}
    rests = {None if stamp["zone"] else len(stamp["fraction"] or b"") for _, _, stamp in stamped}
    marks = {line[stamp.end("whole") :][:1] if stamp["fraction"] else b"" for line, _, stamp in stamped}
    digits = rests.pop() if len(rests) == 1 and form.format is not None else None
    layout = Layout(
        "found",
        form=form.name,
        stamp_at=places.pop() if len(places) == 1 else None,
        digits=digits if digits in (0, 3) else None,
        mark=marks.pop() if len(marks) == 1 else b"",
        zone="UTC" if form.format is None or all(stamp["zone"] for _, _, stamp in stamped) else None,
    )
    return _with_separator(layout, stamped, [line for line in lines if form.pattern.search(line, 0, _HEAD)])


_LEVEL = re.compile(rb"[^\s:]+: ")


def message_behind_level(line: bytes) -> int | None:
    """Where the message begins in the second line of a record of java.util.logging; None where it is none."""
    found = _LEVEL.match(line)
    return found and found.end()


def own_layout_of(line: bytes) -> Layout | None:
    """The one of RocketMQ's own layouts that a line has; None for one of an application."""
    return next((layout for layout, head in _HEADS if head.match(line)), None)


def _own_layout(lines: Sequence[bytes]) -> Layout | None:
    counts = Counter(next((at for at, (_, head) in enumerate(_HEADS) if head.match(line)), -1) for line in lines)
    del counts[-1]
    if not counts:
        return None
    ((at, often),) = counts.most_common(1)
    return _HEADS[at][0] if often == counts.total() and often * 2 > _stamp_count(lines) else None


def _stamp_count(lines: Sequence[bytes]) -> int:
    return sum(any(form.pattern.search(line, 0, _HEAD) for form in FORMS[:4]) for line in lines)


def _form_of(anchored: Sequence[tuple[bytes, int]]) -> StampForm | None:
    """The form in which stamps in front of known messages are written; behind them, where none is in front."""
    for reach in (lambda at, line: at, lambda at, line: len(line)):
        counts = [
            (sum(form.pattern.search(line, 0, reach(at, line)) is not None for line, at in anchored), form)
            for form in FORMS
        ]
        best = max(count for count, _ in counts)
        if best:
            return next(form for count, form in counts if count == best)
    stamps = (DAY_FIRST.pattern.search(line, 0, at) for line, at in anchored)
    return day_or_month_first(stamp for stamp in stamps if stamp)


_HEAD = 400
"""A stamp is looked for in this many bytes of a line."""


def _with_separator(
    layout: Layout, stamped: Sequence[tuple[bytes, int, re.Match[bytes]]], lines: Sequence[bytes]
) -> Layout:
    """The layout with the separator that gives the place of each known message; without one where none does."""
    best, best_score = replace(layout, name="any"), (0, 0, 0)
    for separator in dict.fromkeys(each for line, at, _ in stamped[:20] for each in _candidates(line[:at])):
        for from_start in (False, True):
            begins = [(line, at, 0 if from_start else stamp.end()) for line, at, stamp in stamped]
            times, _ = Counter(line.count(separator, begin, at) for line, at, begin in begins).most_common(1)[0]
            if times < 1:
                continue
            tried = replace(layout, separator=separator, times=times, counts_from_start=from_start)
            right = sum(message_at(tried, line, begin) == at for line, at, begin in begins)
            reached = sum(message_at(tried, line, 0) > 0 for line in lines)
            if (right, reached, len(separator)) > best_score and right >= 0.95 * len(stamped):
                best, best_score = tried, (right, reached, len(separator))
    return best


def _candidates(head: bytes) -> list[bytes]:
    """What may stand right in front of a message: a key, or marks with fewer and fewer of them."""
    key = re.search(rb"(?<!\w)\"?[A-Za-z_]\w*\"?\s*[:=]\s*\"?$", head)
    marks = re.search(rb"[^\w]*$", head)
    assert marks is not None  # it matches nothing, too
    tails = [marks[0][at:] for at in range(len(marks[0]))]
    return ([key[0]] if key else []) + tails


def message_at(layout: Layout, line: bytes, begin: int) -> int:
    """Where the message begins; -1 where the separator does not come so often."""
    for _ in range(layout.times):
        found = line.find(layout.separator, begin)
        if found < 0:
            return -1
        begin = found + len(layout.separator)
    return begin

"""Stamps: how lines say when they were written, and the interval that leaves.

A stamp's interval begins at what it says and is as long as its last digit is worth. Where a zone's clock goes back, an
hour is said twice: the interval then reaches from the first to the end of the second. Nothing is guessed: 01/06/2024 is
a time only where other stamps, or the user, say which number is the day; 08:00:00 only where the day is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from offsetproof.audit.event import SECOND

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_FRACTION = r"(?!(?:[.,]\d{1,9})? ?[AaPp]\.?[Mm]\b)(?:[.,:](?P<fraction>\d{1,9})(?!\d))?"
_ZONE = r"(?: ?(?P<zone>Z|UTC|[+-]\d\d:?\d\d)(?!\d))?"


@dataclass(frozen=True)
class StampForm:
    """A way to write times: `pattern` has the groups whole, fraction and zone; `format` reads whole, by strptime.

    `format` None: `whole` is a number of seconds, or of milliseconds, since 1970. A form without a year, or without a
    day, takes it from the file.
    """

    name: str
    pattern: re.Pattern[bytes]
    format: str | None


_STARTS = r"(?<![\s\S])"
"""In front of it a line begins."""


def _form(
    name: str, whole: str, reads: str | None, rest: str = _FRACTION + _ZONE, alone: str = r"(?<![\d:.])"
) -> StampForm:
    return StampForm(name, re.compile(rf"{alone}(?P<whole>{whole}){rest}".encode()), reads)


_NUMBER_STARTS = rf'(?:{_STARTS}|(?<=[:=\[ ])|(?<="ts":")|(?<=time":")|(?<=timestamp":"))'

FORMS = (
    _form("iso", r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d", "%Y-%m-%d %H:%M:%S"),
    _form("slashes", r"\d{4}/\d\d/\d\d[ T]\d\d:\d\d:\d\d", "%Y/%m/%d %H:%M:%S"),
    _form("dots", r"\d{4}\.\d\d\.\d\d[ T]\d\d:\d\d:\d\d", "%Y.%m.%d %H:%M:%S"),
    _form("compact", r"\d{8}[ T-]\d\d:\d\d:\d\d", "%Y%m%d %H:%M:%S"),
    _form("digits", r"\d{8}[ T-]\d{6}", "%Y%m%d %H%M%S"),
    _form("boost", rf"\d{{4}}-(?:{_MONTHS})-\d\d \d\d:\d\d:\d\d", "%Y-%b-%d %H:%M:%S"),
    _form("day first", rf"\d\d[ -](?:{_MONTHS})[ -]\d{{4}} \d\d:\d\d:\d\d", "%d %b %Y %H:%M:%S"),
    _form("web", rf"\d\d/(?:{_MONTHS})/\d{{4}}:\d\d:\d\d:\d\d", "%d/%b/%Y:%H:%M:%S"),
    _form("month first", rf"(?:{_MONTHS}) \d\d, \d{{4}} \d\d:\d\d:\d\d", "%b %d, %Y %H:%M:%S"),
    _form("short year", r"\d\d-\d\d-\d\d \d\d:\d\d:\d\d", "%y-%m-%d %H:%M:%S"),
    _form("syslog", rf"(?:{_MONTHS}) [ \d]\d \d\d:\d\d:\d\d", "%b %d %H:%M:%S"),
    _form("glog", r"[IWEF]\d{4} \d\d:\d\d:\d\d", "?%m%d %H:%M:%S"),
    _form("seconds", r"1\d{9}", None, r"(?:\.(?P<fraction>\d{1,9}))?(?P<zone>)(?![\d.])", _NUMBER_STARTS),
    _form("millis", r"1\d{12}", None, r"(?P<fraction>)(?P<zone>)(?!\d)", _NUMBER_STARTS),
    _form("day dots", r"\d\d\.\d\d\.\d{4},? \d\d:\d\d:\d\d", "%d.%m.%Y %H:%M:%S"),
    _form("time", r"\d\d:\d\d:\d\d", "%Y-%m-%d %H:%M:%S", _FRACTION + r"(?P<zone>)", rf"(?:{_STARTS}|(?<=\A\[))"),
)
"""Tried in this order. With dots the day stands in front of the month wherever people write so."""

_DAY_OR_MONTH = r"\d\d(?P<mark>[/-])\d\d(?P=mark)\d{4},?[ T]\d\d:\d\d:\d\d"
DAY_FIRST = _form("day/month", _DAY_OR_MONTH, "%d/%m/%Y %H:%M:%S")
MONTH_FIRST = _form("month/day", _DAY_OR_MONTH, "%m/%d/%Y %H:%M:%S")
"""Of these two a file's stamps have to show which it is."""

HEADED = _form(
    "java.util.logging", rf"(?:{_MONTHS}) \d\d, \d{{4}} \d{{1,2}}:\d\d:\d\d [AP]M", "%b %d, %Y %I:%M:%S %p",
    r"(?P<fraction>)(?P<zone>)(?= [\w.$<>]+)", _STARTS,
)  # fmt: skip
"""The first of the two lines of a record; the message is on the other."""

_NAMED = {
    form.name: form
    for form in (
        *FORMS,
        DAY_FIRST,
        MONTH_FIRST,
        HEADED,
        _form("short slashes", r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d", "%y/%m/%d %H:%M:%S"),
    )
}


def form_named(name: str) -> StampForm:
    """A form by its name."""
    return _NAMED[name]


def day_or_month_first(stamps: Iterable[re.Match[bytes]]) -> StampForm | None:
    """DAY_FIRST or MONTH_FIRST, if a number above 12 shows which is the day; None if none does, or they disagree."""
    numbers = [(int(stamp["whole"][:2]), int(stamp["whole"][3:5])) for stamp in stamps]
    first, second = (any(each[at] > _MONTHS_OF_YEAR for each in numbers) for at in (0, 1))
    return None if first == second else DAY_FIRST if first else MONTH_FIRST


_DAY_IN_NAME = re.compile(r"(?<!\d)(20\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_SET_ASIDE = re.compile(r"\.\w+-20\d{6}(-\d+)?(\.gz)?$")


def day_in_name(name: str) -> str | None:
    """The day that a log's name says, as 2024-06-01; None for none or several.

    logrotate writes the day on which it sets a file aside, which is not that of the lines.

    >>> day_in_name("app.2024-06-01.log.gz"), day_in_name("app.log-20240602.gz"), day_in_name("app.log")
    ('2024-06-01', None, None)
    """
    days = {f"{year}-{month}-{day}" for year, _, month, day in _DAY_IN_NAME.findall(name)}
    return days.pop() if len(days) == 1 and not _SET_ASIDE.search(name) else None


def zone_named(name: str) -> tzinfo:
    """A zone by its name, or as UTC+8, GMT+8, +08:00; ValueError where there is none.

    >>> zone_named("GMT+8").utcoffset(None)
    datetime.timedelta(seconds=28800)
    """
    match = re.fullmatch(r"(?:UTC|GMT)?([+-])([01]?\d|2[0-3]):?([0-5]\d)?", name)
    if match:
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
    if name in ("Z", "UTC", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"{name} is not a time zone; write it as Europe/Berlin or as UTC+2") from error


@cache
def clock_in(zone: str, form: str, year: int, day: str | None = None) -> Clock:
    """The clock of a zone for a form, one for each process: stamps that it has read are not read again."""
    return Clock(zone_named(zone), form_named(form), year, day)


class Clock:
    """Reads stamps of one form in one zone; `year` is that of stamps without one, `day` (2024-06-01) that of times."""

    def __init__(self, zone: tzinfo, form: StampForm, year: int, day: str | None = None) -> None:
        self._zone, self._form, self._year, self._day = zone, form, year, day
        self._known: dict[tuple[bytes, bytes | None], tuple[int, int] | None] = {}
        self.seconds: dict[bytes, tuple[int, int] | None] = {}
        """What the whole part of a stamp without a zone says, by its text: where its second begins, and how much longer
        than a second its interval is. None for what is no time."""

    def read(self, stamp: re.Match[bytes]) -> tuple[int, int] | None:
        """The interval of a stamp; None where it is no time, such as a 31st of June."""
        whole, fraction, zone = stamp.group("whole", "fraction", "zone")
        known = self.whole(whole) if not zone else self._with_zone(whole, zone)
        if known is None:
            return None
        begins, more = known
        if self._form.format is None and len(whole) == _MILLIS_DIGITS:
            return begins, begins + 1000
        if not fraction:
            return begins, begins + SECOND + more
        step = 10 ** max(0, 6 - len(fraction))
        begins += int(fraction[:6].ljust(6, b"0"))
        return begins, begins + step + more

    def whole(self, text: bytes) -> tuple[int, int] | None:
        """What a stamp's whole part says (see `seconds`)."""
        try:
            return self.seconds[text]
        except KeyError:
            pass
        if len(self.seconds) > _KEPT:
            self.seconds.clear()
        self.seconds[text] = found = self._read(text, self._zone)
        return found

    def _with_zone(self, text: bytes, zone: bytes) -> tuple[int, int] | None:
        key = (text, zone)
        if key not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[key] = self._read(text, zone_named(zone.decode()))
        return self._known[key]

    def _read(self, text: bytes, zone: tzinfo) -> tuple[int, int] | None:
        if self._form.format is None:
            return (int(text) * (1000 if len(text) == _MILLIS_DIGITS else SECOND), 0)
        reads, plain = self._form.format, text.decode("ascii", "replace").replace("T", " ")
        if self._form.name == "time":
            if self._day is None:
                return None
            plain = f"{self._day} {plain}"
        elif self._form.name in ("day first", "compact", "digits"):
            plain = plain.replace("-", " ")
        elif self._form.name in ("day dots", "day/month", "month/day"):
            plain = plain.replace("-", "/").replace(",", "")
        elif reads[0] == "?":
            reads, plain = reads[1:], plain[1:]
        if "%Y" not in reads and "%y" not in reads:
            reads, plain = f"%Y {reads}", f"{self._year} {plain}"
        try:
            local = datetime.strptime(plain, reads)
        except ValueError:
            return None
        first, second = (_micros(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
        return min(first, second), abs(second - first) if first < second else 0


_MILLIS_DIGITS = 13
_MONTHS_OF_YEAR = 12
_KEPT = 200_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _micros(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)

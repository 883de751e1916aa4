"""Sources: what each file is that a user names, and from where it is to be read on.

A source is known by the digest of its first bytes and its host, and not by its name: a log that was rotated since the
last run, or compressed, is read on and not again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from offsetproof.audit.lines.layouts import SNIFF_BYTES, Layout, layout_named, layout_of
from offsetproof.audit.lines.rows import Reading
from offsetproof.audit.lines.stamps import day_in_name
from offsetproof.audit.silver.paths import LeftOut, process_of, time_in_name
from offsetproof.audit.silver.pieces import DamagedGzipError, inflate, is_gzip

HEAD_BYTES = 4096
"""So much of a file's start tells it from others."""

_BLOCK = 1 << 16


class SourceKind(StrEnum):
    """What a file is."""

    LOG = "log"
    OFFSETS = "consumerOffset.json"
    LOCAL_OFFSETS = "offsets.json"
    PROGRESS = "consumerProgress"
    WATCH = "watch"


REPLACED = frozenset({SourceKind.OFFSETS, SourceKind.LOCAL_OFFSETS, SourceKind.PROGRESS})
"""Files that are written anew each time: all of it tells one state from others."""


@dataclass(frozen=True)
class ReadingOptions:
    """What a user says of files: a layout for all, zones and names of brokers by host; the zone under "" is for all."""

    layout: str | None = None
    zones: Mapping[str, str] = field(default_factory=dict)
    brokers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """A file, and how far it is read: `read_to` bytes and `lines` lines of it are in silver already.

    `head` is the digest of its first `head_bytes` bytes, `tail` that of up to HEAD_BYTES before `read_to`, or empty;
    `key` names its folder. `size` is that of this run's start; of a .gz all places are those of what it holds.
    `options` is a digest of all that its rows depend on but its bytes, `first_line` that of its first line.
    """

    key: str
    path: str
    host: str
    kind: SourceKind
    size: int
    head: str
    head_bytes: int
    reading: Reading
    options: str
    read_to: int = 0
    lines: int = 0
    tail: str = ""
    first_line: str = ""

    def as_data(self) -> dict[str, object]:
        """The source as JSON can hold it."""
        return {**asdict(self), "reading": {**asdict(self.reading), "layout": self.reading.layout.as_data()}}

    @classmethod
    def from_data(cls, data: dict[str, object]) -> Source:
        """The source that `as_data` told."""
        values = dict(data["reading"])  # type: ignore[call-overload]  # as as_data wrote it
        reading = Reading(**{**values, "layout": Layout.from_data(values["layout"])})
        return cls(**{**data, "kind": SourceKind(str(data["kind"])), "reading": reading})  # type: ignore[arg-type]  # the same


def kind_of(path: Path, start: bytes) -> SourceKind:
    """What a file is, by its first bytes.

    >>> kind_of(Path("a"), b'{"offsetTable":{"t@g":{0:5}}}').value
    'consumerOffset.json'
    """
    text = re.sub(rb"\s+", b"", start[:4096])
    if text.startswith(b"{") and re.match(rb'\{("dataVersion":|"groupTopicMap":|"offsetTable":)', text):
        return SourceKind.LOCAL_OFFSETS if re.search(rb'"offsetTable":\{\{', text) else SourceKind.OFFSETS
    if path.name.startswith("consumerOffset.json"):
        return SourceKind.OFFSETS
    if path.name.startswith("offsets.json"):
        return SourceKind.LOCAL_OFFSETS
    if re.match(rb"\s*#Topic +#Broker Name +#QID ", start):
        return SourceKind.PROGRESS
    if path.name.startswith("watch-") and start.startswith(b'{"from":'):
        return SourceKind.WATCH
    return SourceKind.LOG


_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


_HOLE = re.compile(rb"\0{64,}")
"""What a machine that goes down leaves of a log's last pages, or a log that is cut down while it is written."""


def _is_binary(start: bytes) -> bool:
    """Is this something else than text, and than text with holes?"""
    written = _HOLE.sub(b"", start)
    return len(_CONTROLS.findall(written)) * 20 > len(written)


COPY = "all of it is in another file as well"
"""Why a copy is not read; which file that is stands behind it."""


def sources_of(
    files: Sequence[tuple[str, Path]], known: Sequence[Source], options: ReadingOptions, version: str
) -> tuple[list[Source], list[LeftOut]]:
    """The sources of a run: files that are `known` from an earlier one go on where that ended.

    `version` tells what the rows of a file depend on beside the user's options.
    """
    sources: dict[str, Source] = {}
    left: list[LeftOut] = []
    brokers = dict(options.brokers)
    for host, path in files:
        try:
            found = _source(host, path, known, options, brokers, version)
        except OSError as error:
            left.append(LeftOut(str(path), f"it cannot be read: {error.strerror}"))
            continue
        if isinstance(found, LeftOut):
            left.append(found)
            continue
        other = sources.get(found.key)
        if other is not None and not _begins_alike(Path(other.path), Path(found.path), min(other.size, found.size)):
            found = replace(found, key=_digest(found.key.encode(), found.path.encode())[:16])
            other = sources.get(found.key)
        if other is not None:
            found, other = (found, other) if found.size > other.size else (other, found)
            left.append(LeftOut(other.path, f"{COPY}: {found.path}"))
        sources[found.key] = found
    return [_with_broker(source, brokers) for source in sources.values()], left


def _with_broker(source: Source, brokers: Mapping[str, str]) -> Source:
    broker = brokers.get(source.host)
    if source.reading.broker or not broker or source.kind in (SourceKind.PROGRESS, SourceKind.LOCAL_OFFSETS):
        return source
    return replace(source, reading=replace(source.reading, broker=broker))


def _source(
    host: str,
    path: Path,
    known: Sequence[Source],
    options: ReadingOptions,
    brokers: dict[str, str],
    version: str,
) -> Source | LeftOut:
    size, start = path.stat().st_size, start_of(path, SNIFF_BYTES)
    if not start:
        return LeftOut(str(path), "it holds nothing but NULs" if any(_blocks_of(path)) else "it is empty")
    if _is_binary(start):
        return LeftOut(str(path), "it is not text")
    if is_gzip(path):
        size = _inflated_size(path)
    kind = kind_of(path, start)
    if kind in REPLACED:
        start = _whole_state(path)
    reading = _reading(host, path, kind, start, options)
    if broker := _BROKER_NAME.search(start):
        brokers.setdefault(host, broker[1].decode("utf-8", "replace"))
    day = reading.day if reading.layout.form == "time" else None
    depends_on = _digest(version.encode(), repr((options.layout, reading.zone, reading.zone_known, day)).encode())[:16]
    earlier = _earlier(host, path, start, size, known)
    if earlier is not None:
        if earlier.options == depends_on and earlier.kind == kind:
            is_log = kind is SourceKind.LOG
            read_to, lines, tail = (earlier.read_to, earlier.lines, earlier.tail) if is_log else (0, 0, "")
            name = reading.broker or earlier.reading.broker
            reading = replace(reading, broker=name)
        else:
            read_to, lines, tail = 0, 0, ""
        return Source(
            *(earlier.key, str(path), host, kind, size, earlier.head, earlier.head_bytes),
            *(reading, depends_on, read_to, lines, tail, earlier.first_line),
        )
    head = start if kind in REPLACED else start[:HEAD_BYTES]
    digest = _digest(head)
    return Source(
        *(_digest(host.encode(), head)[:16], str(path), host, kind, size, digest, len(head), reading, depends_on),
        first_line=_first_line(start),
    )


def _earlier(host: str, path: Path, start: bytes, size: int, known: Sequence[Source]) -> Source | None:
    """What an earlier run has read of a file, whatever its name was then."""
    of_host = [each for each in known if each.host == host]
    heads = {length: _digest(start[:length]) for length in {each.head_bytes for each in of_host}}
    alike = [
        each
        for each in of_host
        if _is_cut(path, start, each) or (heads[each.head_bytes] == each.head and _goes_on(path, size, each))
    ]
    return max(alike, key=lambda each: (each.path == str(path), each.head_bytes), default=None)


def _is_cut(path: Path, start: bytes, earlier: Source) -> bool:
    """Is this what is left of a file that was cut down to less than its head?"""
    is_less = len(start) < earlier.head_bytes and earlier.path == str(path) and earlier.kind is SourceKind.LOG
    return is_less and _first_line(start) == earlier.first_line


def _first_line(start: bytes) -> str:
    return _digest(start[:HEAD_BYTES].partition(b"\n")[0])


def _goes_on(path: Path, size: int, earlier: Source) -> bool:
    """Does a file have what was read before? A shorter one that begins alike is told as such, not read again."""
    if not earlier.tail or is_gzip(path) or size < earlier.read_to:
        return True
    return tail_of(path, earlier.read_to) == earlier.tail


def tail_of(path: Path, end: int) -> str:
    """The digest of the bytes in front of a place; empty for a .gz."""
    if is_gzip(path):
        return ""
    begin = max(0, end - HEAD_BYTES)
    with path.open("rb") as file:
        file.seek(begin)
        return _digest(file.read(end - begin))


_BROKER_NAME = re.compile(rb"(?:- brokerName=|The broker\[|register broker to name server.*brokerName=)([^,\s\]]+)")


def _reading(host: str, path: Path, kind: SourceKind, start: bytes, options: ReadingOptions) -> Reading:
    layout = layout_named(options.layout) if options.layout else layout_of(start)
    said = options.zones.get(host, options.zones.get(""))
    year = datetime.fromtimestamp(path.stat().st_mtime, UTC).year
    is_log = kind is SourceKind.LOG
    return Reading(
        file=str(path),
        layout=layout,
        zone=said or layout.zone or "UTC",
        zone_known=said is not None or layout.zone is not None or not is_log,
        year=year,
        host=host,
        process=process_of(path),
        broker=options.brokers.get(host),
        day=layout.day or day_in_name(path.name),
    )


def start_of(path: Path, size: int) -> bytes:
    """The first bytes of a file, or of what a .gz holds, behind a hole of NULs at its start."""
    found = b""
    for block in _blocks_of(path):
        found = found + block if found else block.lstrip(b"\0")
        if len(found) >= size:
            break
    return found[:size]


def _blocks_of(path: Path) -> Iterator[bytes]:
    """A file, or what a .gz holds as far as it is whole, block by block."""
    if is_gzip(path):
        with suppress(DamagedGzipError):
            yield from inflate(path)
        return
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _whole_state(path: Path) -> bytes:
    """What tells one state of a file that is replaced from others: all of it, and the time that its name says.

    The same rows at another time are another state: a queue that was lost is there again.
    """
    return b"".join(_blocks_of(path)) + str(time_in_name(path.name) or "").encode()


def _inflated_size(path: Path) -> int:
    return sum(map(len, _blocks_of(path)))


def _begins_alike(one: Path, other: Path, size: int) -> bool:
    """Are the first bytes of two files, or of what a .gz holds, the same?"""
    first, second = _blocks_of(one), _blocks_of(other)
    ours, theirs = b"", b""
    while size > 0:
        ours, theirs = ours or next(first, b""), theirs or next(second, b"")
        step = min(size, len(ours), len(theirs))
        if not step or ours[:step] != theirs[:step]:
            return False
        ours, theirs, size = ours[step:], theirs[step:], size - step
    return True


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()

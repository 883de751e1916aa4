"""Snapshots: offset tables of brokers and broadcast clients as files, what `mqadmin consumerProgress` prints, and what
`watch` keeps.

Fastjson writes numbers, and whole objects, as keys. So these files are no JSON, and are read by a scanner of their own.
A snapshot's time is its file's, or the one in its name (`consumerOffset.json.2024-06-01T08:00:00Z`).
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.lines.rows import Reading
from offsetproof.audit.silver.columns import SILVER
from offsetproof.audit.silver.paths import group_in_path, time_in_name
from offsetproof.audit.silver.sources import SourceKind

if TYPE_CHECKING:
    import pyarrow as pa


class SnapshotError(ValueError):
    """A snapshot is damaged; nothing of it is believed."""


def events_of_snapshot(content: bytes, kind: SourceKind, reading: Reading, time: int) -> list[Event]:
    """The rows of a snapshot that was taken at `time`, in microseconds; SnapshotError where it is damaged."""
    time = time_in_name(reading.file) or time
    if kind is SourceKind.PROGRESS:
        return list(_of_progress(content, reading, time))
    try:
        if kind is SourceKind.WATCH:
            return list(_of_watch(content, reading))
        text = content.decode("utf-8")
        table = read_fastjson(text)["offsetTable"]
        rows = _of_broker if kind is SourceKind.OFFSETS else _of_client
        return list(rows(table, text, reading, time))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SnapshotError(f"it is damaged, and none of its rows is taken: {error}") from error


_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|([{,]\s*)(-?\d+|\{[^{}]*\})(?=\s*:)')
"""A text, which stays, or what stands in front of a colon and is none."""


def read_fastjson(text: str) -> dict[str, Any]:
    """JSON as fastjson writes it: keys may be numbers and objects, and become strings.

    >>> read_fastjson('{"offsetTable":{"t@g":{0:5,1:7}}}')
    {'offsetTable': {'t@g': {'0': 5, '1': 7}}}
    """
    found = json.loads(_KEY.sub(lambda match: match[1] + json.dumps(match[2]) if match[2] else match[0], text))
    if not isinstance(found, dict):
        raise ValueError("it is not an object")
    return found


class _Lines:
    """Where the lines of a text are: each with its number from 1, its byte offset and its length without its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.places: list[tuple[int, int, int]] = []
        self._begins: list[int] = []
        at = byte = 0
        for number, line in enumerate(text.split("\n"), 1):
            length = len(line.encode())
            self.places.append((number, byte, length))
            self._begins.append(at)
            at, byte = at + len(line) + 1, byte + length + 1
        self._found = 0

    def place_of(self, word: str) -> tuple[int, int, int]:
        """The line with a word, which is looked for from the last one on: the words come in their order."""
        at = self._text.find(word, self._found)
        at = self._text.find(word) if at < 0 else at
        self._found = max(0, at)
        return self.places[bisect_right(self._begins, self._found) - 1]


def _event(place: tuple[int, int, int], reading: Reading, time: int, **values: Any) -> Event:
    line, byte_offset, byte_length = place
    return Event(
        file=reading.file,
        line=line,
        byte_offset=byte_offset,
        byte_length=byte_length,
        time_from=time,
        time_to=time + 1,
        zone_known=True,
        host=reading.host,
        process=reading.process,
        **values,
    )


def _of_broker(table: dict[str, dict[str, int]], text: str, reading: Reading, time: int) -> Iterator[Event]:
    lines = _Lines(text)
    for key, queues in table.items():
        topic, at, group = key.rpartition("@")
        place = lines.place_of(json.dumps(key, ensure_ascii=False))
        for queue, offset in queues.items():
            yield _event(
                place,
                reading,
                time,
                kind=EventKind.OFFSET_STORED,
                group=group if at else None,
                topic=topic if at else key,
                broker=reading.broker,
                queue=int(queue),
                offset=int(offset),
            )


def _of_client(table: dict[str, Any], text: str, reading: Reading, time: int) -> Iterator[Event]:
    lines, group = _Lines(text), group_in_path(reading.file)
    for key, offset in table.items():
        queue = json.loads(key)
        yield _event(
            lines.place_of(key),
            reading,
            time,
            kind=EventKind.OFFSET_LOCAL,
            group=group,
            topic=queue["topic"],
            broker=queue["brokerName"],
            queue=int(queue["queueId"]),
            offset=int(offset["offset"] if isinstance(offset, dict) else offset),
        )


def _of_watch(content: bytes, reading: Reading) -> Iterator[Event]:
    """What `watch` keeps, an event per line; a last line without its end is not whole."""
    begin = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        if line.endswith(b"\n"):
            columns = json.loads(line)
            yield Event(
                file=reading.file,
                line=number,
                byte_offset=begin,
                byte_length=len(line) - 1,
                time_from=columns.pop("from"),
                time_to=columns.pop("to"),
                zone_known=True,
                host=reading.host,
                process="watch",
                kind=EventKind(columns.pop("kind")),
                **columns,
            )
        begin += len(line)


_GROUP_IN_NAME = re.compile(r"consumerProgress[-_.]([%\w-]+)")


def _of_progress(content: bytes, reading: Reading, time: int) -> Iterator[Event]:
    """What the tool prints for one group; the group is in the file's name, or in its %RETRY% topic."""
    text = content.decode("utf-8", "replace")
    rows = [(line.split(), place) for line, place in zip(text.split("\n"), _Lines(text).places, strict=True)]
    queues = [(row, place) for row, place in rows if _is_of_queue(row)]
    named = _GROUP_IN_NAME.search(reading.file)
    retry = next((row[0].removeprefix("%RETRY%") for row, _ in queues if row[0].startswith("%RETRY%")), None)
    group = retry or (named[1] if named else None)
    for row, place in queues:
        topic, broker, queue, end, offset, *_ = row
        if int(offset) < 0:
            continue
        yield _event(
            place,
            reading,
            time,
            kind=EventKind.OFFSET_STORED,
            group=group,
            topic=topic,
            broker=broker,
            queue=int(queue),
            offset=int(offset),
            other_offset=int(end),
        )


def _is_of_queue(row: list[str]) -> bool:
    is_row = len(row) >= 6 and not row[0].startswith("#")
    return is_row and row[2].isdigit() and row[3].lstrip("-").isdigit()


def table_of_events(events: Sequence[Event]) -> pa.Table:
    """Events as rows of silver."""
    import pyarrow as pa

    from offsetproof.audit.silver.arrow_tables import schema_of

    names = [column.name for column in SILVER]
    return pa.Table.from_pylist(
        [{name: getattr(event, name) for name in names} for event in events], schema=schema_of(SILVER)
    )

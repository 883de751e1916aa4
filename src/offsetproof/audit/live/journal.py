"""What was seen, kept as it comes: a line of JSON per event, whose place the event has, and silver for `audit`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from socket import gethostname
from typing import IO, Any

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Evidence
from offsetproof.audit.gold.history import evidence_of

_FLUSH_ROWS = 20_000


class Journal:
    """The events of one run, in the order in which they were seen. A context manager: what is kept is written.

    With a folder the lines go to `bronze/watch-<start>.jsonl` in it, a file that `audit` reads, and the events to
    `silver`; else nothing is kept.
    """

    def __init__(self, folder: Path | None, started: int) -> None:
        self.folder = folder
        self.file = "watch" if folder is None else str(folder / "bronze" / f"watch-{started}.jsonl")
        self._host = gethostname()
        self._lines = self._bytes = 0
        self._texts: dict[int, str] = {}
        self._out: IO[bytes] | None = None
        self._rows: list[Event] = []
        if folder is not None:
            Path(self.file).parent.mkdir(parents=True, exist_ok=True)
            self._out = Path(self.file).open("wb")  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_error: object) -> None:
        self.flush()
        if self._out is not None:
            self._out.close()

    def add(self, kind: EventKind, time_from: int, time_to: int, **values: Any) -> Event:
        """Writes a line, and gives it back as an event."""
        self._lines += 1
        time_to = max(time_to, time_from + 1)
        said = {"from": time_from, "to": time_to, "kind": str(kind), **values}
        text = json.dumps(said, separators=(",", ":"))
        event = Event(
            file=self.file,
            line=self._lines,
            byte_offset=self._bytes,
            byte_length=len(text),
            time_from=time_from,
            time_to=time_to,
            zone_known=True,
            host=self._host,
            process="watch",
            kind=kind,
            **values,
        )
        self._bytes += event.byte_length + 1
        if self._out is not None:
            self._out.write(text.encode() + b"\n")
            self._rows.append(event)
            if len(self._rows) >= _FLUSH_ROWS:
                self.flush()
        return event

    def flush(self) -> None:
        """Writes what has come since the last time."""
        if self._out is None or self.folder is None:
            return
        self._out.flush()
        if self._rows:
            from offsetproof.audit.silver.parquet import SILVER_AT, part_file, write_table
            from offsetproof.audit.silver.snapshots import table_of_events

            source, begin = Path(self.file).stem, self._rows[0].byte_offset
            write_table(table_of_events(self._rows), part_file(self.folder, SILVER_AT, source, begin))
            self._rows = []


def evidence(event: Event, role: str) -> Evidence:
    """An event as part of a finding, in words."""
    return evidence_of(event, role, text_of(event))


def text_of(event: Event) -> str:
    """What an event says, as the line of JSON that it stands for has it."""
    return " ".join(f"{name}={value}" for name, value in _columns(event).items())


def _columns(event: Event) -> Mapping[str, object]:
    names = ("kind", "client", "group", "topic", "broker", "queue", "offset", "other_offset", "detail")
    return {name: value for name in names if (value := getattr(event, name)) is not None}

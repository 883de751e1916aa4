"""Reading one piece of a file: its rows become a file of silver, and what it had is counted.

The file is named by source and offset, and written whole: a piece that is read twice gives the same file.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from offsetproof.audit.lines.layouts import Layout
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.lines.rows import Reading, in_year
from offsetproof.audit.lines.shapes import collapse
from offsetproof.audit.lines.stamps import FORMS
from offsetproof.audit.lines.tables import is_broker_log
from offsetproof.audit.silver.columns import MALFORMED
from offsetproof.audit.silver.parquet import MALFORMED_AT, SILVER_AT, part_file, table_of, write_rows, write_table
from offsetproof.audit.silver.pieces import DamagedGzipError, Piece, chunks_of, is_gzip
from offsetproof.audit.silver.snapshots import SnapshotError, events_of_snapshot, table_of_events
from offsetproof.audit.silver.sources import SourceKind
from offsetproof.audit.worker_pool import NO_WORKERS, WorkerPool

_WITHOUT_YEAR = {form.name for form in FORMS if form.format and "%y" not in form.format.lower()}


@dataclass(frozen=True)
class Task:
    """A piece to be read, for one worker."""

    source: str
    kind: str
    reading: dict[str, Any]
    piece: dict[str, Any]
    folder: str
    mtime: int


@dataclass
class PieceCounts:
    """What a piece had: `end` is where its last whole line ends."""

    source: str
    begin: int
    end: int = 0
    lines: int = 0
    event_lines: int = 0
    unknown_lines: int = 0
    malformed_lines: int = 0
    further_lines: int = 0
    events: int = 0
    shapes: dict[str, int] = field(default_factory=dict)
    problem: str | None = None
    is_of_broker: bool = False
    """Some line shows that it is of a broker's log."""

    ends_early: bool = False
    """It could not be read to its end; the next run tries again from `end`."""


Runner = Callable[[Sequence[Task]], Iterable[PieceCounts]]
"""Has tasks done, in any order."""


def by_pool(pool: WorkerPool = NO_WORKERS) -> Runner:
    """Has tasks done by workers of this machine; without any, by this process one after the other."""
    return lambda tasks: pool.map(read_piece, tasks)


def read_piece(task: Task) -> PieceCounts:
    """Reads a piece, and writes its file. A file that cannot be read, or not to its end, is told as a problem."""
    reading = Reading(**{**task.reading, "layout": Layout.from_data(task.reading["layout"])})
    piece, folder = Piece(**task.piece), Path(task.folder)
    counts = PieceCounts(task.source, piece.begin, piece.begin)
    try:
        if task.kind != SourceKind.LOG:
            _read_snapshot(task, reading, counts)
        else:
            with _without_collections():
                _read_lines(piece, reading, folder, counts, task.mtime)
    except DamagedGzipError as error:
        line = piece.lines + counts.lines
        counts.problem = f"{error}; {f'lines 1 to {line:,} are read' if line else 'no line is read'}"
    except SnapshotError as error:
        counts.problem = str(error)
    except OSError as error:
        counts.problem, counts.ends_early = f"it cannot be read: {error.strerror}", True
    return counts


@contextmanager
def _without_collections() -> Iterator[None]:
    """Rows are many small objects without cycles: to look for some takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read_lines(piece: Piece, reading: Reading, folder: Path, counts: PieceCounts, mtime: int) -> None:
    """Reads whole lines; what was counted before an error stays counted."""
    shapes: Counter[bytes] = Counter()
    try:
        for chunk in chunks_of(piece):
            parsed = parse(chunk.data, reading, chunk.lines, chunk.at, chunk.behind, chunk.line_before)
            if reading.layout.form in _WITHOUT_YEAR:
                parsed.rows = [in_year(row, mtime) for row in parsed.rows]
            if parsed.rows:
                write_table(table_of(parsed, reading), part_file(folder, SILVER_AT, counts.source, chunk.at))
            if parsed.malformed:
                bad = part_file(folder, MALFORMED_AT, counts.source, chunk.at)
                write_rows(bad, MALFORMED, [asdict(each) for each in parsed.malformed])
            counts.end = chunk.at + len(chunk.data)
            counts.lines += parsed.lines
            counts.event_lines += parsed.event_lines
            counts.unknown_lines += parsed.unknown_lines
            counts.malformed_lines += parsed.malformed_lines
            counts.further_lines += parsed.further_lines
            counts.events += len(parsed.rows)
            counts.is_of_broker |= is_broker_log({row[4] for row in parsed.rows}, parsed.shapes)
            shapes.update(collapse(parsed.shapes))
    finally:
        counts.shapes = {shape.decode("utf-8", "replace"): number for shape, number in collapse(shapes).items()}


def _read_snapshot(task: Task, reading: Reading, counts: PieceCounts) -> None:
    data = b"".join(chunk.data for chunk in chunks_of(Piece(**task.piece))) if is_gzip(reading.file) else None
    content = Path(reading.file).read_bytes() if data is None else data
    counts.end, counts.lines = len(content), content.count(b"\n")
    events = events_of_snapshot(content, SourceKind(task.kind), reading, task.mtime)
    write_table(table_of_events(events), part_file(Path(task.folder), SILVER_AT, counts.source, 0))
    counts.events = len(events)
    counts.event_lines = counts.lines

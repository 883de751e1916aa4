"""From files to silver: which pieces are to be read, who reads them, and what is known afterwards.

    bronze/files.parquet, unknown.parquet, malformed.parquet    every line's whereabouts (`columns.py`)
    silver/source=KEY/part-OFFSET.parquet                       the events
    manifest.json                                               what was read, up to where

A piece is read by whoever has it to do, and its file is named by source and offset: one that is done twice gives the
same file. The manifest is written last. What is beyond it, left by a run that ended early, is removed before the next.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offsetproof.audit.columns import FILES, MALFORMED, SCHEMA_NUMBER, UNKNOWN, Column
from offsetproof.audit.layouts import Layout
from offsetproof.audit.parsing import parse
from offsetproof.audit.pieces import DamagedGzipError, Piece, chunks_of, is_gzip, pieces_of
from offsetproof.audit.rows import Reading
from offsetproof.audit.shapes import collapse
from offsetproof.audit.silver_files import TEMPORARY, part_file, part_files, schema_of, table_of, write_table
from offsetproof.audit.snapshots import SnapshotError, events_of_snapshot, table_of_events
from offsetproof.audit.sources import LeftOut, ReadingOptions, Source, SourceKind, files_of, sources_of
from offsetproof.audit.tables import TEMPLATES

if TYPE_CHECKING:
    import pyarrow as pa

    from offsetproof.engines.spark.driver import Driver

PARSING = 1
"""Rises when the same lines give other rows; files are then read again."""

VERSION = sha256(repr((PARSING, SCHEMA_NUMBER, TEMPLATES)).encode()).hexdigest()[:16]


class ManifestError(Exception):
    """A run's folder whose manifest cannot be read: code 150."""


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
    malformed: list[dict[str, Any]] = field(default_factory=list)
    problem: str | None = None


Runner = Callable[[Sequence[Task]], Iterable[PieceCounts]]
"""Has tasks done, in any order."""


@dataclass(frozen=True)
class SilverRun:
    """What a run has made: `files` are rows of bronze/files.parquet, of all files that the folder knows."""

    folder: Path
    files: tuple[dict[str, Any], ...]
    new_events: int
    new_lines: int

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The files that were not read, or not to their end."""
        return [(row["file"], row["problem"]) for row in self.files if row["problem"]]


def make_silver(paths: Iterable[str], folder: Path, options: ReadingOptions, run: Runner) -> SilverRun:
    """Reads what is new in the files that paths name; ManifestError for a folder of something else.

    `run` is `in_this_process`, or `on_spark(driver)`.
    """
    known, counted = _read_manifest(folder)
    files, left = files_of(paths)
    sources, more_left = sources_of(files, known, options, VERSION)
    _remove_leftovers(folder, {each.key: each for each in [*known, *sources]})
    tasks = [task for source in sources for task in _tasks(source, folder)]
    done = sorted(run(tasks), key=lambda each: (each.source, each.begin)) if tasks else []
    kept = [row for row in counted if _is_kept(row, sources)]
    counts = [*kept, *done]
    read = {each.key: each for each in known} | {each.key: _read_further(each, done) for each in sources}
    rows = _file_rows(read.values(), counts, [*left, *more_left])
    _write_bronze(folder, rows, counts)
    _write_manifest(folder, read.values(), counts)
    return SilverRun(folder, tuple(rows), sum(each.events for each in done), sum(each.lines for each in done))


def in_this_process(tasks: Sequence[Task]) -> Iterator[PieceCounts]:
    """Has tasks done one after the other."""
    return map(read_piece, tasks)


def on_spark(driver: Driver) -> Runner:
    """Has tasks done by Spark, each by any executor that can read the files and write the folder."""

    def run(tasks: Sequence[Task]) -> Iterator[PieceCounts]:
        rows = [(json.dumps(asdict(task)),) for task in tasks]
        found = driver.ask(
            lambda spark: (
                spark.createDataFrame(spark.sparkContext.parallelize(rows, len(rows)), "task string")
                .mapInArrow(_read_pieces, "counts string")
                .collect()
            )
        )
        return (PieceCounts(**json.loads(row["counts"])) for row in found)

    return run


def _read_pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        for text in batch.column("task").to_pylist():
            counts = read_piece(Task(**json.loads(text)))
            yield pa.RecordBatch.from_pydict({"counts": [json.dumps(asdict(counts))]})


def read_piece(task: Task) -> PieceCounts:
    """Reads a piece, and writes its file. A file that cannot be read, or not to its end, is told as a problem."""
    reading = Reading(**{**task.reading, "layout": Layout.from_data(task.reading["layout"])})
    piece, folder = Piece(**task.piece), Path(task.folder)
    counts = PieceCounts(task.source, piece.begin, piece.begin)
    try:
        if task.kind != SourceKind.LOG:
            _read_snapshot(task, reading, counts)
        else:
            _read_lines(piece, reading, folder, counts)
    except (DamagedGzipError, SnapshotError) as error:
        counts.problem = str(error)
    except OSError as error:
        counts.problem = f"it cannot be read: {error.strerror}"
    return counts


def _read_lines(piece: Piece, reading: Reading, folder: Path, counts: PieceCounts) -> None:
    shapes: Counter[bytes] = Counter()
    try:
        for chunk in chunks_of(piece):
            parsed = parse(chunk.data, reading, chunk.lines, chunk.at, chunk.behind)
            if parsed.rows:
                write_table(table_of(parsed, reading), part_file(folder, counts.source, chunk.at))
            counts.end = chunk.at + len(chunk.data)
            counts.lines += parsed.lines
            counts.event_lines += parsed.event_lines
            counts.unknown_lines += parsed.unknown_lines
            counts.malformed_lines += parsed.malformed_lines
            counts.further_lines += parsed.further_lines
            counts.events += len(parsed.rows)
            shapes.update(collapse(parsed.shapes))
            counts.malformed += [asdict(each) for each in parsed.malformed]
    finally:
        counts.shapes = {shape.decode("utf-8", "replace"): number for shape, number in collapse(shapes).items()}


def _read_snapshot(task: Task, reading: Reading, counts: PieceCounts) -> None:
    data = b"".join(chunk.data for chunk in chunks_of(Piece(**task.piece))) if is_gzip(reading.file) else None
    content = Path(reading.file).read_bytes() if data is None else data
    counts.end, counts.lines = len(content), content.count(b"\n")
    events = events_of_snapshot(content, SourceKind(task.kind), reading, task.mtime)
    write_table(table_of_events(events), part_file(Path(task.folder), counts.source, 0))
    counts.events = len(events)
    counts.event_lines = counts.lines


def _tasks(source: Source, folder: Path) -> Iterator[Task]:
    reading = {**asdict(source.reading), "layout": source.reading.layout.as_data()}
    mtime = Path(source.path).stat().st_mtime_ns // 1000
    pieces: Iterable[Piece] = (Piece(source.path, 0, source.size, 0),)
    if source.kind is SourceKind.LOG:
        is_new = source.size > source.read_to
        pieces = pieces_of(Path(source.path), source.read_to, source.size, source.lines) if is_new else ()
    for piece in pieces:
        yield Task(source.key, source.kind.value, reading, asdict(piece), str(folder), mtime)


def _is_kept(row: PieceCounts, sources: Sequence[Source]) -> bool:
    """Do the counts of an earlier run stand? Not where the file is read again."""
    read_to = {each.key: each.read_to for each in sources}
    return row.source not in read_to or row.begin < read_to[row.source]


def _read_further(source: Source, done: Sequence[PieceCounts]) -> Source:
    own = [each for each in done if each.source == source.key]
    end = max([source.read_to, *(each.end for each in own)])
    return replace(source, read_to=end, lines=source.lines + sum(each.lines for each in own))


def _remove_leftovers(folder: Path, sources: dict[str, Source]) -> None:
    """Removes what a run left that ended early, and the rows of files that are read again."""
    for file in (folder / "silver").glob(f"source=*/.*{TEMPORARY}"):
        file.unlink(missing_ok=True)
    for file in part_files(folder):
        source = sources.get(file.parent.name.removeprefix("source="))
        if source is None or int(file.stem.removeprefix("part-")) >= source.read_to:
            file.unlink(missing_ok=True)


def _file_rows(
    sources: Iterable[Source], counts: Sequence[PieceCounts], left: Sequence[LeftOut]
) -> list[dict[str, Any]]:
    own: dict[str, list[PieceCounts]] = {}
    for each in counts:
        own.setdefault(each.source, []).append(each)
    rows = []
    for source in sources:
        done = own.get(source.key, [])
        sums = {
            name: sum(getattr(each, name) for each in done)
            for name in ("lines", "event_lines", "unknown_lines", "malformed_lines", "further_lines", "events")
        }
        problems = [each.problem for each in done if each.problem]
        if not problems and source.kind is SourceKind.LOG and source.read_to != source.size:
            problems = [_unread(source)]
        rows.append(
            {
                "source": source.key,
                "file": source.path,
                "host": source.host,
                "kind": source.kind.value,
                "layout": source.reading.layout.name,
                "zone": source.reading.layout.zone or source.reading.zone,
                "zone_known": source.reading.zone_known,
                "size": source.size,
                "read_to": source.read_to,
                **sums,
                "problem": problems[0] if problems else None,
            }
        )
    zeros = {column.name: 0 for column in FILES if column.type == "int64"}
    texts = {column.name: "" for column in FILES if column.type == "string"}
    rows += [{**texts, **zeros, "zone_known": False, "file": each.path, "problem": each.reason} for each in left]
    return rows


def _unread(source: Source) -> str:
    if source.size < source.read_to:
        return f"it is shorter than before: {source.size} bytes, and {source.read_to} have been read"
    return f"its last line has no end: {source.size - source.read_to} bytes are left for the next time"


def _write_bronze(folder: Path, files: Sequence[dict[str, Any]], counts: Sequence[PieceCounts]) -> None:
    shapes = [
        {"source": each.source, "begin": each.begin, "shape": shape, "lines": lines}
        for each in counts
        for shape, lines in each.shapes.items()
    ]
    malformed = [{"source": each.source, "begin": each.begin, **one} for each in counts for one in each.malformed]
    for name, columns, rows in (
        ("files", FILES, files),
        ("unknown", UNKNOWN, shapes),
        ("malformed", MALFORMED, malformed),
    ):
        _write_rows(folder / "bronze" / f"{name}.parquet", columns, rows)


def _write_rows(file: Path, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> None:
    import pyarrow as pa

    write_table(pa.Table.from_pylist(list(rows), schema=schema_of(columns)), file)


def _read_manifest(folder: Path) -> tuple[list[Source], list[PieceCounts]]:
    file = folder / "manifest.json"
    if not file.exists():
        return [], []
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA_NUMBER:
            raise ManifestError(f"{file} has the schema {data['schema']}, and not {SCHEMA_NUMBER}; use another folder")
        return [Source.from_data(each) for each in data["sources"]], [PieceCounts(**each) for each in data["pieces"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ManifestError(f"{file} cannot be read ({error}); use another folder") from error


def _write_manifest(folder: Path, sources: Iterable[Source], counts: Sequence[PieceCounts]) -> None:
    data = {
        "schema": SCHEMA_NUMBER,
        "sources": [each.as_data() for each in sources],
        "pieces": [asdict(each) for each in counts],
    }
    file = folder / "manifest.json"
    temporary = file.with_suffix(TEMPORARY)
    temporary.write_text(json.dumps(data, indent=1), encoding="utf-8")
    temporary.replace(file)

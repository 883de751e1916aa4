"""From files to silver: which pieces are to be read, and what is known afterwards.

    silver/source=KEY/part-OFFSET.parquet              the events
    bronze/malformed/source=KEY/part-OFFSET.parquet    known messages that cannot be read
    bronze/files.parquet, bronze/unknown.parquet       files, and unknown messages by shape
    manifest.json                                      what was read, up to where

`columns.py` has the columns. The manifest is written last: what is beyond it, left by a run that ended early, is
removed before the next.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from offsetproof.audit.lines.tables import PATTERNS, TEMPLATES
from offsetproof.audit.silver.columns import FILES, SCHEMA_NUMBER, UNKNOWN
from offsetproof.audit.silver.parquet import MALFORMED_AT, SILVER_AT, TEMPORARY, part_files, write_rows
from offsetproof.audit.silver.paths import LeftOut, files_of
from offsetproof.audit.silver.piece_work import PieceCounts, Runner, Task
from offsetproof.audit.silver.pieces import Piece, pieces_of
from offsetproof.audit.silver.sources import ReadingOptions, Source, SourceKind, sources_of, tail_of
from offsetproof.engines.whole_files import CheckpointError

PARSING = 3
"""Rises when layouts, stamps or snapshots give other rows; files are then read again, as with other patterns."""

_EXACT = [pattern.exact.pattern for pattern in PATTERNS]
VERSION = sha256(repr((PARSING, SCHEMA_NUMBER, TEMPLATES, _EXACT)).encode()).hexdigest()[:16]


class ManifestError(CheckpointError):
    """A run's folder whose manifest cannot be read, or is of something else: code 150."""


@dataclass(frozen=True)
class SilverRun:
    """What a run has made: `files` are rows of bronze/files.parquet, of all files that the folder knows."""

    folder: Path
    files: tuple[dict[str, Any], ...]
    new_events: int
    new_lines: int

    has_broker_log: bool
    """Is one of the files a broker's log, by what its lines say?"""

    shapes: tuple[tuple[str, int], ...]
    """The shapes of unknown messages, the most frequent first."""

    @property
    def unreadable(self) -> list[tuple[str, str]]:
        """The files that were not read, or not to their end, each with the reason."""
        return [(row["file"], row["problem"]) for row in self.files if row["problem"] and not row["unfinished"]]

    @property
    def unfinished(self) -> list[str]:
        """The files whose last line has no end yet."""
        return [row["file"] for row in self.files if row["unfinished"]]

    def total(self, column: str) -> int:
        """The sum of a column of numbers over all files, such as lines, events, unknown_lines or malformed_lines."""
        return sum(row[column] for row in self.files)


def make_silver(paths: Iterable[str], folder: Path, options: ReadingOptions, run: Runner) -> SilverRun:
    """Reads what is new in the files that paths name; ManifestError for a folder of something else.

    `run` is `piece_work.by_pool(workers)`, or `on_spark.on_spark(driver)`.
    """
    known, counted = _read_manifest(folder)
    files, left = files_of(paths)
    sources, more_left = sources_of(files, known, options, VERSION)
    read_to = {each.key: each.read_to for each in sources}
    kept = [row for row in counted if row.source not in read_to or row.begin < read_to[row.source]]
    before = {each.key: each for each in [*known, *sources]}
    _write_manifest(folder, before.values(), kept)
    _remove_leftovers(folder, before)
    tasks, vanished = _all_tasks(sources, folder.absolute())
    done = sorted(run(tasks), key=lambda each: (each.source, each.begin)) if tasks else []
    counts = [*kept, *done]
    done_of = _by_source(done)
    read = before | {each.key: _read_further(each, done_of.get(each.key, ())) for each in sources}
    rows = _file_rows(read.values(), counts, [*left, *more_left, *vanished])
    shapes = _shapes(counts)
    write_rows(folder / "bronze" / "files.parquet", FILES, rows)
    write_rows(folder / "bronze" / "unknown.parquet", UNKNOWN, shapes)
    _write_manifest(folder, read.values(), counts)
    has_broker_log = any(each.is_of_broker for each in counts)
    new_events, new_lines = sum(each.events for each in done), sum(each.lines for each in done)
    return SilverRun(folder, tuple(rows), new_events, new_lines, has_broker_log, _most_frequent(shapes))


def _all_tasks(sources: Sequence[Source], folder: Path) -> tuple[list[Task], list[LeftOut]]:
    """The pieces of all files, and the files that have gone, or cannot be read any more, since they were listed."""
    tasks: list[Task] = []
    vanished: list[LeftOut] = []
    for source in sources:
        try:
            tasks += _tasks(source, folder)
        except OSError as error:
            vanished.append(LeftOut(source.path, f"it cannot be read: {error.strerror}"))
    return tasks, vanished


def _tasks(source: Source, folder: Path) -> list[Task]:
    reading = {**asdict(source.reading), "layout": source.reading.layout.as_data()}
    mtime = Path(source.path).stat().st_mtime_ns // 1000
    pieces: Iterable[Piece] = (Piece(source.path, 0, source.size, 0),)
    if source.kind is SourceKind.LOG:
        is_new = source.size > source.read_to
        pieces = pieces_of(Path(source.path), source.read_to, source.size, source.lines) if is_new else ()
    return [Task(source.key, source.kind.value, reading, asdict(piece), str(folder), mtime) for piece in pieces]


def _by_source(counts: Iterable[PieceCounts]) -> dict[str, list[PieceCounts]]:
    own: dict[str, list[PieceCounts]] = {}
    for each in counts:
        own.setdefault(each.source, []).append(each)
    return own


def _read_further(source: Source, own: Sequence[PieceCounts]) -> Source:
    """The source as it is known after the run: read to the end, or to the first piece that could not be."""
    early = min((each.end for each in own if each.ends_early), default=None)
    end = max([source.read_to, *(each.end for each in own)]) if early is None else max(source.read_to, early)
    lines = source.lines + sum(each.lines for each in own if each.end <= end)
    try:
        tail = tail_of(Path(source.path), end)
    except OSError:
        tail = ""
    return replace(source, read_to=end, lines=lines, tail=tail)


def _remove_leftovers(folder: Path, sources: dict[str, Source]) -> None:
    """Removes what a run left that ended early, and the rows of files that are read again."""
    for table in (SILVER_AT, MALFORMED_AT):
        for file in (folder / table).glob(f"source=*/.*{TEMPORARY}"):
            file.unlink(missing_ok=True)
        for file in part_files(folder, table):
            source = sources.get(file.parent.name.removeprefix("source="))
            if source is None or int(file.stem.removeprefix("part-")) >= source.read_to:
                file.unlink(missing_ok=True)


def _file_rows(
    sources: Iterable[Source], counts: Sequence[PieceCounts], left: Sequence[LeftOut]
) -> list[dict[str, Any]]:
    own = _by_source(counts)
    rows = []
    for source in sources:
        done = own.get(source.key, [])
        sums = {
            name: sum(getattr(each, name) for each in done)
            for name in ("lines", "event_lines", "unknown_lines", "malformed_lines", "further_lines", "events")
        }
        problems = [each.problem for each in done if each.problem]
        differs = not problems and source.kind is SourceKind.LOG and source.read_to != source.size
        is_unfinished = differs and source.size > source.read_to
        if differs:
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
                "unfinished": is_unfinished,
                "problem": problems[0] if problems else None,
            }
        )
    zeros = {column.name: 0 for column in FILES if column.type == "int64"}
    texts = {column.name: "" for column in FILES if column.type == "string"}
    rows += [
        {**texts, **zeros, "zone_known": False, "unfinished": False, "file": each.path, "problem": each.reason}
        for each in left
    ]
    return rows


def _unread(source: Source) -> str:
    if source.size < source.read_to:
        return f"it is shorter than before: {source.size} bytes, and {source.read_to} have been read"
    return f"its last line has no end: {source.size - source.read_to} bytes are left for the next time"


def _shapes(counts: Sequence[PieceCounts]) -> list[dict[str, Any]]:
    return [
        {"source": each.source, "begin": each.begin, "shape": shape, "lines": lines}
        for each in counts
        for shape, lines in each.shapes.items()
    ]


def _most_frequent(shapes: Sequence[dict[str, Any]]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for row in shapes:
        counts[row["shape"]] += row["lines"]
    return tuple(counts.most_common())


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
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(TEMPORARY)
    temporary.write_text(json.dumps(data, indent=1), encoding="utf-8")
    temporary.replace(file)

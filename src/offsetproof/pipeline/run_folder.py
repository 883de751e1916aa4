"""A run's folder: what was explored, level by level, in Parquet, with a manifest that only ever names what is whole.

    manifest.json                       what is explored, and the totals of every level that is complete
    system.json                         the system (`ir.wire`)
    faults=1/level=0007/part=003.parquet    the states of depth 7 in part 3: one column `state`, fixed-size binary,
                                        the packed words in this machine's byte order
    faults=1/alarms/state-0007-1.parquet    those of a level that raised an alarm, as task 1 found them
    scratch/                            what the tasks tell each other while they run

Everything is written to a temporary name and renamed. Parts never change: which part a state is in is told by its own
words alone (`part_of`).
"""

from __future__ import annotations

import fcntl
import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.pipeline.errors import CheckpointError
from offsetproof.verdict.result import Reason

SCHEMA = 2
MANIFEST = "manifest.json"


@dataclass
class Level:
    """What one level gave: its states, the steps out of them, and which claims were alarmed by which of both.

    `rows` says how many of the states are in each part.
    """

    states: int
    transitions: int
    fired: list[int]
    cuts: list[int]
    judged: int
    expanded: int
    failed: bool = False
    bytes: int = 0
    sent: int = 0
    seconds: float = 0.0
    rows: list[int] = field(default_factory=list)


@dataclass
class Pass:
    """One exploration, with at most so many faults (None: as many as the scope has).

    `outcome` is "" while it goes on; then "finished", or how the claim was violated ("state", "step", "dead"), or the
    limit that was met (the name of a `Reason`).
    """

    cap: int | None
    levels: list[Level] = field(default_factory=list)
    outcome: str = ""


@dataclass
class Manifest:
    """What a run explores (`digest`), in how many parts, and how far it has come."""

    digest: str
    parts: int
    words: int
    passes: list[Pass] = field(default_factory=list)
    schema: int = SCHEMA

    def with_faults(self, cap: int | None) -> Pass:
        """The pass with at most so many faults, a new one where there was none."""
        for each in self.passes:
            if each.cap == cap:
                return each
        self.passes.append(Pass(cap))
        return self.passes[-1]


def opened(folder: Path, digest: str, parts: int, words: int, cap: int | None, *, resume: bool) -> Manifest:
    """The manifest of a run to explore with at most `cap` faults, as it now is in its folder.

    A run that is there is gone on with where that is asked, and where it is this very run, which has been through with
    all faults before it tries fewer; else the folder is emptied. CheckpointError where it is the run of something else.
    """
    if cap is not None or (resume and (folder / MANIFEST).exists()):
        manifest = read_manifest(folder / MANIFEST)
        if manifest.digest != digest:
            raise CheckpointError(
                f"{folder} holds a run of system {manifest.digest[:12]}, and this is {digest[:12]}; "
                "use another --out-dir, or leave --resume away"
            )
    else:
        _emptied(folder)
        manifest = Manifest(digest, parts, words)
    mine = manifest.with_faults(cap)
    if mine.outcome in Reason.__members__:
        mine.outcome = ""
    write_manifest(folder, manifest)
    return manifest


def _emptied(folder: Path) -> None:
    try:
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise CheckpointError(f"{folder} cannot be emptied: {error}; use another --out-dir") from error


def read_manifest(file: Path) -> Manifest:
    """A run's manifest; CheckpointError where there is none that can be read."""
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if told["schema"] != SCHEMA:
            raise CheckpointError(
                f"{file} has schema {told['schema']}; this version reads {SCHEMA}; use a new --out-dir"
            )
        passes = [Pass(p["cap"], [Level(**level) for level in p["levels"]], p["outcome"]) for p in told["passes"]]
        return Manifest(told["digest"], told["parts"], told["words"], passes)
    except FileNotFoundError as error:
        raise CheckpointError(f"there is no {file}: nothing to resume; leave --resume away") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{file} cannot be read: {error}; remove the folder to start again") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Puts a manifest in place at once."""
    write_whole(folder / MANIFEST, json.dumps(asdict(manifest)).encode())


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keeps other runs out of a folder until the block ends, or the process; CheckpointError where one is at work."""
    with ExitStack() as open_while:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = open_while.enter_context((folder / "lock").open("ab"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CheckpointError(
                f"another run is at work in {folder}; wait for its end, or use another --out-dir"
            ) from error
        except OSError as error:
            raise CheckpointError(f"{folder} cannot be used: {error}; use another --out-dir") from error
        yield


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """A name to write a file under; at the end of the block it is renamed, so that a file is whole or not there.

    CheckpointError where it cannot be written.
    """
    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex[:12]}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(f"{file} cannot be written: {error.strerror}; make room and use --resume") from error


def write_whole(file: Path, data: bytes) -> None:
    """Writes a file, whole or not at all."""
    with whole(file) as temporary:
        temporary.write_bytes(data)


def pass_folder(folder: Path, cap: int | None) -> Path:
    """Where one pass writes."""
    return folder / f"faults={'all' if cap is None else cap}"


def level_file(folder: Path, cap: int | None, depth: int, part: int) -> Path:
    """Where the states of one level and part are."""
    return pass_folder(folder, cap) / f"level={depth:04d}" / f"part={part:03d}.parquet"


def alarm_files(folder: Path, cap: int | None, kind: str, depth: int) -> list[Path]:
    """What all tasks have written of the states of a level that raised an alarm, however many tasks there were."""
    return sorted((pass_folder(folder, cap) / "alarms").glob(f"{kind}-{depth:04d}-*.parquet"))


def alarm_file(folder: Path, cap: int | None, kind: str, depth: int, task: int) -> Path:
    """Where one task has written the states of a level that raised an alarm."""
    return pass_folder(folder, cap) / "alarms" / f"{kind}-{depth:04d}-{task}.parquet"


def write_states(file: Path, rows: Words) -> None:
    """Writes packed states as a Parquet file, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    width = 8 * rows.shape[1]
    kind = pa.binary(width)
    column = pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])
    table = pa.table({"state": column})
    with whole(file) as temporary:
        pq.write_table(table, temporary, compression="NONE", use_dictionary=False, write_statistics=False)


def read_states(file: Path, words: int) -> Words:
    """The states of a Parquet file; CheckpointError where it is damaged or of another width."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        column = pq.read_table(file, memory_map=True).column("state").combine_chunks()
    except (OSError, KeyError, pa.ArrowException) as error:
        raise CheckpointError(f"{file} cannot be read: {error}; remove the run's folder to start again") from error
    if column.type != pa.binary(8 * words):
        raise CheckpointError(
            f"{file} holds {column.type}, not states of {words} words; it belongs to another run: use another --out-dir"
        )
    if not len(column):
        return np.empty((0, words), np.uint64)
    data = np.frombuffer(column.buffers()[1], np.uint64)
    begins = column.offset * words
    return data[begins : begins + len(column) * words].reshape(-1, words)


def read_part(file: Path, words: int, part: int, rows: list[int]) -> Words:
    """The states of a level in one part; CheckpointError unless they are as many as were written, and belong there."""
    found = read_states(file, words)
    if len(found) != rows[part] or (part_of(found, len(rows)) != part).any():
        raise CheckpointError(
            f"{file} does not hold the {rows[part]:,} states that were written to it; "
            "remove the run's folder to start again"
        )
    return found


def states_of(folder: Path, cap: int | None, depth: int, words: int, rows: list[int]) -> Iterator[Words]:
    """The states of one level, part by part."""
    for part in range(len(rows)):
        yield read_part(level_file(folder, cap, depth, part), words, part, rows)


def part_of(rows: Words, parts: int) -> npt.NDArray[np.int64]:
    """The part of each state: a hash of its words, another one than the table's, so that parts fill tables evenly."""
    mixed = np.full(len(rows), 0x2545F4914F6CDD1D, np.uint64)
    for word in range(rows.shape[1]):
        mixed ^= rows[:, word]
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(parts)).astype(np.int64)

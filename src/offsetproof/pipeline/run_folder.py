"""A run's folder: what was explored, level by level, in Parquet, with a manifest that only ever names what is whole.

    manifest.json                       what is explored, and the totals of every level that is complete
    system.json                         the system (`ir.wire`)
    faults=1/level=0007/part=003.parquet    the states of depth 7 in part 3: one column `state`, fixed-size binary,
                                        the packed words in this machine's byte order
    scratch/                            what Spark and the tasks need while they run

Everything is written to a temporary name and renamed. Parts never change: which part a state is in is told by its own
words alone (`part_of`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.pipeline.errors import CheckpointError

SCHEMA = 1
MANIFEST = "manifest.json"


@dataclass
class Level:
    """What one level gave: its states, the steps out of them, and which claims were alarmed by which of both."""

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


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run; CheckpointError where there is none that can be read."""
    file = folder / MANIFEST
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if told["schema"] != SCHEMA:
            raise CheckpointError(
                f"{file} has schema {told['schema']}; this version reads {SCHEMA}; use a new --out-dir"
            )
        passes = [Pass(p["cap"], [Level(**level) for level in p["levels"]], p["outcome"]) for p in told["passes"]]
        return Manifest(told["digest"], told["parts"], told["words"], passes)
    except FileNotFoundError as error:
        raise CheckpointError(f"{folder} holds no {MANIFEST}: nothing to resume; leave --resume away") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{file} cannot be read: {error}; remove the folder to start again") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Puts a manifest in place at once."""
    write_whole(folder / MANIFEST, json.dumps(asdict(manifest)).encode())


def write_whole(file: Path, data: bytes) -> None:
    """Writes a file under a temporary name and renames it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(file)


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
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    pq.write_table(
        pa.table({"state": column}), temporary, compression="NONE", use_dictionary=False, write_statistics=False
    )
    temporary.replace(file)


def read_states(file: Path, words: int) -> Words:
    """The states of a Parquet file; CheckpointError where it is damaged or of another width."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        column = pq.read_table(file, memory_map=True).column("state").combine_chunks()
    except (OSError, KeyError, pa.ArrowException) as error:
        raise CheckpointError(f"{file} cannot be read: {error}; remove the run's folder to start again") from error
    if column.type != pa.binary(8 * words):
        raise CheckpointError(f"{file} holds {column.type}, not states of {words} words; it belongs to another run")
    if not len(column):
        return np.empty((0, words), np.uint64)
    data = np.frombuffer(column.buffers()[1], np.uint64)
    begins = column.offset * words
    return data[begins : begins + len(column) * words].reshape(-1, words)


def states_of(folder: Path, cap: int | None, depth: int, parts: int, words: int) -> Iterator[Words]:
    """The states of one level, part by part."""
    for part in range(parts):
        yield read_states(level_file(folder, cap, depth, part), words)


def part_of(rows: Words, parts: int) -> npt.NDArray[np.int64]:
    """The part of each state: a hash of its words, another one than the table's, so that parts fill tables evenly."""
    mixed = np.full(len(rows), 0x2545F4914F6CDD1D, np.uint64)
    for word in range(rows.shape[1]):
        mixed ^= rows[:, word]
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(parts)).astype(np.int64)

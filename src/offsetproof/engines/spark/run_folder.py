"""A run's folder: what was explored, level by level, with a manifest that only ever names what is whole.

    manifest.json                       what is explored, the totals of every level that is complete, and the digests
                                        of all its files (`manifest`)
    system.json                         the system (`ir.wire`)
    faults=1/level=0007/part=003.parquet    the states of depth 7 in part 3: one column `state`, fixed-size binary,
                                        the packed words in this machine's byte order (`states`)
    faults=1/alarms/state-0007-1.parquet    those of a level that raised an alarm, as task 1 found them
    scratch/                            what the tasks tell each other while they run

Everything is written to a temporary name and renamed. Parts never change: which part a state is in is told by its own
words alone (`part_of`).
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from offsetproof.compiled.layout import Words
from offsetproof.engines.spark.manifest import (
    LIMITS,
    MANIFEST,
    AlarmFile,
    Level,
    Manifest,
    Pass,
    read_manifest,
    write_manifest,
)
from offsetproof.engines.spark.states import WAY_OUT, read_states
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole
from offsetproof.ir.system import System
from offsetproof.ir.wire import from_bytes, to_bytes
from offsetproof.reading.files import read_regular

SYSTEM = "system.json"
"""The file that says, for people and programs, what a run explores."""


def open_run(new: Manifest, system: System, folder: Path, cap: int | None, *, resume: bool) -> Manifest:
    """The manifest of a run to explore with at most `cap` faults, as it now is in its folder; `new` where it is new.

    A run that is there is resumed where that is asked, and where it is this very run, which has been through with all
    faults before it tries fewer; else the folder is emptied. CheckpointError where it is the run of something else,
    and DamagedError where a file of it is not what was written.
    """
    file = folder / MANIFEST
    if cap is not None or (resume and _is_begun(folder)):
        manifest = read_manifest(file)
        _must_be_of(new, manifest, file)
    else:
        _empty_folder(folder)
        manifest = new
    _keep_system(system, manifest, folder)
    mine = manifest.with_faults(cap)
    if resume:
        _must_be_whole(mine, manifest.words, folder)
    if mine.outcome in LIMITS:
        mine.outcome = ""
    write_manifest(file, manifest)
    return manifest


def _is_begun(folder: Path) -> bool:
    """Is there a run? One that has lost its manifest is there as well, and will be complained about."""
    return (folder / MANIFEST).exists() or any(folder.glob("faults=*"))


def _must_be_of(new: Manifest, manifest: Manifest, file: Path) -> None:
    """CheckpointError where a manifest is that of another program, or of another system."""
    if manifest.program != new.program:
        raise CheckpointError(
            f"{file} was written by offsetproof {manifest.program[:60]}, and this is {new.program}; "
            "use a new --out-dir, or drop --resume"
        )
    if manifest.digest != new.digest:
        raise CheckpointError(
            f"{file.parent} holds a run of system {manifest.digest[:12]}, and this is {new.digest[:12]}; "
            "use another --out-dir, or drop --resume"
        )
    if manifest.words != new.words:
        raise DamagedError(f"{file} has states of {manifest.words} words, and they have {new.words}; {WAY_OUT}")


def _keep_system(system: System, manifest: Manifest, folder: Path) -> None:
    """Writes the system down; DamagedError where one is there that is not the one explored."""
    file, data = folder / SYSTEM, to_bytes(system)
    if not any(each.levels for each in manifest.passes):
        write_whole(file, data)
        return
    try:
        kept = from_bytes(read_regular(file, 2 * len(data)))
    except (OSError, ValueError) as error:
        raise DamagedError(f"{file} cannot be read: {error}; {WAY_OUT}") from error
    if kept.digest != system.digest:
        raise DamagedError(f"{file} holds a different system; {WAY_OUT}")


def _must_be_whole(done: Pass, words: int, folder: Path) -> None:
    """DamagedError unless what a pass is answered from is there: what raised alarms, and of one that is over all else.

    The levels of one that goes on are read, and so looked at, by its tasks.
    """
    for depth, level in enumerate(done.levels):
        for file in level.alarms:
            read_alarms(folder, done.cap, depth, words, [file])
    if not done.outcome or done.outcome in LIMITS:
        return
    for depth, level in enumerate(done.levels):
        _must_have_parts(folder, done.cap, depth, words, level.rows, level.digests)
    _must_have_parts(folder, done.cap, len(done.levels), words, [0] * len(done.end), done.end)


def _must_have_parts(
    folder: Path, cap: int | None, depth: int, words: int, rows: list[int], digests: list[str]
) -> None:
    for part, (count, digest) in enumerate(zip(rows, digests, strict=True)):
        read_states(level_file(folder, cap, depth, part), words, count, digest)


def _empty_folder(folder: Path) -> None:
    try:
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise CheckpointError(f"{folder} cannot be emptied: {error}; use another --out-dir") from error


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


def pass_folder(folder: Path, cap: int | None) -> Path:
    """Where one pass writes."""
    return folder / f"faults={'all' if cap is None else cap}"


def level_file(folder: Path, cap: int | None, depth: int, part: int) -> Path:
    """Where the states of one level and part are."""
    return pass_folder(folder, cap) / f"level={depth:04d}" / f"part={part:03d}.parquet"


def alarm_file(folder: Path, cap: int | None, kind: str, depth: int, task: int) -> Path:
    """Where one task writes the states of a level that raised an alarm of this kind."""
    return pass_folder(folder, cap) / "alarms" / f"{kind}-{depth:04d}-{task}.parquet"


def read_alarms(folder: Path, cap: int | None, depth: int, words: int, files: Sequence[AlarmFile]) -> Words:
    """The states of a level that raised an alarm; DamagedError unless they are those that were written."""
    return np.concatenate(
        [read_states(alarm_file(folder, cap, f.kind, depth, f.task), words, f.rows, f.digest) for f in files]
    )


def read_part(folder: Path, cap: int | None, depth: int, part: int, words: int, level: Level) -> Words:
    """The states of a level in one part; DamagedError unless they are those that were written."""
    return read_states(level_file(folder, cap, depth, part), words, level.rows[part], level.digests[part])

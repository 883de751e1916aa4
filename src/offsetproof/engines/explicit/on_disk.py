"""Searches with their states in files of a folder, which an interrupted or killed run has left to go on from.

Each search has two files: its states in the order of discovery, and a checkpoint that is written anew after each level.
The table of places is in memory alone, and is made again from the states. The files are named by what is searched, to
the letter of the compiled program, so that no other search goes on from them; they are removed once the question is
decided.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from msgspec import to_builtins

from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.row_memory import MemoryOfFile
from offsetproof.engines.explicit.search import Program, Search, Totals
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.ir.system import State
from offsetproof.reading.files import UnreadableFileError, read_regular
from offsetproof.reading.typed_json import Count, Int64, JsonObject, read_json
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.version import __version__

STATES, CHECKPOINT = ".states", ".checkpoint.json"

_NOT_IN_NAMES = re.compile(r"[^\w.=,-]", re.ASCII)
_BYTES_MOST = 1 << 26
_WAY_OUT = "remove the file, or use another --spill, to start again"


class PartJson(JsonObject):
    """The states up to a place, from where the part before ends, by the digest of their bytes."""

    until: Count
    digest: str


class CheckpointJson(JsonObject):
    """What a search had learned at the end of a level; `fired` and the other lists are by instance."""

    version: str
    program: str
    levels: tuple[Count, ...]
    parts: tuple[PartJson, ...]
    transitions: Count
    seen_claims: Count
    failed_depth: Count | None
    judged: Count
    fired: tuple[Count, ...]
    cuts: tuple[Count, ...]
    sightings: tuple[Int64, ...]


class OnDisk(InThisProcess):
    """Explores breadth-first, with the states in files of `folder`; stubborn sets are not used.

    With `resume` searches go on that are there. CheckpointError where there is none; and without it, where a search
    would be begun anew that has come some way.
    """

    knows_stubborn_sets = False

    def __init__(self, folder: Path, *, resume: bool) -> None:
        self.folder, self.resume = folder, resume
        self._begun: list[_Files] = []
        if resume and not any(folder.glob(f"*{CHECKPOINT}")):
            raise CheckpointError(f"there is nothing in {folder} to resume; drop --resume")

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Search:
        """A search that has not begun, or one that goes on from the end of a level."""
        del fault_cap
        files = _Files.of(self.folder, question, program, initial)
        found = files.read() if files.checkpoint.exists() else None
        if found is not None and not self.resume:
            states = quantity(found.parts[-1].until, "state")
            raise CheckpointError(
                f"{files.checkpoint} has a search of {states} to go on from; use --resume; {_WAY_OUT}"
            )
        self._begun.append(files)
        search = Search(program, initial, limits, question.progress, memory=files.open(program.layout.words, found))
        if found is not None:
            files.must_be_as_written(search, found)
            search.go_on(_totals(found))
        search.keep = files.keep
        return search

    def smaller(self, question: Question) -> None:
        """Nobody: whoever wants files goes on from them."""

    def end(self, *, is_decided: bool) -> None:
        """Removes the files of a question's searches once it is decided; else they are there to go on from."""
        for files in self._begun if is_decided else ():
            files.remove()
        self._begun.clear()


@dataclass
class _Files:
    """The two files of a search, and what is in them up to now."""

    states: Path
    checkpoint: Path
    program: str
    parts: list[PartJson] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path, question: Question, program: Program, initial: Sequence[State]) -> _Files:
        digest = hashlib.sha256(program.native.text.encode())
        for state in sorted(initial):
            digest.update(np.array(program.layout.pack(state), np.uint64).tobytes())
        key = digest.hexdigest()
        about = "-".join(filter(None, (question.prop.id, question.setting.scope.name, question.setting.release)))
        name = f"{_NOT_IN_NAMES.sub('_', about)[:80]}-{key[:12]}"
        return cls(folder / f"{name}{STATES}", folder / f"{name}{CHECKPOINT}", key)

    def open(self, words: int, found: CheckpointJson | None) -> MemoryOfFile:
        """The file of states, kept from others while this process looks at it; empty where nothing was found."""
        try:
            self.states.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(self.states, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            weakref.finalize(self, os.close, opened)
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if found is None:
                os.truncate(opened, 0)
            size = os.fstat(opened).st_size
        except BlockingIOError as error:
            raise CheckpointError(
                f"{self.states} is in use by another run; wait for it, or use another --spill"
            ) from error
        except OSError as error:
            raise CheckpointError(f"{self.states} cannot be written: {error.strerror}; use another --spill") from error
        needed = 0 if found is None else 8 * words * found.parts[-1].until
        if size < needed or size % (8 * words):
            raise DamagedError(f"{self.states} has {size:,} bytes, and {needed:,} were written; {_WAY_OUT}")
        return MemoryOfFile(self.states, opened)

    def read(self) -> CheckpointJson:
        """The checkpoint; CheckpointError for another version's, DamagedError for what is not what was written."""
        try:
            sealed = unseal(read_regular(self.checkpoint, _BYTES_MOST))
            if sealed is None:
                raise DamagedError(f"{self.checkpoint} is not what was written: its digest differs; {_WAY_OUT}")
            found = read_json(sealed.decode(), CheckpointJson, str(self.checkpoint), _WAY_OUT)
        except (OSError, UnicodeDecodeError, UnreadableFileError) as error:
            raise DamagedError(f"{self.checkpoint} cannot be read: {error}; {_WAY_OUT}") from error
        if found.version != __version__ or found.program != self.program:
            raise CheckpointError(f"{self.checkpoint} was written by offsetproof {found.version}; {_WAY_OUT}")
        return found

    def must_be_as_written(self, search: Search, found: CheckpointJson) -> None:
        """DamagedError where the states are not those of which the checkpoint has the digests."""
        start = 0
        for part in found.parts:
            if _digest(search, start, part.until) != part.digest:
                raise DamagedError(f"{self.states} is not what was written: its digest differs; {_WAY_OUT}")
            start = part.until
        self.parts = [*found.parts]

    def keep(self, search: Search) -> None:
        """Writes the checkpoint, after the states have come to the disk."""
        totals, assured = search.totals(), self.parts[-1].until if self.parts else 0
        self.parts.append(PartJson(until=totals.count, digest=_digest(search, assured, totals.count)))
        search.visited.flush()
        checkpoint = CheckpointJson(
            version=__version__,
            program=self.program,
            levels=totals.levels,
            parts=tuple(self.parts),
            transitions=totals.transitions,
            seen_claims=totals.seen_claims,
            failed_depth=totals.failed_depth,
            judged=totals.judged,
            fired=tuple(totals.fired.tolist()),
            cuts=tuple(totals.cuts.tolist()),
            sightings=tuple(totals.sightings.reshape(-1).tolist()),
        )
        write_whole(self.checkpoint, seal(to_builtins(checkpoint)))

    def remove(self) -> None:
        """Removes both, and checkpoints half written; whoever looks at the states goes on seeing them."""
        for file in (self.checkpoint, self.states, *self.states.parent.glob(f".{self.checkpoint.name}.*")):
            with suppress(OSError):
                file.unlink(missing_ok=True)


def _digest(search: Search, start: int, end: int) -> str:
    """Of the bytes of some of the states."""
    return hashlib.blake2b(search.states[start:end].data, digest_size=16).hexdigest()


def _totals(found: CheckpointJson) -> Totals:
    fired, cuts = np.array(found.fired, np.int64), np.array(found.cuts, np.int64)
    return Totals(
        found.parts[-1].until,
        found.levels,
        found.transitions,
        found.seen_claims,
        found.failed_depth,
        found.judged,
        fired,
        cuts,
        np.array(found.sightings, np.int64).reshape(5, 2, len(fired)),
    )

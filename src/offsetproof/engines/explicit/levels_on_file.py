"""The states of each level, as pairs of halves, in a file that is gone once nobody looks at it any more."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator

import numpy as np

from offsetproof.compiled.expander import CHUNK
from offsetproof.compiled.layout import Words
from offsetproof.engines.whole_files import CheckpointError


class LevelsOnFile:
    """Levels, from the initial states on; CheckpointError where the disk has no room."""

    def __init__(self) -> None:
        try:
            self._opened, name = tempfile.mkstemp(prefix="offsetproof-")
            weakref.finalize(self, os.close, self._opened)
            os.unlink(name)  # noqa: PTH108 - it has no Path
        except OSError as error:
            raise _refusal(error.strerror) from error
        self._ends: list[int] = [0]

    def put(self, chunks: Iterable[Words]) -> None:
        """Has these pairs be the next level."""
        count = self._ends[-1]
        try:
            for pairs in chunks:
                if os.pwrite(self._opened, pairs.data, 8 * count) < pairs.nbytes:
                    raise _refusal("it is full")
                count += len(pairs)
        except OSError as error:
            raise _refusal(error.strerror) from error
        self._ends.append(count)

    def chunks(self, depth: int) -> Iterator[Words]:
        """The pairs of a level, in chunks of up to `CHUNK`."""
        for start in range(self._ends[depth], self._ends[depth + 1], CHUNK):
            count = min(CHUNK, self._ends[depth + 1] - start)
            yield np.frombuffer(os.pread(self._opened, 8 * count, 8 * start), np.uint64, count)

    def __len__(self) -> int:
        return len(self._ends) - 1


def _refusal(why: str | None) -> CheckpointError:
    what = f"the levels that lead to a violation cannot be written to {tempfile.gettempdir()}: {why}"
    return CheckpointError(f"{what}; make room, set TMPDIR to another folder, or drop --compact")

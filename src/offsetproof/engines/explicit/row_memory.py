"""Memory for packed states, which grows: the process's own, or a file's.

Pages that nobody has written to are not there. A file's pages need not stay in memory, and are there for another
process that goes on.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Protocol

from offsetproof.engines.whole_files import CheckpointError

_HUGE = 1 << 22
"""From so many bytes on large pages are worth asking for, as numpy does."""


class RowMemory(Protocol):
    """Memory that grows. `is_held`: it counts as memory of the process; `keeps`: what is made anew has the old rows."""

    is_held: bool
    keeps: bool

    def make(self, size: int) -> mmap.mmap:
        """Memory of so many bytes."""

    def grow(self, memory: mmap.mmap, size: int) -> None:
        """Makes it larger where it is; BufferError, OSError or SystemError where that cannot be."""


class OwnMemory:
    """Memory of the process, zero at first."""

    is_held, keeps = True, False

    def make(self, size: int) -> mmap.mmap:
        """MemoryError where there is none."""
        try:
            memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError as error:
            raise MemoryError(f"no room for {size:,} bytes of states: {error}") from error
        _ask_for_large_pages(memory)
        return memory

    def grow(self, memory: mmap.mmap, size: int) -> None:
        """Has the system move the pages."""
        memory.resize(size)
        _ask_for_large_pages(memory)


class MemoryOfFile:
    """The contents of a file that is open, which get room on the disk before they are written to.

    CheckpointError where the disk has none: a write to a page without room would end the process.
    """

    is_held, keeps = False, True

    def __init__(self, file: Path, opened: int) -> None:
        self.file, self._opened = file, opened

    def make(self, size: int) -> mmap.mmap:
        """Another view of the same rows."""
        there = os.fstat(self._opened).st_size
        self._take(there, size)
        return mmap.mmap(self._opened, max(there, size))

    def grow(self, memory: mmap.mmap, size: int) -> None:
        """Makes the file longer, and looks at all of it."""
        self._take(len(memory), size)
        memory.resize(size)

    def _take(self, there: int, size: int) -> None:
        if size > there:
            try:
                os.posix_fallocate(self._opened, there, size - there)
            except OSError as error:
                why = f"{self.file} cannot grow to {size:,} bytes: {error.strerror}"
                raise CheckpointError(f"{why}; make room and use --resume") from error


def _ask_for_large_pages(memory: mmap.mmap) -> None:
    if len(memory) >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)

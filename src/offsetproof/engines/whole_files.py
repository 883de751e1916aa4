"""Files of a run that are whole or not there, written under another name and renamed; and what is said of others."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class CheckpointError(Exception):
    """A run's folder that cannot be read or written, or belongs to something else: code 150.

    Where a violation is known already, only the search for one with fewer faults is left open.
    """


class DamagedError(CheckpointError):
    """A file of a run that is not what was written: nothing may be concluded from it, so nothing excuses it."""


@contextmanager
def whole(file: Path) -> Iterator[BinaryIO]:
    """What to write a file to; it gets its name at the end of the block, so that a file is whole or not there.

    CheckpointError where it cannot be written.
    """
    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as out:
                yield out
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(f"{file} cannot be written: {error.strerror}; make room and use --resume") from error


def write_whole(file: Path, data: bytes) -> None:
    """Writes a file, whole or not at all."""
    with whole(file) as out:
        out.write(data)

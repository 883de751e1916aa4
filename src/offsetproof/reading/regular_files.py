"""Reading files that somebody may have changed: regular ones only, and no more than a bounded number of bytes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

BYTES_MOST = 64 << 20
"""What is read of one file where nothing else is said."""


class UnfitFileError(OSError):
    """A file that is not read at all; the message says why."""


def read_regular(file: Path, most: int = BYTES_MOST) -> bytes:
    """The bytes of a file. OSError where it cannot be read; UnfitFileError for a pipe, a device, and too many bytes.

    A pipe is not waited for, and a file that grows meanwhile is not read further.
    """
    number = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise UnfitFileError("it is not a regular file")
        if status.st_size > most:
            raise UnfitFileError(f"it has {status.st_size:,} bytes, and at most {most:,} are read")
        with os.fdopen(number, "rb", closefd=False) as opened:
            data = opened.read(most + 1)
    finally:
        os.close(number)
    if len(data) > most:
        raise UnfitFileError(f"it has more than {most:,} bytes")
    return data

"""Reading files that others wrote: regular ones, of a size that can be held, and nothing that never ends.

`read_text` is for files that a user names on the command line, and says what to do instead; `read_regular` for those of
which the caller has more to say.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

SIZE_MAX = 64 * 2**20
"""How many bytes a file may have that is read whole, unless the user allows more."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class UnusableFileError(Exception):
    """A file or folder that somebody has named cannot be read or written, or is not what it should be: code 150.

    The message names it and the way out. A verb that has more to tell than that file goes on without it.
    """


@dataclass(eq=False)
class UnreadableFileError(UnusableFileError):
    """A file that is not what it should be: which one, where in it, and what is wrong there.

    `way_out` is what to do, where `wrong` does not say it: whoever does that says `wrong` alone.
    """

    file: str
    place: str
    wrong: str
    way_out: str = ""

    def __str__(self) -> str:
        way = f"; {self.way_out}" if self.way_out else ""
        return f"{self.file}: {self.place}: {self.wrong}{way}"


def read_text(path: Path, size_max: int = SIZE_MAX) -> str:
    """The text of a file; UnreadableFileError for what is not a file, is too large, or is not UTF-8."""
    refuse_odd_file(path, size_max, _ALLOW)
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            data = file.read(size_max + 1)
    except OSError as error:
        raise UnreadableFileError(str(path), "the file", f"cannot be opened: {error.strerror}") from None
    if len(data) > size_max:
        raise _too_large(path, size_max, _ALLOW)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(str(path), f"byte {error.start}", "is not UTF-8") from None


def refuse_odd_file(path: Path, size_max: int = SIZE_MAX, way_out: str = "") -> None:
    """UnreadableFileError for what is not there, is not a regular file, or is too large; told without opening it."""
    try:
        there = path.stat()
    except OSError as error:
        raise UnreadableFileError(str(path), "the file", f"cannot be opened: {error.strerror}") from None
    if not stat.S_ISREG(there.st_mode):
        raise UnreadableFileError(str(path), "the file", f"is {_KINDS[stat.S_IFMT(there.st_mode)]}; name a file")
    if there.st_size > size_max:
        raise _too_large(path, size_max, way_out)


_ALLOW = "; allow more with --max-input"


def _too_large(path: Path, size_max: int, way_out: str) -> UnreadableFileError:
    size = f"{size_max / 2**20:g} MiB" if size_max >= 2**20 else f"{size_max} bytes"
    return UnreadableFileError(str(path), "the file", f"is larger than {size}{way_out}")


def read_regular(file: Path, most: int = SIZE_MAX) -> bytes:
    """The bytes of a file. OSError where it cannot be read, and for a pipe, a device, and too many bytes.

    A pipe is not waited for, and a file that grows meanwhile is not read further.
    """
    number = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a regular file")
        if status.st_size > most:
            raise OSError(f"it has {status.st_size:,} bytes, and at most {most:,} are read")
        with os.fdopen(number, "rb", closefd=False) as opened:
            data = opened.read(most + 1)
    finally:
        os.close(number)
    if len(data) > most:
        raise OSError(f"it has more than {most:,} bytes")
    return data

"""The process's three streams: stdout is for reports and nothing else, and one that is closed breaks nothing.

From `claim` on, whatever prints to stdout (a model that is imported, an action, a library, a child process) reaches
stderr; the report alone goes to the stdout that the program was started with. This module is loaded before nearly all
others, so it imports next to nothing.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from contextlib import suppress
from typing import TextIO

from offsetproof.cli.signals import Reporting

_COLUMNS_DEFAULT, _COLUMNS_MAX = 100, 120


class Stdout:
    """The stdout that reports go to: descriptor 1 until `claim` moves it out of the way; None where it is closed."""

    def __init__(self) -> None:
        self.descriptor: int | None = 1
        self.encoding = "utf-8"

    @property
    def is_terminal(self) -> bool:
        """Does a person read it?"""
        return self.descriptor is not None and os.isatty(self.descriptor)

    @property
    def columns(self) -> int:
        """Columns for text, up to 120: those of the variable COLUMNS, else the terminal's, else 100."""
        said = os.environ.get("COLUMNS", "")
        there = int(said) if said.isascii() and said.isdigit() else 0
        if self.descriptor is not None and self.is_terminal:
            with suppress(OSError):
                there = there or os.get_terminal_size(self.descriptor).columns
        return min(_COLUMNS_MAX, there or _COLUMNS_DEFAULT)

    def write(self, text: str) -> None:
        """Writes all of a text, whatever the stream is encoded in; OSError where it cannot be written."""
        if self.descriptor is None:
            raise OSError(errno.EBADF, "it is closed")
        rest = memoryview(text.encode(self.encoding, errors="replace"))
        while rest:
            try:
                rest = rest[os.write(self.descriptor, rest) :]
            except BlockingIOError:
                select.select([], [self.descriptor], [])


STDOUT = Stdout()
"""There is one for the process."""


def claim() -> None:
    """Keeps stdout for reports and sends what else is printed to stderr; opens what is closed, on nothing."""
    is_closed = not _is_open(1)
    for descriptor in range(3):
        if not _is_open(descriptor):  # then it is the lowest one that is free, which is what open gives
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for the process's life
    STDOUT.encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    STDOUT.descriptor = None if is_closed else os.dup(1)
    os.dup2(2, 1)
    sys.stdout = aside()


def aside() -> TextIO:
    """A stdout that is stderr, for what is not a report; whoever closes it closes nothing else."""
    raw = open(2, "wb", buffering=0, closefd=False)  # noqa: SIM115 - for as long as it is stdout
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)


def put(text: str) -> str | None:
    """Writes to stdout; why it could not be written, if so. A reader that has left early (`| head`) is not a reason."""
    if not text:
        return None
    try:
        with Reporting():
            STDOUT.write(text)
    except BrokenPipeError:
        return None
    except OSError as error:
        return error.strerror
    return None


def warn(text: str) -> None:
    """A line on stderr; what comes from a model or a file cannot steer the terminal."""
    from offsetproof.escaping import visible

    tell(visible(text) + "\n")


def tell(text: str) -> None:
    """Writes to stderr; whether anybody can read it changes nothing."""
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True

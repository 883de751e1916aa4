"""Where reports go: stdout or a file, whole or not at all."""

from __future__ import annotations

import io
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import typer

WIDTH_DEFAULT = 100


def width() -> int:
    """Columns for text: the terminal's, at most 120; 100 where there is no terminal."""
    if sys.stdout.isatty():
        return min(120, shutil.get_terminal_size().columns)
    return WIDTH_DEFAULT


def writable(output: Path | None, option: str = "--output") -> None:
    """Complains at once about a file that could not be written, not only when the work is done."""
    if output is None:
        return
    if output.is_dir():
        raise _unwritable(output, "Is a directory", option)
    if not output.parent.is_dir():
        raise _unwritable(output, "No such directory", option)
    if not os.access(output.parent, os.W_OK):
        raise _unwritable(output, "Permission denied", option)


def usable(folder: Path | None) -> None:
    """Makes the folder that files go to, or complains at once that it cannot be made."""
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"cannot use {folder}: {error.strerror}", param_hint="--out-dir") from error


def deliver(text: str, output: Path | None, option: str = "--output") -> None:
    """Prints the report, or writes it to a file (under another name first, so that an old report is not lost).

    What is no regular file (`/dev/null`, a pipe) is written to and never replaced. `option` is the one that named it.
    """
    if output is None:
        _print(text)
        return
    part = output.with_name(output.name + ".part")
    try:
        if output.exists() and not output.is_file():
            output.write_text(text, encoding="utf-8")
            return
        part.write_text(text, encoding="utf-8")
        part.replace(output)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise _unwritable(output, error.strerror or str(error), option) from error


def warn(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(text + "\n")


def _print(text: str) -> None:
    """To stdout, whatever it is encoded in; a reader that has left early (`| head`) changes no exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unwritable(output: Path, why: str, option: str = "--output") -> typer.BadParameter:
    return typer.BadParameter(f"cannot write {output}: {why}", param_hint=option)

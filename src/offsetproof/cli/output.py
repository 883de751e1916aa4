"""Where reports go: stdout or a file, whole or not at all."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import typer

WIDTH_DEFAULT = 100


def width() -> int:
    """Columns for text: the terminal's, at most 120; 100 where there is no terminal."""
    if sys.stdout.isatty():
        return min(120, shutil.get_terminal_size().columns)
    return WIDTH_DEFAULT


def deliver(text: str, output: Path | None) -> None:
    """Prints the report, or writes it to a file (under another name first, so that an old report is not lost)."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    part = output.with_name(output.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(output)
    except OSError as error:
        raise typer.BadParameter(f"cannot write {output}: {error.strerror}", param_hint="--output") from error


def warn(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(text + "\n")

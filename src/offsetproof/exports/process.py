"""Other programs, run to their end: in a folder, within a time limit, with everything that they start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from offsetproof.exports.outcome import MissingToolError


class ToolError(Exception):
    """Another program gave no answer: it refused its input, met a limit or broke off; its own words are at the end."""

    def __init__(self, tool: str, what: str, output: str = "") -> None:
        said = "\n".join(output.strip().splitlines()[-20:])
        super().__init__(f"{tool}: {what}" + (f"\n{said}" if said else ""))
        self.tool, self.what, self.output = tool, what, output


def path_of_tool(tool: str, how_to_get: str) -> str:
    """The path of a program; MissingToolError if it is not there."""
    path = shutil.which(tool)
    if path is None:
        raise MissingToolError(tool, how_to_get)
    return path


def output_of(
    command: Sequence[str], folder: Path, *, seconds: float | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """What a program printed, errors included.

    It has a process group of its own, which is killed when the time is over or this program is interrupted. Raises
    ToolError for a time limit and for an exit code other than 0.
    """
    tool = Path(command[0]).name
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise ToolError(tool, f"not finished after {seconds:g} seconds") from None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        raise ToolError(tool, f"ended with exit code {process.returncode}", output)
    return output

"""Other programs, run to their end, and what is said where they give no answer."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from offsetproof.children.lifetime import run_to_end
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
    """What a program printed, errors included; ToolError for a time limit and for an exit code other than 0."""
    tool = Path(command[0]).name
    try:
        code, output = run_to_end(command, folder, seconds=seconds, environment=environment)
    except TimeoutError as error:
        raise ToolError(tool, str(error)) from None
    if code:
        raise ToolError(tool, f"ended with exit code {code}", output)
    return output

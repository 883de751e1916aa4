"""Other programs: what they need, how they are run to their end, and what they said about an export.

The runners of TLC, SPIN and Stateright translate into a `ToolOutcome`, counts, verdict and shortest length in this
project's own counting, so that their agreement with the engines is one comparison whatever the tool.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from offsetproof.programs import run_to_end


@dataclass(frozen=True)
class ToolOutcome:
    """One finished run of another model checker.

    `states` counts distinct states and `depth` the steps of the longest shortest path, 0 for the initial states alone
    (None where the tool does not say). `violated` is the id of the condition that failed first, or None when
    everything was explored and held. `length` is the steps of the violating trace, with the condition's `steps_after`
    added. `output` is what the tool printed, traces included.
    """

    tool: str
    states: int
    depth: int | None
    violated: str | None
    length: int | None
    seconds: float
    output: str


class MissingToolError(Exception):
    """A tool that an export needs is not installed; the message says which, and what to install."""

    def __init__(self, tool: str, how_to_get: str) -> None:
        super().__init__(f"{tool} was not found; {how_to_get}")
        self.tool, self.how_to_get = tool, how_to_get


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

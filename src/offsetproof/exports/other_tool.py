"""Other programs: what they need, how they are run to their end, and what they said about an export.

The runners of TLC, SPIN and Stateright translate into a `ToolOutcome`, counts, verdict and shortest length in this
project's own counting, so that their agreement with the engines is one comparison whatever the tool.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from offsetproof.programs import ProgramFailedError, run_to_end
from offsetproof.verdict.prerequisite import Part, PrerequisiteError


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


def missing_tool(tool: str, part: Part) -> PrerequisiteError:
    """What is raised of a tool that an export needs and that is not installed."""
    return PrerequisiteError(f"{tool} was not found; {part.how_to_get}")


def failure_of(tool: str, what: str, output: str = "") -> ProgramFailedError:
    """What is raised of a tool that refused its input, met a limit or broke off; its own words are at the end."""
    said = "\n".join(output.strip().splitlines()[-20:])
    return ProgramFailedError(f"{tool}: {what}" + (f"\n{said}" if said else ""))


def path_of_tool(tool: str, part: Part) -> str:
    """The path of a program; PrerequisiteError if it is not there."""
    path = shutil.which(tool)
    if path is None:
        raise missing_tool(tool, part)
    return path


def output_of(
    command: Sequence[str], folder: Path, *, seconds: float | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """What a program printed, errors included; ProgramFailedError for a time limit and an exit code other than 0."""
    tool = Path(command[0]).name
    try:
        code, output = run_to_end(command, folder, seconds=seconds, environment=environment)
    except TimeoutError as error:
        raise failure_of(tool, str(error)) from None
    if code:
        raise failure_of(tool, f"ended with exit code {code}", output)
    return output

"""What another tool said about an export: counts, verdict and shortest length in this project's own counting.

The runners of other tools (TLC, SPIN, Stateright) translate into it, so that their agreement with the engines is one
comparison whatever the tool.
"""

from __future__ import annotations

from dataclasses import dataclass


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

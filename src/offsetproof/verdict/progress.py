"""What engines tell while they work, for whoever shows it: each text is one line."""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.verdict.phrases import quantity


@dataclass(frozen=True)
class Layer:
    """What a running search reports: the layer being expanded, and totals so far. Its text is one line."""

    depth: int
    states: int
    transitions: int
    frontier: int
    done: int
    bytes: int
    seconds: float

    @property
    def rate(self) -> float:
        """States per second so far."""
        return self.states / self.seconds if self.seconds > 0 else 0.0

    @property
    def duplicates(self) -> float:
        """The share of transitions that led to a state already known."""
        return 1 - (self.states - 1) / self.transitions if self.transitions else 0.0

    def __str__(self) -> str:
        share = self.done / self.frontier if self.frontier else 1.0
        states = quantity(self.states, "state")
        return (
            f"layer {self.depth} {share:4.0%} of {self.frontier:,}, {states}, {self.rate / 1e6:.1f}M/s, "
            f"{self.duplicates:.0%} known, {self.bytes / 2**20:,.0f} MiB, {self._forecast()}"
        )

    def _forecast(self) -> str:
        """How long the rest of this layer takes, from the rate of expansion so far (layers to come are unknown)."""
        expanded = self.states - (self.frontier - self.done)
        if expanded <= 0 or self.seconds <= 0:
            return "layer ends soon"
        return f"layer ends in {(self.frontier - self.done) * self.seconds / max(1, expanded):.0f} s"


@dataclass(frozen=True)
class Walked:
    """What running walks report: steps and runs so far, and how long the longest run was."""

    steps: int
    runs: int
    longest: int
    seconds: float

    def __str__(self) -> str:
        rate = self.steps / self.seconds if self.seconds > 0 else 0.0
        walked = f"{quantity(self.steps, 'step')} in {quantity(self.runs, 'walk')}"
        return f"{walked} of at most {self.longest}, {rate / 1e6:.1f}M/s"


@dataclass(frozen=True)
class Unrolled:
    """What a running bounded search reports: the depth to which it has looked."""

    depth: int
    open: int
    seconds: float

    def __str__(self) -> str:
        still = f"{quantity(self.open, 'claim')} open, {self.seconds:.0f} s"
        return f"looked at every path of {quantity(self.depth, 'step')}, {still}"

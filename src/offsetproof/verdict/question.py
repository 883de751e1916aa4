"""The question that an engine is asked: one claim of one model in one setting, and how much may be spent on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from offsetproof.lang.claim import Property
from offsetproof.lang.model import Model
from offsetproof.lang.setting import Setting


@dataclass(frozen=True)
class Limits:
    """Where a search gives up: states held, bytes held, seconds (None: no limit)."""

    states: int | None = None
    bytes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Reductions:
    """Which sound reductions are on; see the soundness rules in ARCHITECTURE.md."""

    slicing: bool = True
    dead: bool = True


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
        return (
            f"layer {self.depth} {share:4.0%} of {self.frontier:,}, {self.states:,} states, {self.rate / 1e6:.1f}M/s, "
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
        return f"{self.steps:,} steps in {self.runs:,} walks of at most {self.longest}, {rate / 1e6:.1f}M/s"


@dataclass(frozen=True)
class Unrolled:
    """What a running bounded search reports: the depth to which it has looked."""

    depth: int
    open: int
    seconds: float

    def __str__(self) -> str:
        return f"looked at every path of {self.depth} steps, {self.open} claims open, {self.seconds:.0f} s"


@dataclass(frozen=True)
class Question:
    """One claim to decide, with the witnesses that it needs, within limits.

    `progress` is told, now and then, an object whose text says how far the work has come. `unasked` are scopes of the
    model that the claim could have been asked in as well.
    """

    model: type[Model]
    setting: Setting
    prop: Property
    witnesses: tuple[Property, ...] = ()
    limits: Limits = Limits()
    reductions: Reductions = Reductions()
    progress: Callable[[object], None] = field(default=lambda status: None, compare=False)
    unasked: tuple[str, ...] = ()

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
    """What a running search reports: the layer being expanded, and totals so far."""

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


@dataclass(frozen=True)
class Question:
    """One claim to decide, with the witnesses that it needs, within limits."""

    model: type[Model]
    setting: Setting
    prop: Property
    witnesses: tuple[Property, ...] = ()
    limits: Limits = Limits()
    reductions: Reductions = Reductions()
    progress: Callable[[Layer], None] = field(default=lambda layer: None, compare=False)

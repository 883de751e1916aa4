"""What a search hands on: what it explored, level by level, and what it established."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Alarm, Snapshot
from offsetproof.ir.system import State, System
from offsetproof.verdict.result import Reason


class Exploration(Protocol):
    """What was explored, level by level, with its compiled functions."""

    system: System
    layout: Layout
    native: Native
    initial: tuple[State, ...]

    @property
    def snapshot(self) -> Snapshot:
        """Totals at the end of the last complete level."""

    def initial_rows(self) -> Words:
        """The initial states, packed, in ascending order."""

    def fronts(self, depth: int) -> Iterator[Words]:
        """The states of one level, in chunks of up to `CHUNK`."""

    def samples(self, most: int) -> Words:
        """Some of the states."""

    def blocks(self) -> Iterator[Words]:
        """Parts of the visited set in which each instance was taken that ever was, in chunks of up to `CHUNK`."""


class Searched(Exploration, Protocol):
    """A search, running or over, and what it established."""

    stopped: Reason | None

    @property
    def seen_claims(self) -> int:
        """Which claims have raised an alarm, a bit each."""

    @property
    def depth(self) -> int:
        """The depth of the deepest states that are known."""

    @property
    def judged(self) -> int | None:
        """How many states the first claim's premise is true in; None where nobody has counted."""

    @property
    def count(self) -> int:
        """How many states were found."""

    @property
    def peak_bytes(self) -> int:
        """The most that the states took."""

    @property
    def held_bytes(self) -> int:
        """What the states take that were found."""

    def run(self, question: int | None) -> Alarm | None:
        """Explores until a claim raises an alarm, everything is seen, or a limit is met."""

    def failure(self) -> Alarm | None:
        """The first state that goes wrong."""

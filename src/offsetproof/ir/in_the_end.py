"""Claims about whole runs: something comes in the end, under fairness. What a system says of them, for engines.

A run is fair to a thread if the thread does not wait for ever where it could go on: with weak fairness, where it could
go on all the time; with strong fairness, where it could again and again. docs/decisions, 0058, has it in full.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offsetproof.ir.node import Node

if TYPE_CHECKING:
    from offsetproof.ir.system import Label


@dataclass(frozen=True)
class FairThread:
    """A thread that takes its steps in the end: which steps they are, by their labels.

    It can go on in the states from which one of them is taken. `blocked` is true where one of them is not taken because
    of the scope, or the model, alone: a bound is in the way, a budget is spent, the model goes wrong.
    """

    name: str
    strong: bool
    labels: frozenset[Label]
    blocked: Node


@dataclass(frozen=True)
class InTheEnd:
    """What makes a claim one about runs: its `on_state` comes in the end, after each state with its premise.

    With `from_start` it comes once, counted from the initial states. `threads` are those that runs are fair to.
    """

    threads: tuple[FairThread, ...]
    from_start: bool

    @property
    def labels(self) -> frozenset[Label]:
        """The steps of all fair threads."""
        return frozenset(label for thread in self.threads for label in thread.labels)

    def fold_with(self, fold: Callable[[Node], Node]) -> InTheEnd:
        """The same with other nodes that are as true."""
        return replace(self, threads=tuple(replace(each, blocked=fold(each.blocked)) for each in self.threads))

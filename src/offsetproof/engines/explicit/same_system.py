"""What was searched last: a question whose system is the same, to the letter, need not be searched again.

Releases often do the same for all that a claim can see. Only searches that came to an end are kept, of one system at a
time, and none that holds much memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.engines.explicit.explorer import Searched
from offsetproof.engines.explicit.search import Alarm
from offsetproof.ir.system import System
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question

KEPT_BYTES = 256 << 20
"""A search that holds more is not kept for another question."""


@dataclass(frozen=True)
class FinishedSearch:
    """A search that is over, the alarm that ended it if one did, and how many seconds it took."""

    search: Searched
    alarm: Alarm | None
    seconds: float


class SearchesOfOneSystem:
    """The finished searches of the system that was asked about last, by how many faults they had."""

    def __init__(self) -> None:
        self._system: object = None
        self._finished: dict[int | None, FinishedSearch] = {}

    def begin(self, question: Question, system: System) -> None:
        """A question about this system begins: what is known of another one is forgotten."""
        own = (_letters(system), [prop.kind for prop in (question.prop, *question.witnesses)], _sizes(question.limits))
        if own != self._system:
            self._system, self._finished = own, {}

    def forget(self) -> None:
        """No search is kept any more."""
        self._finished = {}

    @property
    def is_empty(self) -> bool:
        """Is no search known of this system?"""
        return not self._finished

    def find(self, fault_cap: int | None) -> FinishedSearch | None:
        """The search with this many faults; None where there was none, or it was not kept."""
        return self._finished.get(fault_cap)

    def keep(self, fault_cap: int | None, finished: FinishedSearch) -> None:
        """Keeps a search, unless a limit ended it or it holds too much."""
        if finished.search.stopped is None and finished.search.held_bytes <= KEPT_BYTES:
            self._finished[fault_cap] = finished


def _letters(system: System) -> object:
    """What tells a system from all others: what it does, and in which words and order."""
    names = tuple(variable.name for variable in system.variables)
    return system.digest_with_premises, names, tuple(inst.label for inst in system.instances)


def _sizes(limits: Limits) -> Limits:
    """The limits that do not run out."""
    return Limits(limits.states, limits.bytes)

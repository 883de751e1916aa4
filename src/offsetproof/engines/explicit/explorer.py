"""Where a question's states are explored: in this process, breadth-first, or by what an engine is given instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from offsetproof.engines.explicit.explored import Searched
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.system import State
from offsetproof.verdict.question import Limits, Question


class Explorer(Protocol):
    """What makes the searches of an explicit engine; `name` is the engine's in results."""

    @property
    def name(self) -> str:
        """What the engine is called that explores like this."""

    @property
    def begins_with_all_faults(self) -> bool:
        """Must the first search of a question be the one with all faults? It makes what later ones are added to."""

    def limits_to_prepare(self, limits: Limits) -> Limits:
        """What of a question's limits preparing it in this process has to keep."""

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        """A search that has not begun. With a `fault_cap` the initial states allow for that many faults already."""

    def is_excused(self, error: Exception) -> bool:
        """May a search for fewer faults end with this error, and the violation that is known be told all the same?"""


class InThisProcess:
    """Explores breadth-first, with the visited set in memory."""

    name = "explicit"
    begins_with_all_faults = False

    def limits_to_prepare(self, limits: Limits) -> Limits:
        """All of them."""
        return limits

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Search:
        """A search that has not begun; the initial states have the cap."""
        del fault_cap
        return Search(program, initial, limits, question.progress)

    def is_excused(self, error: Exception) -> bool:
        """No error of this program's own is."""
        del error
        return False

"""Who explores for the engine, and what it gets from there: searches, and what they explored, level by level.

States are explored in this process, breadth-first, or by what an engine is given instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Alarm, Program, Search, Snapshot
from offsetproof.ir.system import State, System
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason
from offsetproof.watch import interrupts_later

if TYPE_CHECKING:
    from offsetproof.engines.explicit.stubborn import Reduction


class Explorer(Protocol):
    """What makes the searches of an explicit engine; `name` is the engine's in results."""

    @property
    def name(self) -> str:
        """What the engine is called that explores like this."""

    @property
    def begins_with_all_faults(self) -> bool:
        """Must the first search of a question be the one with all faults? It makes what later ones are added to."""

    @property
    def knows_stubborn_sets(self) -> bool:
        """May a question be decided by stubborn sets?"""

    @property
    def is_here(self) -> bool:
        """Are its searches in this process? So claims about whole runs can be decided, and a small search counts."""

    def limits_to_prepare(self, limits: Limits) -> Limits:
        """What of a question's limits preparing it in this process has to keep."""

    def layout(self, question: Question, system: System) -> Layout:
        """How states are packed."""

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        """A search that has not begun. With a `fault_cap` the initial states allow for that many faults already."""

    def reduced_search(self, question: Question, program: Program, reduction: Reduction, limits: Limits) -> Layered:
        """A search by stubborn sets that has not begun."""

    def notes(self, question: Question) -> tuple[str, ...]:
        """What a result says of how it was explored."""

    def is_excused(self, error: Exception) -> bool:
        """May a search for fewer faults end with this error, and the violation that is known be told all the same?"""

    def smaller(self, question: Question) -> Explorer | None:
        """Who is asked where a search of the question outgrows its memory; None: nobody takes less."""

    def end(self, *, is_decided: bool) -> None:
        """The question has its result; where that is a verdict nobody goes on from its searches."""


class InThisProcess:
    """Explores breadth-first, with the visited set in memory."""

    name = "explicit"
    begins_with_all_faults = False
    knows_stubborn_sets = True
    is_here = True

    def limits_to_prepare(self, limits: Limits) -> Limits:
        """All of them."""
        return limits

    def layout(self, question: Question, system: System) -> Layout:
        """In as few words as it takes."""
        del question
        return Layout(system)

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        """A search that has not begun; the initial states have the cap."""
        del fault_cap
        return Search(program, initial, limits, question.progress)

    def reduced_search(self, question: Question, program: Program, reduction: Reduction, limits: Limits) -> Layered:
        """A search that has not begun, by one thread."""
        expander = reduction.expander(program.layout, program.native)
        return Search(program, program.system.initial, limits, question.progress, expander)

    def notes(self, question: Question) -> tuple[str, ...]:
        """Nothing."""
        del question
        return ()

    def is_excused(self, error: Exception) -> bool:
        """No error of this program's own is."""
        del error
        return False

    def smaller(self, question: Question) -> Explorer | None:
        """Whoever keeps no rows, unless a claim about runs asks for the places of states."""
        if question.prop.kind.is_about_runs:
            return None
        with interrupts_later():  # loaded where it is needed
            from offsetproof.engines.explicit.compact_search import Compactly
        return Compactly()

    def end(self, *, is_decided: bool) -> None:
        """Nothing is left of a search that nobody looks at."""


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

    def remember_levels(self, depth: int, on_the_way: Callable[[], None]) -> None:
        """Sees to it that `fronts` gives the levels down to this depth; what `on_the_way` raises ends that."""

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
    def level_states(self) -> Sequence[int]:
        """How many states each level has, from the initial ones; the last may not be complete."""

    @property
    def peak_bytes(self) -> int:
        """The most that the states took."""

    @property
    def held_bytes(self) -> int:
        """What the states take that were found."""

    def run(self, claim: int | None) -> Alarm | None:
        """Explores until a claim raises an alarm, everything is seen, or a limit is met."""

    def failure(self) -> Alarm | None:
        """The first state that goes wrong."""


class Layered(Searched, Protocol):
    """A search that can be followed: it calls `watched` after each level or at its end, which may raise to end it."""

    watched: Callable[[], None]

    @property
    def has_failed(self) -> bool:
        """Has a state gone wrong?"""

    def layers(self) -> Iterator[int]:
        """Explores, whatever claims raise alarms; yields now and then the depth that was reached."""

"""Two-phase commit, the system that model checkers are compared on: one word per state, with published counts.

As in J. Gray and L. Lamport, "Consensus on transaction commit" (2006), with TwoPhase.tla. Stateright's benchmark is
the same system: 288 states with 3 resource managers, 8,832 with 5, 296,448 with 7, 10,340,352 with 9.
"""

from __future__ import annotations

from enum import Enum

from offsetproof.lang import (
    Array,
    Component,
    Index,
    Model,
    Scope,
    action,
    always,
    array,
    every,
    flag,
    one_of,
    require,
    some,
)

MANAGERS = Index("manager", "managers")


class Phase(Enum):
    """What a resource manager has come to."""

    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class Decided(Enum):
    """What the transaction manager has decided."""

    NOTHING = 0
    COMMIT = 1
    ABORT = 2


class Manager(Component):
    """A resource manager; a message that it is prepared has been sent, and been received."""

    phase: Phase = one_of(Phase)
    has_told: bool = flag()
    is_known: bool = flag()


class TwoPhaseCommit(Model):
    """One transaction; what was sent stays there, as in the specification."""

    scopes = tuple(Scope(f"of-{count}", {"managers": count}) for count in (3, 5, 7, 9))
    managers: Array[Manager] = array(MANAGERS, Manager)
    decided: Decided = one_of(Decided)

    @action(r=MANAGERS)
    def prepares(self, r: int) -> None:
        require(self.managers[r].phase == Phase.WORKING)
        self.managers[r].phase, self.managers[r].has_told = Phase.PREPARED, True

    @action(r=MANAGERS)
    def chooses_to_abort(self, r: int) -> None:
        require(self.managers[r].phase == Phase.WORKING)
        self.managers[r].phase = Phase.ABORTED

    @action(r=MANAGERS)
    def hears_that_one_is_prepared(self, r: int) -> None:
        require(self.decided == Decided.NOTHING, self.managers[r].has_told)
        self.managers[r].is_known = True

    @action()
    def commits(self) -> None:
        require(self.decided == Decided.NOTHING, every(manager.is_known for manager in self.managers))
        self.decided = Decided.COMMIT

    @action()
    def aborts(self) -> None:
        require(self.decided == Decided.NOTHING)
        self.decided = Decided.ABORT

    @action(r=MANAGERS)
    def hears_of_the_commit(self, r: int) -> None:
        require(self.decided == Decided.COMMIT)
        self.managers[r].phase = Phase.COMMITTED

    @action(r=MANAGERS)
    def hears_of_the_abort(self, r: int) -> None:
        require(self.decided == Decided.ABORT)
        self.managers[r].phase = Phase.ABORTED

    @always
    def consistent(self) -> bool:
        """No resource manager has aborted what another one has committed."""
        have_aborted = some(each.phase == Phase.ABORTED for each in self.managers)
        return not (have_aborted and some(each.phase == Phase.COMMITTED for each in self.managers))

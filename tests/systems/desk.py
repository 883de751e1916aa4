"""A clerk who copies a number into a ledger, with what a brief story has to choose from.

Words for most actions, threads of one actor, a ghost, steps that nothing depends on, steps that only let others be
taken, and a fault. The shortest story of `ledger_is_right` is known by hand: a customer brings, the clerk opens, reads
and writes, water spills.
"""

from __future__ import annotations

from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Fix,
    Model,
    Scope,
    Setting,
    action,
    always,
    flag,
    integer,
    optional,
    require,
    sometimes,
)
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged


class Desk(Model):
    """A clerk, a tray and a ledger."""

    scopes = (
        Scope("small", {"top": 1}, {"spill": 1}),
        Scope("wide", {"top": 3}, {"spill": 1}),
        Scope("dry", {"top": 2}),
    )
    fixes = (Fix("lid", "a lid keeps the water out"),)
    source: int = integer(0, "top")
    tray: int | None = optional(integer(0, "top"))
    ledger: int = integer(0, "top")
    is_open: bool = flag()
    ghost_written: bool = flag()
    ticks: int = integer(0, 20)

    @action(actor="customer")
    def customer_brings_one(self) -> None:
        """A customer brings one more, if there is room for one."""
        require(self.source < self.scope.top)
        self.source = self.source + 1

    @action(actor="clerk", thread="door")
    def clerk_opens(self) -> None:
        """The desk is opened in the morning."""
        require(not self.is_open)
        self.is_open = True

    @action(actor="clerk", thread="hand")
    def clerk_reads(self) -> None:
        """The number is copied into the tray, whatever was there before, and the tray is carried to the ledger."""
        require(self.is_open)
        self.tray = self.source

    @action(actor="clerk", thread="hand")
    def clerk_writes(self) -> None:
        require(self.tray is not None)
        self.ledger = self.tray or 0
        self.ghost_written = True

    @action(actor="water", fault="spill")
    def water_spills(self) -> None:
        """Water spills: the number is lost."""
        self.source = 0

    @action(actor="clock")
    def clock_ticks(self) -> None:
        """The clock ticks."""
        require(self.ticks < 20)
        self.ticks = self.ticks + 1

    @always(expected=REFUTED, scopes=["small", "wide"])
    def ledger_is_right(self) -> bool:
        """The ledger never has more than there is. This is believed because the tray is carried at once."""
        return self.ledger <= self.source

    @always(scopes=["small"])
    def ledger_is_empty(self) -> bool:
        """Nothing is ever written."""
        return self.ledger == 0

    @always(expected=HOLDS, scopes=["small", "dry"])
    def tray_is_filled_at_an_open_desk(self) -> bool:
        """Nothing is in the tray of a desk that is closed."""
        return self.tray is None or self.is_open

    @always(expected=HOLDS, scopes=["dry"])
    def ledger_is_right_where_it_is_dry(self) -> bool:
        """The same where no water spills."""
        return self.ledger <= self.source

    @sometimes(scopes=["small", "dry"])
    def something_is_written(self) -> bool:
        """The clerk writes."""
        return self.ghost_written

    @sometimes(scopes=["small"])
    def ledger_overflows(self) -> bool:
        """The ledger has more than fits."""
        return self.ledger > self.scope.top


SETTING = Setting(Desk.scopes[0])
REFERENCE = Reference(Desk, SETTING)
STAGED = Staged(Desk, SETTING)
CLAIMS = {claim.id: claim for claim in Desk.claims}


def replay(id: str, *actions: str) -> Replay:
    """The replay of the actions with these names, which break a claim at their end."""
    return Replay(REFERENCE, CLAIMS[id], [(name, ()) for name in actions])

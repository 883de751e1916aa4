"""A tank with a valve, as text, so that tests can change a line of it; everything about it was worked out by hand.

Level 0 to 3, valve closed at first. It fills while the valve is open and drains while it is closed; the valve does not
close on a full tank. Reachable: levels 0 to 3 open, 0 to 2 closed: 7 states. Steps: 3 openings, 3 closings, 3 fillings,
2 drainings: 11. By depth: 0c, 0o, 1o, 1c 2o, 2c 3o. Full at depth 4; before it are 5 states with 9 steps, one from 0c
and two from each other.
"""

from __future__ import annotations

from pathlib import Path

from offsetproof.checking.subject import load_subject
from offsetproof.lang import Subject

CLOSES = "require(self.open, self.level != self.scope.top)"
DRAINS = "require(not self.open, self.level > 0)"

TANK = f'''"""A tank."""

from offsetproof.lang import *


class Tank(Model):
    """A tank with a valve."""

    scopes = (Scope("small", {{"top": 3}}),)
    level: int = integer(0, "top")
    open: bool = flag()

    @action(actor="valve")
    def valve_opens(self) -> None:
        require(not self.open)
        self.open = True

    @action(actor="valve")
    def valve_closes(self) -> None:
        {CLOSES}
        self.open = False

    @action(actor="tank")
    def tank_fills(self) -> None:
        require(self.open, self.level < self.scope.top)
        self.level = self.level + 1

    @action(actor="tank")
    def tank_drains(self) -> None:
        {DRAINS}
        self.level = self.level - 1

    @always(id="T1")
    def full_tank_is_open(self) -> bool:
        """A full tank's valve is open."""
        return self.open or self.level < self.scope.top

    @sometimes(id="W1")
    def tank_is_full(self) -> bool:
        """The tank is full."""
        return self.level == self.scope.top
'''

LEAKS = TANK.replace(CLOSES, "require(self.open)")
"""The valve closes on a full tank, too: T1 is refuted after 5 steps, 1 opening, 3 fillings, 1 closing."""

GUSHES = """
    @action(actor="tank")
    def tank_gushes(self) -> None:
        require(self.open, self.level == 0)
        self.level = self.scope.top
"""
"""One more action; the tank is then full after 2 steps."""

BURSTS = """
    @action(actor="tank")
    def tank_bursts(self) -> None:
        require(not self.open, self.level == self.scope.top)
        self.level = 0
"""
"""One more action that can never be taken, which no expression folds to say."""


def tank(folder: Path, text: str = TANK, name: str = "tank") -> Subject:
    """The subject of a model's text."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return load_subject(str(path))

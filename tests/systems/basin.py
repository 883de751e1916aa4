"""A model whose claims hold within their bounds, and flip where a certain one is raised by one."""

from __future__ import annotations

BASIN = '''from offsetproof.lang import *

LEAK = Fault("leak", "water is lost")
BOUNDS = {
    "fills": Default(2, "times that the tap runs", range(5)),
    "unread": Default(1, "nothing reads it"),
    "fixed": Default(1, "always one", range(1, 2)),
}


class Basin(Model):
    """A tap fills a basin, which may leak."""

    bounds = BOUNDS
    scopes = (Scope("usual"), Scope("leaky", faults={LEAK: 1}))
    level: int = integer(0, 3)
    filled: int = integer(0, 4)
    leaks: int = integer(0, 3)

    @action()
    def tap_runs(self) -> None:
        require(self.filled < self.scope.fills)
        self.filled += 1
        self.level += 1

    @action(fault=LEAK)
    def basin_leaks(self) -> None:
        require(self.level > 0)
        self.level -= 1
        self.leaks += 1

    @always(id="B1", expected=HOLDS, scopes=["usual"])
    def basin_is_never_full(self) -> bool:
        return self.level <= 2

    @always(id="B2", expected=HOLDS, scopes=["leaky"])
    def basin_leaks_once(self) -> bool:
        return self.leaks <= 1

    @always(id="B3", expected=REFUTED, scopes=["usual"])
    def basin_stays_empty(self) -> bool:
        return self.level == 0
'''

TERRACES = '''from offsetproof.lang import *

BASIN = Index("basin", 4)


class Terraces(Model):
    """Four basins that only fill: they have many states, and no step breaks the claim."""

    bounds = {"fills": Default(18, "times that the tap of each runs", range(20))}
    scopes = (Scope("usual"),)
    level: Array[int] = array(BASIN, integer(0, 19))

    @action(basin=BASIN)
    def tap_runs(self, basin: int) -> None:
        require(self.level[basin] < self.scope.fills)
        self.level[basin] += 1

    @each_step(id="T1", expected=HOLDS, scopes=["usual"])
    def no_level_falls(before: "Terraces", after: "Terraces", step: Step) -> bool:
        return every([before.level[basin] <= after.level[basin] for basin in range(4)])
'''

RAINY = '''from offsetproof.lang import *

DRIP = Fault("drip", "water comes in by the roof")
BOUNDS = {
    "fills": Default(1, "times that the tap runs", range(3)),
    "left": Default(1, "times that the left valve is turned", range(3)),
    "right": Default(1, "times that the right valve is turned", range(3)),
}


class Rainy(Model):
    """A tap, a roof and two valves fill a basin."""

    bounds = BOUNDS
    scopes = (Scope("usual"), Scope("rainy", faults={DRIP: 1}))
    level: int = integer(0, 9)
    filled: int = integer(0, 3)
    turned_left: int = integer(0, 3)
    turned_right: int = integer(0, 3)
    left_open: bool = flag()
    right_open: bool = flag()

    @action()
    def tap_runs(self) -> None:
        require(self.filled < self.scope.fills)
        self.filled += 1
        self.level += 1

    @action(fault=DRIP)
    def roof_drips(self) -> None:
        self.level += 1

    @action()
    def left_is_turned(self) -> None:
        require(self.turned_left < self.scope.left)
        require(not self.left_open)
        self.turned_left += 1
        self.left_open = True

    @action()
    def right_is_turned(self) -> None:
        require(self.turned_right < self.scope.right)
        require(not self.right_open)
        self.turned_right += 1
        self.right_open = True

    @action()
    def left_runs(self) -> None:
        require(self.left_open)
        self.left_open = False
        self.level += 1

    @action()
    def right_runs(self) -> None:
        require(self.right_open)
        self.right_open = False
        self.level += 1

    @always(id="B1", expected=HOLDS, scopes=["usual"])
    def basin_is_never_full(self) -> bool:
        return self.level <= 4
'''
"""Each of its bounds and its fault may be raised alone; two together flip the claim, but only some are related."""

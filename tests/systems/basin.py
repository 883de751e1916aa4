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

"""A long way with one state per level, as many levels as the scope says; and a short one with wide levels."""

from __future__ import annotations

from offsetproof.lang import Array, Index, Model, Scope, Setting, action, always, array, flag, integer, require

BASE = 32
"""The digits count to this."""


class Odometer(Model):
    """Three digits, and a flag that nobody reads."""

    scopes = (Scope("odometer", {"steps": 999}),)
    low: int = integer(0, BASE - 1)
    mid: int = integer(0, BASE - 1)
    high: int = integer(0, 99)
    odd: bool = flag()

    @action(actor="low")
    def low_turns(self) -> None:
        require(self.low < BASE - 1)
        self.low = self.low + 1
        self.odd = not self.odd

    @action(actor="mid")
    def mid_turns(self) -> None:
        require(self.low == BASE - 1, self.mid < BASE - 1)
        self.low = 0
        self.mid = self.mid + 1
        self.odd = not self.odd

    @action(actor="high")
    def high_turns(self) -> None:
        require(self.low == BASE - 1, self.mid == BASE - 1, self.high < 99)
        self.low = 0
        self.mid = 0
        self.high = self.high + 1
        self.odd = not self.odd

    @always
    def never_gets_there(self) -> bool:
        """Fails after as many steps as the scope says."""
        rest, low = divmod(self.scope.steps, BASE)
        return not (self.low == low and self.mid == rest % BASE and self.high == rest // BASE)


def setting(steps: int) -> Setting:
    """The odometer's way of so many steps."""
    return Setting(Odometer.scopes[0].with_bounds({"steps": steps}))


WHEEL = Index("wheel", "wheels")


class Wheels(Model):
    """Wheels that turn to 9 each: 10 to the power of their number states, nearly all of them on some shortest way."""

    scopes = (Scope("wheels", {"wheels": 4}),)
    wheels: Array[int] = array(WHEEL, integer(0, 9))

    @action(w=WHEEL, actor="wheel[w]")
    def wheel_turns(self, w: int) -> None:
        require(self.wheels[w] < 9)
        self.wheels[w] = self.wheels[w] + 1

    @always
    def some_wheel_can_turn(self) -> bool:
        """Fails after 9 steps per wheel."""
        return any(self.wheels[w] < 9 for w in range(self.scope.wheels))

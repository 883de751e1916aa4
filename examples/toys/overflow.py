"""A model that goes wrong: a counter without a guard leaves its domain."""

from offsetproof.lang import REFUTED, Model, action, always, integer


class Overflow(Model):
    """Counts without a guard: 0, 1, 2 and then out of the domain. 3 states, 2 steps (the failing one is none)."""

    x: int = integer(0, 2)

    @action()
    def counter_rises(self) -> None:
        self.x = self.x + 1

    @always()
    def never_negative(self) -> bool:
        return self.x >= 0

    @always(expected=REFUTED)
    def stays_below_two(self) -> bool:
        """Broken at depth 2, and that stands although the model overflows one step later."""
        return self.x < 2

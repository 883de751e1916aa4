"""A bound of the scope that is in the way once: the cut is counted."""

from offsetproof.lang import Model, action, always, bound, integer, require


class Bounded(Model):
    """Grows to 2, where only the scope's bound is in the way, and shrinks. By hand: 3 states, 2 + 2 steps, one cut."""

    x: int = integer(0, 2)

    @action()
    def grows(self) -> None:
        bound(self.x < 2)
        self.x = self.x + 1

    @action()
    def shrinks(self) -> None:
        require(self.x > 0)
        self.x = self.x - 1

    @always()
    def in_range(self) -> bool:
        """It never gets beyond 2, for which there is no value: the answer is VACUOUS."""
        return self.x <= 2

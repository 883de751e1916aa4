"""Stairs of two: witnesses that are reached, one that is not, and an end from which nothing can be done."""

from offsetproof.lang import REFUTED, Model, action, integer, require, sometimes


class Stairs(Model):
    """Climbs 0, 2, 4, 6 and stops there. By hand: 4 states, 3 steps, stuck at depth 3."""

    x: int = integer(0, 6)

    @action()
    def climbs_two(self) -> None:
        require(self.x + 2 <= 6)
        self.x = self.x + 2

    @sometimes(expected=REFUTED)
    def stands_on_three(self) -> bool:
        """Somebody stands on the third step, which nobody does who takes two at a time."""
        return self.x == 3

    @sometimes()
    def stands_on_top(self) -> bool:
        """Somebody gets to the top.

        Seen at depth 3; before that 3 states with one step each.
        """
        return self.x == 6

    @sometimes()
    def stands_at_the_start(self) -> bool:
        """Somebody stands at the bottom."""
        return self.x == 0

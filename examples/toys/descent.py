"""Several initial states: a field that starts with any value."""

from offsetproof.lang import ANYTHING, REFUTED, Model, action, always, integer, require


class Descent(Model):
    """Starts anywhere from 0 to 3 and goes down, counting: x + y is the start.

    By hand: 4 + 3 + 2 + 1 = 10 states, depth 3. A step from every state with x > 0: 3 + 2 + 1 = 6.
    """

    x: int = integer(0, 3, ANYTHING)
    y: int = integer(0, 3)

    @action()
    def goes_down(self) -> None:
        require(self.x > 0)
        self.x, self.y = self.x - 1, self.y + 1

    @always()
    def sum_stays_small(self) -> bool:
        """The sum is never more than the highest start."""
        return self.x + self.y <= 3

    @always(expected=REFUTED)
    def never_two_steps(self) -> bool:
        """Nobody goes down two steps.

        Broken at depth 2, from the starts 2 and 3; the smaller is reported. 4 + 3 states, 3 + 2 steps before it.
        """
        return self.y < 2

    @always(expected=REFUTED)
    def never_at_two(self) -> bool:
        """Nobody is ever at two.

        Broken by one of the initial states, not the first.
        """
        return self.x != 2

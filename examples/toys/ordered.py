"""Starts that `initially` chooses among with `require`; division and remainder."""

from offsetproof.lang import ANYTHING, REFUTED, Model, action, always, integer, require


class Ordered(Model):
    """Starts with any a < b of 0 to 2, which is three ways, and halves b. By hand: 6 states, 4 steps, depth 2."""

    a: int = integer(0, 2, ANYTHING)
    b: int = integer(0, 2, ANYTHING)

    def initially(self) -> None:
        require(self.a < self.b)

    @action()
    def halves(self) -> None:
        require(self.b > 0)
        self.b = self.b // 2
        self.a = self.a % 2

    @always()
    def product_is_at_most_two(self) -> bool:
        """The product is never more than a and the even part of b together."""
        return self.a * self.b <= 2 * (self.b // 2) + self.a

    @always(expected=REFUTED)
    def stay_in_order(self) -> bool:
        """a is always less than b.

        Broken by (0, 0) and (1, 1), one step from the smallest start and from the largest.
        """
        return self.a < self.b

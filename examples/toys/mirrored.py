"""A field that starts as what another one leaves, whatever that is."""

from offsetproof.lang import ANYTHING, REFUTED, Model, action, always, flag, integer, require


class Mirrored(Model):
    """`b` starts as what `a` leaves of 2, whatever `a` is, and `lit` starts as anything: 6 ways. Then `a` falls.

    Of (a, b) are reached 02, 11, 20 | 01, 10 | 00, each with `lit` and without: 12 states; 11, 20 and 10 have a step
    each: 6 steps, depth 2.
    """

    a: int = integer(0, 2, ANYTHING)
    b: int = integer(0, 2)
    lit: bool = flag(ANYTHING)

    def initially(self) -> None:
        self.b = 2 - self.a

    @action()
    def falls(self) -> None:
        require(self.a > 0)
        self.a = self.a - 1

    @always()
    def sum_is_at_most_two_where_lit(self) -> bool:
        """Where there is light, the sum is at most two."""
        return not self.lit or self.a + self.b <= 2

    @always(expected=REFUTED)
    def never_nothing_but_light(self) -> bool:
        """There is never light and nothing else.

        Broken by (0, 0, lit); before that 10 states, and all 6 steps.
        """
        return not (self.lit and self.a == 0 and self.b == 0)

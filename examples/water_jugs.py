"""The water jugs: with jugs of 3 and 5 litres, a tap and a drain, measure 4 litres.

A puzzle with known answers: 16 states can be reached, and the shortest way to 4 litres has 6 steps.
"""

from offsetproof.lang import HOLDS, Model, action, integer, smaller, sometimes


class WaterJugs(Model):
    """Two jugs; everything is poured until one is full or the other empty."""

    small: int = integer(0, 3)
    big: int = integer(0, 5)

    @action(actor="tap")
    def fill_small(self) -> None:
        self.small = 3

    @action(actor="tap")
    def fill_big(self) -> None:
        self.big = 5

    @action(actor="drain")
    def empty_small(self) -> None:
        self.small = 0

    @action(actor="drain")
    def empty_big(self) -> None:
        self.big = 0

    @action(actor="hand")
    def pour_small_into_big(self) -> None:
        poured = smaller(self.small, 5 - self.big)
        self.small = self.small - poured
        self.big = self.big + poured

    @action(actor="hand")
    def pour_big_into_small(self) -> None:
        poured = smaller(self.big, 3 - self.small)
        self.big = self.big - poured
        self.small = self.small + poured

    @sometimes(expected=HOLDS)
    def four_litres(self) -> bool:
        """The big jug holds exactly 4 litres."""
        return self.big == 4

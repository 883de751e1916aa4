"""The water jugs of Die Hard: arithmetic, and a story of six steps."""

from offsetproof.lang import REFUTED, Model, action, always, integer, require, smaller


class Jugs(Model):
    """Die Hard: jugs of 3 and 5 litres, four litres wanted in the big one.

    Reachable are all 16 states in which a jug is empty or full: (0, 0..5), (3, 0..5), (1..2, 0), (1..2, 5). Steps that
    change something: fill small 10 (all but 6 with small = 3), fill big 12 (all but 4 with big = 5), empty small 10,
    empty big 12, pour either way 7 (source not empty, target not full): 58. Levels: 00 | 30 05 | 35 03 32 | 33 02 |
    15 20 | 10 25 | 01 34 | 31 04, so depth 7. Four litres first at depth 6 (34); 12 states lie before it, and the last
    four (01 34 31 04) have 4 steps each: 58 - 16 = 42 before it.
    """

    small: int = integer(0, 3)
    big: int = integer(0, 5)

    @action()
    def fill_small(self) -> None:
        require(self.small < 3)
        self.small = 3

    @action()
    def fill_big(self) -> None:
        require(self.big < 5)
        self.big = 5

    @action()
    def empty_small(self) -> None:
        require(self.small > 0)
        self.small = 0

    @action()
    def empty_big(self) -> None:
        require(self.big > 0)
        self.big = 0

    @action()
    def pour_into_big(self) -> None:
        poured = smaller(self.small, 5 - self.big)
        require(poured > 0)
        self.small, self.big = self.small - poured, self.big + poured

    @action()
    def pour_into_small(self) -> None:
        poured = smaller(self.big, 3 - self.small)
        require(poured > 0)
        self.small, self.big = self.small + poured, self.big - poured

    @always(expected=REFUTED)
    def never_four_litres(self) -> bool:
        """The big jug never holds four litres; what breaks it is the riddle's solution."""
        return self.big != 4

    @always()
    def one_jug_is_empty_or_full(self) -> bool:
        """One of the jugs is always empty or full."""
        return self.small == 0 or self.small == 3 or self.big == 0 or self.big == 5

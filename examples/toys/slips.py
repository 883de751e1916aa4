"""A walk with slips: faults, their budget, and the story with the fewest of them."""

from offsetproof.lang import REFUTED, Model, Scope, action, always, integer, require


class Slips(Model):
    """Walks 0 to 6, but from 2 only a slip (two places at once, a fault) leads on; three slips are in the budget.

    The shortest way to 6 is three slips. With one slip it takes five steps: slip from 1 or from 2; the smaller name
    comes first where they differ. No way without. So the answer has 1 fault and 5 steps, and its counts are those of
    the search with at most one slip, as (place, slips): 00 | 10 21 | 20 31 | 41 | 51 | 61: 7 states before the end;
    steps 2 from 00 and 10, none from 21, one from each of 20, 31, 41, 51: 8.

    With the whole budget, slips s after place p: 00 10 20, 21 31 41 51 61, 42 52 62 (from 21 or 31, and 41 by a slip),
    63: 12 states. Steps: walks from 00 10, 31 41 51, 42 52: 7; slips from 00 10 20, 21 31 41, 42 (places up to 4): 7;
    53 is not there (32 would be needed): 14. Depths: 00 0; 10 21 1; 20 31 42 2; 41 52 63 3; 51 62 4; 61 5.
    """

    scopes = (Scope("slippery", {}, faults={"slip": 3}), Scope("dry", {}, faults={"slip": 0}))
    place: int = integer(0, 6)

    @action()
    def walks(self) -> None:
        require(self.place < 6, self.place != 2)
        self.place = self.place + 1

    @action(fault="slip")
    def slips(self) -> None:
        require(self.place <= 4)
        self.place = self.place + 2

    @always(expected=REFUTED, scopes=("slippery",))
    def never_arrives(self) -> bool:
        """The walker never gets to 6; without a slip that would be true."""
        return self.place < 6

    @always()
    def stays_on_the_way(self) -> bool:
        """The walker never gets beyond 6, for which there is no value: the answer is VACUOUS."""
        return self.place <= 6

"""Coins on their way: a claim that is judged only where the model rests."""

from offsetproof.lang import REFUTED, Model, action, always, at_rest, flag, integer, require


class Transfer(Model):
    """Two coins go from left to right one by one; one that travels is in neither place.

    (left, travelling, right): 200, 110, 101, 011, 002: a chain of 5 states and 4 steps.
    """

    left: int = integer(0, 2, 2)
    travelling: bool = flag()
    right: int = integer(0, 2)

    @action()
    def coin_leaves(self) -> None:
        require(not self.travelling, self.left > 0)
        self.left = self.left - 1
        self.travelling = True

    @action()
    def coin_arrives(self) -> None:
        require(self.travelling)
        self.travelling = False
        self.right = self.right + 1

    def rest(self) -> bool:
        return not self.travelling

    @at_rest()
    def no_coin_is_missing(self) -> bool:
        """Where no coin is on its way, both are there."""
        return self.left + self.right == 2

    @at_rest(expected=REFUTED)
    def right_stays_empty(self) -> bool:
        """Where no coin is on its way, none is on the right.

        Broken by 101 at depth 2 (110 is not at rest); two states with one step each before it.
        """
        return self.right == 0

    @always(expected=REFUTED)
    def no_coin_ever_travels(self) -> bool:
        """Both coins are there at any time.

        Broken by 110 at depth 1.
        """
        return self.left + self.right == 2

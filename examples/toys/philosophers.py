"""Two dining philosophers: the classic deadlock."""

from offsetproof.lang import Array, Index, Model, action, always, array, integer, require


class Philosophers(Model):
    """Two philosophers, left fork first (1), then the right one (2, eating), then both down (0).

    With hands as (first, second): 00, 10, 01, 11, 20, 02 are reachable; in 20 both forks are taken, so 21 and 22 are
    not. Steps: two each from 00, 10 and 01, none from 11, one each from 20 and 02: 8. Depths 0, 1, 1, 2, 2, 2.
    """

    hands: Array[int] = array(Index("philosopher", 2), integer(0, 2))

    @action(p=Index("philosopher", 2), actor="philosopher[p]")
    def takes_left(self, p: int) -> None:
        require(self.hands[p] == 0, self.hands[1 - p] < 2)
        self.hands[p] = 1

    @action(p=Index("philosopher", 2), actor="philosopher[p]")
    def takes_right(self, p: int) -> None:
        require(self.hands[p] == 1, self.hands[1 - p] == 0)
        self.hands[p] = 2

    @action(p=Index("philosopher", 2), actor="philosopher[p]")
    def puts_both_down(self, p: int) -> None:
        require(self.hands[p] == 2)
        self.hands[p] = 0

    @always()
    def one_eats_at_a_time(self) -> bool:
        """The two philosophers never eat at the same time."""
        return not (self.hands[0] == 2 and self.hands[1] == 2)

"""Farmer, wolf, goat and cabbage: enums, and two shortest stories of which one is told."""

from enum import Enum

from offsetproof.lang import Model, action, always, choose, every, one_of, require, sometimes


class Bank(Enum):
    """The two banks of the river."""

    NEAR = 0
    FAR = 1


class Farmer(Model):
    """A farmer crosses a river with wolf, goat and cabbage, one of them at a time in the boat.

    By hand: 10 safe states in a graph of 10 crossings, each usable both ways: 20 steps.

    Two shortest solutions of 7 crossings (wolf or cabbage second); the canonical one takes the cabbage, the smaller
    name. Only the solution itself has depth 7, and one step back: 9 states and 19 steps before it.
    """

    farmer: Bank = one_of(Bank)
    wolf: Bank = one_of(Bank)
    goat: Bank = one_of(Bank)
    cabbage: Bank = one_of(Bank)

    def cross(self) -> None:
        self.farmer = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        eats = (self.wolf == self.goat) | (self.goat == self.cabbage)
        require((self.goat == self.farmer) | (eats == False))  # noqa: E712 - `not` would split the run

    @action()
    def crosses_alone(self) -> None:
        self.cross()

    @action()
    def takes_cabbage(self) -> None:
        require(self.cabbage == self.farmer)
        self.cabbage = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        self.cross()

    @action()
    def takes_goat(self) -> None:
        require(self.goat == self.farmer)
        self.goat = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        self.cross()

    @action()
    def takes_wolf(self) -> None:
        require(self.wolf == self.farmer)
        self.wolf = choose(self.farmer == Bank.NEAR, Bank.FAR, Bank.NEAR)
        self.cross()

    @sometimes()
    def all_are_over(self) -> bool:
        """Everybody has crossed the river."""
        return every(being == Bank.FAR for being in (self.farmer, self.wolf, self.goat, self.cabbage))

    @always()
    def nobody_is_eaten(self) -> bool:
        """The goat is never left alone with the wolf, nor with the cabbage."""
        return (self.goat == self.farmer) | ((self.goat != self.wolf) & (self.goat != self.cabbage))

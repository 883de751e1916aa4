"""A bag of letters: what is on its way without an order."""

from offsetproof.lang import REFUTED, Bag, Index, Model, action, always, bag, integer


class Pigeonholes(Model):
    """Puts the letter in hand into a bag that holds one of each kind, and takes it out.

    By hand: 2 hands * 4 bags = 8 states.

    Flips 8, puts 4, takes 4: 16 steps, 4 cuts. Levels as hand and bag: 0- | 1- 0a | 1a 1b | 0b 1ab | 0ab: depth 4.
    """

    hand: int = integer(0, 1)
    bag: Bag = bag({"kind": Index("kind", 2)})

    @action()
    def flips(self) -> None:
        self.hand = 1 - self.hand

    @action()
    def puts(self) -> None:
        self.bag.put(kind=self.hand)

    @action()
    def takes(self) -> None:
        self.bag.take(kind=self.hand)

    @always()
    def empty_means_neither(self) -> bool:
        """A bag is empty where it has neither letter, by what the words mean: the answer is VACUOUS."""
        return self.bag.empty == (negation_of(self.bag.has(kind=0)) & negation_of(self.bag.has(kind=1)))

    @always(expected=REFUTED)
    def never_both(self) -> bool:
        """The bag never has both letters.

        Broken at depth 3; before that 5 states with 2 steps each, and a cut in 0a and in 1b.
        """
        return not (self.bag.has(kind=0) and self.bag.has(kind=1))


def negation_of(condition: bool) -> bool:
    """The other truth value, as an expression."""
    return condition == False  # noqa: E712 - an expression, also of a symbolic value

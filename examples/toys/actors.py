"""Two actors that have nothing to do with each other: which of six shortest stories is the canonical one."""

from offsetproof.lang import REFUTED, Model, action, always, integer, require


class Actors(Model):
    """Alice takes two steps, Bob takes two steps. By hand: a grid of 9 states and 12 steps, its far corner at depth 4.

    Six shortest traces to the corner. The smallest path of names (a, m, n, z) changes the actor twice; (a, z, m, n)
    and (m, n, a, z) change it once, and the first of these is the smaller.
    """

    alice: int = integer(0, 2)
    bob: int = integer(0, 2)

    @action(actor="alice")
    def a_first(self) -> None:
        require(self.alice == 0)
        self.alice = 1

    @action(actor="alice")
    def z_second(self) -> None:
        require(self.alice == 1)
        self.alice = 2

    @action(actor="bob")
    def m_first(self) -> None:
        require(self.bob == 0)
        self.bob = 1

    @action(actor="bob")
    def n_second(self) -> None:
        require(self.bob == 1)
        self.bob = 2

    @always(expected=REFUTED)
    def never_both_done(self) -> bool:
        """Alice and Bob are never both done.

        8 states lie before the corner, with all 12 steps.
        """
        return not (self.alice == 2 and self.bob == 2)

    @always()
    def alice_stays_in_range(self) -> bool:
        """Alice takes no more than two steps, and has no value for a third: the answer is VACUOUS.

        Reads only Alice, so that a slice has her 3 states and 2 steps, to depth 2.
        """
        return self.alice <= 2

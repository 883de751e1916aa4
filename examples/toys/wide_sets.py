"""Sets of offsets as wide as a machine word allows."""

from offsetproof.lang import REFUTED, Index, Model, OffsetSet, action, always, every, offset_set, require


class WideSets(Model):
    """Two sets of 62 offsets, into which only 0 and 61 go. By hand: 2**4 = 16 states, 4 * 8 = 32 steps, depth 4."""

    first: OffsetSet = offset_set(62)
    second: OffsetSet = offset_set(62)

    @action(far=Index("far", 2))
    def adds_to_first(self, far: int) -> None:
        require(not self.first.has(61 * far))
        self.first = self.first.add(61 * far)

    @action(far=Index("far", 2))
    def adds_to_second(self, far: int) -> None:
        require(not self.second.has(61 * far))
        self.second = self.second.add(61 * far)

    @always()
    def holds_only_ends(self) -> bool:
        """The sets hold nothing but 0 and 61."""
        ends = OffsetSet(0, 61)
        return every(
            [
                self.first <= ends,
                self.second <= ends,
                (self.first | self.second).count() <= 2,
                self.first.highest(default=61) + self.second.lowest(default=0) <= 122,
            ]
        )

    @always(expected=REFUTED)
    def second_is_lowest_never_highest(self) -> bool:
        """The second set never has 61 alone.

        Broken at depth 1 by second = {61}; one state with its 4 steps before it.
        """
        return self.second.lowest(default=0) < 61

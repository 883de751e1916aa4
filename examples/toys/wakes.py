"""Any one of those who wait is woken: an action's parameter is an element of a set."""

from offsetproof.lang import REFUTED, Index, Model, OffsetSet, action, always, offset_set, require


class Wakes(Model):
    """Three workers wait, in any order, and any one of those who wait is woken. By hand: 8 sets, 3 steps from each."""

    waiting: OffsetSet = offset_set(3)

    @action(w=Index("worker", 3), actor="worker[w]")
    def waits(self, w: int) -> None:
        require(not self.waiting.has(w))
        self.waiting = self.waiting.add(w)

    @action(w=Index("worker", 3), among={"w": lambda model: model.waiting})
    def wakes(self, w: int) -> None:
        self.waiting = self.waiting.remove(w)

    @always(expected=REFUTED)
    def numbers_add_up_to_two(self) -> bool:
        """The numbers of those who wait never add up to more than two.

        Broken by {1, 2}; 4 sets of at most one worker before it, 3 steps from each.
        """
        return sum(w for w in self.waiting) <= 2

    @always(expected=REFUTED)
    def nobody_waits_before_the_second(self) -> bool:
        """Where the first worker waits, there is no gap among those who wait."""
        return all(w > 0 for w in self.waiting) or self.waiting.count() > abs(self.waiting.highest(default=-1))

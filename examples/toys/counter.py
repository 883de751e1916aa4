"""A counter that wraps: the smallest system with a ring, and claims about states and about steps."""

from __future__ import annotations

from offsetproof.lang import REFUTED, Model, Step, action, always, each_step, integer, require


class Counter(Model):
    """Counts 0, 1, 2, 3 and begins again. By hand: 4 states in a ring, 4 steps, the farthest at depth 3."""

    x: int = integer(0, 3)

    @action()
    def counter_rises(self) -> None:
        require(self.x < 3)
        self.x = self.x + 1

    @action()
    def counter_wraps(self) -> None:
        require(self.x == 3)
        self.x = 0

    @always(expected=REFUTED)
    def stays_below_two(self) -> bool:
        """The counter never gets to two.

        Broken by x = 2 at depth 2; before that 0 and 1 with one step each.
        """
        return self.x < 2

    @each_step()
    def moves_by_one_or_wraps(before: Counter, after: Counter, step: Step) -> bool:  # noqa: N805 - a claim is no method
        """Each step adds one, but for the one that wraps."""
        return after.x == (0 if step.action == "counter_wraps" else before.x + 1)

    @each_step(expected=REFUTED)
    def never_falls(before: Counter, after: Counter, step: Step) -> bool:  # noqa: N805, ARG002 - a claim is no method
        """No step takes the counter down.

        Broken by the fourth step, 3 to 0; all 4 states lie before it, and all 4 steps leave from them.
        """
        return before.x <= after.x

    @always()
    def stays_below_four(self) -> bool:
        """The counter never gets to four, and has no value for it: the answer is VACUOUS."""
        return self.x < 4

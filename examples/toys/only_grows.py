"""A bound of the scope that stops everything: no deadlock, because only the bound is in the way."""

from __future__ import annotations

from offsetproof.lang import Model, Step, action, bound, each_step, integer


class OnlyGrows(Model):
    """As Bounded, without a way down. By hand: 3 states, 2 steps, one cut, no deadlock: the bound alone stops it."""

    x: int = integer(0, 2)

    @action()
    def grows(self) -> None:
        bound(self.x < 2)
        self.x = self.x + 1

    @each_step()
    def never_shrinks(before: OnlyGrows, after: OnlyGrows, step: Step) -> bool:  # noqa: N805, ARG002 - a claim is no method
        """No step takes it down."""
        return before.x <= after.x

"""A start that `initially` computes."""

from offsetproof.lang import REFUTED, Model, action, always, integer, require


class Primed(Model):
    """Starts at 2 by `initially`, not at the field's own 0, and falls. By hand: 2, 1, 0: 3 states, 2 steps."""

    x: int = integer(0, 3)

    def initially(self) -> None:
        self.x = 2

    @action()
    def falls(self) -> None:
        require(self.x > 0)
        self.x = self.x - 1

    @always()
    def is_never_three(self) -> bool:
        """It is never three."""
        return self.x != 3

    @always(expected=REFUTED)
    def is_never_two(self) -> bool:
        """It is never two.

        Broken by the initial state.
        """
        return self.x != 2

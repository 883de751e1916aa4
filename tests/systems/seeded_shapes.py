"""Three shapes of systems for seeded defects: each has a rare situation, `here`, that its scope's bounds place.

The claim holds whatever is done to `extra`, so that nothing but a spot check can notice that it was done wrong.
"""

from __future__ import annotations

from offsetproof.lang import Array, Index, Model, action, always, array, choose, flag, integer, require

WALKER = Index("walker", "walkers")
GUEST = Index("guest", "guests")


class Shape(Model):
    """What the shapes share: a total that is kept along the way, and a field for a defect to write to."""

    total: int = integer(0, "size")
    extra: int = integer(0, 7)
    lamp: bool = flag()

    def here(self) -> bool:
        """Is this the rare situation?"""
        raise NotImplementedError

    def counted(self) -> int:
        """What the total must be."""
        raise NotImplementedError

    @action()
    def lamp_flips(self) -> None:
        self.lamp = not self.lamp

    @always
    def total_is_right(self) -> bool:
        """Also reads what a defect writes, so that no slice is without it."""
        return self.total == self.counted() and self.extra <= 6


class Walkers(Shape):
    """Walkers go from 0 to `steps` each; the situation is there where all stand at `at`: on one or two states."""

    walker: Array[int] = array(WALKER, integer(0, "steps"))

    def here(self) -> bool:
        return self.lamp and all(place == self.scope.at for place in self.walker)

    def counted(self) -> int:
        return sum(self.walker)

    @action(w=WALKER)
    def walker_steps(self, w: int) -> None:
        require(self.walker[w] < self.scope.steps)
        self.walker[w] = self.walker[w] + 1
        self.total = self.total + 1


class Ledger(Shape):
    """Money is paid in, moved and paid out; the situation is there at one amount of each account, up to `at` higher."""

    left: int = integer(0, "size")
    right: int = integer(0, "size")

    def here(self) -> bool:
        return self.left >= self.scope.at and self.right == self.scope.at + 1 and self.left <= self.scope.upto

    def counted(self) -> int:
        return self.left + self.right

    @action()
    def left_is_paid(self) -> None:
        require(self.total < self.scope.size)
        self.left = self.left + 1
        self.total = self.total + 1

    @action()
    def one_moves(self) -> None:
        require(self.left > 0)
        self.left = self.left - 1
        self.right = self.right + 1

    @action()
    def right_pays(self) -> None:
        require(self.right > 0)
        self.right = self.right - 1
        self.total = self.total - 1


class Party(Shape):
    """Guests come and go, two instances each; the situation is there where the first `at` are in and no others."""

    guest: Array[bool] = array(GUEST, flag())

    def here(self) -> bool:
        return all(self.guest[g] == (g < self.scope.at) for g in range(self.scope.guests))

    def counted(self) -> int:
        return sum(choose(inside, 1, 0) for inside in self.guest)

    @action(g=GUEST)
    def guest_comes(self, g: int) -> None:
        require(not self.guest[g])
        self.guest[g] = True
        self.total = self.total + 1

    @action(g=GUEST)
    def guest_goes(self, g: int) -> None:
        require(self.guest[g])
        self.guest[g] = False
        self.total = self.total - 1

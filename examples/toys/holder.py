"""A lock that somebody holds or nobody: an optional field."""

from offsetproof.lang import REFUTED, Index, Model, action, always, integer, optional, require


class Holder(Model):
    """A lock held by nobody or by one of three. By hand: 4 states, 3 takes and 3 releases, depth 1."""

    holder: int | None = optional(integer(0, 2))

    @action(p=Index("process", 3), actor="process[p]")
    def takes(self, p: int) -> None:
        require(self.holder is None)
        self.holder = p

    @action(p=Index("process", 3), actor="process[p]")
    def lets_go(self, p: int) -> None:
        require(self.holder == p)
        self.holder = None

    @always(expected=REFUTED)
    def two_never_holds(self) -> bool:
        """The last of the three never holds the lock.

        Broken at depth 1; one state with its 3 steps before it.
        """
        return self.holder is None or self.holder < 2

"""A finished object whose fields nobody reads: the reduction that resets them."""

from offsetproof.lang import Component, Index, Model, action, always, implies, integer, part, require


class Worker(Component):
    """Picks 1 or 2 as its scratch value, works, ends. Nobody reads the scratch value of one that ended."""

    phase: int = integer(0, 2)
    scratch: int = integer(0, 2)

    def finished(self) -> bool:
        return self.phase == 2


class Scratch(Model):
    """A worker picks a value, works with it, and ends.

    By hand, as (phase, scratch): 00, 11, 12, 21, 22: 5 states, 4 steps, depth 2. The reset makes one state of 21
    and 22.
    """

    worker: Worker = part(Worker)

    @action(v=Index("value", 2))
    def worker_picks(self, v: int) -> None:
        require(self.worker.phase == 0)
        self.worker.phase = 1
        self.worker.scratch = v + 1

    @action()
    def worker_ends(self) -> None:
        require(self.worker.phase == 1, self.worker.scratch > 0)
        self.worker.phase = 2

    @always()
    def has_scratch_while_working(self) -> bool:
        """Who works has picked a value."""
        return implies(self.worker.phase == 1, self.worker.scratch > 0)

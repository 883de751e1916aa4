"""Letters in a queue: what is on its way in order, and full where the scope says so."""

from offsetproof.lang import Component, Fifo, Index, Model, action, always, fifo, integer, sometimes


class Letter(Component):
    """What travels in a queue."""

    value: int = integer(0, 1)


class Queue(Model):
    """Letters 0 and 1 in a queue of two. By hand: 1 + 2 + 4 = 7 states.

    Sends: 2 from each of the 3 states with room: 6, and 2 cuts from each of the 4 full ones: 8. Receives: 6. Depth 2.
    """

    queue: Fifo[Letter] = fifo(Letter, 2)

    @action(v=Index("value", 2))
    def sender_sends(self, v: int) -> None:
        self.queue.push(value=v)

    @action()
    def receiver_receives(self) -> None:
        self.queue.remove(0)

    @always()
    def never_more_than_two(self) -> bool:
        """The queue never has three letters, for which it has no place: the answer is VACUOUS."""
        return self.queue.count <= 2

    @sometimes()
    def one_before_zero(self) -> bool:
        """A 1 stands before a 0 in the queue.

        At depth 2; before that 3 states with 2 + 3 + 3 steps and no cut.
        """
        return (self.queue.count == 2) & (self.queue[0].value == 1) & (self.queue[1].value == 0)

"""A queue that is fed from a hand: places that are not in use are blank again."""

from offsetproof.examples.toys.letters import Letter
from offsetproof.lang import Fifo, Model, action, always, fifo, implies, integer, require


class Relay(Model):
    """A queue of two into which the letter in hand goes, and out of it again.

    By hand: contents as in Queue (7), a hand of 0 or 1: 14 states.

    Flips: 14. Sends: one from each of 3 * 2 states with room: 6, cuts: 4 * 2 = 8. Receives put the oldest in the hand:
    6 * 2 = 12. All: 32. Deepest: hand 1 and queue [1, 0] takes flip, send, flip, send, flip: depth 5. (Receiving is no
    way round: the hand that it leaves is one that two flips give.)
    """

    hand: int = integer(0, 1)
    queue: Fifo[Letter] = fifo(Letter, 2)

    @action()
    def flips(self) -> None:
        self.hand = 1 - self.hand

    @action()
    def sends(self) -> None:
        self.queue.push(value=self.hand)

    @action()
    def receives(self) -> None:
        require(self.queue.count > 0)
        self.hand = self.queue[0].value
        self.queue.remove(0)

    @always()
    def unused_places_are_blank(self) -> bool:
        """A place of the queue that is not in use is blank."""
        return implies(self.queue.count < 2, self.queue[1].value == 0)

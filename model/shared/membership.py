"""Who gets the queue: what a broker knows of the group's members, and the strategies computed exactly.

Stands for the broker's ConsumerManager as RebalanceImpl.rebalanceByTopic asks for it, and for the strategies
AllocateMessageQueueAveragely and AllocateMessageQueueAveragelyByCircle. The one queue is the one at place `queue` among
the topic's `queues`. Members are ordered as their numbers are (in the client: by client id). Left out: topics whose
queues differ from client to client; an empty answer, at which a client keeps what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from offsetproof.lang import Component, OffsetSet, every, offset_set, some
from offsetproof.model.vocabulary import Strategy


def averagely(queues: int, members: int, rank: int) -> range:
    """The queues of the member at this rank: blocks in order, the first ones larger by one where it does not divide.

    Source: AllocateMessageQueueAveragely.allocate.

    >>> [list(averagely(5, 3, rank)) for rank in range(3)]
    [[0, 1], [2, 3], [4]]
    """
    share, rest = divmod(queues, members)
    begins_at = rank * share + min(rank, rest)
    return range(begins_at, begins_at + share + (rank < rest))


def by_circle(queues: int, members: int, rank: int) -> range:
    """The queues of the member at this rank: one after the other, in turns.

    Source: AllocateMessageQueueAveragelyByCircle.allocate.

    >>> [list(by_circle(5, 3, rank)) for rank in range(3)]
    [[0, 3], [1, 4], [2]]
    """
    return range(rank, queues, members)


STRATEGIES: Mapping[int, Callable[[int, int, int], range]] = MappingProxyType(
    {Strategy.AVERAGELY: averagely, Strategy.BY_CIRCLE: by_circle}
)


class Registry(Component):
    """The members of the group as one broker knows them; a client asks any one of the topic's brokers."""

    members: OffsetSet = offset_set("consumers")

    def allocates(self, c: int) -> bool:
        """Does the strategy give the queue to consumer c, by this registry? Not if c is missing from it."""
        strategy, queue, queues = STRATEGIES[self.scope.strategy], self.scope.queue, self.scope.queues
        return some(
            every([self.members.has(c), self.members.count() == members, self._rank(c) == rank])
            for members in range(1, self.scope.consumers + 1)
            for rank in range(members)
            if queue in strategy(queues, members, rank)
        )

    def _rank(self, c: int) -> int:
        """How many members come before consumer c."""
        return (self.members & OffsetSet.below(c)).count()

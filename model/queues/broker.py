"""The brokers: what is stored of each queue, and whom they know of the group."""

from __future__ import annotations

from offsetproof.lang import Component, OffsetSet, choose, every, integer, offset, offset_set, one_of, some
from offsetproof.model.queues.variants import OWN_CLIENT_IDS
from offsetproof.model.queues.vocabulary import last_reset, shares_id
from offsetproof.model.shared.membership import STRATEGIES
from offsetproof.model.vocabulary import Direction


class StoredQueue(Component):
    """One queue at its broker: all its messages are stored at first, and nothing of them is committed.

    History: the last reset of the queue that its broker has answered (`ghost_answered`, 0 for none) with its target and
    direction, the reset whose own write was executed last (`ghost_landed`), what was consumed since by ProcessQueues
    that started after that, what was consumed at all and more than once, and the highest offset that was ever stored.
    What the administrator writes for the one queue is a reset that lands at once.
    """

    committed: int = offset()
    ghost_answered: int = integer(0, last_reset)
    ghost_landed: int = integer(0, last_reset)
    ghost_target: int = offset()
    ghost_direction: Direction = one_of(Direction)
    ghost_done: OffsetSet = offset_set()
    ghost_redone: OffsetSet = offset_set()
    ghost_repeated: OffsetSet = offset_set()
    ghost_highest: int = offset()

    def offset_for_query(self) -> int:
        """The offset that a query is answered with."""
        return self.committed

    def has_landed(self) -> bool:
        """Is the last reset's own write the last one of its kind that was executed?"""
        return every([self.ghost_answered > 0, self.ghost_landed == self.ghost_answered])

    def was_never_reset(self) -> bool:
        """Has no reset named the queue?"""
        return self.ghost_answered == 0

    def note_answered(self, reset: int, target: int) -> None:
        """History: the broker has answered a reset of the queue."""
        onward = choose(target > self.committed, Direction.FORWARD, Direction.NONE)
        self.ghost_direction = choose(target < self.committed, Direction.BACKWARD, onward)
        self.ghost_answered = reset
        self.ghost_target = target
        self.ghost_redone = OffsetSet()

    def note_written(self, reset: int, target: int) -> None:
        """History: the administrator's own write of the queue is about to be executed."""
        self.note_answered(reset, target)
        self.ghost_landed = reset

    def note_done(self, m: int, after_landing: bool) -> None:
        """History: a listener has finished message m; its ProcessQueue started after the reset had landed, or not."""
        this = (OffsetSet.below(m + 1) - OffsetSet.below(m)) & OffsetSet.below(self.scope.messages)
        self.ghost_repeated = self.ghost_repeated | (self.ghost_done & this)
        self.ghost_done = self.ghost_done | this
        counts = self.counts_as_redone(after_landing)
        self.ghost_redone = self.ghost_redone | choose(counts, this, OffsetSet())

    def counts_as_redone(self, after_landing: bool) -> bool:
        """History: is what such a ProcessQueue consumes consumed again after the last reset?"""
        return every([self.has_landed(), after_landing])

    def starts_after_landing(self) -> bool:
        """History: is what starts from an answer of now consumed again after the last reset?"""
        return self.has_landed()


class Registry(Component):
    """The members of the group as one broker knows them; a client asks any one of the brokers.

    A broker knows a member by its channel, and a client the members by their ids only (`one_id`: clients 0 and 1 have
    the same). Members are ordered as their numbers are (in the client: by client id). `unheard` has those whose first
    heartbeat is still to come, since they or the broker were started. Left out: a broker that knows no member, for
    longer than it takes to hear of one.
    """

    members: OffsetSet = offset_set(lambda scope: scope.consumers + scope.others)
    unheard: OffsetSet = offset_set(lambda scope: scope.consumers + scope.others)

    def allocated_to(self, c: int) -> OffsetSet:
        """What the strategy gives consumer c, by this registry: nothing if c's id is missing from it."""
        strategy, queues = STRATEGIES[self.scope.strategy], self.scope.queues
        result = OffsetSet()
        for members in range(1, self.scope.consumers + self.scope.others + 1):
            for rank in range(members):
                is_so = every([self._has_id_of(c), self.members.count() == members, self._rank(c) == rank])
                result = choose(is_so, OffsetSet(*strategy(queues, members, rank)), result)
        return result

    def _has_id_of(self, c: int) -> bool:
        return some(self.members.has(each) for each in self.with_id_of(c))

    def _rank(self, c: int) -> int:
        """How many members come before the first one that has consumer c's id."""
        return (self.members & OffsetSet.below(min(self.with_id_of(c)))).count()

    def with_id_of(self, c: int) -> tuple[int, ...]:
        """The consumers that have consumer c's id, itself among them."""
        same = shares_id(self.scope, c) and not self.setting.assumes(OWN_CLIENT_IDS)
        return (0, 1) if same else (c,)

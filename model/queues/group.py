"""All parts together: the brokers with their queues, the clients of one group, the reset tool, and history.

Fields that start with `ghost_` are history for claims; nothing that really happens depends on them.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Model,
    OffsetSet,
    among,
    array,
    choose,
    every,
    integer,
    larger,
    negation,
    some,
)
from offsetproof.model.queues.broker import Registry, StoredQueue
from offsetproof.model.queues.client import Client
from offsetproof.model.queues.variants import LEAVES_GROUP
from offsetproof.model.queues.vocabulary import BROKERS, QUEUES, Poll, TopicRebalanceStep, queues_of, shares_id
from offsetproof.model.releases import ONE_QUEUE_RESET
from offsetproof.model.vocabulary import CONSUMERS


class QueueGroup(Model):
    """One consumer group on several queues of one topic, in CLUSTERING mode with a concurrent listener.

    What ends in `_left` may still happen from outside. `resets_begun` is how many runs of the reset tool have begun,
    `next_broker` the one that the last run asks next, or 0 if it is over. `asks_broker` is the number from 1 of the
    broker that a tool of 5.x is about to tell of the one queue that it has written, or 0. History: `ghost_failed` has
    the runs that ended with a broker's failure.
    """

    queue: Array[StoredQueue] = array(QUEUES, StoredQueue)
    registry: Array[Registry] = array(BROKERS, Registry)
    client: Array[Client] = array(CONSUMERS, Client)
    view_changes_left: int = integer(0, "view_changes", "view_changes")
    restarts_left: int = integer(0, "restarts", "restarts")
    unsubscribes_left: int = integer(0, "unsubscribes", "unsubscribes")
    stops_left: int = integer(0, "stops", "stops")
    writes_left: int = integer(0, "writes", "writes")
    resets_begun: int = integer(0, "resets")
    next_broker: int = integer(0, lambda scope: max(0, scope.brokers - 1))
    asks_broker: int = integer(0, lambda scope: scope.brokers if scope.tool_5x else 0)
    ghost_failed: int = integer(0, "resets")

    def initially(self) -> None:
        """All brokers know all members, and each has its queues and consumes them from the start.

        A process that has another one's client id has just started: it has no queue, and no broker knows of it.
        """
        late = OffsetSet(1) if shares_id(self.scope, 1) else OffsetSet()
        for registry in self.registry:
            registry.members = OffsetSet.below(self.scope.consumers + self.scope.others) - late
            registry.unheard = late
        for c, client in enumerate(self.client):
            client.shares_id = len(self.registry[0].with_id_of(c)) > 1
            client.process_queue_table = choose(late.has(c), OffsetSet(), self.registry[0].allocated_to(c))
            for q, share in enumerate(client.share):
                if client.process_queue_table.has(q):
                    share.cell = 0

    def rest(self) -> bool:
        """Nothing is pending or on its way, tables are as each broker sees the group, and the timers have fired again.

        Every message is consumed, every poll has ended once more, and every cell has reached its broker. Every
        broker knows some member.
        """
        resting = [self.is_tool_done()]
        for client in self.client:
            resting += [client.running, client.does_nothing(), client.has_nothing_on_its_way()]
            resting += [self._has_settled(client, q) for q in range(self.scope.queues)]
        for registry in self.registry:
            resting += [registry.members.count() > 0, registry.unheard.count() == 0, self._has_heard_who_left(registry)]
            resting += [self.is_rebalanced(c, registry) for c in range(self.scope.consumers)]
        return every(resting)

    def _has_heard_who_left(self, registry: Registry) -> bool:
        if not self.setting.assumes(LEAVES_GROUP):
            return True
        left = [negation(registry.members.has(c)) for c in range(self.scope.consumers)]
        return every(some([client.subscribed, gone]) for client, gone in zip(self.client, left, strict=True))

    def is_rebalanced(self, c: int, registry: Registry) -> bool:
        """Would a run of rebalance that asks this broker leave the client's table as it is?

        Where the topic is given up it asks nobody, and truncates the table.
        """
        client = self.client[c]
        wanted = choose(client.subscribed, registry.allocated_to(c), OffsetSet())
        return client.process_queue_table == wanted

    def _has_settled(self, client: Client, q: int) -> bool:
        share = client.share[q]
        caught_up = share.has_caught_up(self.queue[q].committed)
        return choose(client.process_queue_table.has(q), caught_up, share.poll == Poll.NONE)

    def commit(self, q: int, offset: int, reset: int) -> None:
        """A broker writes a committed offset: the last writer wins (ConsumerOffsetManager.commitOffset)."""
        stored = self.queue[q]
        stored.committed = offset
        stored.ghost_highest = larger(stored.ghost_highest, offset)
        stored.ghost_landed = choose(reset > 0, reset, stored.ghost_landed)

    def note_answered(self, q: int, target: int) -> None:
        """History: the queue's broker has answered a reset; what an earlier one has come to says nothing of it."""
        self.queue[q].note_answered(self.resets_begun, target)
        for client in self.client:
            client.share[q].ghost_after_landing = False
            for run in client.rebalance:
                run.ghost_after_landing = every([run.ghost_after_landing, run.queue != q])

    def note_written(self, q: int, target: int, reset: int) -> None:
        """History: the administrator's own write of the queue is executed, as a reset of this number.

        Whatever begins to be consumed from now on is consumed after it, in whichever ProcessQueue.
        """
        self.queue[q].note_written(reset, target)
        for client in self.client:
            client.share[q].ghost_after_landing = client.is_live(q)
            for run in client.rebalance:
                is_asked = among(run.at, TopicRebalanceStep.ANSWERED, TopicRebalanceStep.STORED)
                run.ghost_after_landing = some([run.ghost_after_landing, every([is_asked, run.queue == q])])

    def owners(self, q: int) -> int:
        """How many clients have the queue in their table, not dropped."""
        return sum(choose(client.is_live(q), 1, 0) for client in self.client)

    def asks_after_write(self) -> bool:
        """Does the tool ask for a reset of the queue that it has written?"""
        if self.scope.tool_5x == 0:
            return False
        return self.setting.behaves(ONE_QUEUE_RESET)

    def is_stopped(self) -> bool:
        """Does no client run, and is nothing that they sent on its way?"""
        return every(every([negation(client.running), client.has_nothing_on_its_way()]) for client in self.client)

    def is_tool_done(self) -> bool:
        """Has the tool nothing more to ask a broker?"""
        return every([self.next_broker == 0, self.asks_broker == 0])

    def is_free_of_resets(self) -> bool:
        """Have all clients done with what the tool has told them?"""
        return every(client.has_no_command() for client in self.client)

    def run_of(self, command: int) -> int:
        """Which run of the reset tool a client's command is from: the first one is 1."""
        return command // self.scope.brokers + 1

    def named_by_command(self, client: Client) -> OffsetSet:
        """The queues that the command names which a client is executing."""
        named = OffsetSet()
        for b in range(self.scope.brokers):
            of_broker = client.reset_run.command % self.scope.brokers == b
            named = choose(of_broker, OffsetSet(*queues_of(self.scope, b)), named)
        return named

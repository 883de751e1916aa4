"""Persisting: persistAll goes over the cells by a set of queues that it was given, and the brokers execute its commits.

Stands for DefaultMQPushConsumerImpl.persistConsumerOffset and RemoteBrokerOffsetStore.persistAll. Where the scope is
`fine`, a round takes the set, looks at one cell after the other, and removes at its end those that it found unused;
else each queue is a step of its own. Reading a cell and sending it is one step. One client's commits of a queue are
executed in the order of sending. Left out: the broker's threads that overtake each other (see the model of one
queue).
"""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, action, at, choose, every, holds, negation, require
from offsetproof.lang.action import Method
from offsetproof.model.queues.client import Client, Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.variants import PERSIST_LOOKS_AGAIN
from offsetproof.model.queues.vocabulary import CONSUMERS, QUEUES, PersistStep

_STORE = "RemoteBrokerOffsetStore"
_SENDS = "[persistAll] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}"


def _round(*stands_for: Anchor, logs: str | None = None) -> Callable[[Method], Method]:
    """An action of a client's persist timer."""
    return action(c=CONSUMERS, actor="client[c]", thread="persist timer", stands_for=stands_for, logs=logs)


class Persisting(QueueGroup):
    """What the persist timer and the brokers' consumer-manage threads do."""

    @action(
        c=CONSUMERS, q=QUEUES, actor="client[c]", thread="persist timer",
        stands_for=[at(_STORE, "persistAll", "updateConsumeOffsetToBroker")], logs=_SENDS,
    )  # fmt: skip
    def client_persists_queue(self, c: int, q: int) -> None:
        """Sends the cell of a queue in the table, one-way."""
        client = self.client[c]
        share = client.share[q]
        require(
            self.scope.fine == 0, self.scope.messages > 0, client.process_queue_table.has(q), share.cell is not None
        )
        share.send_commit()

    @action(
        c=CONSUMERS, q=QUEUES, actor="client[c]", thread="persist timer",
        stands_for=[at(_STORE, "persistAll", "remove")], logs="remove unused mq, {}, {}",
    )  # fmt: skip
    def client_removes_unused_cell(self, c: int, q: int) -> None:
        """Removes the cell of a queue that is not in the table.

        An empty table removes nothing: persistAll returns at once.
        """
        client = self.client[c]
        require(self.scope.fine == 0, client.process_queue_table.count() > 0, not client.process_queue_table.has(q))
        require(self.scope.messages > 0, client.share[q].cell is not None)
        client.share[q].cell = None

    @_round(at("DefaultMQPushConsumerImpl", "persistConsumerOffset", "keySet"))
    def client_takes_queues(self, c: int) -> None:
        """Takes the set of queues that a round of persistAll goes by, which is that of the table now."""
        client = self.client[c]
        require(self.scope.fine > 0, client.persist.at == PersistStep.IDLE, client.process_queue_table.count() > 0)
        client.persist.queues = client.process_queue_table
        client.persist.ghost_listed = client.process_queue_table
        client.persist.at = PersistStep.TAKEN

    @_round(at(_STORE, "persistAll", "updateConsumeOffsetToBroker"), logs=_SENDS)
    def client_persists_next_cell(self, c: int) -> None:
        """Looks at the next cell: sends it, or notes it as unused.

        It goes by the set that it has, whatever the table holds now. The map's iterator has the next cell by then: one
        that comes into the map behind the last one is not looked at.
        """
        client = self.client[c]
        run = client.persist
        require(run.at == PersistStep.TAKEN, run.next < self.scope.queues)
        for q, share in enumerate(client.share):
            if run.next == q:
                if run.queues.has(q):
                    share.send_commit()
                else:
                    run.unused = choose(holds(share, Share.cell, None), run.unused, run.unused.add(q))
        run.next = self._next_cell(client, run.next)

    def _next_cell(self, client: Client, after: int) -> int:
        """The first queue after this one that has a cell now, or their number."""
        found = self.scope.queues
        for q in reversed(range(self.scope.queues)):
            is_next = every([after < q, negation(holds(client.share[q], Share.cell, None))])
            found = choose(is_next, q, found)
        return found

    @_round(at(_STORE, "persistAll", "remove"), logs="remove unused mq, {}, {}")
    def client_removes_unused_cells(self, c: int) -> None:
        """Removes the cells that its round has noted as unused."""
        client = self.client[c]
        run = client.persist
        require(run.at == PersistStep.TAKEN, run.next == self.scope.queues)
        for q, share in enumerate(client.share):
            if run.unused.has(q) and self._may_remove(client, q):
                share.cell = None
        run.reset()

    def _may_remove(self, client: Client, q: int) -> bool:
        """With the remedy, only what is not in the table."""
        if not self.setting.behaves(PERSIST_LOOKS_AGAIN):
            return True
        return negation(client.process_queue_table.has(q))

    @action(
        c=CONSUMERS, q=QUEUES, actor="broker", thread="consumer manage",
        stands_for=[at("ConsumerManageProcessor", "updateConsumerOffset", "commitOffset")],
    )  # fmt: skip
    def broker_executes_commit(self, c: int, q: int) -> None:
        """Executes a client's oldest commit of a queue.

        The broker's offset is whatever that says.
        """
        commits = self.client[c].share[q].commits
        value, reset = commits[0].offset, commits[0].ghost_reset
        commits.remove(0)
        self.commit(q, value, reset)

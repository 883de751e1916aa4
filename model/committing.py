"""Committing: persistAll sends the cell one-way, and the broker executes what arrives.

Stands for RemoteBrokerOffsetStore.persistAll and ConsumerManageProcessor.updateConsumerOffset. Left out: a stall
between reading the cell and sending (its effect is that of a commit that is overtaken), and lost commits.
One client's commits are kept in the order of sending; the broker's 32 threads may still execute a newer one first,
which is the fault `overtake`.
"""

from __future__ import annotations

from offsetproof.lang import action, at, require
from offsetproof.model.group import Group
from offsetproof.model.variants import COMMITS_IN_ORDER, OVERTAKE
from offsetproof.model.vocabulary import CONSUMERS, PLACES, Origin

_EXECUTES = [
    at("ConsumerManageProcessor", "updateConsumerOffset", 105),
    at("ConsumerOffsetManager", "commitOffset", 128),
]


class Committing(Group):
    """What the persist timer and the broker's consumer-manage threads do."""

    @action(
        c=CONSUMERS,
        actor="consumer[c]",
        thread="persist timer",
        stands_for=[at("RemoteBrokerOffsetStore", "persistAll", 127, "updateConsumeOffsetToBroker")],
        logs="[persistAll] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
    )
    def consumer_persists_all(self, c: int) -> None:
        """Every five seconds the cell of each queue in the table is sent one-way; without a queue nothing is."""
        consumer = self.consumer[c]
        require(consumer.process_queue_table is not None, consumer.cell is not None)
        consumer.send_commit(Origin.PROGRESS)

    @action(
        c=CONSUMERS, actor="consumer[c]", thread="persist timer",
        stands_for=[at("RemoteBrokerOffsetStore", "persistAll", 144, "remove")], logs="remove unused mq, {}, {}",
    )  # fmt: skip
    def consumer_removes_unused_cell(self, c: int) -> None:
        """The cell of a queue that is not in the table is removed, where another queue is in it."""
        consumer = self.consumer[c]
        require(self.scope.neighbours > 0, consumer.alive)
        require(consumer.process_queue_table is None, consumer.cell is not None)
        consumer.cell = None

    @action(c=CONSUMERS, actor="broker", thread="consumer manage", stands_for=_EXECUTES)
    def broker_executes_commit(self, c: int) -> None:
        """The oldest commit of a client is executed: the broker's offset is whatever it says."""
        self._execute(c, 0)

    @action(c=CONSUMERS, p=PLACES, actor="broker", thread="consumer manage", fault=OVERTAKE, stands_for=_EXECUTES)
    def broker_executes_newer_commit_first(self, c: int, p: int) -> None:
        """A commit is executed before older ones of the same client: two of the broker's 32 threads raced."""
        require(p > 0, not self.setting.assumes(COMMITS_IN_ORDER))
        self._execute(c, p)
        self.ghost_overtaken = True

    def _execute(self, c: int, place: int) -> None:
        commits = self.consumer[c].commits
        origin, value = commits[place].origin, commits[place].offset
        commits.remove(place)
        self.execute_commit(value, origin)

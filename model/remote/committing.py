"""Committing: persistAll sends the cell one-way, and the broker executes what arrives.

Stands for RemoteBrokerOffsetStore.persistAll and ConsumerManageProcessor.updateConsumerOffset. Where the
scope is `fine`, persistAll takes the table's queues, and then sends or removes a cell, in two steps; else in one.
One client's commits are kept in the order of sending; the broker's 32 threads may still execute a newer one first,
which is the fault `overtake`.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import at_once
from offsetproof.model.broker_log import BELOW_STORE
from offsetproof.model.releases import REFUSES_UNKNOWN
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import COMMITS, FIRST_PERSIST_ROUND, PERSIST, PERSIST_ROUND, broker_step
from offsetproof.model.variants import COMMITS_IN_ORDER, OVERTAKE, PERSIST_IN_ONE
from offsetproof.model.vocabulary import PLACES, Origin

_EXECUTES = [
    at("ConsumerManageProcessor", "updateConsumerOffset", "commitOffset"),
    at("ConsumerOffsetManager", "commitOffset", "get"),
]


ON_ITS_WAY_TO_BROKER = "it receives what is on its way: a commit, up to 1 s"


class Committing(Group):
    """What the persist timer and the broker's consumer-manage threads do."""

    @PERSIST.step(
        at("RemoteBrokerOffsetStore", "persistAll", "updateConsumeOffsetToBroker"),
        waits=(PERSIST_ROUND, FIRST_PERSIST_ROUND),
        logs="[persistAll] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
    )
    def consumer_persists_all(self, c: int) -> None:
        """Sends the cell of each queue in the table, one-way.

        It does so every five seconds; without a queue nothing is sent.
        """
        consumer = self.consumer[c]
        require(self.scope.fine == 0 or self.setting.assumes(PERSIST_IN_ONE))
        require(consumer.process_queue_table is not None, consumer.cell is not None)
        consumer.send_commit(Origin.PROGRESS)

    @PERSIST.step(
        at("RemoteBrokerOffsetStore", "persistAll", "remove"),
        waits=(PERSIST_ROUND, FIRST_PERSIST_ROUND, at_once("consumer_misses_queue")),
        logs="remove unused mq, {}, {}",
    )
    def consumer_removes_unused_cell(self, c: int) -> None:
        """Removes the cell of a queue that was not in the table.

        That happens where another queue is in it, and the queue of the group's retry topic nearly always is.
        """
        consumer = self.consumer[c]
        if self.scope.fine > 0:
            require(consumer.misses_queue)
            consumer.misses_queue = False
        else:
            require(consumer.alive, consumer.process_queue_table is None, consumer.cell is not None)
        consumer.remove_cell()

    @COMMITS.step(*_EXECUTES, any_time=ON_ITS_WAY_TO_BROKER, logs=BELOW_STORE)
    def broker_executes_commit(self, c: int) -> None:
        """Executes a client's oldest commit.

        The broker's offset is whatever that says.
        """
        self.execute_sent_commit(c, 0)

    @COMMITS.step(
        *_EXECUTES,
        any_time=ON_ITS_WAY_TO_BROKER,
        rig=broker_step("execute_commit", place="p"),
        logs=BELOW_STORE,
        fault=OVERTAKE,
        p=PLACES,
    )
    def broker_executes_newer_commit_first(self, c: int, p: int) -> None:
        """Executes a commit before the client's older ones.

        Two of the broker's 32 threads raced.
        """
        require(p > 0, not self.setting.assumes(COMMITS_IN_ORDER))
        self.execute_sent_commit(c, p)
        self.ghost_overtaken = True

    def execute_sent_commit(self, c: int, place: int) -> None:
        """Executes a commit that a client has sent, at this place of those on their way."""
        commits = self.consumer[c].commits
        origin, value, superseded = commits[place].origin, commits[place].offset, commits[place].ghost_superseded
        commits.remove(place)
        if not (self.setting.behaves(REFUSES_UNKNOWN) and self.broker.gone):
            self.execute_commit(value, origin, superseded)

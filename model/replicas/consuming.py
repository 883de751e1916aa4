"""Consuming: a client adds a queue, pulls, consumes, hands the queue over, is killed.

Stands for RebalanceImpl, RemoteBrokerOffsetStore.readOffset, PullMessageProcessor and a listener that succeeds; each is
one step. No two clients have a queue at a time. A pull brings all messages. The first poll at the end of a queue is
counted to the start at the max offset. Left out: what a pull commits, which is as if the cell were sent at that time (a
slave gets none); a slave that lacks messages: since 4.9.4 a pull beyond its end moves the next pull and no cell.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, every, larger, negation, require, some
from offsetproof.lang.rigging import RigChange
from offsetproof.model.places import PERSISTS
from offsetproof.model.releases import SLAVE_REFUSES_PULLS
from offsetproof.model.replicas.committing import Committing
from offsetproof.model.replicas.consumer import Consumer
from offsetproof.model.replicas.threads import CLIENT, CONSUME, REBALANCE, arguments
from offsetproof.model.replicas.variants import CLIENT_KILL, ROUTES_KEPT
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE
from offsetproof.model.shared.pulling import DISPATCHED
from offsetproof.model.threads import BY_DECISION, BY_FAULT

_A_REBALANCE = "a rebalance, every 20 s, at any time of that"
_DISPATCHED = replace(DISPATCHED, after=(("client_adds_queue", "client_begins_at_max"),), held_at_begin=())
_MAX = at("RebalancePushImpl", "computePullFromWhereWithException", "maxOffset")


class Consuming(Committing):
    """What the threads of a client do, but for its persist timer."""

    @REBALANCE.step(
        at("RebalancePushImpl", "computePullFromWhereWithException", "readOffset"),
        at("ConsumerManageProcessor", "queryConsumerOffset", "queryOffset"),
        any_time=_A_REBALANCE,
        logs="doRebalance, {}, add a new mq, {}",
    )
    def client_adds_queue(self, c: int, q: int) -> None:
        """Asks for the offset and begins there; with 0 where nothing is stored and message 0 is in memory."""
        consumer = self.consumer[c]
        require(negation(some(other.listed[q] for other in self.consumer)), not consumer.asks_max[q])
        self.refresh_route(consumer)
        r = MASTER if consumer.knows_master else SLAVE
        require(self.broker[r].is_running())
        start = self.broker[r].answer(q)
        if start is not None:
            consumer.begin(q, start)
        elif self.scope.cold == 0:
            consumer.begin(q, 0)
        else:
            consumer.asks_max[q] = True

    @REBALANCE.step(_MAX, any_time="it asks for the max offset at once", rig=RigChange("add_at_max", arguments))
    def client_begins_at_max(self, c: int, q: int) -> None:
        """Begins at the max offset of brokerId 0, because the answer before was that nothing is stored."""
        consumer = self.consumer[c]
        require(consumer.asks_max[q], negation(some(other.listed[q] for other in self.consumer)))
        self.refresh_route(consumer)
        require(self._answers_for_master(consumer))
        consumer.asks_max[q] = False
        consumer.begin(q, self.scope.messages)

    @REBALANCE.step(_MAX, any_time="it asks for the max offset at once", rig=RigChange("give_up", arguments))
    def client_cannot_ask_max(self, c: int, q: int) -> None:
        """Finds no broker under brokerId 0, and leaves the queue for its next rebalance."""
        consumer = self.consumer[c]
        require(consumer.asks_max[q])
        self.refresh_route(consumer)
        require(negation(self._answers_for_master(consumer)))
        consumer.asks_max[q] = False

    def _answers_for_master(self, consumer: Consumer) -> bool:
        """Does the address answer that the client has under brokerId 0?"""
        if consumer.knows_master:
            return self.broker[MASTER].is_running()
        return every([self.scope.acting_master == 1, self.broker[SLAVE].is_running()])

    @CONSUME.step(
        at("PullMessageProcessor", "processRequest", "getMessage").or_at("processRequest", "getMessageAsync"),
        waits=_DISPATCHED,
        any_time="a pull follows the one before, or is tried again after some seconds",
        rig=RigChange("pull", arguments),
    )
    def client_pulls(self, c: int, q: int) -> None:
        """Pulls all that is stored, from the master, or from the slave where it knows no master."""
        consumer = self.consumer[c]
        require(consumer.listed[q], not consumer.pulled[q], consumer.position[q] < self.scope.messages)
        if consumer.knows_master:
            require(self.broker[MASTER].is_running())
        else:
            slave = self.broker[SLAVE]
            require(slave.is_running(), slave.knows_topic)
            if self.setting.behaves(SLAVE_REFUSES_PULLS):
                require(self.scope.slave_reads == 1)
        consumer.pulled[q] = True

    @CONSUME.step(
        at("RemoteBrokerOffsetStore", "updateOffset", "compareAndIncreaseOnly").or_at(
            "updateOffset", "ControllableOffset.update"
        ),
        any_time="the listener may take any time",
    )
    def client_consumes(self, c: int, q: int) -> None:
        """Consumes the next message that it has pulled, and raises the cell past it."""
        consumer = self.consumer[c]
        require(consumer.listed[q], consumer.pulled[q], consumer.position[q] < self.scope.messages)
        self.note_consumed(q, consumer.position[q])
        consumer.position[q] = consumer.position[q] + 1
        row = consumer.cell[q]
        row.offset = consumer.position[q] if row.offset is None else larger(row.offset, consumer.position[q])

    @REBALANCE.step(PERSISTS, any_time=BY_DECISION, rig=RigChange("give_queue_up", arguments))
    def client_gives_queue_up(self, c: int, q: int) -> None:
        """Sends its cell for the last time, if it finds a broker, and forgets the queue."""
        consumer = self.consumer[c]
        require(self.hand_overs_left > 0, consumer.listed[q])
        self.hand_overs_left = self.hand_overs_left - 1
        self.refresh_for_commit(consumer)
        r = MASTER if consumer.knows_master else SLAVE
        if self.broker[r].is_running():
            consumer.commits_to(r)[q].offset = consumer.cell[q].offset
        consumer.forget(q)

    @CLIENT.step(
        at("RemoteBrokerOffsetStore", "load"),
        any_time=BY_FAULT,
        rig=RigChange("kill_client", arguments),
        fault=CLIENT_KILL,
    )
    def client_is_killed(self, c: int) -> None:
        """Is killed, and started again with a fresh route; commits on their way arrive all the same."""
        consumer = self.consumer[c]
        registered = self.broker[MASTER].is_registered()
        if self.setting.assumes(ROUTES_KEPT):
            require(registered)
        for q in range(self.scope.queues):
            consumer.forget(q)
        consumer.knows_master = registered

"""Committing: a client sends its cell every five seconds, one-way, and a broker executes what arrives.

Stands for RemoteBrokerOffsetStore.persistAll and ConsumerManageProcessor.updateConsumerOffset. The slave executes
commits like the master. A cell that the broker has already is sent as well, and changes nothing: that is no step.
"""

from __future__ import annotations

from offsetproof.lang import at, bound, every, negation, require
from offsetproof.lang.record import Pause
from offsetproof.model.broker_log import BELOW_STORE
from offsetproof.model.releases import COMMITS_TO_ANY_BROKER, REFUSES_UNKNOWN
from offsetproof.model.replicas.broker import Replica
from offsetproof.model.replicas.consumer import Consumer
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.routing import Routing
from offsetproof.model.replicas.threads import COMMITS, PERSIST
from offsetproof.model.replicas.variants import VERSION_EACH_COMMIT
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE
from offsetproof.model.timers import PERSIST_EVERY

_ROUND = Pause(
    "the persist timer", ("client_sends_commit",), PERSIST_EVERY, any_longer=True, source=PERSIST_EVERY.source
)  # fmt: skip


class Committing(Routing):
    """What becomes of a client's cells."""

    @PERSIST.step(
        at("RemoteBrokerOffsetStore", "persistAll", "updateConsumeOffsetToBroker"),
        at("RemoteBrokerOffsetStore", "updateConsumeOffsetToBroker", "updateConsumerOffsetOneway"),
        waits=_ROUND,
    )
    def client_sends_commit(self, c: int, q: int) -> None:
        """Sends the cell to the master, or to the slave where it knows no master."""
        consumer = self.consumer[c]
        cell = consumer.cell[q].offset
        require(consumer.listed[q], cell is not None)
        self.refresh_for_commit(consumer)
        r = MASTER if consumer.knows_master else SLAVE
        require(self.broker[r].is_running(), self.broker[r].table[q].offset != cell)
        bound(consumer.commits_to(r)[q].offset is None)
        consumer.commits_to(r)[q].offset = cell

    def refresh_for_commit(self, consumer: Consumer) -> None:
        """Before 5.0.0 the route is refreshed before a commit goes to a slave."""
        if not self.setting.behaves(COMMITS_TO_ANY_BROKER):
            self.refresh_route(consumer)

    @COMMITS.step(
        at("ConsumerManageProcessor", "updateConsumerOffset", "commitOffset"),
        at("ConsumerOffsetManager", "commitOffset", "put", 3),
        any_time="it receives what is on its way: a commit, up to 1 s",
        logs=BELOW_STORE,
    )
    def broker_executes_commit(self, r: int, c: int, q: int) -> None:
        """Executes a client's commit; one for a topic that it does not know is refused since 5.3.0."""
        replica = self.broker[r]
        value = self.consumer[c].commits_to(r)[q].offset
        require(replica.is_running(), value is not None)
        self.consumer[c].commits_to(r)[q].offset = None
        if value is not None and (replica.knows_topic or not self.setting.behaves(REFUSES_UNKNOWN)):
            self.execute(replica, q, value)
            self._note_executed(r, q, value)

    def execute(self, replica: Replica, q: int, value: int) -> None:
        """ConsumerOffsetManager.commitOffset."""
        replica.put_offset(q, value)
        if self.setting.behaves(VERSION_EACH_COMMIT):
            bound(self.clock < self.scope.version_steps)
            self.move_version(replica)

    def _note_executed(self, r: int, q: int, value: int) -> None:
        """History: a reset at a client lands with the first commit of its target at the broker that answers queries."""
        master = self.broker[MASTER].is_registered()
        answers = master if r == MASTER else negation(master)
        is_target = self.number_of(Pair.ghost_target) == value + 1
        if q == 0:
            self.note_landing(every([answers, self.ghost_heard, is_target]))

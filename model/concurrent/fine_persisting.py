"""Persisting in finer steps: persistAll takes the queues of the table, and then sends or removes a cell.

Stands for RemoteBrokerOffsetStore.persistAll, where the scope is `fine`.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import at, require
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.group import Group
from offsetproof.model.threads import FIRST_PERSIST_ROUND, PERSIST, PERSIST_ROUND
from offsetproof.model.variants import PERSIST_IN_ONE

_SENDS_READ_VALUE = at("RemoteBrokerOffsetStore", "updateConsumeOffsetToBroker", "findBrokerAddressInSubscribe")
_SPLIT_ROUND = replace(PERSIST_ROUND, after=(("consumer_reads_cell", "consumer_misses_queue"),))


class FinePersisting(Group):
    """What the persist timer does in two steps."""

    @PERSIST.step(
        at("RemoteBrokerOffsetStore", "persistAll", "AtomicLong.get").or_at(
            "persistAll", "ControllableOffset.getOffset"
        ),
        waits=(_SPLIT_ROUND, FIRST_PERSIST_ROUND),
    )
    def consumer_reads_cell(self, c: int) -> None:
        """Reads the cell of a queue in the table, to send it.

        What is sent to the broker is the value of this moment.
        """
        require(self.scope.fine > 0, not self.setting.assumes(PERSIST_IN_ONE))
        consumer = self.consumer[c]
        require(consumer.process_queue_table is not None, consumer.read_value is None, not consumer.misses_queue)
        consumer.read_value = consumer.cell

    @PERSIST.step(
        at("RemoteBrokerOffsetStore", "persistAll", "updateConsumeOffsetToBroker"),
        rig=in_rig(_SENDS_READ_VALUE),
        logs="[persistAll] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}",
    )
    def consumer_sends_read_value(self, c: int) -> None:
        """Sends the value read before, whatever the cell holds by now."""
        consumer = self.consumer[c]
        value = consumer.read_value
        require(self.scope.fine > 0, value is not None)
        if value is not None:
            consumer.push_read_value(value)
        consumer.read_value = None

    @PERSIST.step(
        at("DefaultMQPushConsumerImpl", "persistConsumerOffset", "keySet"), waits=(_SPLIT_ROUND, FIRST_PERSIST_ROUND)
    )
    def consumer_misses_queue(self, c: int) -> None:
        """Takes the queues to persist; this one is not among them.

        What persistAll removes goes by this set, whatever the table holds by then.
        """
        consumer = self.consumer[c]
        require(self.scope.fine > 0, not self.setting.assumes(PERSIST_IN_ONE), consumer.alive)
        require(consumer.process_queue_table is None, not consumer.misses_queue, consumer.read_value is None)
        consumer.misses_queue = True

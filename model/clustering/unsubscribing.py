"""Unsubscribing: an application gives the topic up, and a rebalance takes the queue out of the table.

Stands for DefaultMQPushConsumerImpl.unsubscribe and RebalanceImpl.truncateMessageQueueNotMyTopic.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.rebalancing import LATE, MEMBERS, RESUMED, Rebalancing
from offsetproof.model.threads import APPLICATION, BY_APPLICATION, REBALANCE
from offsetproof.model.vocabulary import Rebalancer, RebalanceStep


class Unsubscribing(Rebalancing):
    """What becomes of a queue whose topic is given up."""

    @REBALANCE.step(
        at("RebalanceImpl", "truncateMessageQueueNotMyTopic", "remove"),
        waits=(LATE, RESUMED, MEMBERS),
        logs="doRebalance, {}, truncateMessageQueueNotMyTopic remove unnecessary mq, {}",
    )
    def rebalance_truncates_table(self, c: int, r: int) -> None:
        """Takes a ProcessQueue out of the table: the topic is unsubscribed.

        Cell and broker are not told.
        """
        consumer = self.consumer[c]
        pq_id = consumer.process_queue_table
        require(consumer.rebalance[r].at == RebalanceStep.IDLE, not consumer.paused, not consumer.subscribed)
        require(pq_id is not None, r == Rebalancer.SERVICE, consumer.alive)
        consumer.rebalance[r].pq_id = pq_id
        consumer.process_queue_table = None
        consumer.rebalance[r].at = RebalanceStep.TRUNCATED

    @REBALANCE.step(at("RebalanceImpl", "truncateMessageQueueNotMyTopic", "setDropped"))
    def rebalance_drops_truncated_queue(self, c: int, r: int) -> None:
        """Marks the ProcessQueue dropped that has left the table."""
        run = self.consumer[c].rebalance[r]
        require(run.at == RebalanceStep.TRUNCATED)
        pq_id = run.pq_id
        if pq_id is not None:
            self.consumer[c].process_queue[pq_id].dropped = True
        run.reset()

    @APPLICATION.step(
        at("DefaultMQPushConsumerImpl", "unsubscribe", "remove"),
        any_time=BY_APPLICATION,
        rig=in_rig(call="unsubscribe"),
    )
    def application_unsubscribes(self, c: int) -> None:
        """Gives the topic up."""
        require(self.unsubscribes_left > 0, self.consumer[c].subscribed)
        self.unsubscribes_left = self.unsubscribes_left - 1
        self.consumer[c].subscribed = False

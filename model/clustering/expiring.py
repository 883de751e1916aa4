"""Expiring: a queue that nobody has pulled for two minutes is given up, and taken again.

Stands for ProcessQueue.isPullExpired as a rebalance asks it.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.lang.record import Pause
from offsetproof.lang.step import in_rig
from offsetproof.model.shared.rebalancing import APART, MEMBERS, RESUMED, RESUMES, Rebalancing
from offsetproof.model.threads import REBALANCE
from offsetproof.model.timers import PULL_IDLE, REBALANCE_EVERY
from offsetproof.model.vocabulary import PullRequestAt, RebalanceStep, RepairStep

_TABLE = "updateProcessQueueTableInRebalance"
_DROPS_EXPIRED = at("RebalanceImpl", _TABLE, "setDropped", 2)
_PULLS = ("consumer_pulls", "pull_request_is_lost", "rebalance_adds_queue")
_LISTED = (("pq_id", "consumer[{c}].process_queue_table"),)
_EXPIRED = Pause(
    "an expired pull", (_PULLS,), PULL_IDLE, source="ProcessQueue.isPullExpired: PULL_MAX_IDLE_TIME", any_longer=True,
    same=("c", "pq_id"), held=_LISTED,
)  # fmt: skip
_UNNOTICED = Pause(
    "an expired pull goes unnoticed", ((*_PULLS, "poll_is_illegal"), RESUMES), most=PULL_IDLE + REBALANCE_EVERY,
    source="ProcessQueue.isPullExpired: PULL_MAX_IDLE_TIME; RebalanceService", same=("c", "pq_id"), held=_LISTED,
)  # fmt: skip


class Expiring(Rebalancing):
    """What a rebalance run does with a queue that is not pulled any more."""

    @REBALANCE.step(
        at("RebalanceImpl", _TABLE, "isPullExpired"),
        waits=(APART, RESUMED, MEMBERS, _EXPIRED, _UNNOTICED),
        rig=in_rig(_DROPS_EXPIRED, expired=True),
        logs="[BUG]doRebalance, {}, remove unnecessary mq, {}, because pull is pause, so try to fixed it",
    )
    def rebalance_drops_expired_queue(self, c: int, r: int) -> None:
        """Finds a ProcessQueue unpulled for two minutes, and drops it.

        The ProcessQueue is marked dropped. One that met an illegal offset is repaired before the two minutes are over.
        """
        consumer = self.consumer[c]
        pq_id = consumer.process_queue_table
        require(self.may_begin(c, r), consumer.believes_allocated, pq_id is not None)
        if pq_id is not None:
            pq = consumer.process_queue[pq_id]
            require(pq.pull_request == PullRequestAt.NONE, pq.repair == RepairStep.IDLE)
            pq.dropped = True
        self.begin(c, r, RebalanceStep.DROPPED)

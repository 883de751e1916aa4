"""Members: what a broker hears of them, and what a consumer makes of that.

Stands for ConsumerManager, and for RebalanceImpl.rebalanceByTopic, which asks a broker for the members.
"""

from __future__ import annotations

from offsetproof.lang import at, choose, require
from offsetproof.lang.record import Pause
from offsetproof.model.shared.rebalancing import RESUMES, Rebalancing
from offsetproof.model.threads import ALLOCATION, REGISTRY
from offsetproof.model.timers import REBALANCE_EVERY

_NEWS = Pause(
    "news of the group", ("membership_changes", (*RESUMES, "consumer_starts")), most=REBALANCE_EVERY,
    source="RebalanceService: waitInterval, or earlier when it is woken", same=("b",),
)  # fmt: skip


class Members(Rebalancing):
    """Members that come and go, and an allocation by strategy."""

    @REGISTRY.step(
        at("ConsumerManager", "registerConsumer", "updateChannel"),
        at("ConsumerManager", "doChannelCloseEvent", "doChannelCloseEvent"),
        any_time="at once where a connection is closed, else when a heartbeat is due or missed: any time",
    )
    def membership_changes(self, c: int, b: int) -> None:
        """Hears that a member has come or gone.

        The broker tells the others, and may be wrong for a while.
        """
        require(self.view_changes_left > 0)
        self.view_changes_left = self.view_changes_left - 1
        known = self.registry[b].members
        self.registry[b].members = choose(known.has(c), known.remove(c), known.add(c))

    @ALLOCATION.step(
        at("RebalanceImpl", "rebalanceByTopic", "findConsumerIdList"),
        waits=_NEWS,
        logs="[BUG] ConsumerGroup: {} The consumerId: {} not in cidAll: {}",
    )
    def consumer_reads_members(self, c: int, b: int) -> None:
        """Asks a broker for the members, and allocates by strategy.

        It may be any one of the topic's brokers.
        """
        consumer = self.consumer[c]
        mine = self.registry[b].allocates(c)
        require(self.scope.registries > 0, consumer.alive, consumer.believes_allocated != mine)
        require(self.registry[b].members.count() > 0)
        consumer.believes_allocated = mine

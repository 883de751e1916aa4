"""Routing: whom a client asks, and to whom it sends its commits.

Stands for MQClientInstance.findBrokerAddressInSubscribe and updateTopicRouteInfoFromNameServer. A client asks the
address that it has under brokerId 0, the master's; where it has none it refreshes its route, and takes any broker of
that name, here the slave. Where a slave acts as master the name server gives its address under brokerId 0. Left out: a
name server that does not miss a killed broker for up to two minutes.
"""

from __future__ import annotations

from offsetproof.lang import at, require
from offsetproof.model.replicas.consumer import Consumer
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.threads import CLIENT
from offsetproof.model.replicas.variants import ROUTES_KEPT
from offsetproof.model.replicas.vocabulary import MASTER


class Routing(Pair):
    """What a client knows of the brokers."""

    @CLIENT.step(
        at("MQClientInstance", "updateTopicRouteInfoFromNameServer", "put"),
        any_time="pollNameServerInterval: every 30 s, at any time of that",
    )
    def client_hears_route(self, c: int) -> None:
        """Takes the addresses that the name server has; it keeps those of before where it has none."""
        consumer = self.consumer[c]
        registered = self.broker[MASTER].is_registered()
        require(consumer.knows_master != registered, self.somebody_answers())
        if self.setting.assumes(ROUTES_KEPT):
            require(registered)
        consumer.knows_master = registered

    def refresh_route(self, consumer: Consumer) -> None:
        """Looks for the master again, where the client has nothing under brokerId 0."""
        if self.scope.acting_master == 0 and not consumer.knows_master:
            consumer.knows_master = self.broker[MASTER].is_registered()

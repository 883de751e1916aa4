"""Who belongs to the group: what brokers hear of their members, and clients that give the topic up, stop and start.

Stands for the brokers' ConsumerManager, whose table is in memory: a broker that was restarted hears of each member
again with its next heartbeat, within 30 s. A member is one of the group, whatever topics it subscribes to:
unsubscribe() changes the client's own subscriptions only. A client that stops here has nothing under way, and the
brokers hear of that apart. Left out: a broker that is restarted without the offsets of its last five seconds (see the
model of one queue); that the heartbeat of a member which does not subscribe takes the topic out of the group's
subscriptions at a broker, which then refuses the others' pulls until the next heartbeat of one that does.
"""

from __future__ import annotations

from typing import Any

from offsetproof.lang import OffsetSet, at, choose, every, holds, negation, require, some
from offsetproof.lang.record import NotInRig, Pause
from offsetproof.lang.rigging import RigChange, RigMoment
from offsetproof.lang.step import in_rig
from offsetproof.model.queues.client import Client, Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.threads import APPLICATION, BROKER, MEMBERSHIP, of_member
from offsetproof.model.queues.variants import GROUP_STOPPED, LEAVES_GROUP
from offsetproof.model.queues.vocabulary import BROKERS, MEMBERS
from offsetproof.model.threads import BY_APPLICATION, BY_DECISION
from offsetproof.model.timers import HEARTBEAT_EVERY
from offsetproof.model.vocabulary import CONSUMERS

_PUSH = "DefaultMQPushConsumerImpl"
_HEARD = at("ConsumerManager", "registerConsumer", "updateChannel")
_HEARTBEAT = Pause(
    "a heartbeat is late", ("broker_restarts",), most=HEARTBEAT_EVERY, same=("b",),
    source="MQClientInstance.startScheduledTask: heartbeatBrokerInterval",
)  # fmt: skip


def _changes(moment: RigMoment) -> dict[str, Any]:
    """Whether the member has come or gone."""
    known: frozenset[int] = moment.after[f"registry[{moment.arg('b')}].members"]
    return {**of_member(moment), "joins": moment.arg("m") in known}


class Membership(QueueGroup):
    """What brokers hear of the group, and what its applications do."""

    @MEMBERSHIP.step(
        _HEARD,
        at("ConsumerManager", "doChannelCloseEvent", "doChannelCloseEvent"),
        any_time=BY_DECISION,
        rig=RigChange("member", _changes),
        m=MEMBERS,
        b=BROKERS,
    )
    def membership_changes(self, m: int, b: int) -> None:
        """Hears that a member has come or gone.

        The broker may be wrong for a while; another one may know better.
        """
        require(self.view_changes_left > 0)
        self.view_changes_left = self.view_changes_left - 1
        known = self.registry[b].members
        self.registry[b].members = choose(known.has(m), known.remove(m), known.add(m))

    @BROKER.step(
        at("BrokerController", "shutdown"),
        at("BrokerController", "initialize", "load", nth=2).or_at("initializeMetadata", "load", nth=3),
        any_time=BY_DECISION,
    )
    def broker_restarts(self, b: int) -> None:
        """Is shut down and started: it has its offsets, and knows no member of any group."""
        require(self.restarts_left > 0)
        self.restarts_left = self.restarts_left - 1
        registry = self.registry[b]
        registry.unheard = registry.unheard | registry.members
        registry.members = OffsetSet()

    @MEMBERSHIP.step(_HEARD, waits=_HEARTBEAT, m=MEMBERS, b=BROKERS)
    def member_is_heard(self, m: int, b: int) -> None:
        """Gets the first heartbeat of a member since either was started."""
        registry = self.registry[b]
        require(registry.unheard.has(m))
        registry.unheard = registry.unheard.remove(m)
        registry.members = registry.members.add(m)

    @APPLICATION.step(at(_PUSH, "unsubscribe", "remove"), any_time=BY_APPLICATION, rig=in_rig(call="unsubscribe"))
    def application_unsubscribes(self, c: int) -> None:
        """Gives the topic up.

        The brokers are not told; the client sends its heartbeats for the group as before.
        """
        client = self.client[c]
        require(self.unsubscribes_left > 0, client.subscribed)
        self.unsubscribes_left = self.unsubscribes_left - 1
        client.subscribed = False

    @MEMBERSHIP.step(
        at("ConsumerManager", "unregisterConsumer", "unregisterChannel"),
        any_time="a decision of the application, which shuts its consumer down",
        rig=RigChange("lose", of_member),
        c=CONSUMERS,
        b=BROKERS,
    )
    def client_is_unregistered(self, c: int, b: int) -> None:
        """Hears that a client which has given the topic up leaves the group."""
        require(self.setting.assumes(LEAVES_GROUP), not self.client[c].subscribed, self.registry[b].members.has(c))
        self.registry[b].members = self.registry[b].members.remove(c)

    @APPLICATION.step(
        at(_PUSH, "shutdown", "persistConsumerOffset"),
        at(_PUSH, "shutdown", "MQClientInstance.shutdown"),
        any_time=BY_DECISION,
        rig=NotInRig("a client of this rig runs as long as the rig; that of one queue does shutdowns"),
    )
    def client_stops(self, c: int) -> None:
        """Is shut down, when its persist has sent every cell as it is, and ends.

        What it has sent is still on its way.
        """
        client = self.client[c]
        require(self.stops_left > 0, client.running, client.does_nothing())
        require(every(self._has_persisted(client, q) for q in range(self.scope.queues)))
        self.stops_left = self.stops_left - 1
        client.stop()

    def _has_persisted(self, client: Client, q: int) -> bool:
        """Is the queue's cell what was sent last, if it is in the table and has one?"""
        share, sent = client.share[q], self.queue[q].committed
        for place in range(self.scope.commits_in_flight):
            sent = choose(share.commits.count > place, share.commits[place].offset, sent)
        is_sent = share.number_of(Share.cell) == sent + 1
        return some([negation(client.process_queue_table.has(q)), holds(share, Share.cell, None), is_sent])

    @APPLICATION.step(
        at(_PUSH, "start"),
        any_time=BY_DECISION,
        rig=NotInRig("a client of this rig runs as long as the rig; that of one queue does starts"),
    )
    def client_starts(self, c: int) -> None:
        """Is started again, with nothing in its table."""
        require(not self.client[c].running)
        if self.setting.assumes(GROUP_STOPPED):
            require(self.is_tool_done())
        self.client[c].running = True

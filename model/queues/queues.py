"""The model put together: everything that several queues of one group share."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, declared_in
from offsetproof.lang.setting import fixes_in
from offsetproof.model.behaviours.replies_by_callback_threads import REPLIES_NEED_THREADS
from offsetproof.model.behaviours.server_side_reset_queues import RESETS_QUEUES_BY_MARKER
from offsetproof.model.behaviours.two_phase_removal import REMOVES_AFTERWARDS
from offsetproof.model.lines import ANCHOR_LINES
from offsetproof.model.queues import variants
from offsetproof.model.queues.administering import RESETS_AT_BROKER, AdministeringBrokers
from offsetproof.model.queues.consuming import ConsumingShares
from offsetproof.model.queues.membership import Membership
from offsetproof.model.queues.persisting import PersistingShares
from offsetproof.model.queues.rebalancing import RebalancingByTopic
from offsetproof.model.queues.resetting import ResettingTable
from offsetproof.model.queues.scopes import BOUNDS, SCOPES
from offsetproof.model.releases import CLIENT_AND_BROKER, ONE_QUEUE_RESET, RELEASES, USUAL

LEFT_OUT = (
    "what happens within one queue, but for progress, its late write, and the long poll (see the model of one queue)",
    "the moments between reading a cell and sending it, and between removing a cell and removing its queue",
    "a cell that is removed while a round of persistAll has come to it, and that is sent all the same",
    "that a run of rebalance hands over the PullRequests of the queues that it adds at its end only",
    "moments in which a run of rebalance, or a loop of a reset, goes on from a queue to the next",
    "queues for which nothing is stored, and what their brokers answer",
    "stalls that are longer than a reset's sleep, requests that are overtaken or lost, and kills",
    "a shutdown or a start while something is under way in the client; resets by time while a client is stopped",
    "a broker whose subscriptions of the group lack the topic, because a member's heartbeat did: it refuses pulls",
    "a broker that is restarted without the offsets that it had not flushed (see the model of one queue)",
    "a ProcessQueue that leaves the table without being dropped, and goes on",
    "queues of one broker with different targets in one command; routes that change, and more read than write queues",
    "the queue of the group's retry topic, which one of the clients has in its table, too",
    "clients that a broker does not know, and sends no reset command",
    "callbacks that wait because resets hold all of several callback threads; one thread is there (callback_threads)",
    "orderly consumption and its locks; broadcasting",
    "clients in other languages, slaves",
    RESETS_AT_BROKER,
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class Queues(ConsumingShares, PersistingShares, Membership, RebalancingByTopic, AdministeringBrokers, ResettingTable):
    """Several queues of one group on one or more brokers, and resets of them."""

    scopes = SCOPES
    bounds = BOUNDS
    releases = RELEASES
    usual_release = USUAL
    roles = CLIENT_AND_BROKER
    fixes = fixes_in((ONE_QUEUE_RESET, *declared_in(variants, Behaviour)))
    assumptions = declared_in(variants, Assumption)
    left_out = LEFT_OUT
    changed_by = (REMOVES_AFTERWARDS, REPLIES_NEED_THREADS, RESETS_QUEUES_BY_MARKER)
    anchored = True
    anchor_lines = ANCHOR_LINES

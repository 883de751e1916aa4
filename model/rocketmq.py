"""The model put together: everything that can happen to one queue of one group."""

from __future__ import annotations

from offsetproof.model.committing import Committing
from offsetproof.model.consuming import Consuming
from offsetproof.model.pulling import Pulling
from offsetproof.model.rebalancing import Rebalancing
from offsetproof.model.resetting import Resetting
from offsetproof.model.scopes import SCOPES
from offsetproof.model.variants import ASSUMPTIONS, FIXES, LISTENERS, RELEASES

LEFT_OUT = (
    "other queues, brokers and topics, the retry topic, retention, slaves, broker restarts and the offset file",
    "start, shutdown and kill of consumers; locks and orderly consumption; broadcasting; POP",
    "batches of more than one message, failing listeners, send-back, the expiry sweep",
    "flow control, pull exceptions, OFFSET_ILLEGAL, pull-expired queues, failed offset queries, ConsumeFromWhere rules",
    "a rebalance run that has passed its test for pause but has not taken its first step",
    "persistAll's removal of cells of queues that are not in the table, which takes another queue in the table",
    "two rebalance runs at once in one consumer (the timer's and resume's)",
    "resets that the broker refuses or computes by time; a consumer that does not hear the command",
    "a pull thread or the persist timer stalled between reading the cell and sending it",
)
"""What is not in the model, by theme; each component's docstring says it in place."""


class RocketMQ(Pulling, Consuming, Committing, Rebalancing, Resetting):
    """Apache RocketMQ's concurrent push consumer under a client-driven offset reset, on one queue (4.9.4)."""

    scopes = SCOPES
    releases = RELEASES
    roles = ("broker", "client")
    fixes = FIXES
    assumptions = ASSUMPTIONS
    listeners = LISTENERS
    left_out = LEFT_OUT
    anchored = True

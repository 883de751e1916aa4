"""The threads of a broadcasting consumer beside those that every consumer has, and the broker's lock table."""

from __future__ import annotations

from offsetproof.lang.rigging import RigChange, ThreadStep
from offsetproof.lang.step import Outside, Thread
from offsetproof.model.threads import of_client, thread_of
from offsetproof.model.vocabulary import CONSUMERS

OTHER_REBALANCE = Thread(
    "rebalance", {"c": CONSUMERS}, "",
    ThreadStep(
        "other rebalance", thread_of("c", role="other rebalance"), "rebalance_other_topic", values=of_client, whole=True
    ),
)  # fmt: skip
"""A run of rebalance as far as it is about the other queue's topic."""

LEASES = Outside("admin broker", {}, "broker", RigChange("expire_lease"))
"""The broker's lock table, whose leases nobody renews."""

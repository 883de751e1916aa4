"""The threads of an orderly consumer beside those that every consumer has, and the broker's lock table."""

from __future__ import annotations

from offsetproof.lang import Fairness
from offsetproof.lang.rigging import RigChange, ThreadStep
from offsetproof.lang.step import Outside, Thread, in_rig
from offsetproof.model.threads import LOCK, QUERY, of_client, one_for_each, thread_of
from offsetproof.model.vocabulary import CONSUMERS, PROCESS_QUEUES

GIVEN_UP = ("rebalance_unlocks_queue", "reset_unlocks_queue", "repair_removes_offset", "repair_unlocks_queue")
"""The steps with which a queue that is given up is unlocked, now or later."""

CONSUME_REQUEST = one_for_each("consume", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES}, "a consume thread stalls", "task")
ORDERLY_PULL = Thread(
    "pull", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES}, "",
    ThreadStep("pull", thread_of("c", role="pull"), "pull", values=of_client),
)  # fmt: skip
ASKING_PULL = Thread("pull", {"c": CONSUMERS}, "", ORDERLY_PULL.rig)
"""The pull thread, for the ProcessQueue whose first pull under the lock asks where to start."""
LOCK_TIMER = Thread(
    "lock timer", {"c": CONSUMERS}, "",
    ThreadStep("lock timer", thread_of("c", role="lock timer"), None, (LOCK,), of_client),
)  # fmt: skip
UNLOCK_TIMER = one_for_each("unlock timer", {"c": CONSUMERS}, "", "delayed_unlock")
"""Threads of a client: one request's, the pull thread, the service's scheduled thread, the delayed unlock's."""

_ASKS_FOR_LOCKS = ThreadStep("lock timer", thread_of("c", role="lock timer"), values=of_client)
RENEWALS = Outside(
    "admin broker", {"c": CONSUMERS}, "broker", in_rig(call="renew_locks").of(_ASKS_FOR_LOCKS), fair=Fairness.EACH
)
LOCK_REQUESTS = Outside(
    "admin broker",
    {"c": CONSUMERS, "pq_id": PROCESS_QUEUES},
    "broker",
    in_rig(call="lock_again").of(_ASKS_FOR_LOCKS),
    fair=Fairness.EACH,
)
UNLOCKS = Outside("admin broker", {"c": CONSUMERS}, "broker", RigChange("unlock", of_client), fair=Fairness.EACH)
LEASES = Outside("admin broker", {"c": CONSUMERS}, "broker", RigChange("expire_lease"), fair=Fairness.EACH)
PULL_QUERIES = Outside(
    "consumer manage",
    {"c": CONSUMERS},
    "broker",
    in_rig(QUERY, answer_query=True).of(ORDERLY_PULL.rig),
    fair=Fairness.EACH,
)
"""The broker's threads: requests about locks, and queries of a first pull under the lock."""

TIME = Outside("time", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES}, "consumer[c]", RigChange("expire_lock", of_client))
"""A lock that a client believes in grows old."""

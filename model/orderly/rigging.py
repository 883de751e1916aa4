"""How each action of orderly consumption is done on the real classes: as in the concurrent model, and by the locks.

The client has the real ConsumeMessageOrderlyService, the broker the real RebalanceLockManager. A request for a lock is
executed at once and stops its thread with the answer; one to unlock is on its way until a step executes it, but for a
shutdown's, which waits for the answer. Time passes where a step says so: a lock, or a lease, is made to look old. Not
real: AdminBrokerProcessor, and where copies for the dead-letter queue go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offsetproof.lang import Scope
from offsetproof.lang.rigging import Rigging
from offsetproof.model.concurrent import rigging as concurrent
from offsetproof.model.orderly.consuming import LOOPS
from offsetproof.model.orderly.pulling import SETS_START
from offsetproof.model.orderly.results import COMMITS_AS_TOLD, COUNTS_FAILURES_AS_TOLD


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:
    settings = {**concurrent.settings_of(scope, state), "orderly": True}
    return settings | ({"max_reconsume_times": scope.reconsumes} if scope.reconsumes > 0 else {})


_CLIENT = ("unlocks", "late_unlocks", "delayed_unlocks")
HOLDS = (LOOPS, COMMITS_AS_TOLD, COUNTS_FAILURES_AS_TOLD)
"""Where a consume thread stops although no step of every listener begins there."""


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """What the concurrent rig shows as well, and the locks."""
    fields = concurrent.fields_in_rig({**state, **_taken_pull_requests(state)})
    fields["broker.lock_owner"] = state["broker.lock_owner"]
    for client in concurrent.clients(state):
        fields |= {f"{client}.{name}": state[f"{client}.{name}"] for name in _CLIENT}
        for number in range(int(state[f"{client}.process_queues_made"])):
            fields |= _seen_of_process_queue(client, number, state)
    return fields


def _taken_pull_requests(state: Mapping[str, Any]) -> dict[str, Any]:
    """The PullRequests that the pull threads have, which have left the run queue and ask where to start."""
    asking = [client for client in concurrent.clients(state) if state[f"{client}.pull_start.at"] != "IDLE"]
    return {f"{client}.process_queue[{state[f'{client}.pull_start.pq_id']}].pull_request": "NONE" for client in asking}


def _seen_of_process_queue(client: str, number: int, state: Mapping[str, Any]) -> dict[str, Any]:
    pq = f"{client}.process_queue[{number}]"
    fields = {**seen_in_order(client, number, state), f"{pq}.locked": state[f"{pq}.locked"]}
    fields[f"{pq}.believes_in_lock"] = state[f"{pq}.locked"] and not state[f"{pq}.lock_expired"]
    if state[f"{pq}.pull_request"] == "RUN_QUEUE" and f"{pq}.pull_request" not in _taken_pull_requests(state):
        fields[f"{pq}.previously_locked"] = state[f"{pq}.previously_locked"]
    return fields


def seen_in_order(client: str, number: int, state: Mapping[str, Any]) -> dict[str, Any]:
    """What the rig shows as well of a ProcessQueue that is consumed in order, in either mode."""
    pq, consuming = f"{client}.process_queue[{number}]", "consuming_msg_orderly_tree_map"
    fields = {f"{pq}.{consuming}": state[f"{pq}.{consuming}"], f"{pq}.msg_count": len(state[f"{pq}.msg_count"])}
    if not state[f"{pq}.dropped"]:
        fields[f"{pq}.waiting_requests"] = int(_has_waiting_request(client, number, state))
    return fields


# In the class `consuming` stays true where a drop has ended a request, so messages that arrive later are not submitted
# any more. In the model they are, and that request ends at once: it does nothing, and is not compared.
def _has_waiting_request(client: str, pq_id: int, state: Mapping[str, Any]) -> bool:
    """Is a ProcessQueue's request submitted, or does it wait for another try to lock the queue that has not begun?"""
    at_step = state[f"{client}.process_queue[{pq_id}].request.at"]
    if at_step == "LOCKING":
        return bool(state[f"{client}.locking.at"] == "IDLE" or state[f"{client}.locking.pq_id"] != pq_id)
    return bool(at_step == "SUBMITTED")


RIGGING = Rigging(
    settings=_settings,
    fields_in_rig=_fields_in_rig,
    holds={
        **concurrent.RIGGING.holds,
        "consume": HOLDS,
        "pull": (SETS_START,),
    },
    passes={name: places for name, places in concurrent.RIGGING.passes.items() if name != "consume"},
    roles=concurrent.RIGGING.roles,
    with_fix=concurrent.WITH_FIX,
)
"""What the actions of the model of orderly consumption are to the rig."""

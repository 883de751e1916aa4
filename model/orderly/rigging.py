"""How each action of orderly consumption is done on the real classes: as in the concurrent model, and by the locks.

The client has the real ConsumeMessageOrderlyService, the broker the real RebalanceLockManager. A request for a lock is
executed at once and stops its thread with the answer; one to unlock is on its way until a step executes it, but for a
shutdown's, which waits for the answer. Time passes where a step says so: a lock, or a lease, is made to look old. Not
real: AdminBrokerProcessor, and where copies for the dead-letter queue go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from offsetproof.lang import Anchor, Scope, at
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.model import rigging as concurrent
from offsetproof.model.orderly.consuming import REQUEST, OrderlyConsuming
from offsetproof.model.orderly.handing_over import LockedRepairing
from offsetproof.model.orderly.locking import Locking
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.orderly.variants import WITHOUT_AUTO_COMMIT
from offsetproof.model.rigging import application, rebalance
from offsetproof.model.threads import of_client

_SERVICE = "ConsumeMessageOrderlyService"
_RESULT = "processConsumeResult"
_PULL = "DefaultMQPushConsumerImpl"

_RUNS = at(REQUEST, "run", "isDropped")
_LOOPS = at(REQUEST, "run", "isDropped", 2)
_WAITS_FOR_CONSUME_LOCK = at(REQUEST, "run", "Lock.lock")
_COMMITS_BY_ITSELF = at(_SERVICE, _RESULT, "ProcessQueue.commit")
_COMMITS_AS_TOLD = at(_SERVICE, _RESULT, "ProcessQueue.commit", 3)
_COUNTS_FAILURES = at(_SERVICE, _RESULT, "checkReconsumeTimes")
_COUNTS_FAILURES_AS_TOLD = at(_SERVICE, _RESULT, "checkReconsumeTimes", 2)
_CHECKS_DROPPED = at(_SERVICE, _RESULT, "isDropped")
_UNLOCKS_ALL = at(_SERVICE, "shutdown", "unlockAllMQ")
_TRIES_TO_UNLOCK = at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "tryLock")
_STORES_ANSWER = at("RemoteBrokerOffsetStore", "readOffset", "updateOffset")
_SETS_START = at(_PULL, "pullMessage", "setPreviouslyLocked")
_LOCK, _LISTENER, _QUERY = "lock", "listener", "query"
"""Where a thread waits: for the answer about a lock to be heard of, for the listener's return, for an offset."""

_ANSWER = {"SUSPEND": "SUSPEND_CURRENT_QUEUE_A_MOMENT"}
"""ConsumeOrderlyStatus, where the model has another word."""


def _request(*gates: Anchor | str, within: tuple[Anchor, ...] = ()) -> ThreadStep:
    """A step of the thread that runs a life's consume request."""
    return ThreadStep("consume", _requests, "task", gates[:1], of_client, also=gates[1:], within=within)


def _requests(moment: RigMoment) -> tuple[str, ...]:
    return (f"consume {moment.arg('c')} {moment.arg('life')}",)


def _listener_returns() -> ThreadStep:
    """The listener returns, and the consume lock is free again."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        answer = str(moment.args["answer"])
        by_itself = moment.listener not in [listener.name for listener in WITHOUT_AUTO_COMMIT]
        return of_client(moment, listener=_ANSWER.get(answer, answer), auto_commit=by_itself)

    return ThreadStep("consume", _requests, None, (_LISTENER,), values_at)


def _locks(call: str | None, *gates: str) -> ThreadStep:
    """A step of the service's one scheduled thread, which asks for locks."""
    return ThreadStep("lock timer", lambda moment: (f"lock timer {moment.arg('c')}",), call, gates, of_client)


def _pull(*gates: Anchor | str, within: tuple[Anchor, ...] = (), whole: bool = False, **values: Any) -> ThreadStep:
    """A step of the client's one pull thread."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        return of_client(moment, **values)

    return ThreadStep(
        "pull",
        lambda moment: (f"pull {moment.arg('c')}",),
        "pull",
        gates[:1],
        values_at,
        whole,
        also=gates[1:],
        within=within,
    )


def _pull_without_start() -> ThreadStep:
    """The query is not answered, but the pull is: its offset is illegal. One step of two threads."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        life = moment.before[f"consumer[{moment.arg('c')}].pull_start.life"]
        query = {"answer_query": True, "times_out": True}
        return of_client(moment, **query, is_answered=True, life=life, size=1)

    return ThreadStep("pull", _pull().threads, None, (_QUERY,), values_at, within=(_SETS_START,))


def _unlock_timer() -> ThreadStep:
    """The thread that unlocks a queue 20 s after it was given up."""
    return ThreadStep(
        "unlock timer", lambda moment: (f"unlock timer {moment.arg('c')}",), "delayed_unlock", values=of_client
    )


_ORDERLY: dict[str, ThreadStep | RigChange] = {
    "consumer_pulls": _pull(whole=True),
    "pull_asks_for_start": _pull(),
    "broker_answers_pull": _pull(_QUERY, answer_query=True),
    "broker_answers_pull_before_commits": _pull(_QUERY, answer_query=True),
    "broker_answers_pull_with_error": _pull(_QUERY, answer_query=True, with_error=True),
    "pull_goes_on_without_start": _pull_without_start(),
    "pull_finds_start": _pull(),
    "pull_is_sent_with_new_start": _pull(_STORES_ANSWER, _SETS_START, within=(_SETS_START,)),
    "request_takes_messages": _request(_RUNS, _LOOPS, within=(_LOOPS,)),
    "request_starts_listener": _request(_WAITS_FOR_CONSUME_LOCK),
    "listener_returns": _listener_returns(),
    "request_commits": _request(_COMMITS_BY_ITSELF, _COMMITS_AS_TOLD),
    "request_goes_on_uncommitted": _request(within=(_CHECKS_DROPPED,)),
    "request_rolls_back": _request(within=(_CHECKS_DROPPED,)),
    "request_suspends": _request(_COUNTS_FAILURES, _COUNTS_FAILURES_AS_TOLD, within=(_CHECKS_DROPPED,)),
    "request_checks_dropped": _request(),
    "request_updates_cell": _request(),
    "broker_answers_renewal": _locks("renew_locks"),
    "client_hears_of_renewal": _locks(None, _LOCK),
    "broker_answers_request": _locks("lock_again"),
    "client_hears_of_lock": _locks(None, _LOCK),
    "broker_answers_lock": rebalance(),
    "rebalance_hears_of_lock": rebalance(_LOCK),
    "rebalance_unlocks_queue": rebalance(_TRIES_TO_UNLOCK),
    "rebalance_cannot_unlock_queue": rebalance(_TRIES_TO_UNLOCK),
    "reset_unlocks_queue": concurrent.STEPS["reset_removes_offset"],
    "delayed_unlock_is_sent": _unlock_timer(),
    "broker_unlocks": RigChange("unlock", of_client),
    "unlock_is_overtaken": RigChange("overtake_unlock", of_client),
    "broker_unlocks_late": RigChange("unlock_late", of_client),
    "lock_expires": RigChange("expire_lock", of_client),
    "lock_expires_for_want_of_renewal": RigChange("expire_lock", of_client),
    "lease_expires": RigChange("expire_lease"),
    "shutdown_ends_renewal": application("shutdown"),
    "consumer_begins_shutdown": application(None),
    "shutdown_unlocks": replace(application(None), gates=(_UNLOCKS_ALL,)),
}
"""What is not as in the concurrent model, or not there at all."""

STEPS: dict[str, ThreadStep | RigChange] = {
    **{name: step for name, step in concurrent.STEPS.items() if name in RocketMQOrderly.actions},
    **_ORDERLY,
}


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:
    settings = {**concurrent.settings_of(scope, state), "orderly": True}
    return settings | ({"max_reconsume_times": scope.reconsumes} if scope.reconsumes > 0 else {})


_CLIENT = ("unlocks", "late_unlocks", "delayed_unlocks")
_LIFE = ("consuming_msg_orderly_tree_map", "locked")


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """What the concurrent rig shows as well, and the locks."""
    fields = concurrent.fields_in_rig({**state, **_taken_tokens(state)})
    fields["broker.lock_owner"] = state["broker.lock_owner"]
    for client in concurrent.clients(state):
        fields |= {f"{client}.{name}": state[f"{client}.{name}"] for name in _CLIENT}
        for number in range(int(state[f"{client}.lives_created"])):
            fields |= _seen_of_life(client, number, state)
    return fields


def _taken_tokens(state: Mapping[str, Any]) -> dict[str, Any]:
    """The tokens that the pull threads have, which have left the run queue and ask where to start."""
    asking = [client for client in concurrent.clients(state) if state[f"{client}.pull_start.at"] != "IDLE"]
    return {f"{client}.process_queue[{state[f'{client}.pull_start.life']}].token": "NONE" for client in asking}


def _seen_of_life(client: str, number: int, state: Mapping[str, Any]) -> dict[str, Any]:
    life = f"{client}.process_queue[{number}]"
    fields: dict[str, Any] = {f"{life}.{name}": state[f"{life}.{name}"] for name in _LIFE}
    fields[f"{life}.msg_count"] = len(state[f"{life}.msg_count"])
    fields[f"{life}.believes_in_lock"] = state[f"{life}.locked"] and not state[f"{life}.lock_expired"]
    if not state[f"{life}.dropped"]:
        fields[f"{life}.waiting_requests"] = int(_has_waiting_request(client, number, state))
    if state[f"{life}.token"] == "RUN_QUEUE" and f"{life}.token" not in _taken_tokens(state):
        fields[f"{life}.previously_locked"] = state[f"{life}.previously_locked"]
    return fields


# In the class `consuming` stays true where a drop has ended a request, so messages that arrive later are not submitted
# any more. In the model they are, and that request ends at once: it does nothing, and is not compared.
def _has_waiting_request(client: str, life: int, state: Mapping[str, Any]) -> bool:
    """Is a life's request submitted, or does it wait for another try to lock the queue that has not begun?"""
    at_step = state[f"{client}.process_queue[{life}].request.at"]
    is_asked_for = state[f"{client}.locking.at"] != "IDLE" and state[f"{client}.locking.life"] == life
    return at_step == "SUBMITTED" or (at_step == "LOCKING" and not is_asked_for)


RIGGING = Rigging(
    settings=_settings,
    steps=STEPS,
    fields_in_rig=_fields_in_rig,
    holds={
        **concurrent.RIGGING.holds,
        "consume": (_LOOPS, _COMMITS_AS_TOLD, _COUNTS_FAILURES_AS_TOLD),
        "pull": (_SETS_START,),
    },
    passes={name: places for name, places in concurrent.RIGGING.passes.items() if name != "consume"},
    roles=concurrent.RIGGING.roles,
    with_fix=concurrent.WITH_FIX,
    left_out={
        OrderlyConsuming.request_yields.__name__: "a request gives its place up after a minute without a pause",
        OrderlyConsuming.request_is_rejected.__name__: "the rig's scheduled submissions are steps of other threads",
        Locking.broker_unlocks_for_former_process.__name__: "what a client that is gone has sent is not in the rig",
        LockedRepairing.repair_finds_queue.__name__: "no published class looks for the queue before it unlocks it",
    },
)
"""What the actions of the model of orderly consumption are to the rig."""

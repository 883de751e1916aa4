"""How each action is done on the real classes of the release: which thread runs which call, and where its steps begin.

The rig (`real/java`) holds the unmodified client classes of one group on one queue, with collected instead of running
threads, the real ConsumerOffsetManager, and a broker that answers. A thread stops wherever an action of its role
begins, so the schedule of a trace can be enforced line by line. Scripted, not real: the members that a client sees, the
answer to a query of a group without a row, the administrator's tool and AdminBrokerProcessor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count, takewhile
from typing import Any

from offsetproof.lang import Anchor, Scope, at
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.lang.step import rig_of
from offsetproof.model.failing import Failing
from offsetproof.model.rewinding import Rewinding
from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.threads import of_client
from offsetproof.model.variants import (
    ACK_AT_FAILURE,
    ACK_BEFORE_FAILURE,
    ACK_BELOW_MINUS_ONE,
    ACK_FIRST,
    ACK_NONE,
    POLL_CHECKS_DROPPED,
)
from offsetproof.model.vocabulary import ConsumeFrom, Rebalancer

AFTER_RESUME = at("DefaultMQPushConsumerImpl", "resume", "doRebalance")
_SENDS_READ_VALUE = at("RemoteBrokerOffsetStore", "updateConsumeOffsetToBroker", "findBrokerAddressInSubscribe")
FIRST_LOOP = at("MQClientInstance", "resetOffset", "entrySet")
SECOND_LOOP = at("MQClientInstance", "resetOffset", "keySet")
"""Where a reset begins to go over the table: what is added until then is in the loop."""
_ASKS_BROKER = at("RemoteBrokerOffsetStore", "readOffset", "fetchConsumeOffsetFromBroker")
_UPDATES_CELL = at("ConsumeMessageConcurrentlyService", "processConsumeResult", "updateOffset")
_RAISES_CELL = at("RemoteBrokerOffsetStore", "updateOffset", "compareAndIncreaseOnly")
TAKES_QUEUES = at("DefaultMQPushConsumerImpl", "persistConsumerOffset", "keySet")
BEGINS_PERSISTING = at("RemoteBrokerOffsetStore", "persistAll", "isEmpty")
_EXPIRED = at("RebalanceImpl", "updateProcessQueueTableInRebalance", "setDropped", 2)
_ALLOCATES = at("RebalanceImpl", "rebalanceByTopic", "allocate")
_REMOVES_LOST = at("RebalanceImpl", "updateProcessQueueTableInRebalance", "Iterator.remove")
_REMOVES_EXPIRED = at("RebalanceImpl", "updateProcessQueueTableInRebalance", "Iterator.remove", 2)
_STARTS = "RebalancePushImpl", "computePullFromWhereWithException"
_FINDS_START = (at(*_STARTS, "maxOffset"), at(*_STARTS, "maxOffset", 2), at(*_STARTS, "searchOffset"))
_QUERY, _ANSWER = "query", "answer"
"""Where a thread waits: for the answer to its offset query, to its pull."""


def _consume(*gates: Anchor, **values: Any) -> ThreadStep:
    """A step of the thread that runs one consume request."""
    return ThreadStep(
        "consume",
        lambda moment: (f"consume {moment.arg('c')} {moment.arg('life')} {moment.arg('m')}",),
        "task",
        gates,
        lambda moment: of_client(moment, **values),
    )


def _updates_cell() -> ThreadStep:
    """updateOffset as a whole, or its second half, where getting hold of the cell is a step of its own."""
    return replace(_consume(_UPDATES_CELL), also=(_RAISES_CELL,))


def _callback(*, size: bool = False) -> ThreadStep:
    """A step of the pull callback of one life; the broker answers when it begins."""
    return ThreadStep(
        "callback",
        lambda moment: (f"callback {moment.arg('c')} {moment.arg('life')}",),
        "answer",
        values=lambda moment: of_client(moment, size=moment.arg("n") + 1 if size else 1),
    )


def _pull_fails() -> ThreadStep:
    """The pull callback hears that a pull, or its answer, is lost."""
    return ThreadStep("callback", _callback().threads, "fail_pull", values=of_client, whole=True)


def rebalancers(moment: RigMoment) -> tuple[str, ...]:
    """The thread of a run of rebalance: its own, or whoever resumed."""
    c = moment.arg("c")
    return (f"rebalance {c}",) if moment.arg("r") == Rebalancer.SERVICE else (f"reset {c}", f"application {c}")


def rebalance(*gates: Anchor | str, **values: Any) -> ThreadStep:
    """A step of a run of rebalance."""
    return ThreadStep("rebalance", rebalancers, "rebalance", gates, lambda moment: of_client(moment, **values))


def application(call: str | None, **values: Any) -> ThreadStep:
    """A step of the application's own thread."""
    return ThreadStep(
        "application",
        lambda moment: (f"application {moment.arg('c')}",),
        call,
        values=lambda moment: of_client(moment, **values),
    )


def _timer(*gates: Anchor) -> ThreadStep:
    """A step of the persist timer."""
    return ThreadStep("persist", lambda moment: (f"persist {moment.arg('c')}",), "persist", gates, of_client)


def _info(*gates: Anchor | str, **values: Any) -> ThreadStep:
    """A step of the thread that gathers the running info."""
    return ThreadStep(
        "info",
        lambda moment: (f"info {moment.arg('c')}",),
        "running_info",
        gates,
        lambda moment: of_client(moment, **values),
    )


def _broker(call: str, **named: str) -> ThreadStep:
    """A step of a broker thread that executes a commit; `named` says which arguments it is told under which names."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        known = {"client": moment.arg("c")} if "c" in moment.args else {}
        return known | {name: moment.arg(arg) for name, arg in named.items()}

    gate = at("ConsumerOffsetManager", "commitOffset", "get")
    return ThreadStep("commit", lambda moment: ("commit",), call, (gate,), values_at)


def _neighbour(call: str | None) -> ThreadStep:
    return ThreadStep("commit", lambda moment: ("neighbour commit",), call)


def _allocation(moment: RigMoment) -> dict[str, Any]:
    """What the client's next look at the group will tell it."""
    c = moment.arg("c")
    return {"client": c, "allocated": moment.after[f"consumer[{c}].believes_allocated"]}


def _values_at_discard(moment: RigMoment) -> dict[str, Any]:
    """Where the fix ends a poll of a dropped queue, no answer comes in the release, which does not have the fix."""
    token = moment.after[f"consumer[{moment.arg('c')}].process_queue[{moment.arg('life')}].token"]
    return of_client(moment, ends=token == "NONE")


_ACK_INDEX: dict[str, Callable[[int], int]] = {
    ACK_AT_FAILURE.name: lambda i: i,
    ACK_BEFORE_FAILURE.name: lambda i: i - 1,
    ACK_FIRST.name: lambda i: 0,
    ACK_NONE.name: lambda i: -1,
    ACK_BELOW_MINUS_ONE.name: lambda i: -2,
}


def _failure(moment: RigMoment) -> dict[str, Any]:
    """What the listener answers when message i fails."""
    if moment.listener in _ACK_INDEX:
        index = _ACK_INDEX[moment.listener](moment.arg("i"))
        throws = "java.lang.IndexOutOfBoundsException" if index < -1 else None
        return of_client(moment, listener="CONSUME_SUCCESS", ack_index=index, throws=throws)
    return of_client(moment, listener="RECONSUME_LATER")


_OF_CLIENT = RigChange("nothing", of_client)
_SCRIPTED = RigChange("nothing")
"""The administrator's tool, and its way to the client: the reset command is there when the client takes it."""

STEPS: dict[str, ThreadStep | RigChange] = {
    "producer_sends": RigChange("store"),
    "retention_removes_message": RigChange("retire"),
    "first_message_turns_cold": RigChange("cool"),
    "view_changes": RigChange("allocate", _allocation),
    "membership_changes": _SCRIPTED,
    "consumer_reads_members": RigChange("allocate", _allocation),
    "consumer_pulls": ThreadStep("pull", lambda moment: ("pull",), "pull", values=of_client, whole=True),
    "pull_request_is_lost": RigChange("lose_token", of_client),
    "broker_receives_pull": _broker("receive_pull", life="life"),
    "poll_checks_dropped": RigChange("end_poll", _values_at_discard),
    "poll_finds_messages": _callback(size=True),
    "poll_ends_without_news": _callback(),
    "poll_matches_nothing": _callback(),
    "poll_corrects_offset": _callback(),
    "poll_is_illegal": _callback(),
    "pull_fails": _pull_fails(),
    "task_starts": _consume(),
    "listener_finishes": _consume(listener="CONSUME_SUCCESS"),
    "listener_fails": replace(_consume(), values=_failure),
    "listener_hangs": _OF_CLIENT,
    "task_sends_message_back": _consume(),
    "task_sends_message_back_twice": _consume(loses_answer=True),
    "task_fails_to_send_back": _consume(fails=True),
    "task_removes_message": _consume(),
    "task_checks_dropped": _consume(),
    "task_fetches_cell": _consume(),
    "task_updates_cell": _updates_cell(),
    "task_updates_detached_cell": _consume(_RAISES_CELL),
    "rebalance_passes_pause": rebalance(),
    "rebalance_changes_nothing": rebalance(_ALLOCATES),
    "rebalance_drops_queue": rebalance(),
    "rebalance_drops_expired_queue": rebalance(_EXPIRED, expired=True),
    "rebalance_persists": rebalance(),
    "rebalance_removes_offset": rebalance(),
    "rebalance_removes_queue": rebalance(_REMOVES_LOST, _REMOVES_EXPIRED),
    "rebalance_removes_dirty_offset": rebalance(),
    "broker_answers_query": rebalance(_QUERY, answer_query=True),
    "broker_answers_query_before_commits": rebalance(_QUERY, answer_query=True),
    "broker_answers_query_with_error": rebalance(_QUERY, answer_query=True, with_error=True),
    "offset_query_times_out": rebalance(_QUERY, answer_query=True, times_out=True),
    "rebalance_finds_start": rebalance(*_FINDS_START),
    "rebalance_fails_to_find_start": rebalance(*_FINDS_START, fails=True),
    "rebalance_stores_start": rebalance(),
    "rebalance_adds_queue": rebalance(),
    "rebalance_truncates_table": rebalance(),
    "rebalance_drops_truncated_queue": rebalance(),
    "consumer_persists_all": _timer(),
    "consumer_removes_unused_cell": _timer(),
    "consumer_misses_queue": _timer(),
    "consumer_reads_cell": _timer(),
    "consumer_sends_read_value": _timer(_SENDS_READ_VALUE),
    "broker_executes_commit": _broker("execute_commit"),
    "broker_executes_newer_commit_first": _broker("execute_commit", place="p"),
    "broker_publishes_row": ThreadStep("commit", lambda moment: ("commit",)),
    "neighbour_commits": _neighbour("neighbour_commit"),
    "neighbour_publishes_row": _neighbour(None),
    "commit_is_lost": RigChange("lose_commit", of_client),
    "broker_flushes": RigChange("flush"),
    "broker_is_killed": RigChange("restart_broker"),
    "administrator_resets": _SCRIPTED,
    "administrator_resets_by_time": _SCRIPTED,
    "administrator_resets_next_broker": _SCRIPTED,
    "administrator_fails_at_next_broker": _SCRIPTED,
    "administrator_is_told_offline": _SCRIPTED,
    "administrator_resets_offline": RigChange(
        "write_offset", lambda moment: {"offset": moment.before["offline_target"]}
    ),
    "administrator_queries_min_offset": RigChange("query_min_offset"),
    "administrator_deletes_group": _SCRIPTED,
    "administrator_deletes_group_with_offsets": RigChange("remove_offset"),
    "administrator_updates_offset": RigChange("write_offset", lambda moment: {"offset": moment.arg("x")}),
    "reset_command_is_lost": _SCRIPTED,
    "consumer_is_killed": RigChange("leave", of_client),
    "consumer_starts": RigChange("start", of_client),
    "consumer_begins_shutdown": application("shutdown"),
    "shutdown_persists": application(None),
    "consumer_is_shut_down": application(None, leaves=True),
    "user_suspends": application("suspend"),
    "user_resumes": application("resume"),
    "application_unsubscribes": application("unsubscribe"),
    "running_info_finds_no_cell": _info(_ASKS_BROKER),
    "broker_answers_running_info": _info(_QUERY, answer_query=True),
    "broker_answers_running_info_before_commits": _info(_QUERY, answer_query=True),
    "broker_answers_running_info_with_error": _info(_QUERY, answer_query=True, with_error=True),
    "running_info_stores_answer": _info(),
    **rig_of(RocketMQ.actions),
}


def _answered_callback(*, size: bool = False) -> ThreadStep:
    """A step of a pull callback that has tested `dropped`: what the broker's answer is turns out now."""
    return replace(_callback(size=size), call=None, gates=(_ANSWER,))


_ENDS = dict.fromkeys(("poll_ends_without_news", "poll_matches_nothing", "poll_is_illegal"), _answered_callback())
_CHECKS = replace(_callback(), values=lambda moment: of_client(moment, late=True))
_POLLS = {"poll_checks_dropped": _CHECKS, "poll_finds_messages": _answered_callback(size=True), **_ENDS}
WITH_FIX = {POLL_CHECKS_DROPPED.name: _POLLS}
"""How actions are done on classes that have a fix."""


def settings_of(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the rig is built with."""
    return {
        "kind": "consumer",
        "clients": scope.consumers,
        "batch": scope.batch,
        "unmatched": scope.unmatched,
        "unmatched_from": scope.unmatched_from,
        "time_offset": scope.time_offset,
        "retry_queue": scope.retry_queue > 0,
        "consume_from": f"CONSUME_FROM_{ConsumeFrom(scope.consume_from).name}",
        "allocated": [state[f"consumer[{c}].believes_allocated"] for c in range(scope.consumers)],
        "alive": [state[f"consumer[{c}].alive"] for c in range(scope.consumers)],
        "min_offset": state["broker.min_offset"],
        "max_offset": state["broker.max_offset"],
        "committed": state["broker.committed"],
        "cold": state["broker.cold"],
        "max_reconsume_times": -1,
    }


_BROKER = ("committed", "flushed", "min_offset", "max_offset")
_CLIENT = ("alive", "paused", "cell", "process_queue_table")
_LIFE = ("dropped", "msg_tree_map", "queue_offset_max")
_SHOWN = {"CORRECTING": "NONE", "CHECKED": "HELD"}
"""Tokens that the rig shows otherwise: one that a callback has it does not show; the release tests nothing before."""


def fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a state that the rig shows as well, under its names."""
    fields = {f"broker.{name}": state[f"broker.{name}"] for name in _BROKER}
    for client in clients(state):
        fields |= _seen_of_client(client, state)
    return fields


def clients(state: Mapping[str, Any]) -> Iterator[str]:
    """The full names of a state's clients."""
    return takewhile(lambda client: f"{client}.alive" in state, (f"consumer[{c}]" for c in count()))


def _seen_of_client(client: str, state: Mapping[str, Any]) -> dict[str, Any]:
    sent = int(state[f"{client}.commits.count"])
    fields: dict[str, Any] = {f"{client}.{name}": state[f"{client}.{name}"] for name in _CLIENT}
    fields[f"{client}.commits"] = [state[f"{client}.commits[{place}].offset"] for place in range(sent)]
    fields[f"{client}.lives"] = state[f"{client}.lives_created"]
    for life in range(int(state[f"{client}.lives_created"])):
        fields |= _seen_of_life(f"{client}.process_queue[{life}]", state)
    return fields


def _seen_of_life(life: str, state: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {f"{life}.{name}": state[f"{life}.{name}"] for name in _LIFE}
    fields[f"{life}.msg_count"] = len(state[f"{life}.msg_tree_map"])
    token = state[f"{life}.token"]
    fields[f"{life}.token"] = _SHOWN.get(token, token)
    fields[f"{life}.piggyback"] = state[f"{life}.piggyback"]
    if fields[f"{life}.token"] != "NONE":
        fields[f"{life}.next_offset"] = state[f"{life}.next_offset"]
    return fields


RIGGING = Rigging(
    settings=settings_of,
    steps=STEPS,
    fields_in_rig=fields_in_rig,
    holds={
        "reset": (AFTER_RESUME, FIRST_LOOP, SECOND_LOOP),
        "application": (AFTER_RESUME,),
        "persist": (TAKES_QUEUES, BEGINS_PERSISTING),
    },
    passes={"consume": (_UPDATES_CELL,), **dict.fromkeys(("rebalance", "reset", "application"), (_ALLOCATES,))},
    roles={"reset": ("rebalance",), "application": ("rebalance",)},
    with_fix=WITH_FIX,
    left_out={
        Failing.sweep_sends_message_back.__name__: "the expiry sweep looks at times of fifteen minutes ago",
        Failing.sweep_removes_message.__name__: "the expiry sweep looks at times of fifteen minutes ago",
        Failing.retry_copy_is_consumed.__name__: "the retry topic's queue is not in the rig",
        Rewinding.administrator_deletes_topic.__name__: "the rig's topic is always there",
        Rewinding.administrator_creates_topic.__name__: "the rig's topic is always there",
        Rewinding.poll_meets_no_topic.__name__: "the rig's topic is always there",
        Rewinding.broker_loses_tail.__name__: "the rig's store is two numbers, and loses nothing",
    },
)
"""What the actions of the model of push consumption are to the rig."""

"""How each action is done on the real classes of the release: which thread runs which call, and where its steps begin.

The rig (`real/java`) holds the unmodified client classes of one group on one queue, with collected instead of running
threads, the real ConsumerOffsetManager, and the real ConsumerManageProcessor where it answers queries for offsets. A
thread stops wherever an action of its role begins, so the schedule of a trace can be enforced line by line. Scripted,
not real: the members that a client sees, what is stored, pulls and their answers, the administrator's tool and
AdminBrokerProcessor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, takewhile
from typing import Any

from offsetproof.lang import Scope, at
from offsetproof.lang.rigging import Rigging
from offsetproof.model.concurrent.consuming import UPDATES_CELL
from offsetproof.model.shared.rebalancing import ALLOCATES
from offsetproof.model.threads import ANSWER, CALLBACK, of_client
from offsetproof.model.variants import POLL_CHECKS_DROPPED
from offsetproof.model.vocabulary import ConsumeFrom

AFTER_RESUME = at("DefaultMQPushConsumerImpl", "resume", "doRebalance")
FIRST_LOOP = at("MQClientInstance", "resetOffset", "entrySet")
SECOND_LOOP = at("MQClientInstance", "resetOffset", "keySet")
"""Where a reset begins to go over the table: what is added until then is in the loop."""
TAKES_QUEUES = at("DefaultMQPushConsumerImpl", "persistConsumerOffset", "keySet")
BEGINS_PERSISTING = at("RemoteBrokerOffsetStore", "persistAll", "isEmpty")


_ENDS = replace(CALLBACK.rig, call=None, gates=(ANSWER,))
"""A step of a pull callback that has tested `dropped`: what the broker's answer is turns out now."""
_FINDS = replace(_ENDS, values=lambda moment: of_client(moment, size=moment.arg("n") + 1))
_CHECKS = replace(CALLBACK.rig, values=lambda moment: of_client(moment, late=True))
_POLLS = {
    "poll_checks_dropped": _CHECKS,
    "poll_finds_messages": _FINDS,
    **dict.fromkeys(("poll_ends_without_news", "poll_matches_nothing", "poll_is_illegal"), _ENDS),
}
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
_PROCESS_QUEUE = ("dropped", "msg_tree_map", "queue_offset_max")
_SHOWN = {"CORRECTING": "NONE", "CHECKED": "HELD"}
"""The rig shows a callback's PullRequest as NONE, and one that is checked as HELD."""


def fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a state that the rig shows as well, under its names."""
    fields = {f"broker.{name}": state[f"broker.{name}"] for name in _BROKER}
    fields |= {name: state[name] for name in ("broker.marker",) if name in state}
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
    fields[f"{client}.process_queues"] = state[f"{client}.process_queues_made"]
    for pq_id in range(int(state[f"{client}.process_queues_made"])):
        fields |= _seen_of_process_queue(f"{client}.process_queue[{pq_id}]", state)
    return fields


def _seen_of_process_queue(pq: str, state: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {f"{pq}.{name}": state[f"{pq}.{name}"] for name in _PROCESS_QUEUE}
    fields[f"{pq}.msg_count"] = len(state[f"{pq}.msg_tree_map"])
    pull_request = state[f"{pq}.pull_request"]
    fields[f"{pq}.pull_request"] = _SHOWN.get(pull_request, pull_request)
    if f"{pq}.reset_to" in state:
        fields[f"{pq}.reset_to"] = state[f"{pq}.reset_to"]
        if pull_request == "CLIENT_GONE" and state[f"{pq}.piggyback"] is None:
            fields[f"{pq}.pull_request"] = "NONE"
    fields[f"{pq}.piggyback"] = state[f"{pq}.piggyback"]
    if fields[f"{pq}.pull_request"] != "NONE":
        fields[f"{pq}.next_offset"] = state[f"{pq}.next_offset"]
    return fields


RIGGING = Rigging(
    settings=settings_of,
    fields_in_rig=fields_in_rig,
    holds={
        "reset": (AFTER_RESUME, FIRST_LOOP, SECOND_LOOP),
        "application": (AFTER_RESUME,),
        "persist": (TAKES_QUEUES, BEGINS_PERSISTING),
    },
    passes={"consume": (UPDATES_CELL,), **dict.fromkeys(("rebalance", "reset", "application"), (ALLOCATES,))},
    roles={"reset": ("rebalance",), "application": ("rebalance",)},
    with_fix=WITH_FIX,
)
"""What the actions of the model of push consumption are to the rig."""

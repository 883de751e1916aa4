"""How each action of the model of several queues is done on the real classes: one client's tables, several queues.

The rig (`real/java/QueuesRig`) has the real client classes, strategies, ConsumerOffsetManager and ConsumerGroupInfo,
and a topic whose name makes tables and sets have the queues in their order, which is the order of the model's loops.
The messages of a queue are cached as soon as it is in the table. Scripted, not real: when a broker hears of a member or
loses it, the administrator's tools and what a broker makes of their resets, the pulls before the last one, a persistAll
that sends the cell of one queue or removes one (where a round is not a step for each cell: `persist` and `removeOffset`
of the store do the same), and commits that pulls carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from offsetproof.lang import Anchor, Scope, at
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.model.resetting import SUSPENDS
from offsetproof.model.rigging import AFTER_RESUME, BEGINS_PERSISTING, FIRST_LOOP, SECOND_LOOP, TAKES_QUEUES
from offsetproof.model.vocabulary import Rebalancer, Strategy

_TABLE = "updateProcessQueueTableInRebalance"
_STORE = "RemoteBrokerOffsetStore"
_DROPS = at("MQClientInstance", "resetOffset", "setDropped")
_SLEEPS = at("MQClientInstance", "resetOffset", "sleep")
_DROPS_TRUNCATED = at("RebalanceImpl", "truncateMessageQueueNotMyTopic", "setDropped")
_READS_MEMBERS = at("RebalanceImpl", "rebalanceByTopic", "findConsumerIdList")
_SENDS_CELL = at(_STORE, "persistAll", "updateConsumeOffsetToBroker")
_NOTES_UNUSED = at(_STORE, "persistAll", "add")
_REMOVES_UNUSED = at(_STORE, "persistAll", "remove")


def _client(moment: RigMoment) -> str:
    return f"client[{moment.arg('c')}]"


def _of_client(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """What every step of a client says: which it is, and the queue that it is about."""
    queue = {"queue": moment.arg("q"), "life": moment.arg("q")} if "q" in moment.args else {}
    return {"client": moment.arg("c"), **queue, **values}


def _consume(call: str | None) -> ThreadStep:
    """A step of the thread that consumes the next message of a queue."""
    return ThreadStep("consume", lambda moment: (f"consume {moment.arg('c')} {moment.arg('q')}",), call, (), _of_client)


def _call(thread: str, call: str) -> ThreadStep:
    """A call about one queue that is one step."""
    return ThreadStep(
        thread,
        lambda moment: (f"{thread} {moment.arg('c')} {moment.arg('q')}",),
        call,
        values=_of_client,
        whole=True,
    )


def _rebalancers(moment: RigMoment) -> tuple[str, ...]:
    """The thread of a run of rebalance: its own, or that of the reset which resumes."""
    is_own = moment.arg("r") == Rebalancer.SERVICE
    return (f"rebalance {moment.arg('c')}" if is_own else f"reset {moment.arg('c')}",)


def _rebalance() -> ThreadStep:
    """A step of a run of rebalance, after the first."""
    return ThreadStep("rebalance", _rebalancers, None, (), _of_client)


def _reads_members() -> ThreadStep:
    """A run begins, and asks a broker for the members."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        return _of_client(moment, asks=moment.arg("b"))

    return ThreadStep("rebalance", _rebalancers, "rebalance", (), values_at)


def _member(moment: RigMoment) -> dict[str, Any]:
    """Which broker it is about, and which process."""
    return {"broker": moment.arg("b"), "process": moment.arg("m" if "m" in moment.args else "c")}


def _changes(moment: RigMoment) -> dict[str, Any]:
    known: frozenset[int] = moment.after[f"registry[{moment.arg('b')}].members"]
    return {**_member(moment), "joins": moment.arg("m") in known}


def _asks_for_offset() -> ThreadStep:
    """The query of an offset is answered at once."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        queue = moment.before[f"{_client(moment)}.rebalance[{moment.arg('r')}].queue"]
        return _of_client(moment, answer_query=True, queue=queue)

    return ThreadStep("rebalance", _rebalancers, None, (), values_at, within=("query",))


def _waits_for_run(moment: RigMoment) -> str:
    """Pull requests are handed over when the run is over that has added their queues, and perhaps others."""
    client = _client(moment)
    runs = [path for path in moment.before if path.startswith(f"{client}.rebalance[") and path.endswith("].at")]
    busy = any(moment.before[path] != "IDLE" for path in runs)
    return "comes before the run of rebalance is over, which hands the pull request over" if busy else ""


def _pull(call: str) -> ThreadStep:
    """A step that needs the queue's pull request."""
    return replace(_call("pull", call), unforceable=_waits_for_run)


def _persists() -> ThreadStep:
    """Sends the cell; a scope without messages leaves that out."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        run = f"{_client(moment)}.rebalance[{moment.arg('r')}]"
        queue = moment.before[f"{run}.queue"]
        share = f"{_client(moment)}.share[{queue}]"
        is_left_out = moment.before[f"{share}.commits.count"] == moment.after[f"{share}.commits.count"]
        return _of_client(
            moment, queue=queue, forgets_commit=is_left_out and moment.before[f"{share}.cell"] is not None
        )

    return replace(_rebalance(), values=values_at)


def _adds_queue() -> ThreadStep:
    def values_at(moment: RigMoment) -> dict[str, Any]:
        run = f"{_client(moment)}.rebalance[{moment.arg('r')}]"
        queue, start = moment.before[f"{run}.queue"], moment.before[f"{run}.start"]
        return _of_client(moment, queue=queue, start=start)

    return ThreadStep("rebalance", _rebalancers, None, (), values_at)


def _reset(*gates: Anchor, **values: Any) -> ThreadStep:
    """A step of the thread that runs resetOffset, after the first."""
    return ThreadStep("reset", _resetter, None, gates, lambda moment: _of_client(moment, **values))


def _resetter(moment: RigMoment) -> tuple[str, ...]:
    return (f"reset {moment.arg('c')}",)


def _command(moment: RigMoment) -> dict[str, Any]:
    """The command that a reset takes: its queues, and their target."""
    number = moment.arg("k")
    target = moment.before[f"{_client(moment)}.command[{number}].target"]
    return _of_client(moment, target=target, named=_queues_of_command(moment, number))


def _queues_of_command(moment: RigMoment, command: int) -> list[int]:
    """The queues that a command names: those of its broker."""
    brokers = sum(path.startswith("registry[") and path.endswith("].members") for path in moment.before)
    queues = sum(path.endswith("].committed") for path in moment.before)
    return [queue for queue in range(queues) if queue * brokers // queues == command % brokers]


def _persist(*gates: Anchor, within: tuple[Anchor, ...] = ()) -> ThreadStep:
    """A step of a round of persistAll."""
    return ThreadStep("persist", _timer, None, gates, _of_client, within=within)


def _timer(moment: RigMoment) -> tuple[str, ...]:
    return (f"persist {moment.arg('c')}",)


def _next_cell() -> ThreadStep:
    """The loop over the cells comes to the next one, if there is one for that queue."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        client = _client(moment)
        queue = moment.before[f"{client}.persist.next"]
        return _of_client(moment, skips=moment.before[f"{client}.share[{queue}].cell"] is None)

    gates = (_SENDS_CELL, _NOTES_UNUSED)
    return ThreadStep("persist", _timer, None, gates, values_at, unforceable=_has_removed_cell)


def _has_removed_cell(moment: RigMoment) -> str:
    """The map's iterator has a cell still that was removed since, and the release sends it; the model does not."""
    queue = int(moment.before[f"{_client(moment)}.persist.next"])
    is_gone = queue > 0 and moment.before[f"{_client(moment)}.share[{queue}].cell"] is None
    return "leaves out a cell that was removed since the round came to it, which the release sends" if is_gone else ""


_SCRIPTED = RigChange("nothing")

STEPS: dict[str, ThreadStep | RigChange] = {
    "membership_changes": RigChange("member", _changes),
    "member_is_heard": RigChange("hear", _member),
    "client_is_unregistered": RigChange("lose", _member),
    "broker_restarts": RigChange("restart", lambda moment: {"broker": moment.arg("b")}),
    "application_unsubscribes": ThreadStep(
        "application", lambda moment: (f"application {moment.arg('c')}",), "unsubscribe", values=_of_client
    ),
    "client_reads_members": _reads_members(),
    "administrator_resets_broker": _SCRIPTED,
    "administrator_fails_at_broker": _SCRIPTED,
    "administrator_writes_queue": RigChange(
        "write_offset", lambda moment: {"queue": moment.arg("q"), "offset": moment.arg("x")}
    ),
    "administrator_asks_for_one_queue": _SCRIPTED,
    "broker_executes_commit": RigChange("execute_commit", _of_client),
    "task_passes_check": _consume("task"),
    "task_updates_cell": _consume(None),
    "broker_holds_poll": _pull("hold_poll"),
    "poll_ends": _call("callback", "end_poll"),
    "timely_poll_ends": _pull("timely_poll"),
    "client_persists_queue": _call("persist", "persist_queue"),
    "client_removes_unused_cell": _call("persist", "remove_cell"),
    "client_takes_queues": ThreadStep("persist", _timer, "persist", (TAKES_QUEUES,), _of_client),
    "client_persists_next_cell": _next_cell(),
    "client_removes_unused_cells": _persist(_REMOVES_UNUSED, within=(_REMOVES_UNUSED,)),
    "rebalance_drops_queue": _rebalance(),
    "rebalance_persists": _persists(),
    "rebalance_removes_queue": _rebalance(),
    "rebalance_asks_for_offset": _asks_for_offset(),
    "rebalance_stores_start": _rebalance(),
    "rebalance_adds_queue": _adds_queue(),
    "rebalance_truncates_table": ThreadStep(
        "rebalance", _rebalancers, "rebalance", values=_of_client, within=(_READS_MEMBERS, _DROPS_TRUNCATED)
    ),
    "reset_suspends": ThreadStep("reset", _resetter, "reset", (SUSPENDS,), _command),
    "reset_drops_next_queue": _reset(_DROPS),
    "reset_falls_asleep": _reset(_SLEEPS, arrives=True),
    "reset_wakes": _reset(_SLEEPS, interrupt=True),
    "reset_updates_next_cell": _reset(),
    "reset_persists": _reset(),
    "reset_removes_queue": _reset(),
    "reset_resumes": _reset(),
    "reset_returns": replace(_reset(AFTER_RESUME), within=(_READS_MEMBERS,)),
}


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the rig is built with."""
    return {
        "kind": "queues",
        "queues": scope.queues,
        "messages": scope.messages,
        "strategy": Strategy(scope.strategy).name,
        "one_id": any(state[f"client[{c}].shares_id"] for c in range(scope.consumers)),
        "members": [sorted(state[f"registry[{b}].members"]) for b in range(scope.brokers)],
        "allocated": [sorted(state[f"client[{c}].process_queue_table"]) for c in range(scope.consumers)],
        "batch": 1,
        "consume_from": "CONSUME_FROM_LAST_OFFSET",
        "max_reconsume_times": -1,
    }


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the rig shows as well."""
    fields = {path: value for path, value in state.items() if path.endswith("].committed")}
    clients = [path.rpartition(".")[0] for path in state if path.endswith("].paused")]
    for client in clients:
        fields |= {
            f"{client}.{name}": state[f"{client}.{name}"] for name in ("process_queue_table", "dropped", "paused")
        }
        for queue in range(len([path for path in state if path.endswith("].committed")])):
            fields |= _seen_of_share(client, queue, state)
    return fields


def _seen_of_share(client: str, queue: int, state: Mapping[str, Any]) -> dict[str, Any]:
    share = f"{client}.share[{queue}]"
    sent = int(state[f"{share}.commits.count"])
    fields: dict[str, Any] = {f"{share}.cell": state[f"{share}.cell"]}
    fields[f"{share}.commits"] = [state[f"{share}.commits[{place}].offset"] for place in range(sent)]
    fields[f"{share}.writing"] = state[f"{share}.writing"] is not None
    fields[f"{share}.has_poll"] = state[f"{share}.poll"] != "NONE"
    if queue in state[f"{client}.process_queue_table"] and queue not in state[f"{client}.dropped"]:
        fields[f"{share}.position"] = state[f"{share}.position"]
    return fields


RIGGING = Rigging(
    settings=_settings,
    steps=STEPS,
    fields_in_rig=_fields_in_rig,
    holds={
        "reset": (FIRST_LOOP, SECOND_LOOP, AFTER_RESUME),
        "persist": (BEGINS_PERSISTING,),
    },
    roles={"reset": ("rebalance",)},
    left_out={
        "client_stops": "a client of this rig runs as long as the rig; that of one queue does shutdowns",
        "client_starts": "a client of this rig runs as long as the rig; that of one queue does starts",
    },
    is_outcome=lambda field: field.startswith("queue[") or field.endswith(".cell"),
)
"""What the actions of the model of several queues are to the rig."""

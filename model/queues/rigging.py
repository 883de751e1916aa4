"""How the model of several queues is replayed on the real classes: one client's tables, several queues.

The rig (`real/java/QueuesRig`) has the real client classes, strategies, ConsumerOffsetManager and ConsumerGroupInfo,
and a topic whose name makes tables and sets have the queues in their order, which is the order of the model's loops.
The messages of a queue are cached as soon as it is in the table. Scripted, not real: when a broker hears of a member or
loses it, the administrator's tools and what a broker makes of their resets, the pulls before the last one, a persistAll
that sends the cell of one queue or removes one (where a round is not a step for each cell: `persist` and `removeOffset`
of the store do the same), and commits that pulls carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offsetproof.lang import Scope
from offsetproof.lang.rigging import Rigging
from offsetproof.model.concurrent.rigging import AFTER_RESUME, BEGINS_PERSISTING, FIRST_LOOP, SECOND_LOOP
from offsetproof.model.vocabulary import Strategy


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
    fields = {path: value for path, value in state.items() if path.endswith(("].committed", "].marker"))}
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
    is_live = queue in state[f"{client}.process_queue_table"] and queue not in state[f"{client}.dropped"]
    if is_live and not state.get(f"{share}.unfetched"):
        fields[f"{share}.position"] = state[f"{share}.position"]
    return fields


RIGGING = Rigging(
    settings=_settings,
    fields_in_rig=_fields_in_rig,
    holds={
        "reset": (FIRST_LOOP, SECOND_LOOP, AFTER_RESUME),
        "persist": (BEGINS_PERSISTING,),
    },
    roles={"reset": ("rebalance",)},
    is_outcome=lambda field: field.startswith("queue[") or field.endswith(".cell"),
)
"""What the actions of the model of several queues are to the rig."""

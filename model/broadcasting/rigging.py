"""How each action of a broadcasting consumer is done on the real classes: as in the concurrent model, but for the file.

The client has the real LocalFileOffsetStore in a folder, and reads its file again after each step. Its id, and with it
the file, stays the same when a process is started again. Scripted, not real: what queues are in the route. The client's
other queue is of another topic, which the rig rebalances by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offsetproof.lang import Scope
from offsetproof.lang.rigging import Rigging
from offsetproof.model.concurrent import rigging as concurrent
from offsetproof.model.orderly.rigging import HOLDS, seen_in_order


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**concurrent.settings_of(scope, state), "broadcasting": True, "orderly": scope.orderly > 0}


_CLIENT = ("stored", "other_listed")


def _fields_in_scope(scope: Scope, state: Mapping[str, Any]) -> dict[str, Any]:
    """What the rig shows of a ProcessQueue that is consumed in order, where the listener is orderly."""
    fields: dict[str, Any] = {}
    for client in concurrent.clients(state) if scope.orderly > 0 else ():
        for number in range(int(state[f"{client}.process_queues_made"])):
            fields |= seen_in_order(client, number, state)
            pq = f"{client}.process_queue[{number}]"
            if state[f"{pq}.pull_request"] == "RUN_QUEUE":
                fields[f"{pq}.previously_locked"] = state[f"{pq}.previously_locked"]
    return fields


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """What the concurrent rig shows as well, the file, the other queue, and the locks."""
    fields = {**concurrent.fields_in_rig(state), "broker.lock_owner": state["broker.lock_owner"]}
    for client in concurrent.clients(state):
        fields |= {f"{client}.{name}": state[f"{client}.{name}"] for name in _CLIENT}
        for number in range(int(state[f"{client}.process_queues_made"])):
            mark = f"{client}.process_queue[{number}].locked"
            fields[mark] = state[mark]
    return fields


RIGGING = Rigging(
    settings=_settings,
    fields_in_rig=_fields_in_rig,
    fields_in_scope=_fields_in_scope,
    holds={
        **{name: places for name, places in concurrent.RIGGING.holds.items() if name != "persist"},
        "consume": HOLDS,
    },
    passes={"consume": concurrent.RIGGING.passes["consume"]},
    roles=concurrent.RIGGING.roles,
)
"""What the actions of the model of broadcasting are to the rig."""

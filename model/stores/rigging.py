"""How the calls of an OffsetStore are done on a real one: each is a call of the interface, nothing else is seen.

In memory is what READ_FROM_MEMORY says and cloneOffsetTable has; what is stored is what a store that is made for
the question, and loaded, reads from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offsetproof.lang import Scope
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment
from offsetproof.model.stores.contract import BROADCAST_STORE, LOCAL, REMOTE, STORE, OffsetStore

__all__ = ["STOCK", "OffsetStore", "rigging_of"]

_PACKAGE = "org.apache.rocketmq.client.consumer.store."
STOCK = {STORE: _PACKAGE + REMOTE, BROADCAST_STORE: _PACKAGE + LOCAL}
"""RocketMQ's own store of each kind."""


def _args(moment: RigMoment) -> Mapping[str, Any]:
    return moment.args


def _listed_queues(moment: RigMoment) -> dict[str, Any]:
    return {"listed": [q for q in range(_queues(moment.before)) if moment.arg("listed") // 2**q % 2]}


def _queues(state: Mapping[str, Any]) -> int:
    q = 0
    while f"queue[{q}].cell" in state:
        q += 1
    return q


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """All of a state."""
    fields = {f"queue[{q}].{name}": state[f"queue[{q}].{name}"] for q in range(_queues(state)) for name in _FIELDS}
    return {**fields, "answer": state["answer"]}


_FIELDS = ("cell", "stored")


def rigging_of(java_class: str) -> Rigging:
    """What the calls are to a rig with a store of this class."""

    def settings(scope: Scope, _state: Mapping[str, Any]) -> dict[str, Any]:
        return {"kind": "offset store", "class": java_class, "queues": scope.queues}

    return Rigging(
        settings=settings,
        steps={
            "consumer_raises_offset": RigChange("raise", _args),
            "consumer_sets_offset": RigChange("set", _args),
            "consumer_reads_offset": RigChange("read", _args),
            "consumer_persists_all": RigChange("persist all", _listed_queues),
            "consumer_persists_queue": RigChange("persist", _args),
            "consumer_removes_offset": RigChange("remove", _args),
            "other_client_commits": RigChange("commit elsewhere", _args),
            "process_restarts": RigChange("restart"),
            "threads_raise_offsets": RigChange("raise at once", _args),
        },
        fields_in_rig=_fields_in_rig,
    )

"""How each action of a broadcasting consumer is done on the real classes: as in the concurrent model, but for the file.

The client has the real LocalFileOffsetStore in a folder, and reads its file again after each step. Its id, and with it
the file, stays the same when a process is started again. Scripted, not real: what queues are in the route. The client's
other queue is of another topic, which the rig rebalances by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from offsetproof.lang import Scope, at
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.model import rigging as concurrent
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.failing import Failing
from offsetproof.model.rigging import rebalance
from offsetproof.model.threads import of_client

_READS_FILE = at("LocalFileOffsetStore", "readOffset", "readLocalOffset")
_DROPS_FAILED = at("ConsumeMessageConcurrentlyService", "processConsumeResult", "warn")
_LOCK = "lock"
"""Where a thread waits for the answer about a lock to be heard of."""


def _drops_failed_messages() -> ThreadStep:
    """The task goes through a line for each failed message of its batch."""
    task = concurrent.STEPS["task_checks_dropped"]
    assert isinstance(task, ThreadStep)
    return replace(task, gates=(_DROPS_FAILED,), within=(_DROPS_FAILED,))


def _other_queue() -> ThreadStep:
    """A run of rebalance as far as it is about the other queue's topic."""
    return ThreadStep(
        "other rebalance",
        lambda moment: (f"other rebalance {moment.arg('c')}",),
        "rebalance_other_topic",
        values=of_client,
        whole=True,
    )


def _timer(moment: RigMoment) -> tuple[str, ...]:
    return (f"persist {moment.arg('c')}",)


_OF_BROADCASTING: dict[str, ThreadStep | RigChange] = {
    "consumer_persists_all": ThreadStep("persist", _timer, "persist", values=of_client, whole=True),
    "file_is_lost": RigChange("lose_file", of_client),
    "rebalance_reads_file": rebalance(_READS_FILE),
    "rebalance_adds_other_queue": _other_queue(),
    "task_drops_failed_messages": _drops_failed_messages(),
    "broker_answers_lock": rebalance(),
    "rebalance_hears_of_lock": rebalance(_LOCK),
    "lease_expires": RigChange("expire_lease"),
}
"""What is not as in the concurrent model, or not there at all."""

STEPS: dict[str, ThreadStep | RigChange] = {
    **{name: step for name, step in concurrent.STEPS.items() if name in Broadcasting.actions},
    **_OF_BROADCASTING,
}


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**concurrent.settings_of(scope, state), "broadcasting": True, "orderly": scope.orderly > 0}


_CLIENT = ("stored", "other_listed")


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """What the concurrent rig shows as well, the file, the other queue, and the locks."""
    fields = {**concurrent.fields_in_rig(state), "broker.lock_owner": state["broker.lock_owner"]}
    for client in concurrent.clients(state):
        fields |= {f"{client}.{name}": state[f"{client}.{name}"] for name in _CLIENT}
        for number in range(int(state[f"{client}.lives_created"])):
            mark = f"{client}.process_queue[{number}].locked"
            fields[mark] = state[mark]
    return fields


RIGGING = Rigging(
    settings=_settings,
    steps=STEPS,
    fields_in_rig=_fields_in_rig,
    holds={name: places for name, places in concurrent.RIGGING.holds.items() if name != "persist"},
    passes={"consume": concurrent.RIGGING.passes["consume"]},
    roles=concurrent.RIGGING.roles,
    left_out={
        sweeps.__name__: concurrent.RIGGING.left_out[sweeps.__name__]
        for sweeps in (Failing.sweep_sends_message_back, Failing.sweep_removes_message)
    },
)
"""What the actions of the model of broadcasting are to the rig."""

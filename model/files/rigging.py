"""How each action on an offset file is done on the real classes of the release, with real files in a folder.

The rig (`real/java/FilesRig`) has the real ConsumerOffsetManager of each broker, or a real client with its
LocalFileOffsetStore, and lets a thread go through MixAll.string2File line by line; what is in the files after each
step is what the class reads there. A broker that cannot load is a whole BrokerController. A text that is longer than a
buffer has one row with a long name. Scripted, not real: in which order a broker that can load persists and exits, the
lock of its store, the route of a consumer and its messages (consuming one is one step), and what the operating system
does: a disk that is full is a write that throws, and a power failure empties or halves the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from offsetproof.lang import Anchor, Scope, at
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.model.files.serving import Serving
from offsetproof.model.files.vocabulary import STOPPER, Beginning, Owner

_WRITES = at("MixAll", "string2FileNotSafe", "write")
_CLOSES = at("MixAll", "string2FileNotSafe", "close")
_PRESUMED = (at("MixAll", "string2File"), at("MixAll", "string2FileNotSafe"))
"""What a power failure leaves is as these leave it: nothing is forced to the disk."""
_ENTERS = at("LocalFileOffsetStore", "persistAll", "isEmpty")


def _of_process(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """What every step of a process says: which it is, and the queue that it is about."""
    queue = {"queue": moment.arg("q")} if "q" in moment.args else {}
    return {"process": moment.arg("p"), **queue, **values}


def _writer(call: str | None = None, *gates: Anchor, **values: Any) -> ThreadStep:
    """A step of a thread that persists."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        return _of_process(moment, shuts_down=moment.arg("t") == STOPPER, **values)

    return ThreadStep("write", lambda moment: (_thread(moment.arg("p"), moment.arg("t")),), call, gates, values_at)


def _thread(p: int, t: int) -> str:
    return f"writer {p} {t}"


def _writes_rest(**values: Any) -> ThreadStep:
    """A step from where a text is written, or from where the rest of it is, behind a first part."""
    return replace(_writer(None, _WRITES, **values), also=(_CLOSES,))


def _stopper(call: str | None, *gates: Anchor, **values: Any) -> ThreadStep:
    """A step of the thread that shuts a consumer down."""

    def values_at(moment: RigMoment) -> dict[str, Any]:
        return _of_process(moment, shuts_down=True, **values)

    return ThreadStep("write", lambda moment: (_thread(moment.arg("p"), STOPPER),), call, gates, values_at)


def _call(thread: str, call: str) -> ThreadStep:
    """A call that is one step."""
    return ThreadStep(thread, lambda moment: (f"{thread} {moment.arg('p')}",), call, values=_with_queue, whole=True)


def _with_queue(moment: RigMoment) -> dict[str, Any]:
    """What is known of the queue: how far the group is, and whether a consumer has begun on it before."""
    queue = moment.arg("q")
    return _of_process(moment, offset=moment.after[f"progress[{queue}]"], known=moment.before[f"known[{queue}]"])


def _fates(moment: RigMoment) -> dict[str, Any]:
    """What a power failure leaves of the two files."""
    return {"main": moment.args["m"], "backup": moment.args["b"]}


_SCRIPTED = RigChange("nothing")

STEPS: dict[str, ThreadStep | RigChange] = {
    "broker_starts": RigChange("start", _of_process),
    "broker_starts_without_topics": RigChange("start_without_topics", _of_process),
    "client_starts": RigChange("start", _of_process),
    "process_is_killed": RigChange("leave", _of_process),
    "broker_executes_commit": _call("commit", "commit"),
    "broker_executes_commit_again": _call("commit", "commit"),
    "group_stops": _SCRIPTED,
    "client_adds_queue": _call("rebalance", "add_queue"),
    "client_loses_queue": _call("rebalance", "lose_queue"),
    "client_consumes": _call("consume", "consume"),
    "client_poll_ends": _call("poll", "end_poll"),
    "broker_begins_shutdown": RigChange("begin_shutdown", _of_process),
    "broker_exits": RigChange("leave", _of_process),
    "client_begins_shutdown": _stopper("shutdown"),
    "client_persists_nothing": _stopper(None),
    "client_exits": _stopper(None, exits=True),
    "broker_encodes_table": _writer("persist"),
    "client_encodes_table": _writer("persist", _ENTERS),
    "writer_opens_tmp": _writer(),
    "writer_writes_part": replace(_writer(None, _WRITES), until=(_CLOSES,)),
    "writer_writes_tmp": _writes_rest(),
    "writer_reads_main": _writer(),
    "writer_opens_backup": _writer(),
    "writer_writes_backup": _writes_rest(),
    "writer_deletes_main": _writer(),
    "writer_renames_tmp": _writer(),
    "writer_opens_main": _writer(),
    "writer_writes_main": _writes_rest(),
    "disk_is_full": _writes_rest(disk_full=True),
    "power_fails": RigChange("lose_power", _fates, presumes=_PRESUMED),
    "system_writes_main": _SCRIPTED,
    "system_writes_backup": _SCRIPTED,
}


def _settings(scope: Scope, state: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG001  # all begin without a file
    """What the rig is built with."""
    return {
        "kind": "files",
        "owner": Owner(scope.owner).name,
        "queues": scope.queues,
        "messages": scope.messages,
        "processes": scope.processes,
        "parts": scope.parts,
        "broadcasting": True,
        "batch": 1,
        "consume_from": f"CONSUME_FROM_{Beginning(scope.beginning).name}",
        "max_reconsume_times": -1,
    }


def _fields_in_rig(state: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the rig shows as well."""
    queues = [path[len("progress") :] for path in state if path.startswith("progress[")]
    processes = [path.rpartition(".")[0] for path in state if path.startswith("process[") and path.endswith("].phase")]
    fields: dict[str, Any] = {}
    for file in ("main", "backup", "tmp"):
        fields[f"{file}.contents"] = state[f"{file}.contents"]
        fields |= {path: state[path] for path in (f"{file}.table.row{q}.offset" for q in queues)}
    for p, process in enumerate(processes):
        fields |= _seen_of_process(p, process, queues, state)
    return fields


def _seen_of_process(p: int, process: str, queues: list[str], state: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {f"{process}.phase": state[f"{process}.phase"]}
    fields[f"{process}.writing"] = [_thread(p, t) for t in range(3) if state[f"{process}.writer[{t}].step"] != "IDLE"]
    for q in queues:
        fields |= {path: state[path] for path in (f"{process}.table.row{q}.offset", f"{process}.listed{q}")}
        if state[f"{process}.listed{q}"]:
            fields[f"{process}.position{q}"] = state[f"{process}.position{q}"]
    return fields


RIGGING = Rigging(
    settings=_settings,
    steps=STEPS,
    fields_in_rig=_fields_in_rig,
    is_outcome=lambda field: field.startswith(("main.", "backup.")) or ".table." in field,
    left_out={Serving.client_encodes_queue.__name__: "LocalFileOffsetStore.persist of the release is empty"},
)
"""What the actions of the model of offset files are to the rig."""

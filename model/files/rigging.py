"""How the model of offset files is replayed on the real classes of the release, with real files in a folder.

The rig (`real/java/FilesRig`) has the real ConsumerOffsetManager of each broker, or a real client with its
LocalFileOffsetStore, and lets a thread go through MixAll.string2File line by line; what is in the files after each
step is what the class reads there. A broker that cannot load is a whole BrokerController. A text that is longer than a
buffer has one row with a long name. Scripted, not real: in which order a broker that can load persists and exits, the
lock of its store, the route of a consumer and its messages (consuming one is one step), and what the operating system
does: a disk that is full is a write that throws, and a power failure empties or halves the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offsetproof.lang import Scope
from offsetproof.lang.rigging import Rigging
from offsetproof.model.files.threads import writer_of
from offsetproof.model.files.vocabulary import Beginning, Owner


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
    fields[f"{process}.writing"] = [writer_of(p, t) for t in range(3) if state[f"{process}.writer[{t}].step"] != "IDLE"]
    for q in queues:
        fields |= {path: state[path] for path in (f"{process}.table.row{q}.offset", f"{process}.listed{q}")}
        if state[f"{process}.listed{q}"]:
            fields[f"{process}.position{q}"] = state[f"{process}.position{q}"]
    return fields


RIGGING = Rigging(
    settings=_settings,
    fields_in_rig=_fields_in_rig,
    is_outcome=lambda field: field.startswith(("main.", "backup.")) or ".table." in field,
)
"""What the actions of the model of offset files are to the rig."""

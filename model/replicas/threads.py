"""The threads of brokers and clients: parameters, whose they are, and how the rig does their steps."""

from __future__ import annotations

from typing import Any

from offsetproof.lang.rigging import RigChange, RigMoment
from offsetproof.lang.step import Outside
from offsetproof.model.files.vocabulary import QUEUES
from offsetproof.model.replicas.vocabulary import REPLICAS
from offsetproof.model.vocabulary import CONSUMERS, TARGETS

_NAMES = {"r": "broker", "c": "client", "q": "queue", "x": "target"}


def arguments(moment: RigMoment) -> dict[str, Any]:
    """What the rig is told of a step: its arguments."""
    return {_NAMES[name]: moment.arg(name) for name in moment.args}


SYNCHRONIZE = Outside("slave synchronize", {}, "slave", RigChange("send_table", arguments))
PROCESS = Outside("main", {"r": REPLICAS}, "broker[r]", RigChange("start", arguments))
PRE_ONLINE = Outside("pre-online", {}, "master", RigChange("take_slaves_table", arguments))
FLUSH = Outside("flush timer", {"r": REPLICAS}, "broker[r]", RigChange("flush", arguments))
OTHERS = Outside("consumer manage", {"r": REPLICAS}, "broker[r]", RigChange("move_version", arguments))
COMMITS = Outside(
    "consumer manage", {"r": REPLICAS, "c": CONSUMERS, "q": QUEUES}, "broker[r]", RigChange("execute_commit", arguments)
)
PERSIST = Outside("persist timer", {"c": CONSUMERS, "q": QUEUES}, "consumer[c]", RigChange("send_commit", arguments))
REBALANCE = Outside("rebalance", {"c": CONSUMERS, "q": QUEUES}, "consumer[c]", RigChange("add_queue", arguments))
CONSUME = Outside("consume message", {"c": CONSUMERS, "q": QUEUES}, "consumer[c]", RigChange("consume", arguments))
CLIENT = Outside("client", {"c": CONSUMERS}, "consumer[c]", RigChange("hear_route", arguments))
ADMIN = Outside("reset tool", {"x": TARGETS}, "administrator", RigChange("reset", arguments))
RESET = Outside("reset", {"c": CONSUMERS}, "consumer[c]", RigChange("hear_reset", arguments))

"""The threads of a process and what is outside of them: parameters, what a stall is called, how the rig runs the steps.

A step names its thread, and says no more where it is plain code that follows the step above it (`model/threads.py`).
"""

from __future__ import annotations

from typing import Any

from offsetproof.lang import Fairness, at
from offsetproof.lang.rigging import RigChange, RigMoment, ThreadStep
from offsetproof.lang.step import Outside, Thread
from offsetproof.model.files.vocabulary import PROCESSES, QUEUES, STOPPER, THREADS
from offsetproof.model.threads import thread_of

_PRESUMED = (at("MixAll", "string2File"), at("MixAll", "string2FileNotSafe"))
"""What a power failure leaves is as these leave it: nothing is forced to the disk."""
_SCRIPTED = RigChange("nothing")


def writer_of(p: int, t: int) -> str:
    """The name of a thread that writes."""
    return f"writer {p} {t}"


def of_process(moment: RigMoment) -> dict[str, Any]:
    """What every step of a process says: which it is."""
    return {"process": moment.arg("p")}


def _of_queue(moment: RigMoment) -> dict[str, Any]:
    """What is known of the queue: how far the group is, and whether a consumer has begun on it before."""
    queue = moment.arg("q")
    known = {"offset": moment.after[f"progress[{queue}]"], "known": moment.before[f"known[{queue}]"]}
    return {**of_process(moment), "queue": queue, **known}


def _fates(moment: RigMoment) -> dict[str, Any]:
    """What a power failure leaves of the two files."""
    return {"main": moment.args["m"], "backup": moment.args["b"]}


def whole_call(role: str, call: str) -> ThreadStep:
    """A call about one queue that is one step."""
    return ThreadStep(role, thread_of("p", role=role), call, values=_of_queue, whole=True)


def _at_queue(name: str, rig: ThreadStep) -> Thread:
    """A thread whose steps are about one queue."""
    return Thread(name, {"p": PROCESSES, "q": QUEUES}, "", rig, "process[p]")


WRITER = Thread(
    "string2File", {"p": PROCESSES, "t": THREADS}, "a thread that writes stalls",
    ThreadStep(
        "write", lambda moment: (writer_of(moment.arg("p"), moment.arg("t")),),
        values=lambda moment: {**of_process(moment), "shuts_down": moment.arg("t") == STOPPER},
    ), "process[p].writer[t]",
)  # fmt: skip
SHUTDOWN = Thread(
    "main", {"p": PROCESSES}, "",
    ThreadStep(
        "write", lambda moment: (writer_of(moment.arg("p"), STOPPER),),
        values=lambda moment: {**of_process(moment), "shuts_down": True},
    ), "process[p]", Fairness.NONE,
)  # fmt: skip
"""The threads that write the file, and a consumer's main thread, which need not shut it down, and is one of them."""

COMMITS = _at_queue("consumer manage", whole_call("commit", "commit"))
REBALANCE_SERVICE = _at_queue("rebalance", whole_call("rebalance", "add_queue"))
CONSUME = _at_queue("consume message", whole_call("consume", "consume"))
CALLBACK = _at_queue("pull callback", whole_call("poll", "end_poll"))
"""The threads that change the table in memory."""

PROCESS = Outside("main", {"p": PROCESSES}, "process[p]", RigChange("start", of_process))
GROUP = Outside("main", {}, "group", _SCRIPTED)
MACHINE = Outside("power", {}, "machine", RigChange("lose_power", _fates, _PRESUMED))
WRITEBACK = Outside("writeback", {}, "machine", _SCRIPTED)
"""Processes as a whole, the consumers of a broker's group, the machine and its operating system."""

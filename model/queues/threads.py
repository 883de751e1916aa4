"""The threads of a client and what is outside of them: parameters, what a stall is called, how the rig runs the steps.

A step names its thread, and says no more where it is plain code that follows the step above it (`model/threads.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from offsetproof.lang import Fairness
from offsetproof.lang.rigging import RigChange, RigMoment, ThreadStep
from offsetproof.lang.step import Outside, Thread
from offsetproof.model.queues.vocabulary import BROKERS, QUEUES
from offsetproof.model.threads import SCRIPTED, one_for_each, thread_of
from offsetproof.model.vocabulary import CONSUMERS, RUNS, Rebalancer


def client_at(moment: RigMoment) -> str:
    """The full name of the client that a step is about."""
    return f"client[{moment.arg('c')}]"


def run_at(moment: RigMoment) -> str:
    """The full name of the run of rebalance that a step is about."""
    return f"{client_at(moment)}.rebalance[{moment.arg('r')}]"


def of_client(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """What every step of a client says: which it is, and the queue that it is about."""
    queue = {"queue": moment.arg("q"), "pq_id": moment.arg("q")} if "q" in moment.args else {}
    return {"client": moment.arg("c"), **queue, **values}


def of_member(moment: RigMoment) -> Mapping[str, Any]:
    """Which broker hears of a member, and which process that is."""
    return {"broker": moment.arg("b"), "process": moment.arg("m" if "m" in moment.args else "c")}


def _rebalancers(moment: RigMoment) -> tuple[str, ...]:
    """The thread of a run of rebalance: its own, or that of the reset which resumes."""
    is_own = moment.arg("r") == Rebalancer.SERVICE
    return (f"rebalance {moment.arg('c')}" if is_own else f"reset {moment.arg('c')}",)


def whole_call(role: str, call: str) -> ThreadStep:
    """A call about one queue that is one step."""
    return ThreadStep(role, thread_of("c", "q", role=role), call, values=of_client, whole=True)


def with_pull_request(call: str) -> ThreadStep:
    """A call that needs the queue's PullRequest, and is one step."""
    return replace(whole_call("pull", call), unforceable=_waits_for_run)


_ADDING = ("MISSING", "ANSWERED", "STORED")
"""Where a run may have added a queue already: it adds after it has given up what it gives up."""


def _waits_for_run(moment: RigMoment) -> str:
    """PullRequests are handed over when the run is over that has added their queues, and perhaps others."""
    client = client_at(moment)
    runs = [path for path in moment.before if path.startswith(f"{client}.rebalance[") and path.endswith("].at")]
    busy = any(moment.before[path] in _ADDING for path in runs)
    return "comes before the run of rebalance is over, which hands the PullRequest over" if busy else ""


_of_each_client = partial(one_for_each, values=of_client, actor="client[c]")
CONSUME = _of_each_client("consume message", {"c": CONSUMERS, "q": QUEUES}, "a consume thread stalls", role="consume")
CALLBACK = Thread("pull callback", {"c": CONSUMERS, "q": QUEUES}, "", whole_call("callback", "end_poll"), "client[c]")
PERSIST = _of_each_client("persist timer", {"c": CONSUMERS}, "the persist timer stalls", role="persist")
REBALANCE = Thread(
    "rebalance", {"c": CONSUMERS, "r": RUNS}, "the rebalance thread stalls",
    ThreadStep("rebalance", _rebalancers, values=of_client), "client[c]",
)  # fmt: skip
RESET = _of_each_client("reset", {"c": CONSUMERS}, "the thread of a reset stalls")
REPAIR = _of_each_client("repair", {"c": CONSUMERS, "q": QUEUES}, "the thread of a repair stalls", "repair")
APPLICATION = replace(_of_each_client("application", {"c": CONSUMERS}), fair=Fairness.NONE)
"""Threads of a client."""

PULLS = Outside("pull", {"c": CONSUMERS, "q": QUEUES}, "broker", with_pull_request("hold_poll"))
COMMITS = Outside("consumer manage", {"c": CONSUMERS, "q": QUEUES}, "broker", RigChange("execute_commit", of_client))
MEMBERSHIP = Outside("membership", {}, "broker", RigChange("hear", of_member))
BROKER = Outside("start", {"b": BROKERS}, "broker", RigChange("restart", lambda moment: {"broker": moment.arg("b")}))
"""The brokers: for pulls and commits, and what they know of the group."""

RESET_TOOL = Outside("reset tool", {}, "administrator", SCRIPTED)
ADMIN = Outside("admin tool", {}, "administrator", SCRIPTED)
"""The administrator, whose steps have parameters of their own."""

"""The threads of a client and what is outside of them: parameters, what a stall is called, how the rig runs the steps.

A step names its thread, `@RESET.step(at(...))`, and says no more where it is plain code that follows the step above it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from offsetproof.lang import Fairness, at
from offsetproof.lang.record import NotInRig, Pause
from offsetproof.lang.rigging import RigChange, RigMoment, ThreadStep, Values
from offsetproof.lang.scope import SortOfParameter
from offsetproof.lang.step import Outside, Thread
from offsetproof.model.timers import ON_ITS_WAY, PERSIST_EVERY, PERSIST_FIRST
from offsetproof.model.vocabulary import CONSUMERS, OFFSETS, PROCESS_QUEUES, REGISTRIES, RUNS, Rebalancer

QUERY, ANSWER = "query", "answer"
"""Where a thread waits in the rig: for the answer to its offset query, to its pull."""

LOCK = "lock"
"""Where a thread waits in the rig for the answer about a lock to be heard of."""

LOCK_ANSWERED = Pause(
    "an answer about a lock is on its way", ("broker_answers_lock",), most=ON_ITS_WAY, source="an answer"
)
"""Before a run of rebalance hears whether the queue is its own."""

PERSIST_ROUND = Pause(
    "the persist timer", (("consumer_persists_all", "consumer_removes_unused_cell"),), PERSIST_EVERY, any_longer=True,
    source="MQClientInstance.startScheduledTask: persistConsumerOffsetInterval",
)  # fmt: skip
FIRST_PERSIST_ROUND = Pause(
    "the persist timer", ("consumer_starts",), PERSIST_FIRST, any_longer=True,
    source="MQClientInstance.startScheduledTask: the first round after a start",
)  # fmt: skip
"""Before a round of persistAll."""

BY_DECISION = "a decision from outside"
BY_APPLICATION = "a decision of the application"
BY_FAULT = "a fault, which may happen at any time"


def of_client(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """What every step of a client's thread says: the client, and the arguments that name a ProcessQueue and a task."""
    named = {name: moment.arg(name) for name in ("pq_id", "m") if name in moment.args}
    return {"client": moment.arg("c"), **named, **values}


def thread_of(*parameters: str, role: str = "") -> Callable[[RigMoment], tuple[str, ...]]:
    """The name of a thread in the rig: its role, and its arguments."""
    return lambda moment: (" ".join([role, *(str(moment.arg(each)) for each in parameters)]),)


def one_for_each(
    name: str,
    over: Mapping[str, SortOfParameter],
    late: str = "",
    call: str | None = None,
    *,
    role: str = "",
    values: Values = of_client,
    actor: str = "consumer[c]",
) -> Thread:
    """A thread of which the rig has one for each choice of the parameters, named by its role."""
    role = role or name
    return Thread(name, over, late, ThreadStep(role, thread_of(*over, role=role), call, values=values), actor)


def rebalancers(moment: RigMoment) -> tuple[str, ...]:
    """The thread of a run of rebalance: its own, or whoever resumed."""
    c = moment.arg("c")
    return (f"rebalance {c}",) if moment.arg("r") == Rebalancer.SERVICE else (f"reset {c}", f"application {c}")


def allocation(moment: RigMoment) -> dict[str, Any]:
    """What the client's next look at the group will tell it."""
    c = moment.arg("c")
    return {"client": c, "allocated": moment.after[f"consumer[{c}].believes_allocated"]}


def broker_step(call: str, **named: str) -> ThreadStep:
    """A step of a broker thread that executes a commit; `named` says which arguments it is told under which names."""

    def values_at(moment: RigMoment) -> Mapping[str, Any]:
        known = {"client": moment.arg("c")} if "c" in moment.args else {}
        return known | {name: moment.arg(arg) for name, arg in named.items()}

    gate = at("ConsumerOffsetManager", "commitOffset", "get")
    return ThreadStep("commit", _free_broker_thread, call, (gate,), values_at)


def _free_broker_thread(moment: RigMoment) -> tuple[str, ...]:
    """The broker has many threads for commits: while one makes the group's row, another executes the next commit."""
    is_making_row = moment.before.get("broker.row_being_made") is not None
    return ("commit meanwhile",) if is_making_row else ("commit",)


def values_at_answer(moment: RigMoment, **values: Any) -> dict[str, Any]:
    """What a client's thread is told whose offset query is answered."""
    return of_client(moment, answer_query=True, **values)


SCRIPTED = RigChange("nothing")
"""The administrator's tool, and its way to the client: the reset command is there when the client takes it."""

PULL = Thread(
    "pull", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES}, "",
    ThreadStep("pull", lambda moment: ("pull",), "pull", values=of_client, whole=True),
)  # fmt: skip
CALLBACK = one_for_each(
    "pull callback",
    {"c": CONSUMERS, "pq_id": PROCESS_QUEUES},
    "a pull callback stalls",
    "answer",
    role="callback",
    values=lambda moment: of_client(moment, size=1),
)
CONSUME = one_for_each(
    "consume", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES, "m": OFFSETS}, "a consume thread stalls", "task"
)
REBALANCE = Thread(
    "rebalance", {"c": CONSUMERS, "r": RUNS}, "the rebalance thread stalls",
    ThreadStep("rebalance", rebalancers, "rebalance", values=of_client),
)  # fmt: skip
PERSIST = one_for_each("persist timer", {"c": CONSUMERS}, "the persist timer stalls", "persist", role="persist")
RESET = one_for_each("reset", {"c": CONSUMERS}, "the thread of a reset stalls")
REPAIR = one_for_each("repair", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES}, "the thread of a repair stalls", "repair")
INFO = one_for_each("running info", {"c": CONSUMERS}, "", "running_info", role="info")
APPLICATION = replace(one_for_each("application", {"c": CONSUMERS}, "a shutdown stalls"), fair=Fairness.NONE)
"""Threads of a client; whether it starts, stops or resumes is for its application to say, which need not."""

ALLOCATION = Outside(
    "rebalance",
    {"c": CONSUMERS, "b": REGISTRIES},
    "consumer[c]",
    RigChange("allocate", allocation),
    fair=Fairness.WEAK,
)
"""A rebalance that asks a broker for the members: the rig tells it what it will find."""
SWEEP = Outside(
    "expiry sweep", {"c": CONSUMERS, "pq_id": PROCESS_QUEUES}, "consumer[c]",
    NotInRig("the expiry sweep looks at times of fifteen minutes ago"), fair=Fairness.WEAK,
)  # fmt: skip
RETRIES = Outside("consume", {"m": OFFSETS}, "group", NotInRig("the retry topic's queue is not in the rig"))
NETWORK = Outside("network", {"c": CONSUMERS}, "consumer[c]", RigChange("lose_commit", of_client))
COMMANDS = Outside("network", {"c": CONSUMERS}, "broker", SCRIPTED)
"""What is on its way to the broker, and from it."""

PULLS = Outside(
    "pull processor",
    {"c": CONSUMERS, "pq_id": PROCESS_QUEUES},
    "broker",
    broker_step("receive_pull", pq_id="pq_id"),
    fair=Fairness.EACH,
)
COMMITS = Outside("consumer manage", {"c": CONSUMERS}, "broker", broker_step("execute_commit"), fair=Fairness.EACH)
QUERY_ANSWER = replace(REBALANCE.rig, gates=(QUERY,), values=values_at_answer)
LOCKS_OF_RUNS = Outside("consumer manage", {"c": CONSUMERS, "r": RUNS}, "broker", REBALANCE.rig, fair=Fairness.EACH)
QUERIES = Outside("consumer manage", {"c": CONSUMERS, "r": RUNS}, "broker", QUERY_ANSWER, fair=Fairness.EACH)
INFO_ANSWER = replace(INFO.rig, gates=(QUERY,), values=values_at_answer)
INFO_QUERIES = Outside("consumer manage", {"c": CONSUMERS}, "broker", INFO_ANSWER, fair=Fairness.EACH)
ROWS = Outside(
    "consumer manage",
    {},
    "broker",
    ThreadStep("commit", lambda moment: ("commit",)),
    "a broker thread stalls",
    fair=Fairness.EACH,
)
"""The broker's threads: for pulls, commits, queries, and what comes of them in its table."""

FLUSH = Outside("flush timer", {}, "broker", RigChange("flush"), fair=Fairness.EACH)
BROKER = Outside("process", {}, "broker", RigChange("restart_broker"))
STORE = Outside("store cleaning", {}, "broker", RigChange("retire"))
MEMBERSHIP = Outside("membership", {"c": CONSUMERS}, "group", RigChange("allocate", allocation))
REGISTRY = Outside("membership", {"c": CONSUMERS, "b": REGISTRIES}, "broker", SCRIPTED)
PRODUCER = Outside("send", {}, "producer", RigChange("store"))
ADMIN = Outside("admin tool", {}, "administrator", SCRIPTED)
RESET_TOOL = Outside("reset tool", {}, "administrator", SCRIPTED)
"""The rest of the world."""

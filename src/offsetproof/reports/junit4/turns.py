"""The turns of a story's threads: what each runs without a pause, and where it stops for another.

A test without the rig's debugger can hold a thread only where the client calls something that the test gives it: the
broker, the offset store, the table, the listener. So the steps are put into another order with the same end, in which
the steps of a thread follow each other wherever happens-before allows it. Where another thread must come between two
steps, the thread is held at such a call, or the story is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from offsetproof.conformance.on_release import Prepared, anchors_of
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.reference import NotTaken
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.lang.stage import Staged
from offsetproof.traces.blocks import blocks_of
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.trace import Value, plain
from offsetproof.verdict.prerequisite import NotForceableError

_STORE = "OffsetStore."
SLEEP = "sleep"
STOPS: Mapping[str, str] = {
    "query": "queryConsumerOffset",
    "RemoteBrokerOffsetStore.readOffset (updateOffset)": "queryConsumerOffset answered",
    "RebalancePushImpl.computePullFromWhereWithException (maxOffset)": "getMaxOffset",
    "RebalancePushImpl.computePullFromWhereWithException (maxOffset #2)": "getMaxOffset",
    "RebalancePushImpl.computePullFromWhereWithException (searchOffset)": "getMaxOffset",
    "RebalanceImpl.updateProcessQueueTableInRebalance (putIfAbsent)": "putIfAbsent",
    "RebalanceImpl.updateProcessQueueTableInRebalance (removeDirtyOffset)": _STORE + "removeOffset",
    "RebalancePushImpl.removeUnnecessaryMessageQueue (persist)": _STORE + "persist",
    "RebalancePushImpl.removeUnnecessaryMessageQueue (persist #2)": _STORE + "persist",
    "RebalancePushImpl.removeUnnecessaryMessageQueue (removeOffset)": _STORE + "removeOffset",
    "ConsumeMessageConcurrentlyService.processConsumeResult (updateOffset)": _STORE + "updateOffset",
    "DefaultMQPushConsumerImpl.correctTagsOffset (updateOffset)": _STORE + "updateOffset",
    "MQClientInstance.resetOffset (updateConsumeOffset)": _STORE + "updateOffset",
    "RemoteBrokerOffsetStore.persistAll (updateConsumeOffsetToBroker)": _STORE + "updateConsumeOffsetToBroker",
    "RemoteBrokerOffsetStore.updateConsumeOffsetToBroker (findBrokerAddressInSubscribe)": _STORE
    + "updateConsumeOffsetToBroker",
    "DefaultMQPushConsumerImpl.shutdown (persistConsumerOffset)": _STORE + "persistAll",
    "DefaultMQPushConsumerImpl.shutdown (MQClientInstance.shutdown)": "unregisterClient",
    "ConsumeMessageConcurrentlyService.ConsumeRequest.run (consumeMessage)": "consumeMessage",
    "ConsumeMessageConcurrentlyService.processConsumeResult (removeMessage)": "incConsumeFailedTPS",
    "MQClientInstance.resetOffset (sleep)": SLEEP,
}
"""Where a test can hold a thread before a step, by the place at which the step begins."""

AFTER: Mapping[str, str] = {
    "task_starts": "consumeMessage",
    "listener_finishes": "incConsumeFailedTPS",
    "reset_resumes": "getConsumerIdListByGroup",
    "application_resumes": "getConsumerIdListByGroup",
}
"""Where a test holds a thread after a step, wherever its next one may begin."""
_AFTER_SENDING_BACK = "incConsumeFailedTPS"
"""A stop that comes too early where messages are sent back first."""


@dataclass(frozen=True)
class Forced:
    """A step of the story as the rig does it: in a thread, by a call; or outside of threads, where there is none."""

    number: int
    action: str
    threads: tuple[str, ...]
    call: str | None
    values: Mapping[str, Any]
    gates: tuple[Anchor | str, ...] = ()

    @property
    def stops(self) -> frozenset[str]:
        """Where a test can hold a thread before this step; empty where it cannot."""
        found = [STOPS.get(_place(gate)) for gate in self.gates]
        return frozenset() if None in found else frozenset(each for each in found if each)


@dataclass(frozen=True)
class Turn:
    """Steps that follow each other in one thread, which then is over, or stops for another; or one outside of them."""

    thread: int | None
    steps: tuple[Forced, ...]
    begins: bool
    stop: str | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """What all its steps are told."""
        return {name: value for step in self.steps for name, value in step.values.items()}


@dataclass
class _Thread:
    """A call of a thread, with its steps; open while it is not over."""

    name: str
    steps: list[Forced] = field(default_factory=list)
    is_open: bool = True


def turns_of(story: Prepared) -> list[Turn]:
    """The turns, in an order in which the model comes to the story's last state. NotForceableError if there is none."""
    steps = list(_forced_steps(story))
    threads = list(_threads(story, steps))
    order = _in_order(story, steps, threads)
    _follow(story, [step for steps_of in order for step in steps_of])
    return list(_with_stops(story, order, threads))


def _forced_steps(story: Prepared) -> Iterator[Forced]:
    """The story's steps. NotForceableError where no rig can do one of them."""
    rigging, anchors = _rigging(story), anchors_of(Staged(story.subject.model, story.question.setting))
    states, listener = story.trace.states, story.trace.world.listener
    for step, (before, after) in zip(story.trace.steps, pairwise(states), strict=True):
        if step.action not in rigging.steps:
            why = rigging.left_out.get(step.action, "the rig does not know this action")
            raise NotForceableError(f"step {step.number}, {step.name}: {why}")
        moment = RigMoment(step.args, before, after, listener)
        yield _as_forced(rigging, anchors, step.number, step.action, moment)


def _rigging(story: Prepared) -> Rigging:
    """What the actions are to the release's own classes: they do not have the story's fixes."""
    setting = replace(story.question.setting, fixes=())
    return story.rigging.on_classes_with(each.name for each in setting.behaviours)


def _as_forced(
    rigging: Rigging, anchors: Mapping[str, Sequence[Anchor]], number: int, action: str, moment: RigMoment
) -> Forced:
    rigged = rigging.steps[action]
    if isinstance(rigged, RigChange):
        return Forced(number, action, (), rigged.name, rigged.values(moment))
    gates = () if rigged.whole else rigged.gates or tuple(anchors[action][:1])
    return Forced(number, action, rigged.threads(moment), rigged.call, rigged.values(moment), gates)


def _threads(story: Prepared, steps: Sequence[Forced]) -> Iterator[_Thread]:
    """The calls of threads; as in the rig, of several threads the first is meant that is at work."""
    at_work: dict[str, _Thread] = {}
    for step, after in zip(steps, story.trace.states[1:], strict=True):
        if not step.threads:
            for name in [name for name in at_work if step.call == "leave" and _is_of(name, step.values["client"])]:
                del at_work[name]  # it is held for good
            continue
        name = next((name for name in step.threads if name in at_work), step.threads[0])
        if name not in at_work:
            at_work[name] = _Thread(name)
            yield at_work[name]
        at_work[name].steps.append(step)
        if not step.gates or _is_over(name, step.values, after):
            at_work.pop(name).is_open = False


def _is_of(thread: str, client: int) -> bool:
    return thread.split()[0] not in ("commit", "pull") and thread.split()[1] == str(client)


def _is_over(thread: str, values: Mapping[str, Any], state: Mapping[str, Value]) -> bool:
    """Is the thread's call over in this state?"""
    role, client = thread.split()[0], f"consumer[{values.get('client')}]"
    if role == "commit":
        return state.get("broker.row_being_made") is None
    if not state.get(f"{client}.alive", True):
        return True
    resumes = state.get(f"{client}.rebalance[1].at", "IDLE") != "IDLE" or state.get(f"{client}.resumed")
    if role in ("reset", "application") and resumes:
        return False
    field, idle = _AT.get(role, ("", ()))
    places = {"pq": values.get("pq_id"), "m": values.get("m")}
    return not field or state.get(f"{client}.{field.format(**places)}") in idle


_AT: Mapping[str, tuple[str, tuple[str | None, ...]]] = {
    "rebalance": ("rebalance[0].at", ("IDLE",)),
    "reset": ("reset_run.at", ("IDLE",)),
    "application": ("stop", ("RUNNING",)),
    "callback": ("process_queue[{pq}].pull_request", ("NONE", "RUN_QUEUE", "SENT", "HELD", "CLIENT_GONE")),
    "consume": ("process_queue[{pq}].task[{m}].at", ("NONE", "SUBMITTED", "WAITING")),
    "persist": ("read_value", (None,)),
    "info": ("info.at", ("IDLE",)),
    "repair": ("process_queue[{pq}].repair", ("IDLE",)),
}
"""The field of a client that says where a thread of a role is, and what it holds when the thread's call is over."""


def _in_order(story: Prepared, steps: Sequence[Forced], threads: Sequence[_Thread]) -> list[tuple[Forced, ...]]:
    """The steps in blocks of one thread. Those between which a test cannot hold the thread come together first."""
    neighbours = [pair for thread in threads for pair in pairwise(thread.steps)]
    neighbours.sort(key=lambda pair: len(pair[1].stops) == 1)
    blocks = blocks_of(happens_before(story.replay), [(a.number, b.number) for a, b in neighbours])
    return [tuple(steps[number - 1] for number in block) for block in blocks]


def _follow(story: Prepared, steps: Sequence[Forced]) -> None:
    """NotForceableError where the model does not come to the story's last state in this order."""
    reference, state = story.replay.reference, story.replay.states[0]
    for step in steps:
        after = reference.take(state, story.replay.labels[step.number - 1])
        if isinstance(after, NotTaken):
            raise NotForceableError(f"step {step.number}, {step.action}, cannot be put where the test needs it")
        state = after
    if state != story.replay.states[-1]:
        raise NotForceableError("the order that the test needs does not end as the story does")


def _with_stops(story: Prepared, order: Sequence[tuple[Forced, ...]], threads: Sequence[_Thread]) -> Iterator[Turn]:
    """The blocks as turns, each with where its thread stops. NotForceableError where it cannot."""
    thread_of = {step.number: number for number, thread in enumerate(threads) for step in thread.steps}
    begun: set[int] = set()
    for steps in order:
        thread = thread_of.get(steps[0].number)
        if thread is None:
            yield Turn(None, steps, True)
            continue
        turn = Turn(thread, steps, thread not in begun)
        begun.add(thread)
        of = threads[thread].steps
        behind = of[of.index(steps[-1]) + 1 :]
        if behind:
            yield replace(turn, stop=_stop(turn, [behind[0]]))
        elif threads[thread].is_open:
            yield replace(turn, stop=_stop(turn, list(_next_in(story, threads[thread]))))
        else:
            yield turn


def _next_in(story: Prepared, thread: _Thread) -> Iterator[Forced]:
    """What a thread can do next after what it does last in the story."""
    rigging, anchors = _rigging(story), anchors_of(Staged(story.subject.model, story.question.setting))
    reference, last = story.replay.reference, story.replay.states[thread.steps[-1].number]
    now = {name: plain(value) for name, value in reference.show(last).items()}
    for (action, args), state in reference.steps(last):
        if isinstance(rigging.steps.get(action), ThreadStep):
            after = {name: plain(value) for name, value in reference.show(state).items()}
            moment = RigMoment(dict(args), now, after, story.trace.world.listener)
            found = _as_forced(rigging, anchors, story.trace.length + 1, action, moment)
            if thread.name in found.threads:
                yield found


def _stop(turn: Turn, following: Sequence[Forced]) -> str:
    """Where the thread of a turn stops before one of these steps."""
    last = turn.steps[-1]
    if last.action in AFTER:
        return AFTER[last.action]
    stops = frozenset().union(*(step.stops for step in following)) if all(s.stops for s in following) else frozenset()
    if len(stops) != 1:
        places = (
            " or ".join(dict.fromkeys(_place(gate) for step in following for gate in step.gates)) or "its next step"
        )
        raise NotForceableError(
            f"after step {last.number}, {last.action}, another thread has to come before {places}, where the client "
            f"calls nothing that a test could hold it in"
        )
    (stop,) = stops
    if stop == _AFTER_SENDING_BACK:
        raise NotForceableError(
            f"step {last.number}, {last.action}: its thread cannot be held before it removes messages"
        )
    inner = turn.steps if turn.begins else turn.steps[1:]
    if any(stop in step.stops for step in inner):
        raise NotForceableError(
            f"step {last.number}, {last.action}: its thread comes to {stop} twice before it has to stop"
        )
    return stop


def _place(gate: Anchor | str) -> str:
    return gate if isinstance(gate, str) else str(replace(gate, line=None))

"""A tiny queue with everything that a trace can show: a fault, an offset set, an optional, an enum, a ghost.

Two consumers share one offset. A consumer takes the queue, finishes messages, and commits one past the highest that it
has finished, although lower ones may be missing: with two messages, finishing 1 and committing skips 0. A commit may
get lost (fault `loss`). The clock is there so that traces can hold steps that nothing depends on; it rings once, which
ends any walk with a claim to show.
"""

from __future__ import annotations

from enum import Enum

from hypothesis import strategies as st

from offsetproof.ir.system import Label
from offsetproof.lang import (
    Array,
    Assumption,
    Component,
    Fix,
    Index,
    Listener,
    Model,
    OffsetSet,
    Release,
    Scope,
    Setting,
    Step,
    action,
    always,
    array,
    at,
    each_step,
    every,
    flag,
    integer,
    larger,
    offset,
    offset_set,
    one_of,
    optional,
    require,
    sometimes,
)
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.stage import Staged

CONSUMERS = Index("consumer", "consumers")
MESSAGES = Index("message", "messages")


class Phase(Enum):
    """What a consumer is doing."""

    IDLE = 1
    BUSY = 2


class Speed(Enum):
    """How a consumer stops."""

    SLOWLY = 1
    AT_ONCE = 2


class Consumer(Component):
    """One consumer, with the messages that it has finished."""

    phase: Phase = one_of(Phase)
    done: OffsetSet = offset_set()
    stopped: bool = flag()


class LossyQueue(Model):
    """The queue, its committed offset and its consumers."""

    scopes = (Scope("small", {"consumers": 2, "messages": 2}, {"loss": 1}),)
    owner: int | None = optional(integer(0, lambda s: s.consumers - 1))
    committed: int = offset()
    lost: int = integer(0, 3)
    clock: int = integer(0, 3)
    rung: bool = flag()
    ghost_finished: OffsetSet = offset_set()
    consumer: Array[Consumer] = array(CONSUMERS, Consumer)

    @action(
        c=CONSUMERS,
        actor="consumer[c]",
        thread="rebalance",
        logs="owner is {}",
        stands_for=[at("RebalanceImpl", "updateProcessQueueTableInRebalance", line=393)],
    )
    def consumer_takes_queue(self, c: int) -> None:
        require(self.owner is None)
        self.owner = c
        self.consumer[c].phase = Phase.BUSY

    @action(
        c=CONSUMERS,
        m=MESSAGES,
        actor="consumer[c]",
        thread="task",
        stands_for=[at("ProcessQueue", "removeMessage", "first", line=196), at("MessageListener", "consume")],
    )
    def consumer_finishes(self, c: int, m: int) -> None:
        require(self.consumer[c].phase == Phase.BUSY, not self.consumer[c].done.has(m))
        self.consumer[c].done = self.consumer[c].done.add(m)
        self.ghost_finished = self.ghost_finished.add(m)

    @action(c=CONSUMERS, actor="consumer[c]", thread="timer")
    def consumer_commits(self, c: int) -> None:
        done = self.consumer[c].done
        require(self.owner == c, done != OffsetSet())
        self.committed = larger(self.committed, done.highest(default=0) + 1)

    @action(actor="network", fault="loss")
    def network_loses_commit(self) -> None:
        require(self.committed > 0)
        self.committed = 0
        self.lost = self.lost + 1

    @action(c=CONSUMERS, how=Speed, actor="consumer[c]", thread="shutdown")
    def consumer_stops(self, c: int, how: Speed) -> None:  # noqa: ARG002 - only named in the trace
        require(not self.consumer[c].stopped)
        self.consumer[c].stopped = True
        self.consumer[c].phase = Phase.IDLE
        if self.owner == c:
            self.owner = None

    @action(actor="clock")
    def clock_ticks(self) -> None:
        require(self.clock < 3)
        self.clock = self.clock + 1

    @action(actor="clock")
    def clock_rings(self) -> None:
        require(not self.rung)
        self.rung = True

    @always(id="Q1")
    def nothing_skipped(self) -> bool:
        """The committed offset passes nothing unfinished."""
        return OffsetSet.below(self.committed) <= self.consumer[0].done | self.consumer[1].done

    @each_step(id="Q2")
    def committed_never_falls(before: LossyQueue, after: LossyQueue, _: Step) -> bool:  # noqa: N805 - no method
        """The committed offset only grows."""
        return before.committed <= after.committed

    @sometimes(id="W1")
    def queue_changes_hands(self) -> bool:
        """The second consumer owns what the first one worked on."""
        return every([self.consumer[0].done != OffsetSet(), self.owner == 1])

    @sometimes(id="W2")
    def clock_has_rung(self) -> bool:
        """The clock has rung."""
        return self.rung


RELEASE = Release("1.0")
SETTING = Setting(
    LossyQueue.scopes[0],
    {"client": RELEASE, "broker": Release("2.0")},
    (Fix("retry", "sends again"),),
    (Assumption("in_order", "first in, first out"),),
    Listener("slow", "takes its time"),
)
REFERENCE = Reference(LossyQueue, SETTING)
STAGED = Staged(LossyQueue, SETTING)
CLAIMS = {claim.id: claim for claim in LossyQueue.claims}

TAKES: Label = ("consumer_takes_queue", (("c", 0),))
COMMITS: Label = ("consumer_commits", (("c", 0),))
LOSES: Label = ("network_loses_commit", ())
TICKS: Label = ("clock_ticks", ())
RINGS: Label = ("clock_rings", ())


def finishes(m: int) -> Label:
    """Consumer 0 finishes a message."""
    return "consumer_finishes", (("c", 0), ("m", m))


def replay(id: str, *labels: Label, also: tuple[str, ...] = ()) -> Replay:
    """The replay of a trace that shows a claim of the queue."""
    return Replay(REFERENCE, CLAIMS[id], labels, also=[CLAIMS[other] for other in also])


@st.composite
def walks(draw: st.DrawFn) -> tuple[Label, ...]:
    """Any run of up to ten steps from the initial state, without the clock's ringing."""
    state, labels = REFERENCE.initial()[0], []
    for choice in draw(st.lists(st.integers(0, 100), max_size=10)):
        steps = [step for step in REFERENCE.steps(state) if step[0] != RINGS]
        label, state = steps[choice % len(steps)]
        labels.append(label)
    return tuple(labels)


@st.composite
def replays(draw: st.DrawFn) -> Replay:
    """Any walk up to where it first breaks Q1 or Q2; one that breaks neither ends with the ringing, which shows W2."""
    labels = draw(walks())
    claim = draw(st.sampled_from(["Q1", "Q2"]))
    for end in range(1, len(labels) + 1):
        try:
            return replay(claim, *labels[:end], also=("W1",))
        except ReplayError:
            continue
    return replay("W2", *labels, RINGS, also=("Q1", "Q2"))

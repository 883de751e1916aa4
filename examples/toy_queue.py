"""A queue of which the counts are published: confirmed by SPIN, TLC and Stateright, and what benchmarks are timed on.

Two-phase acknowledgement, persist, rebalance and reset on a queue that fits one machine word. With 2 consumers, 4
messages and no reset: 1,563,324 states and 10,678,582 transitions in 48 levels; with 5 messages 20,321,726 and
162,689,288 in 57.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Component,
    Index,
    Model,
    OffsetSet,
    Scope,
    action,
    always,
    array,
    choose,
    flag,
    integer,
    larger,
    offset,
    offset_set,
    require,
)

CONSUMERS = Index("consumer", "consumers")
MESSAGES = Index("message", "messages")


class Holder(Component):
    """One consumer's side of the queue; offsets are stored + 1, 0 is none."""

    cached: bool = flag()
    next: int = offset()
    pulled: OffsetSet = offset_set()
    highest: int = offset()
    in_flight: OffsetSet = offset_set()
    pending: int = integer(0, lambda s: s.messages + 1)
    memory: int = integer(0, lambda s: s.messages + 1)
    reset_step: int = integer(0, 2)


class ToyQueue(Model):
    """One queue, several consumers."""

    scopes = (
        Scope("published", {"consumers": 2, "messages": 4, "resets": 0}),
        Scope("larger", {"consumers": 2, "messages": 5, "resets": 0}),
        Scope("with-reset", {"consumers": 2, "messages": 4, "resets": 1}),
    )
    max: int = offset()
    committed: int = integer(0, lambda s: s.messages + 1)
    done: OffsetSet = offset_set()
    owner: int = integer(0, lambda s: s.consumers - 1)
    resets_left: int = integer(0, "resets", "resets")
    holder: Array[Holder] = array(CONSUMERS, Holder)

    @action()
    def produce(self) -> None:
        require(self.max < self.scope.messages)
        self.max = self.max + 1

    @action(c=CONSUMERS)
    def reallocate(self, c: int) -> None:
        require(self.owner != c)
        self.owner = c

    @action(c=CONSUMERS)
    def add(self, c: int) -> None:
        k = self.holder[c]
        require(self.owner == c, not k.cached, k.in_flight == OffsetSet(), k.pending == 0)
        start = choose(self.committed == 0, 0, self.committed - 1)
        k.cached, k.next, k.pulled, k.highest, k.memory = True, start, OffsetSet(), 0, start + 1

    @action(c=CONSUMERS)
    def drop(self, c: int) -> None:
        k = self.holder[c]
        require(self.owner != c, k.cached, k.reset_step == 0)
        self.committed = choose(k.memory != 0, k.memory, self.committed)
        k.memory, k.cached, k.pulled, k.next, k.highest = 0, False, OffsetSet(), 0, 0

    @action(c=CONSUMERS)
    def pull(self, c: int) -> None:
        k = self.holder[c]
        require(k.cached, k.next < self.max, k.reset_step == 0)
        k.pulled = k.pulled.add(k.next)
        k.next = k.next + 1
        k.highest = k.next

    @action(c=CONSUMERS, m=MESSAGES)
    def take(self, c: int, m: int) -> None:
        k = self.holder[c]
        require(k.cached, k.pulled.has(m), not k.in_flight.has(m))
        k.in_flight = k.in_flight.add(m)

    @action(c=CONSUMERS, m=MESSAGES)
    def acknowledge(self, c: int, m: int) -> None:
        k = self.holder[c]
        require(k.in_flight.has(m), k.pending == 0)
        k.in_flight = k.in_flight.remove(m)
        self.done = self.done.add(m)
        left = k.pulled.remove(m)
        result = choose(k.pulled == OffsetSet(), 0, left.lowest(default=k.highest) + 1)
        k.pending = choose(k.cached, result, 0)
        k.pulled = choose(k.cached, left, k.pulled)

    @action(c=CONSUMERS)
    def update(self, c: int) -> None:
        k = self.holder[c]
        require(k.pending != 0)
        k.memory = larger(k.memory, k.pending)
        k.pending = 0

    @action(c=CONSUMERS)
    def persist(self, c: int) -> None:
        k = self.holder[c]
        require(k.memory != 0, k.cached, self.committed != k.memory)
        self.committed = k.memory

    @action(c=CONSUMERS)
    def reset_drops(self, c: int) -> None:
        k = self.holder[c]
        require(k.cached, k.reset_step == 0, self.resets_left > 0, self.committed != 0)
        k.reset_step, k.cached, k.pulled, k.highest = 1, False, OffsetSet(), 0
        self.resets_left = 0

    @action(c=CONSUMERS)
    def reset_updates(self, c: int) -> None:
        k = self.holder[c]
        require(k.reset_step == 1)
        k.memory, k.reset_step = 1, 2

    @action(c=CONSUMERS)
    def reset_persists(self, c: int) -> None:
        k = self.holder[c]
        require(k.reset_step == 2)
        self.committed = k.memory
        k.memory, k.reset_step, k.next = 0, 0, 0

    @always
    def what_is_committed_is_done(self) -> bool:
        """Every message below the committed offset has been acknowledged."""
        return all(self.done.has(m) for m in range(self.scope.messages) if m < self.committed - 1)

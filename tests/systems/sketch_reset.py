"""The design sketch's model, transcribed field by field and step by step, to compare counts with its published ones.

One queue of RocketMQ 4.9.4 with concurrent consumption and a client-driven reset to 0. Not the project's model (that is
`model/`): this one only has to be the same system as the sketch, whose counts SPIN and Stateright confirmed.
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
    offset_set,
    require,
)

CLIENTS = Index("client", "clients")
LIVES = Index("life", "lives")
MESSAGES = Index("message", "messages")
VALUES = Index("value", lambda s: s.messages + 1)


class Task(Component):
    pc: int = integer(0, 5)
    result: int = integer(-1, "messages")


class ProcessQueue(Component):
    dropped: bool = flag()
    cached: OffsetSet = offset_set()
    highest: int = integer(0, "messages")
    token: int = integer(0, 2)
    next: int = integer(0, "messages")
    piggy: int = integer(-1, "messages")
    task: Array[Task] = array(MESSAGES, Task)


class Client(Component):
    owns: bool = flag(True)
    paused: bool = flag()
    table: int = integer(-1, lambda s: s.lives - 1)
    lives: int = integer(0, "lives")
    cell: int = integer(-1, "messages")
    oneway: OffsetSet = offset_set(lambda s: s.messages + 1)
    add_pc: int = integer(0, 2)
    start: int = integer(0, "messages")
    drop_pc: int = integer(0, 2)
    reset_pc: int = integer(0, 7)
    pq: Array[ProcessQueue] = array(LIVES, ProcessQueue)

    def raise_cell(self, value: int) -> None:
        self.cell = larger(self.cell, value)


class SketchReset(Model):
    scopes = (
        Scope(
            "plain",
            {
                "clients": 1,
                "lives": 2,
                "messages": 2,
                "resets": 1,
                "views": 0,
                "fix": 0,
                "no_stall": 1,
                "in_order": 0,
                "timely": 0,
            },
        ),
        Scope(
            "timely",
            {
                "clients": 1,
                "lives": 2,
                "messages": 2,
                "resets": 1,
                "views": 0,
                "fix": 1,
                "no_stall": 0,
                "in_order": 1,
                "timely": 1,
            },
        ),
    )
    max: int = integer(0, "messages")
    committed: int = integer(-1, "messages")
    resets: int = integer(0, "resets", "resets")
    client: Array[Client] = array(CLIENTS, Client)
    ghost_since: OffsetSet = offset_set()
    ghost_landed: bool = flag()
    ghost_sent: bool = flag()
    ghost_done: OffsetSet = offset_set()

    def note(self, value: int) -> None:
        self.ghost_landed = self.ghost_landed | (self.ghost_sent & (value == 0))

    @action()
    def produce(self) -> None:
        require(self.max < self.scope.messages)
        self.max = self.max + 1

    @action(c=CLIENTS)
    def rebalance_removes_dirty(self, c: int) -> None:
        k = self.client[c]
        require(k.owns, not k.paused, k.add_pc == 0, k.drop_pc == 0, k.table == -1, k.lives < self.scope.lives)
        k.cell = -1
        k.add_pc = 1

    @action(c=CLIENTS)
    def rebalance_queries(self, c: int) -> None:
        k = self.client[c]
        require(k.add_pc == 1)
        value = larger(self.committed, 0)
        k.cell = value
        k.start = value
        k.add_pc = 2

    @action(c=CLIENTS)
    def rebalance_adds(self, c: int) -> None:
        k = self.client[c]
        require(k.add_pc == 2)
        k.add_pc = 0
        life = k.lives
        k.pq[life].next = k.start
        k.pq[life].token = 1
        k.table = life
        k.lives = life + 1
        k.start = 0

    @action(c=CLIENTS, l=LIVES)
    def client_pulls(self, c: int, l: int) -> None:
        k = self.client[c]
        pq = k.pq[l]
        require(pq.token == 1)
        if pq.dropped:
            pq.token = 0
            pq.next = 0
        else:
            require(not k.paused)
            pq.token = 2
            pq.piggy = choose(k.cell > 0, k.cell, -1)

    @action(c=CLIENTS, l=LIVES)
    def broker_takes_piggyback(self, c: int, l: int) -> None:
        pq = self.client[c].pq[l]
        require(pq.token == 2, pq.piggy >= 0)
        self.committed = pq.piggy
        pq.piggy = -1
        self.note(self.committed)

    @action(c=CLIENTS, l=LIVES)
    def poll_found(self, c: int, l: int) -> None:
        pq = self.client[c].pq[l]
        require(pq.token == 2, pq.piggy < 0, pq.next < self.max)
        offset = pq.next
        require(pq.task[offset].pc == 0)
        pq.cached = pq.cached.add(offset)
        pq.highest = offset
        pq.task[offset].pc = 1
        pq.next = offset + 1
        pq.token = 1

    @action(c=CLIENTS, l=LIVES)
    def poll_no_new(self, c: int, l: int) -> None:
        k = self.client[c]
        pq = k.pq[l]
        require(pq.token == 2, pq.piggy < 0, pq.next == self.max)
        if self.scope.fix:
            require(not pq.dropped)
        if not pq.cached:
            k.raise_cell(pq.next)
        pq.token = 1

    @action(c=CLIENTS, l=LIVES, m=MESSAGES)
    def task_starts(self, c: int, l: int, m: int) -> None:
        pq = self.client[c].pq[l]
        require(pq.task[m].pc == 1)
        pq.task[m].pc = choose(pq.dropped, 0, 2)

    @action(c=CLIENTS, l=LIVES, m=MESSAGES)
    def listener_finishes(self, c: int, l: int, m: int) -> None:
        pq = self.client[c].pq[l]
        require(pq.task[m].pc == 2)
        pq.task[m].pc = choose(pq.dropped, 0, 3)
        self.ghost_done = self.ghost_done.add(m)
        self.ghost_since = choose(self.ghost_landed, self.ghost_since.add(m), self.ghost_since)

    @action(c=CLIENTS, l=LIVES, m=MESSAGES)
    def task_removes(self, c: int, l: int, m: int) -> None:
        pq = self.client[c].pq[l]
        task = pq.task[m]
        require(task.pc == 3)
        if not pq.cached:
            task.result = -1
            task.pc = 0
        else:
            pq.cached = pq.cached.remove(m)
            task.result = pq.cached.lowest(default=pq.highest + 1)
            task.pc = 4

    @action(c=CLIENTS, l=LIVES, m=MESSAGES)
    def task_checks_dropped(self, c: int, l: int, m: int) -> None:
        pq = self.client[c].pq[l]
        task = pq.task[m]
        require(task.pc == 4)
        if pq.dropped:
            task.pc = 0
            task.result = -1
        else:
            task.pc = 5

    @action(c=CLIENTS, l=LIVES, m=MESSAGES)
    def task_updates_cell(self, c: int, l: int, m: int) -> None:
        task = self.client[c].pq[l].task[m]
        require(task.pc == 5)
        self.client[c].raise_cell(task.result)
        task.pc = 0
        task.result = -1

    @action(c=CLIENTS)
    def persist_all(self, c: int) -> None:
        k = self.client[c]
        require(k.table >= 0, k.cell >= 0)
        k.oneway = k.oneway.add(k.cell)

    @action(c=CLIENTS, v=VALUES)
    def broker_commits(self, c: int, v: int) -> None:
        k = self.client[c]
        require(k.oneway.has(v))
        k.oneway = k.oneway.remove(v)
        self.committed = v
        self.note(v)

    @action(c=CLIENTS)
    def reset_suspends(self, c: int) -> None:
        k = self.client[c]
        require(self.resets > 0, k.reset_pc == 0, k.table >= 0, self.committed > 0)
        self.resets = self.resets - 1
        k.paused = True
        k.reset_pc = 1

    @action(c=CLIENTS)
    def reset_drops(self, c: int) -> None:
        k = self.client[c]
        require(k.reset_pc == 1)
        k.reset_pc = 2
        if k.table >= 0:
            k.pq[k.table].dropped = True

    @action(c=CLIENTS)
    def reset_clears(self, c: int) -> None:
        k = self.client[c]
        require(k.reset_pc == 2)
        k.reset_pc = 3
        if k.table >= 0:
            k.pq[k.table].cached = OffsetSet()
            k.pq[k.table].highest = 0

    @action(c=CLIENTS)
    def reset_updates(self, c: int) -> None:
        k = self.client[c]
        require(k.reset_pc == 3)
        if k.table >= 0:
            if self.scope.no_stall:
                for pq in k.pq:
                    require(*(task.pc < 5 for task in pq.task))
            if self.scope.timely:
                require(*(pq.piggy < 0 for pq in k.pq))
            k.cell = 0
            k.reset_pc = 4
        else:
            k.reset_pc = 6

    @action(c=CLIENTS)
    def reset_persists(self, c: int) -> None:
        k = self.client[c]
        require(k.reset_pc == 4)
        if self.scope.in_order:
            require(k.oneway == OffsetSet())
        k.oneway = choose(k.cell >= 0, k.oneway.add(larger(k.cell, 0)), k.oneway)
        k.reset_pc = 5
        self.ghost_sent = choose(k.cell == 0, True, False)

    @action(c=CLIENTS)
    def reset_removes(self, c: int) -> None:
        k = self.client[c]
        require(k.reset_pc == 5)
        k.cell = -1
        k.table = -1
        k.reset_pc = 6

    @action(c=CLIENTS)
    def reset_resumes(self, c: int) -> None:
        k = self.client[c]
        require(k.reset_pc == 6)
        k.paused = False
        k.reset_pc = 0

    @always(id="I5")
    def reset_is_stable(self) -> bool:
        """No commit passes what was done again since the reset landed."""
        missing = OffsetSet.below(self.scope.messages) - self.ghost_since
        return choose(self.ghost_landed, self.committed <= missing.lowest(default=self.scope.messages), True)

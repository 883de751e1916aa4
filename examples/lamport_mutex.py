"""Lamport's mutual exclusion: processes without shared memory take turns by the times of their requests.

The algorithm is the example in L. Lamport, "Time, clocks, and the ordering of events in a distributed system" (1978).
Messages between two processes arrive in the order in which they were sent; logical clocks are bounded by the scope.
"""

from enum import Enum

from offsetproof.lang import (
    Array,
    Component,
    Fifo,
    Index,
    Model,
    OffsetSet,
    Scope,
    action,
    always,
    array,
    bound,
    every,
    fifo,
    flag,
    integer,
    larger,
    offset_set,
    one_of,
    require,
    some,
)

PROCESSES = Index("process", "processes")


class MessageKind(Enum):
    """What a message says."""

    REQUEST = 0
    ACK = 1
    RELEASE = 2


class Message(Component):
    """A message; only a request carries the time at which it was made."""

    kind: MessageKind = one_of(MessageKind)
    time: int = integer(0, "clock")


class Process(Component):
    """One process: its clock, the requests that it knows of (0 for none), who has answered its own, and its inbox.

    `inbox[q]` holds the messages from process q, the oldest first.
    """

    clock: int = integer(1, "clock")
    request: Array[int] = array(PROCESSES, integer(0, "clock"))
    acks: OffsetSet = offset_set("processes")
    critical: bool = flag()
    inbox: Array[Fifo[Message]] = array(PROCESSES, fifo(Message, "inbox"))


class LamportMutex(Model):
    """Processes with a queue of messages between each two of them."""

    scopes = (
        Scope("two", {"processes": 2, "clock": 4, "inbox": 3}),
        Scope("three", {"processes": 3, "clock": 6, "inbox": 3}),
    )
    process: Array[Process] = array(PROCESSES, Process)

    def broadcast(self, sender: int, kind: MessageKind, time: int) -> None:
        """Sends a message to all others."""
        for other in range(self.scope.processes):
            if other != sender:
                self.process[other].inbox[sender].push(kind=kind, time=time)

    @action(p=PROCESSES, actor="process[p]")
    def process_requests(self, p: int) -> None:
        """A process that wants to enter tells everybody the time of its request."""
        process = self.process[p]
        require(process.request[p] == 0)
        process.request[p] = process.clock
        process.acks = OffsetSet(p)
        self.broadcast(p, MessageKind.REQUEST, process.clock)

    @action(p=PROCESSES, q=PROCESSES, actor="process[p]")
    def process_receives_request(self, p: int, q: int) -> None:
        """A request is noted and answered at once, and the own clock put past its time."""
        require(p != q)
        process, oldest = self.process[p], self.process[p].inbox[q][0]
        require(process.inbox[q].count > 0, oldest.kind == MessageKind.REQUEST)
        time = oldest.time
        after = larger(time, process.clock) + 1
        bound(after <= self.scope.clock)
        process.request[q] = time
        process.clock = after
        process.inbox[q].remove(0)
        self.process[q].inbox[p].push(kind=MessageKind.ACK, time=0)

    @action(p=PROCESSES, q=PROCESSES, actor="process[p]")
    def process_receives_ack(self, p: int, q: int) -> None:
        """An answer is noted."""
        require(p != q)
        process, oldest = self.process[p], self.process[p].inbox[q][0]
        require(process.inbox[q].count > 0, oldest.kind == MessageKind.ACK)
        process.acks = process.acks.add(q)
        process.inbox[q].remove(0)

    @action(p=PROCESSES, q=PROCESSES, actor="process[p]")
    def process_receives_release(self, p: int, q: int) -> None:
        """The other's request is forgotten."""
        require(p != q)
        process, oldest = self.process[p], self.process[p].inbox[q][0]
        require(process.inbox[q].count > 0, oldest.kind == MessageKind.RELEASE)
        process.request[q] = 0
        process.inbox[q].remove(0)

    @action(p=PROCESSES, actor="process[p]")
    def process_enters(self, p: int) -> None:
        """Everybody has answered, and no known request is older; of two of one time, that of the lower process is."""
        process = self.process[p]
        own = process.request[p]
        require(process.acks == OffsetSet.below(self.scope.processes))
        for q in range(self.scope.processes):
            if q != p:
                other = process.request[q]
                require(some([other == 0, own < other, (own == other) & (p < q)]))
        process.critical = True

    @action(p=PROCESSES, actor="process[p]")
    def process_leaves(self, p: int) -> None:
        """The process leaves, and tells everybody."""
        process = self.process[p]
        require(process.critical)
        process.critical = False
        process.request[p] = 0
        process.acks = OffsetSet()
        self.broadcast(p, MessageKind.RELEASE, 0)

    @always()
    def one_is_critical(self) -> bool:
        """No two processes are in their critical sections at once."""
        sections = [process.critical for process in self.process]
        return every(not (a and b) for i, a in enumerate(sections) for b in sections[:i])

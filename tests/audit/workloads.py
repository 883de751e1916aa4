"""Made logs of a group that consumes: what clients and brokers of 4.9.4 or 5.x would write, with what happens known.

A simulation in steps of a tenth of a second. Each host's clock is wrong by at most the skew, for good; each client has
its log. Nothing that a clean workload does breaks a claim: hand-overs in order, kills, shutdowns, resets that stay.
`defects.py` breaks it in known places.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from offsetproof.audit.event import Event, EventKind

SECOND = 1_000_000
BEGIN = 1_764_300_000 * SECOND
TICK = 5.0
GROUP, TOPIC, BROKER = "orders", "trades", "broker-a"


@dataclass
class Machine:
    """A process with a log: how wrong its clock is, and how far its log goes."""

    name: str
    error: float
    width: int
    written: int = 0
    lines: int = 0


@dataclass
class Client:
    """A consumer: its machine, its queues' cells, the phase of its timer, whether it runs."""

    id: str
    machine: Machine
    phase: float
    cells: dict[int, int] = field(default_factory=dict)
    runs: bool = True


@dataclass
class Queue:
    """A queue: its end, the stored offset, how many messages come a second, and what a listener does in one."""

    end: float
    stored: int
    rate: float
    speed: float
    held: bool = False
    at: float = 0.0


class Workload:
    """One group on one broker. `log` collects its events."""

    def __init__(self, seed: int, queues: int = 4, clients: int = 3, five: bool = False, skew: float = 1.0) -> None:
        self.random, self.five, self.skew, self.now = random.Random(seed), five, skew, 0.0
        self.log: list[Event] = []
        self.plan: list[tuple[float, Callable[[], None]]] = []
        self.broker = Machine(BROKER, self._error(), SECOND)
        self.tools = Machine("tools", self._error(), 1000)
        self.queues = [self._queue() for _ in range(queues)]
        self.clients: list[Client] = []
        self.may_move = True
        for _ in range(clients):
            self.add_client()

    def _queue(self) -> Queue:
        end = self.random.randrange(1000)
        rate = self.random.choice([0.0, 0.2, 3.0, 40.0])
        return Queue(end, end - self.random.randrange(min(end, 20) + 1), rate, rate * 2 + 1)

    def _error(self) -> float:
        return self.random.uniform(-self.skew, self.skew) * 0.99

    def add_client(self, id: str | None = None) -> Client:
        """A client starts."""
        number = len(self.clients) + 1
        machine = Machine(f"app{number}", self._error(), 1000)
        client = Client(id or f"10.0.0.{number}@{4000 + number}", machine, self.random.uniform(0, TICK))
        self.clients.append(client)
        self.says(client, EventKind.CONSUMER_STARTED)
        return client

    # What is written.

    def says(
        self,
        who: Client | Machine,
        kind: EventKind,
        queue: int | None = None,
        offset: int | None = None,
        **more: object,
    ) -> Event:
        """A line in somebody's log, now."""
        machine = who.machine if isinstance(who, Client) else who
        true = self.now + self.random.uniform(0, 0.0005)
        stamp = BEGIN + round((true + machine.error) * SECOND)
        stamp -= stamp % machine.width
        machine.lines += 1
        machine.written += 150
        is_broker = machine is self.broker
        columns: dict[str, object] = {
            "file": f"{machine.name}/{'broker' if is_broker else 'rocketmq_client'}.log",
            "client": who.id if isinstance(who, Client) and kind is EventKind.COMMIT_SENT else None,
            "group": GROUP,
            "topic": TOPIC,
            "broker": BROKER if queue is not None and not is_broker else None,
            "queue": queue,
            "offset": offset,
        }
        event = Event(
            line=machine.lines,
            byte_offset=machine.written,
            byte_length=150,
            time_from=stamp,
            time_to=stamp + machine.width,
            zone_known=True,
            host=machine.name,
            process=machine.name,
            kind=kind,
            **(columns | more),  # type: ignore[arg-type]  # columns of one event
        )
        self.log.append(event)
        return event

    # What clients do.

    def owner_of(self, queue: int) -> Client | None:
        """The client that has the queue in its table."""
        return next((client for client in self.clients if client.runs and queue in client.cells), None)

    def commit(self, client: Client, queue: int) -> None:
        """The client sends its offset and says so; the broker says where it is lower than what it has."""
        offset, stored = client.cells[queue], self.queues[queue].stored
        if offset < stored:
            self.says(self.broker, EventKind.COMMIT_BELOW_STORE, queue, offset, other_offset=stored)
        self.queues[queue].stored = offset
        self.says(client, EventKind.COMMIT_SENT, queue, offset)

    def give_up(self, client: Client, queue: int) -> None:
        """A rebalance takes the queue from the client, which commits a last time."""
        if queue in client.cells:
            self.commit(client, queue)
            del client.cells[queue]
            self.says(client, EventKind.QUEUE_REMOVED, queue, detail="unnecessary")

    def take(self, client: Client, queue: int, start: int | None = None) -> None:
        """A rebalance gives the queue to the client, which starts at the stored offset."""
        found = self.queues[queue].stored if start is None else start
        client.cells[queue] = found
        self.queues[queue].at = found
        self.says(client, EventKind.QUEUE_ADDED, queue)
        if not self.five:
            self.says(client, EventKind.START, queue, found)

    def kill(self, client: Client) -> None:
        """The process ends; its pulls had carried some of what its last line does not say."""
        for queue, offset in client.cells.items():
            self.queues[queue].stored = max(self.queues[queue].stored, offset - self.random.randrange(2))
        client.cells.clear()
        client.runs = False

    def stop(self, client: Client) -> None:
        """A shutdown in order: all is committed, and no line says that a queue is given up."""
        for queue in list(client.cells):
            self.commit(client, queue)
        client.cells.clear()
        client.runs = False
        self.at(self.now + self.random.uniform(0.1, 3), lambda: self._stopped(client))

    def _stopped(self, client: Client) -> None:
        self.says(client, EventKind.CONSUMER_STOPPED)

    # Resets.

    def reset(self, targets: dict[int, int]) -> None:
        """An administrator resets the group: of 4.9.4 the clients carry it out, of 5.x the broker."""
        if self.five:
            for queue, target in targets.items():
                self.mark(queue, target)
            return
        self.says(self.broker, EventKind.RESET_STARTED, detail="0:true")
        for client in self.clients:
            if client.runs and client.cells:
                self.says(self.broker, EventKind.RESET_SENT, client=client.id)
                self.says(client, EventKind.COMMANDED, detail="0")
                for queue in set(client.cells) & set(targets):
                    self.queues[queue].held = True
                self.at(self.now + 10, lambda client=client: self.land(client, targets))  # type: ignore[misc]  # a default binds it now

    def land(self, client: Client, targets: dict[int, int]) -> None:
        """The client writes the targets of the queues that it has, and leaves those; a rebalance adds them again."""
        for queue in set(client.cells) & set(targets):
            client.cells[queue] = targets[queue]
            self.commit(client, queue)
            del client.cells[queue]
            self.at(self.now + self.random.uniform(0.5, 15), lambda queue=queue: self.unhold(queue))  # type: ignore[misc]  # a default binds it now

    def unhold(self, queue: int) -> None:
        """The queue may be given to a client again."""
        self.queues[queue].held = False

    def mark(self, queue: int, target: int) -> None:
        """The broker of 5.x writes the target and a marker; the next pull of the owner takes it."""
        self.says(self.broker, EventKind.RESET_MARKED, queue, target, broker=BROKER)
        self.queues[queue].stored = target
        self.queues[queue].held = True
        owner = self.owner_of(queue)
        if owner is not None:
            self.at(self.now, lambda: self.pull_marker(owner, queue, target))
        else:
            self.unhold(queue)

    def pull_marker(self, client: Client, queue: int, target: int) -> None:
        """A pull takes the marker; ten seconds later the client has repaired the queue."""
        if queue not in client.cells:
            return self.unhold(queue)
        self.says(self.broker, EventKind.MARKER_TAKEN, offset=target, group=None, topic=None)
        asked = client.cells.pop(queue)
        self.says(client, EventKind.PULL_ILLEGAL, queue, asked, other_offset=target)
        return self.at(self.now + 10, lambda: self.repair(client, queue, target))

    def repair(self, client: Client, queue: int, target: int) -> None:
        """The client writes the target, gives the queue up, and a rebalance adds it again."""
        if client.runs:
            for _ in range(2):
                self.says(client, EventKind.COMMIT_SENT, queue, target)
            self.says(client, EventKind.QUEUE_REMOVED, queue, detail="illegal-offset")
            self.says(client, EventKind.PULL_FIXED, queue, target)
        self.unhold(queue)

    # Time.

    def at(self, time: float, what: Callable[[], None]) -> None:
        """Plans something."""
        self.plan.append((time, what))

    def rebalance(self) -> None:
        """Each queue goes to the client whose turn it is: given up first, added some time later."""
        running = [client for client in self.clients if client.runs]
        for number, queue in enumerate(self.queues):
            owner = self.owner_of(number)
            wanted = running[number * len(running) // len(self.queues)] if running else None
            if owner is wanted or queue.held:
                continue
            if owner is not None:
                self.give_up(owner, number)
            if wanted is not None:
                queue.held = True
                self.at(self.now + self.random.uniform(0.01, 20), lambda n=number, c=wanted: self._arrive(c, n))  # type: ignore[misc]  # a default binds it now

    def _arrive(self, client: Client, queue: int) -> None:
        self.queues[queue].held = False
        if client.runs and self.owner_of(queue) is None:
            self.take(client, queue)

    def step(self) -> None:
        """A tenth of a second."""
        due = [each for each in self.plan if each[0] <= self.now]
        self.plan = [each for each in self.plan if each[0] > self.now]
        for _, what in sorted(due, key=lambda each: each[0]):
            what()
        for number, queue in enumerate(self.queues):
            queue.end += queue.rate / 10
            owner = self.owner_of(number)
            if owner is not None and not queue.held:
                queue.at = min(queue.at + queue.speed / 10, max(queue.end, queue.at))
                owner.cells[number] = int(queue.at)
        for client in self.clients:
            if client.runs and (self.now - client.phase) % TICK < 0.0999:
                for number in list(client.cells):
                    self.commit(client, number)
        self.now = round(self.now + 0.1, 1)

    def run(self, seconds: float) -> Sequence[Event]:
        """Goes on so long, with a rebalance every 20 s; the events so far."""
        until = self.now + seconds
        while self.now < until:
            if self.may_move and round(self.now * 10) % 200 == 0:
                self.rebalance()
            self.step()
        return self.log

    def live(self, seconds: float) -> Sequence[Event]:
        """A life without defects: clients come, go and are killed, an administrator resets; the events."""
        until = self.now + seconds
        while self.now < until:
            self.run(self.random.uniform(25, 90))
            running = [client for client in self.clients if client.runs]
            action = self.random.choice(["join", "stop", "kill", "reset", "none"])
            if action == "join":
                self.add_client()
            elif action == "stop" and len(running) > 1:
                self.stop(self.random.choice(running))
            elif action == "kill" and len(running) > 1:
                self.kill(self.random.choice(running))
            elif action == "reset" and self.may_move:
                self.reset({number: max(0, each.stored - 50) for number, each in enumerate(self.queues)})
                self.run(40)
        return self.log

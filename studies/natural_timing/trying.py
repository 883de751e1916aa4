"""Scenarios and their tries: several at once on one cluster, each with a topic, a group and consumers of its own.

A try is a generator that yields where it waits (`waiting.py`), so all of them run in one thread. What takes a
moment in one (starting a JVM) delays the others by that; what they wait for takes ten times as long.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from offsetproof.real.compiling import CompiledRig
from offsetproof.real.sidecar import CommandRefusedError
from offsetproof.real.whole.cluster import Cluster, Consumer, Subscription, release_of, running_cluster
from studies.natural_timing.waiting import NotInTimeError, Waiting, wait

TIMES = 20
RELEASE = "4.9.4"


@dataclass(frozen=True)
class Attempt:
    """What came of one try: did it happen, and what was seen, in words."""

    happened: bool
    seen: str


class Try:
    """One try of a scenario: what it may do, with names of its own for topic, group and consumers."""

    def __init__(self, cluster: Cluster, scenario: str, number: int) -> None:
        self.cluster, self.number = cluster, number
        self.random = Random(f"{scenario} {number}")
        self.topic = self.group = f"{scenario}-{number:02}"
        self.noted: dict[str, Any] = {}
        self._consumers: list[Consumer] = []
        self._next = 0

    def create(self, queues: int = 1) -> None:
        """Creates the topic."""
        self.cluster.create_topic(self.topic, queues=queues, group=self.group)

    def consumer(self, name: str, **settings: Any) -> Consumer:
        """A consumer of the topic, not running yet; `settings` are those of a Subscription."""
        subscription = Subscription(self.topic, self.group, **settings)
        made = self.cluster.consumer(f"{self.number:02}-{name}", subscription)
        self._consumers.append(made)
        return made

    def send(self, *bodies: str, queue: int = 0) -> None:
        """Sends messages to a queue of the topic."""
        offsets = self.cluster.send(self.topic, bodies, queue=queue)
        if queue == 0:
            self._next = offsets[-1] + 1

    def committed_offsets(self) -> list[int | None]:
        """What the broker has, by queue."""
        return self.cluster.committed_offsets(self.group, self.topic)

    def old_messages(self, consumer: Consumer) -> Waiting[set[int]]:
        """The offsets of the messages that a consumer is given of those that there are before it serves its queue.

        New ones are sent until it is given one; by then it has been given all older ones of queue 0 that it ever will.
        """
        before = self._next
        for number in count():
            self.send(f"new{number}")
            for _ in range(10):
                if any(delivery.offset >= before for delivery in consumer.deliveries()):
                    yield 0.5
                    return {delivery.offset for delivery in consumer.deliveries() if delivery.offset < before}
                yield 0.1
            if number > 60:
                raise NotInTimeError("the consumer is given a new message: not in 60 s")
        raise AssertionError("there is always another number")

    def end(self) -> None:
        """Kills its consumers."""
        for consumer in self._consumers:
            consumer.kill()


@dataclass(frozen=True)
class Scenario:
    """What is set up again and again, and what counts as having happened, in one sentence each.

    `stories` are recorded stories whose end is counted. `at_once` is how many tries are under way together, and
    `prepare` what is done once before all of them; what a try has to know of it is in its `noted`. It is tried on
    `releases` where nothing else is said.
    """

    name: str
    setting: str
    counted: str
    run: Callable[[Try], Waiting[Attempt]]
    stories: tuple[str, ...] = ()
    at_once: int = 5
    prepare: Callable[[Sequence[Try]], Waiting[None]] | None = None
    releases: tuple[str, ...] = (RELEASE,)


@dataclass(frozen=True)
class TryEnd:
    """A try that is over. One without an attempt did not come far enough to tell, for the reason in `seen`."""

    number: int
    happened: bool | None
    seen: str
    seconds: float


@dataclass(frozen=True)
class Tally:
    """All tries of a scenario on a release."""

    scenario: Scenario
    release: str
    ends: tuple[TryEnd, ...]

    @property
    def happened(self) -> int:
        """In how many tries it happened."""
        return sum(end.happened is True for end in self.ends)

    @property
    def told(self) -> int:
        """How many tries came far enough to tell."""
        return sum(end.happened is not None for end in self.ends)


def try_scenario(
    rig: CompiledRig,
    scenario: Scenario,
    times: int = TIMES,
    *,
    logs: Path | None = None,
    clients: CompiledRig | None = None,
    tell: Callable[[object], None] = lambda said: None,
) -> Tally:
    """Tries a scenario so often on a cluster of its own, whose logs are kept where they are wanted.

    Its consumers are of the release of `clients`, where that is given.

    ProgramFailedError where a JVM dies or hangs.
    """
    with running_cluster(rig, logs=logs, clients=clients) as cluster:
        tries = [Try(cluster, scenario.name, number) for number in range(1, times + 1)]
        if scenario.prepare is not None:
            wait(scenario.prepare(tries))
        ends = []
        for end in _ends(scenario, tries):
            ends.append(end)
            tell(f"{scenario.name}: {len(ends)} of {times} tries, happened in {sum(e.happened is True for e in ends)}")
    return Tally(scenario, release_of(rig, clients), tuple(sorted(ends, key=lambda end: end.number)))


def _ends(scenario: Scenario, tries: Sequence[Try]) -> Iterator[TryEnd]:
    """Runs the tries, that many at once, and gives each as it ends."""
    waiting = iter(tries)
    due: list[tuple[float, int, _Running]] = []

    def begin() -> None:
        for each in waiting:
            heapq.heappush(due, (time.monotonic(), each.number, _Running(each, scenario.run(each))))
            return

    for _ in range(scenario.at_once):
        begin()
    while due:
        when, number, running = heapq.heappop(due)
        time.sleep(max(0.0, when - time.monotonic()))
        pause = running.go_on()
        if isinstance(pause, TryEnd):
            yield pause
            begin()
        else:
            heapq.heappush(due, (time.monotonic() + pause, number, running))


class _Running:
    """A try that is under way."""

    def __init__(self, own: Try, steps: Waiting[Attempt]) -> None:
        self._own, self._steps = own, steps
        self._begun = time.monotonic()

    def go_on(self) -> float | TryEnd:
        """Up to its next pause, whose seconds are returned, or its end."""
        try:
            return next(self._steps)
        except StopIteration as stop:
            attempt: Attempt = stop.value
            return self._end(attempt.happened, attempt.seen)
        except (NotInTimeError, CommandRefusedError) as error:
            return self._end(None, str(error))

    def _end(self, happened: bool | None, seen: str) -> TryEnd:
        self._own.end()
        return TryEnd(self._own.number, happened, seen, time.monotonic() - self._begun)

"""A scenario, and what several of them do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from offsetproof.real.whole.cluster import Consumer, Subscription
from offsetproof.real.whole.listening import Script
from studies.audited.recording import Recording
from studies.natural_timing.waiting import until, wait

TOPIC, GROUP = "orders", "billing"
QUEUES = 4
AT_BROKER = ("5.3.3", "5.5.0")
ALL = ("4.9.4", *AT_BROKER)
EACH_LINE = ("4.9.4", "5.3.3")
MIXED = "broker=5.3.3,client=4.9.4"
"""A cluster whose brokers have been upgraded, and whose clients have not."""


@dataclass(frozen=True)
class Scenario:
    """What is done, in one or two sentences, and on which releases; `settings` are those of the cluster."""

    name: str
    does: str
    run: Callable[[Recording], None]
    releases: tuple[str, ...] = ALL
    settings: dict[str, Any] = field(default_factory=dict)


def await_committed(own: Recording, offsets: list[int | None], group: str = GROUP, topic: str = TOPIC) -> None:
    """Waits until the broker has these offsets, by queue."""
    wait(until(lambda: own.cluster.committed_offsets(group, topic) == offsets, 60, f"{offsets} are committed"))


def start_owning(own: Recording, consumer: Consumer, script: Script = Script(), queues: int = 1) -> None:
    """Starts it, and waits until it has all queues; a new group is not given older messages while these are empty."""
    own.start(consumer, script)
    wait(until(lambda: len({note[3] for note in consumer.member.notes()}) == queues, 60, "it has its queues"))
    time.sleep(1)


def send_for(own: Recording, seconds: float, queues: int = QUEUES, topic: str = TOPIC) -> None:
    """Twenty messages a second, to each queue in turn."""
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        own.send(topic, f"at-{number}", queue=number % queues)
        number += 1
        time.sleep(0.05)


def join_and_leave(own: Recording, first: Consumer, second: Consumer) -> None:
    """While messages come the second joins, and later shuts down in order."""
    start_owning(own, first, queues=QUEUES)
    send_for(own, 12)
    own.start(second)
    send_for(own, 12)
    own.stop(second)
    send_for(own, 8)
    time.sleep(6)


def idle(own: Recording, name: str = "first") -> tuple[Consumer, float]:
    """A consumer that has finished ten messages and polls, and the time after the fourth of them."""
    own.create(TOPIC, GROUP)
    consumer = own.consumer(name, Subscription(TOPIC, GROUP))
    start_owning(own, consumer)
    own.send(TOPIC, *(f"m{i}" for i in range(4)))
    time.sleep(0.2)
    between = time.time()
    time.sleep(0.2)
    own.send(TOPIC, *(f"m{i}" for i in range(4, 10)))
    await_committed(own, [10])
    return consumer, between


def await_new_poll(own: Recording) -> None:
    """Waits until the broker has one poll more than it has now."""
    polls = _pulls(own)
    wait(until(lambda: _pulls(own) > polls, 30, "a new poll is held"))


def _pulls(own: Recording) -> int:
    return sum(row[1] == "pull" and row[4] == TOPIC for row in own.cluster.broker.notes())

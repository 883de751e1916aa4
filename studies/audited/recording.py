"""One recording: a cluster that notes what changes in its tables, a scenario on it, and all that was noted.

What is noted comes from the broker's own table, from the requests that reach it, from the tables of clients, and from
listeners; nothing of it comes from a log.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from offsetproof.real.whole.cluster import Cluster, Consumer, Subscription
from offsetproof.real.whole.listening import Delivery, Script
from studies.natural_timing.waiting import until, wait

BROKER = "broker"
"""The name of its host."""
_LOOKS = 0.1
"""Seconds in which a table is looked at many times, so that what is in it is noted."""
Row = tuple[str, str, int]
"""Group, topic and queue."""


@dataclass(frozen=True)
class Life:
    """A consumer's process from its start to its end, in microseconds since 1970, and what it noted meanwhile."""

    name: str
    client: str
    process: int
    subscription: Subscription
    began: int
    ended: int
    end: str
    owned: Mapping[int, Sequence[tuple[int, int]]]
    deliveries: Sequence[Delivery]
    in_table: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """When it had each queue in its table, dropped or not; a queue is given up when it is out of that."""


@dataclass(frozen=True)
class Reset:
    """A reset that the administrator commanded, and the targets that he was told, by queue."""

    at: int
    group: str
    topic: str
    targets: Mapping[int, int]


@dataclass
class Recorded:
    """All that was noted. Rows of `noted` are microseconds, what, and of what, as the broker's ledger has them."""

    begun: int
    noted: list[list[Any]] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    resets: list[Reset] = field(default_factory=list)
    sent: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    snapshots: list[tuple[int, str, str]] = field(default_factory=list)
    progress: dict[str, str] = field(default_factory=dict)

    def values(self, what: str) -> dict[Row, list[tuple[int, int | None]]]:
        """The values that the rows of a table have had, each with its time; None where the row is gone.

        A broker that is restarted notes again what it has loaded, which is no change.
        """
        found: dict[Row, list[tuple[int, int | None]]] = {}
        for at, kind, *rest in self.noted:
            if kind == what:
                group, topic, queue, offset = rest
                changes = found.setdefault((group, topic, int(queue)), [])
                if not changes or changes[-1][1] != offset:
                    changes.append((at, offset))
        return found

    def requests(self, what: str) -> Iterator[list[Any]]:
        """The requests of a kind: time, address, and what is in it."""
        return ([at, *rest] for at, kind, *rest in self.noted if kind == what)

    def max_offset(self, topic: str, queue: int, at: int) -> int:
        """The offset that a queue's next message had."""
        since, known = self._last_noted("end", topic, queue, at) or (-1, 0)
        return known + sum(since < sent <= at for sent in self.sent.get((topic, queue), ()))

    def end_noted(self, topic: str, queue: int, at: int) -> int | None:
        """The same, where the broker was asked for it before; None where it was not, as nothing was lost."""
        return self.max_offset(topic, queue, at) if self._last_noted("end", topic, queue, at) else None

    def min_offset(self, topic: str, queue: int, at: int) -> int:
        """The lowest offset of a queue."""
        return (self._last_noted("begin", topic, queue, at) or (0, 0))[1]

    def _last_noted(self, what: str, topic: str, queue: int, at: int) -> tuple[int, int] | None:
        found = [(when, value) for when, *of, value in self.requests(what) if of == [topic, queue] and when <= at]
        return max(found, default=None)

    def is_loaded(self, row: Row, at: int) -> bool:
        """Is it the value that a broker had of a row when it was started?"""
        starts = [when for (when,) in self.requests("started") if when <= at]
        stored = [each[0] for each in self.requests("stored") if each[1:4] == [*row]]
        return bool(starts) and next(iter(sorted(when for when in stored if when >= starts[-1])), None) == at

    def highest_before_load(self, row: Row, at: int) -> int | None:
        """What a row had before a broker was started with less; None where that has not happened."""
        values = self.values("stored").get(row, [])
        for (_, before), (when, after) in pairwise(values):
            if when <= at and before is not None and after is not None and after < before and self.is_loaded(row, when):
                return before
        return None


class Recording:
    """What a scenario does its deeds by."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.recorded = Recorded(now())
        self._running: dict[str, tuple[Consumer, int]] = {}

    def create(self, topic: str, group: str, queues: int = 1) -> None:
        """Creates a topic."""
        self.cluster.create_topic(topic, queues=queues, group=group)

    def send(self, topic: str, *bodies: str, queue: int = 0) -> None:
        """Sends messages to a queue."""
        self.cluster.send(topic, bodies, queue=queue)
        self.recorded.sent.setdefault((topic, queue), []).extend([now()] * len(bodies))

    def consumer(
        self, name: str, subscription: Subscription, instance: str | None = None, zone: str | None = None
    ) -> Consumer:
        """A consumer that is not running yet."""
        return self.cluster.consumer(name, subscription, instance=instance, zone=zone)

    def start(self, consumer: Consumer, script: Script = Script()) -> None:
        """Starts it."""
        began = now()
        consumer.start(script)
        self._running[consumer.member.name] = consumer, began

    def stop(self, consumer: Consumer) -> None:
        """Has it shut down in order. Its queues are the next one's from then on, though they stay in its table."""
        began = now()
        consumer.shut_down()
        self._end(consumer, "shut down", began)

    def kill(self, consumer: Consumer) -> None:
        """kill -9."""
        self._end(consumer, "killed", now())

    def _end(self, consumer: Consumer, how: str, ends: int) -> None:
        consumer, began = self._running.pop(consumer.member.name)
        deliveries, notes = consumer.deliveries(), consumer.member.notes()
        process = consumer.member.process_id
        if how == "shut down":
            time.sleep(1.0)  # its last log lines are written by a thread
        consumer.kill()
        ended = now()
        self.snapshot(consumer)
        name = consumer.member.name
        client = f"127.0.0.1@{consumer.instance}"
        owned, in_table = (_intervals(notes, what, ends) for what in ("owned", "in table"))
        life = Life(name, client, process, consumer.subscription, began, ended, how, owned, deliveries, in_table)
        self.recorded.lives.append(life)

    def reset(self, group: str, topic: str, to_time: float) -> dict[int, int]:
        """Has the administrator reset a group; the target of each queue."""
        at = now()
        targets = self.cluster.reset(group, topic, to_time)
        self.recorded.resets.append(Reset(at, group, topic, targets))
        return targets

    def restart_broker(self, meanwhile: Callable[[Path], None] = lambda store: None, *, kill: bool = False) -> None:
        """Ends the broker, in order or not, and starts it again; in between something is done to its files.

        Markers are in its memory alone.
        """
        self._note_broker()
        if kill:
            self.cluster.broker.kill()
        else:
            self.cluster.broker.stop()
        meanwhile(self.cluster.broker.folder / "store")
        for (group, topic, queue), changes in self.recorded.values("marked").items():
            if changes[-1][1] is not None:
                self.recorded.noted.append([now(), "marked", group, topic, queue, None])
        self.recorded.noted.append([now(), "started"])
        self.cluster.start_broker()

    def damage_offsets(self, store: Path, left: float) -> None:
        """Leaves a part of the broker's file of offsets, as a crash does in the middle of its writing."""
        file = store / "config" / "consumerOffset.json"
        data = file.read_bytes()[: round(file.stat().st_size * left)]
        file.write_bytes(data)
        self.recorded.noted.append([now(), "damaged", file.name, len(data)])

    def note_ends(self, topic: str) -> None:
        """Notes where the broker says that the queues end, which have lost messages."""
        for of, queue in self.recorded.sent:
            if of == topic:
                self.recorded.noted.append([now(), "end", topic, queue, self.cluster.max_offset(topic, queue)])

    def expire(self, topic: str, queue: int = 0) -> None:
        """Has the broker delete all but its last files, and notes what the lowest offset is then."""
        self.cluster.expire()
        wait(until(lambda: self.cluster.min_offset(topic, queue) > 0, 120, "old messages are deleted"))
        self.recorded.noted.append([now(), "begin", topic, queue, self.cluster.min_offset(topic, queue)])

    def _note_broker(self) -> None:
        """Takes what the broker has noted, which ends with its process."""
        time.sleep(_LOOKS)
        self.recorded.noted += self.cluster.broker.notes()

    def snapshot(self, consumer: Consumer) -> None:
        """Keeps a broadcasting consumer's file of offsets as it is now."""
        for file in consumer.offset_files:
            self.recorded.snapshots.append((now(), consumer.member.name, file.read_text(encoding="utf-8")))

    def snapshot_of_broker(self) -> None:
        """Keeps the broker's file of offsets as it is now."""
        file = self.cluster.broker.folder / "store" / "config" / "consumerOffset.json"
        self.recorded.snapshots.append((now(), BROKER, file.read_text(encoding="utf-8")))

    def end(self) -> Recorded:
        """Ends what still runs, in order; all that was noted. Offsets are kept as they are before that."""
        self.cluster.broker.ask("flush")
        members = [consumer.subscription for consumer, _ in self._running.values()]
        groups = {member.group for member in members if not member.broadcasting}
        self.recorded.progress = {group: self.cluster.progress(group) for group in sorted(groups)}
        for consumer, _ in list(self._running.values()):
            self.stop(consumer)
        time.sleep(1.0)
        self._note_broker()
        self.recorded.noted.sort(key=lambda row: int(row[0]))
        return self.recorded


def now() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


def _intervals(notes: Sequence[Sequence[Any]], what: str, ends: int) -> dict[int, list[tuple[int, int]]]:
    """When a client had each queue of its topic; from its end on it has none."""
    found: dict[int, list[tuple[int, int]]] = {}
    since: dict[int, int] = {}
    for at, kind, _, queue, owned in notes:
        if kind != what:
            continue
        if owned:
            since[queue] = at
        else:
            found.setdefault(queue, []).append((since.pop(queue), at))
    for queue, at in since.items():
        found.setdefault(queue, []).append((at, ends))
    return {queue: [(at, min(to, ends)) for at, to in spells if at < ends] for queue, spells in found.items()}

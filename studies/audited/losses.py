"""Scenarios in which something is lost: files, ends and beginnings of queues, queues, markers, and processes."""

from __future__ import annotations

import shutil
import time
from base64 import b64encode
from pathlib import Path
from random import Random

from offsetproof.real.whole.cluster import Consumer, Subscription
from offsetproof.real.whole.listening import ListenerBehaviour, Script
from studies.audited.recording import Recording
from studies.audited.scenario import (
    EACH_LINE,
    GROUP,
    QUEUES,
    TOPIC,
    Scenario,
    await_committed,
    await_new_poll,
    idle,
    join_and_leave,
    send_for,
    start_owning,
)
from studies.natural_timing.waiting import NotInTimeError, until, wait


def _damaged(own: Recording) -> None:
    """The file is cut while the group is down, and the one before has less."""
    consumer, _ = idle(own)
    config = own.cluster.broker.folder / "store" / "config"

    def written(offset: int, file: str) -> bool:
        there = config / file
        return there.exists() and f'"{TOPIC}@{GROUP}":{{0:{offset}' in there.read_text(encoding="utf-8")

    wait(until(lambda: written(10, "consumerOffset.json"), 60, "the broker has written 10"))
    own.send(TOPIC, *(f"m{i}" for i in range(10, 16)))
    wait(until(lambda: len(consumer.finished_deliveries()) == 16, 60, "all is consumed"))
    own.stop(consumer)
    await_committed(own, [16])
    wait(until(lambda: written(16, "consumerOffset.json"), 60, "the broker has written 16"))
    own.snapshot_of_broker()
    if not written(10, "consumerOffset.json.bak"):
        raise NotInTimeError("the file before has 16, too")
    own.restart_broker(lambda store: own.damage_offsets(store, 0.5), kill=True)
    start_owning(own, consumer)
    wait(until(lambda: len(consumer.finished_deliveries()) == 6, 60, "six messages come again"))
    time.sleep(12)


_MESSAGE_FILES = ("commitlog", "consumequeue", "index", "checkpoint")


def _end_lost(own: Recording) -> None:
    """The broker's messages are put back to a copy, its offsets are not; a second joins before the first repairs."""
    own.create(TOPIC, GROUP, 2)
    first, second = (own.consumer(name, Subscription(TOPIC, GROUP)) for name in ("first", "second"))
    copy = own.cluster.broker.folder / "copy"
    start_owning(own, first, queues=2)
    _send_each(own, range(6))
    await_committed(own, [6, 6])
    own.stop(first)
    own.restart_broker(lambda store: _copy(store, copy))
    own.start(first)
    wait(until(first.cells, 60, "it consumes"))
    _send_each(own, range(6, 10))
    await_committed(own, [10, 10])
    own.stop(first)
    own.restart_broker(lambda store: _copy(copy, store))
    own.note_ends(TOPIC)
    start_owning(own, first, queues=2)
    own.start(second)
    time.sleep(25)
    _send_each(own, range(10, 14))
    time.sleep(12)


def _send_each(own: Recording, numbers: range) -> None:
    for queue in (0, 1):
        own.send(TOPIC, *(f"m{i}" for i in numbers), queue=queue)


def _copy(of: Path, to: Path) -> None:
    to.mkdir(exist_ok=True)
    for name in _MESSAGE_FILES:
        there, place = of / name, to / name
        if place.is_dir():
            shutil.rmtree(place)
        if there.is_dir():
            shutil.copytree(there, place)
        elif there.exists():
            shutil.copy2(there, place)


def _marker_taken(own: Recording) -> None:
    """The poll of the owner before is held when the queue moves, and ends first after the reset."""
    _, between = idle(own, "second")
    await_new_poll(own)
    own.start(own.consumer("first", Subscription(TOPIC, GROUP)))
    await_new_poll(own)
    time.sleep(1)
    own.reset(GROUP, TOPIC, between)
    time.sleep(35)


_BIG_BYTES, _BIGS = 750_000, 28
"""Random, as producers compress: more than one file of the broker's, of 16 MiB."""


def _expired(own: Recording) -> None:
    """While a group is down, the broker deletes messages that it has not had."""
    own.create(TOPIC, GROUP)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP))
    start_owning(own, consumer)
    own.send(TOPIC, *(f"m{i}" for i in range(4)))
    await_committed(own, [4])
    own.stop(consumer)
    _fill(own)
    own.start(consumer)
    wait(until(consumer.finished_deliveries, 60, "it is given what is left"))
    time.sleep(12)


def _fill(own: Recording) -> None:
    random = Random(1)
    for _ in range(_BIGS):
        own.send(TOPIC, b64encode(random.randbytes(_BIG_BYTES)).decode())
    own.expire(TOPIC)


def _broadcast_expired(own: Recording) -> None:
    own.create(TOPIC, GROUP)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP, broadcasting=True))
    start_owning(own, consumer)
    own.send(TOPIC, *(f"m{i}" for i in range(4)))
    wait(until(lambda: len(consumer.finished_deliveries()) == 4, 60, "all is consumed"))
    time.sleep(6)
    own.snapshot(consumer)
    own.stop(consumer)
    _fill(own)
    own.start(consumer)
    time.sleep(110)


def _broadcast_narrowed(own: Recording) -> None:
    own.create(TOPIC, GROUP, 2)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP, broadcasting=True))
    start_owning(own, consumer, queues=2)
    send_for(own, 4, 2)
    wait(until(lambda: _has_both(consumer), 60, "its file has both queues"))
    time.sleep(6)
    own.snapshot(consumer)
    own.create(TOPIC, GROUP, 1)
    wait(until(lambda: len(consumer.member.notes()) > 4, 90, "the queue is given up"))
    send_for(own, 8, 1)
    time.sleep(6)
    own.snapshot(consumer)


def _has_both(consumer: Consumer) -> bool:
    return any('"queueId":1' in file.read_text(encoding="utf-8") for file in consumer.offset_files)


def _crash_loop(own: Recording) -> None:
    """One message of two queues ends its process each time that it is given to a listener."""
    own.create(TOPIC, GROUP, 2)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP))
    script = Script(messages={"deadly": ListenerBehaviour(seconds=600)})
    start_owning(own, consumer, script, queues=2)
    send_for(own, 3, 2)
    wait(until(lambda: len(consumer.finished_deliveries()) >= 2, 60, "it consumes"))
    time.sleep(6)
    own.send(TOPIC, "deadly")
    for number in range(4):
        wait(until(lambda: _has_begun(consumer, "deadly"), 60, "the message is in the listener"))
        own.send(TOPIC, *(f"other-{number}-{i}" for i in range(5)), queue=1)
        time.sleep(6)
        own.kill(consumer)
        own.start(consumer, script)
    time.sleep(6)


def _has_begun(consumer: Consumer, body: str) -> bool:
    return any(each.body == body for each in consumer.deliveries())


def _zones(own: Recording) -> None:
    own.create(TOPIC, GROUP, QUEUES)
    first, second = (
        own.consumer(name, Subscription(TOPIC, GROUP), zone=zone)
        for name, zone in (("first", "Asia/Kolkata"), ("second", "America/New_York"))
    )
    join_and_leave(own, first, second)


LOSSES = (
    Scenario(
        "file-damaged",
        "A group is down when the broker is killed and half of its offset file is left; the backup is older.",
        _damaged,
        EACH_LINE,
    ),
    Scenario(
        "end-lost",
        "A broker's last messages are lost, its offsets are not; a second consumer joins ten seconds later.",
        _end_lost,
        EACH_LINE,
    ),
    Scenario(
        "marker-taken",
        "A queue moves from one consumer that polls to another; then the group is reset at the broker.",
        _marker_taken,
        ("5.3.3",),
    ),
    Scenario(
        "expired",
        "While a group is down, the broker deletes messages that it has not had.",
        _expired,
        ("4.9.4",),
    ),
    Scenario(
        "broadcast-expired",
        "While a broadcasting consumer is down, the broker deletes messages that it has not had.",
        _broadcast_expired,
        EACH_LINE,
    ),
    Scenario(
        "broadcast-narrowed",
        "A topic of two queues is made one of one queue, while a broadcasting consumer runs.",
        _broadcast_narrowed,
        EACH_LINE,
    ),
    Scenario(
        "crash-loop",
        "A message of one queue ends its consumer's process whenever it is delivered; other messages are handled.",
        _crash_loop,
        ("4.9.4",),
    ),
    Scenario(
        "zones",
        "As rebalance, with JVMs in Asia/Kolkata and America/New_York.",
        _zones,
        ("4.9.4",),
    ),
)

"""Templates against the published classes: the words are in the class that is said to write them, and in its logs."""

from __future__ import annotations

import struct
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from audit.steps import events_of

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.lines.layouts import layout_of
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.lines.rows import Reading
from offsetproof.audit.lines.tables import TEMPLATES
from offsetproof.audit.lines.templates import Role, Template
from offsetproof.audit.silver.paths import host_of
from offsetproof.real.jars import JarSet
from offsetproof.real.whole.cluster import Consumer, Start, Subscription, running_cluster, whole_rig
from studies.natural_timing.waiting import until, wait

_WITHOUT_BROKER = "4.9.8"
"""The release of which there is no broker among the jars."""

_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""How long the entries of a class's table of constants are, by tag, but for texts (JVM specification, 4.4)."""


def _texts(data: bytes) -> Iterator[str]:
    (count,) = struct.unpack_from(">H", data, 8)
    at, number = 10, 1
    while number < count:
        tag = data[at]
        if tag == 1:
            (size,) = struct.unpack_from(">H", data, at + 1)
            yield data[at + 3 : at + 3 + size].decode("utf-8", "replace")
            at += 3 + size
        else:
            at += 1 + _SIZES[tag]
        number += 2 if tag in (5, 6) else 1


@cache
def _constants(folder: Path) -> dict[str, frozenset[str]]:
    """The texts of each class of RocketMQ, with those of the classes within it."""
    found: dict[str, set[str]] = {}
    for jar in sorted(folder.glob("rocketmq-*.jar")):
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.endswith(".class") and "/org/apache/rocketmq/" in f"/{name}":
                    own = name.rpartition("/")[2].removesuffix(".class").partition("$")[0]
                    found.setdefault(own, set()).update(_texts(archive.read(name)))
    return {name: frozenset(texts) for name, texts in found.items()}


def _has(texts: frozenset[str], template: Template) -> bool:
    """Has a class the message, as a template of the logger, as a format, or put together of its pieces?"""
    if template.text in texts or template.text.replace("{}", "%s") in texts:
        return True
    pieces = [piece for piece in template.text.split("{}") if piece.strip()]
    return all(any(piece in text for text in texts) for piece in pieces)


@pytest.mark.parametrize("release", ["4.9.4", "4.9.8", "5.3.3", "5.5.0"])
def test_each_template_stands_in_the_class_that_writes_it(published: Callable[[str], JarSet], release: str) -> None:
    """In each release that it names; where a step of the model writes it, in some class."""
    constants = _constants(published(release).folder)
    missing = []
    for template in TEMPLATES:
        is_broker = template.role is Role.BROKER
        if release not in template.releases or (is_broker and release == _WITHOUT_BROKER):
            continue
        owner = template.written_by.partition(".")[0]
        homes = [constants.get(owner, frozenset())] if owner else constants.values()
        if not any(_has(texts, template) for texts in homes):
            missing.append((template.text, template.written_by))
    assert missing == []


def _audited(folder: Path) -> tuple[list[Event], int]:
    """The events of all logs below a folder, and how many lines are malformed."""
    events: list[Event] = []
    malformed = 0
    for file in sorted(set(folder.rglob("*.log")) - set(folder.rglob("output.log"))):
        data = file.read_bytes()
        reading = Reading(str(file), layout_of(data), host=host_of(file))
        parsed = parse(data, reading)
        assert parsed.lines == data.count(b"\n") + (not data.endswith(b"\n"))
        events += events_of(parsed, reading)
        malformed += parsed.malformed_lines
    return events, malformed


def _shut_down(consumer: Consumer) -> None:
    """Shuts a consumer down, and waits until its log says so: a client writes its log on another thread."""
    consumer.shut_down()
    log = consumer.member.logs / "rocketmq_client.log"
    last = f"the consumer [{consumer.subscription.group}] shutdown OK"  # a producer within it says the same, earlier
    wait(until(lambda: last in log.read_text(), 60.0, "the log is written"))


@pytest.mark.slow
@pytest.mark.parametrize("release", ["4.9.4", "5.3.3", "5.5.0"])
def test_a_clusters_logs_tell_what_was_done(published: Callable[[str], JarSet], tmp_path: Path, release: str) -> None:
    """Start, rebalance, commits, a reset and a shutdown of a real group are all events, and no line is malformed."""
    with running_cluster(whole_rig(published(release)), logs=tmp_path) as cluster:
        cluster.create_topic("orders", queues=2, group="billing")
        # From the first message: a new group begins else at a queue's end, which one that was just sent may have moved.
        orders = Subscription("orders", "billing", start=Start.FIRST)
        first, second = (cluster.consumer(name, orders) for name in ("first", "second"))
        cluster.send("orders", ["m0", "m1"])
        first.start()
        wait(until(lambda: len(first.finished_deliveries()) == 2, 60.0, "two deliveries"))
        wait(until(lambda: cluster.committed_offsets("billing", "orders") == [2, 0], 60.0, "the timer commits"))
        cluster.reset("billing", "orders", time.time() - 3600)
        wait(until(lambda: len(first.finished_deliveries()) == 4, 60.0, "both come again after the reset"))
        second.start()
        wait(until(lambda: len(second.cells()) > 0, 60.0, "the second has a queue"))
        for consumer in (second, first):
            _shut_down(consumer)
    events, malformed = _audited(tmp_path)
    assert malformed == 0
    counts = Counter((event.kind, event.host) for event in events if event.group == "billing")
    for kind in (EventKind.CONSUMER_STARTED, EventKind.QUEUE_ADDED, EventKind.COMMIT_SENT, EventKind.CONSUMER_STOPPED):
        assert counts[kind, "first"], kind
        assert counts[kind, "second"], kind
    assert counts[EventKind.QUEUE_REMOVED, "first"]
    assert counts[EventKind.RESET_STARTED, "broker"] == 1
    reset_at_broker = release != "4.9.4"
    assert counts[EventKind.RESET_MARKED, "broker"] == (2 if reset_at_broker else 0)
    assert counts[EventKind.RESET_SENT, "broker"] == (0 if reset_at_broker else 1)
    assert counts[EventKind.SUSPENDED, "first"] == (0 if reset_at_broker else 1)
    targets = {(event.topic, event.queue, event.offset) for event in events if event.kind is EventKind.RESET_MARKED}
    assert targets == ({("orders", 0, 0), ("orders", 1, 0)} if reset_at_broker else set())
    commits = [event for event in events if event.kind is EventKind.COMMIT_SENT and event.topic == "orders"]
    assert {(event.broker, event.client) for event in commits} == {
        ("broker", "127.0.0.1@first"), ("broker", "127.0.0.1@second")
    }  # fmt: skip

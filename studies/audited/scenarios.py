"""What is done on a cluster whose logs are kept: each a story that operators know, by natural timing."""

from __future__ import annotations

import os
import signal
import time

from offsetproof.real.whole.cluster import Subscription
from offsetproof.real.whole.listening import ListenerBehaviour, Script
from studies.audited.losses import LOSSES
from studies.audited.recording import Recording
from studies.audited.scenario import (
    ALL,
    AT_BROKER,
    GROUP,
    MIXED,
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
from studies.natural_timing.waiting import until, wait

_WORKING = Script(ListenerBehaviour(seconds=0.2))
_STAYING = Script(ListenerBehaviour(seconds=600))


def _clean(own: Recording) -> None:
    others = Subscription("invoices", "archive", orderly=True)
    own.create("invoices", "archive", 2)
    members = [own.consumer(name, Subscription(TOPIC, GROUP)) for name in ("first", "second")]
    third = own.consumer("third", others)
    for member in members:
        own.start(member)
    own.start(third)
    own.create(TOPIC, GROUP, QUEUES)
    wait(until(lambda: sum(len(member.cells()) for member in members) >= QUEUES, 90, "all queues have an owner"))
    for _ in range(5):
        send_for(own, 2.5)
        send_for(own, 2.5, 2, "invoices")
    time.sleep(12)


def _rebalance(own: Recording) -> None:
    own.create(TOPIC, GROUP, QUEUES)
    first, second = (own.consumer(name, Subscription(TOPIC, GROUP)) for name in ("first", "second"))
    join_and_leave(own, first, second)


def _killed(own: Recording) -> None:
    own.create(TOPIC, GROUP, QUEUES)
    first, second = (own.consumer(name, Subscription(TOPIC, GROUP)) for name in ("first", "second"))
    start_owning(own, first, queues=QUEUES)
    own.start(second)
    wait(until(lambda: len(second.cells()) == QUEUES // 2, 60, "the second has its queues"))
    send_for(own, 17)
    own.kill(first)
    send_for(own, 12)
    time.sleep(6)


def _late_poll(own: Recording) -> None:
    """The poll that is held when the reset begins ends after its ten seconds."""
    consumer, between = idle(own)
    await_new_poll(own)
    consumer.listen(_STAYING)
    own.reset(GROUP, TOPIC, between)
    wait(until(lambda: own.cluster.committed_offsets(GROUP, TOPIC) != [10], 30, "the reset lands"))
    time.sleep(25)
    own.kill(consumer)
    successor = own.consumer("second", Subscription(TOPIC, GROUP))
    own.start(successor)
    time.sleep(2)
    own.send(TOPIC, "m10", "m11")
    time.sleep(12)


def _reset_kept(own: Recording) -> None:
    """Where clients reset, the poll that is held when that begins ends in its ten seconds."""
    consumer, between = idle(own)
    time.sleep(7)
    own.reset(GROUP, TOPIC, between)
    wait(until(lambda: len(consumer.deliveries()) == 16, 60, "six messages come again"))
    await_committed(own, [10])
    time.sleep(6)


def _behind(own: Recording) -> None:
    own.create(TOPIC, GROUP)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP))
    start_owning(own, consumer, _WORKING)
    own.send(TOPIC, *(f"early-{i}" for i in range(100)))
    time.sleep(0.2)
    early = time.time()
    for batch in range(19):
        own.send(TOPIC, *(f"late-{batch}-{i}" for i in range(100)))
    wait(until(lambda: (own.cluster.committed_offsets(GROUP, TOPIC)[0] or 0) > 100, 60, "100 are committed"))
    time.sleep(1)
    own.reset(GROUP, TOPIC, early)
    time.sleep(15)


def _restarted(own: Recording) -> None:
    _, between = idle(own)
    time.sleep(6)
    await_new_poll(own)
    own.reset(GROUP, TOPIC, between)
    own.restart_broker()
    wait(until(lambda: own.cluster.committed_offsets(GROUP, TOPIC) == [10], 60, "the old offset is back"))
    time.sleep(25)


def _ack_index(own: Recording) -> None:
    own.create(TOPIC, GROUP)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP, batch=4))
    start_owning(own, consumer)
    own.stop(consumer)
    own.send(TOPIC, "m0", "m1", "m2", "m3")
    own.start(consumer, Script(messages={"m0": ListenerBehaviour(ack_index=2)}))
    wait(until(lambda: len(consumer.finished_deliveries()) > 4, 60, "what is not acknowledged is delivered again"))
    time.sleep(12)


def _lost_lock(own: Recording) -> None:
    """The first holds the lock of a queue that is the second's as soon as that joins, and then stands still."""
    own.create(TOPIC, GROUP)
    orderly = Subscription(TOPIC, GROUP, orderly=True)
    holder, other = own.consumer("second", orderly), own.consumer("first", orderly)
    start_owning(own, holder, Script(ListenerBehaviour(seconds=100)))
    own.send(TOPIC, "m0", "m1", "m2")
    wait(until(lambda: len(holder.deliveries()) == 1, 60, "the first message is in the listener"))
    os.kill(holder.member.process_id, signal.SIGSTOP)
    own.start(other, Script(ListenerBehaviour(seconds=30)))
    try:
        wait(until(lambda: len(other.deliveries()) > 0, 120, "the other has taken the lock"))
        time.sleep(3)
    finally:
        os.kill(holder.member.process_id, signal.SIGCONT)
    time.sleep(25)


def _broadcast(own: Recording) -> None:
    """Restarted in order with a file; and again, after a kill."""
    own.create(TOPIC, GROUP, 2)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP, broadcasting=True))
    start_owning(own, consumer, queues=2)
    for _ in range(3):
        send_for(own, 4, 2)
        wait(until(consumer.deliveries, 60, "it is given messages"))
        own.snapshot(consumer)
    time.sleep(6)
    own.snapshot(consumer)
    own.stop(consumer)
    own.send(TOPIC, "down-0", "down-1")
    start_owning(own, consumer, queues=2)
    send_for(own, 8, 2)
    wait(until(consumer.deliveries, 60, "it is given messages"))
    own.snapshot(consumer)
    own.kill(consumer)
    start_owning(own, consumer, queues=2)
    send_for(own, 8, 2)
    wait(until(consumer.deliveries, 60, "it is given messages"))
    time.sleep(6)
    own.snapshot(consumer)


def _broadcast_idle(own: Recording) -> None:
    own.create(TOPIC, GROUP)
    consumer = own.consumer("first", Subscription(TOPIC, GROUP, broadcasting=True))
    start_owning(own, consumer)
    time.sleep(12)
    own.snapshot(consumer)
    own.stop(consumer)
    own.send(TOPIC, *(f"down-{i}" for i in range(5)))
    start_owning(own, consumer)
    time.sleep(12)
    own.snapshot(consumer)


def _one_id(own: Recording) -> None:
    own.create(TOPIC, GROUP, 2)
    twins = [own.consumer(name, Subscription(TOPIC, GROUP), "worker") for name in ("first", "second")]
    start_owning(own, twins[0], queues=2)
    send_for(own, 12, 2)
    own.start(twins[1])
    send_for(own, 15, 2)
    time.sleep(12)


SCENARIOS = (
    Scenario(
        "clean",
        "Two consumers of a group, which are there before the topic, and an orderly one of another topic: messages "
        "come for 25 s, nobody joins or leaves.",
        _clean,
    ),
    Scenario(
        "rebalance",
        "While messages come a second consumer joins, and later shuts down in order.",
        _rebalance,
        (*ALL, MIXED),
    ),
    Scenario(
        "reset-kept",
        "A group that polls is reset at the broker, and the offset stays.",
        _reset_kept,
        (*AT_BROKER, MIXED),
    ),
    Scenario(
        "reset-undone",
        "A consumer works through 2,000 messages, and is reset at the broker to the time after 100.",
        _behind,
        AT_BROKER,
    ),
    Scenario(
        "reset-undone-by-restart",
        "A group that polls is reset at the broker, which is then restarted in order before a poll takes the marker.",
        _restarted,
        AT_BROKER,
    ),
    Scenario("killed", "Messages come; one of two consumers is killed with kill -9.", _killed),
    Scenario(
        "client-reset-kept",
        "A group that polls is reset by its client, and the offset stays.",
        _reset_kept,
        settings={"clients_reset": True},
    ),
    Scenario(
        "reset-overridden",
        "A group that polls is reset by its client. What comes again stays in the listener; 25 s later the client is "
        "killed, and another takes over.",
        _late_poll,
        settings={"clients_reset": True},
    ),
    Scenario(
        "ack-index",
        "A batch of four messages; the listener says by setAckIndex(2) that the third failed, and answers success.",
        _ack_index,
    ),
    Scenario(
        "lost-lock",
        "An orderly consumer stands still with a message in its listener (SIGSTOP), until another one has its queue.",
        _lost_lock,
    ),
    Scenario(
        "broadcast-restart", "A broadcasting consumer is restarted in order, and killed and restarted.", _broadcast
    ),
    Scenario(
        "broadcast-idle",
        "A broadcasting consumer that was given nothing is restarted in order; five messages come while it is down.",
        _broadcast_idle,
    ),
    Scenario("one-id", "Two processes with one client id.", _one_id),
    *LOSSES,
)

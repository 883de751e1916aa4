"""Where a group starts that has no offset yet."""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.real.whole.cluster import Start
from offsetproof.real.whole.listening import ListenerBehaviour, Script
from studies.natural_timing.trying import Attempt, Scenario, Try
from studies.natural_timing.waiting import Waiting, until

_MESSAGES = 5
_FILLER_BYTES = 1 << 20
_FILLERS = 24
"""So many random bytes, as hexadecimal digits, fill a file of the commit log even if a producer packs them."""


def _new_group(own: Try) -> Waiting[Attempt]:
    own.create()
    own.send(*(f"m{i}" for i in range(5)))
    consumer = own.consumer("first")
    consumer.start()
    old = len((yield from own.old_messages(consumer)))
    return Attempt(old > 0, f"{old} of 5 old messages delivered")


def oldest_are_gone(tries: Sequence[Try]) -> Waiting[None]:
    """Every topic has had a message that the broker has deleted since, so that its lowest offset is not 0."""
    for own in tries:
        own.create()
        own.send("old")
    cluster, random = tries[0].cluster, tries[0].random
    cluster.create_topic("filler", group="filler")
    for _ in range(_FILLERS):
        cluster.send("filler", [random.randbytes(_FILLER_BYTES).hex()])
    for own in tries:
        own.send("young")
    cluster.expire()
    yield from until(lambda: all(cluster.min_offset(own.topic) == 1 for own in tries), 120, "old messages are deleted")


def _loss_window(own: Try) -> Waiting[Attempt]:
    consumer = own.consumer("first")
    consumer.start(Script(ListenerBehaviour(seconds=600)))
    idle = own.random.uniform(1, 30)
    yield idle
    own.send(*(f"m{i}" for i in range(_MESSAGES)))
    yield from until(lambda: len(consumer.deliveries()) == _MESSAGES, 30, "the messages are in the listener")
    yield 1.0
    consumer.kill()
    (committed,) = own.committed_offsets()
    successor = own.consumer("second")
    successor.start()
    old = yield from own.old_messages(successor)
    lost = len({2 + i for i in range(_MESSAGES)} - old)
    offset = "no offset" if committed is None else f"{committed}"
    seen = f"idle for {idle:.1f} s; {offset} committed; killed with {_MESSAGES} in the listener: {lost} lost"
    return Attempt(lost > 0, seen)


def _orderly_broadcast(own: Try) -> Waiting[Attempt]:
    own.create()
    consumer = own.consumer("first", orderly=True, broadcasting=True, start=Start.FIRST)
    consumer.start()
    own.send(*(f"m{i}" for i in range(_MESSAGES)))
    yield 60.0
    given = len({delivery.offset for delivery in consumer.deliveries()})
    return Attempt(given == 0, f"{given} of {_MESSAGES} messages delivered in a minute")


NEW_GROUP = Scenario(
    "new-group",
    "A queue has five messages. A consumer of a new group starts, with CONSUME_FROM_LAST_OFFSET.",
    "It is given messages that are older than the group.",
    _new_group,
    ("I13-zero-answered",),
)
ORDERLY_BROADCAST = Scenario(
    "orderly-broadcast",
    "A broadcasting consumer with an orderly listener starts, and five messages are sent.",
    "It is given none of them within a minute.",
    _orderly_broadcast,
    ("I23-broadcast-orderly-never-locked",),
    at_once=20,
)
LOSS_WINDOW = Scenario(
    "loss-window",
    "The oldest messages of a queue are deleted. A consumer of a new group starts, with CONSUME_FROM_LAST_OFFSET; "
    "after 1 to 30 s five messages come and stay in its listener. A second later it is killed with kill -9, and "
    "another starts.",
    "Messages that were in the listener are never delivered to the other.",
    _loss_window,
    ("I4-new-group-second-start",),
    at_once=10,
    prepare=oldest_are_gone,
)

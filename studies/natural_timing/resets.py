"""A reset of a queue that is idle: does it stay where the administrator has put it?"""

from __future__ import annotations

import time

from offsetproof.real.whole.cluster import Consumer
from offsetproof.real.whole.listening import Delivery, ListenerBehaviour, Script
from studies.natural_timing.trying import Attempt, Scenario, Try
from studies.natural_timing.waiting import Waiting, until

_BEFORE, _AFTER = 4, 6
_MESSAGES = _BEFORE + _AFTER
_POLL_SECONDS = 20.0
_RESET_SECONDS = 10.0
_PERSIST_SECONDS = 5.0


def _reset_while_idle(own: Try, idle: float) -> Waiting[tuple[Consumer, int]]:
    """Has all messages finished and committed, and resets the group `idle` seconds later; the consumer and the target.

    What comes again stays in the listener.
    """
    own.create()
    consumer = own.consumer("first")
    own.send(*(f"m{i}" for i in range(_BEFORE)))
    yield 0.1
    between = time.time()
    yield 0.1
    own.send(*(f"m{i}" for i in range(_BEFORE, _MESSAGES)))
    consumer.start()
    yield from until(lambda: own.committed_offsets() == [_MESSAGES], 60, "all messages are committed")
    yield idle
    consumer.listen(Script(ListenerBehaviour(seconds=600)))
    (target,) = own.cluster.reset(own.group, own.topic, between).values()
    yield _RESET_SECONDS / 3
    yield from until(lambda: not consumer.is_paused(), 60, "the reset is over, and the consumer is resumed")
    for _ in range(10):
        if len(_at_work(consumer.deliveries())) == _MESSAGES - target:
            break
        yield 0.5
    return consumer, target


def _late_poll(own: Try) -> Waiting[Attempt]:
    consumer, target = yield from _reset_while_idle(own, own.random.uniform(0, _POLL_SECONDS))
    yield _POLL_SECONDS + _PERSIST_SECONDS
    again = len(_at_work(consumer.deliveries()))
    (committed,) = own.committed_offsets()
    consumer.kill()
    successor = own.consumer("second")
    successor.start()
    found = yield from own.old_messages(successor)
    lost = _MESSAGES - target - len(found)
    seen = f"reset to {target}; {again} messages in the listener, {committed} committed; killed: {lost} lost"
    return Attempt(again == _MESSAGES - target and committed != target, seen)


def _query_first(own: Try) -> Waiting[Attempt]:
    consumer, target = yield from _reset_while_idle(own, 1.0)
    again = len(_at_work(consumer.deliveries()))
    yield _PERSIST_SECONDS
    (committed,) = own.committed_offsets()
    seen = f"reset to {target}; {again} messages come again, {committed} committed"
    return Attempt(not again and committed == _MESSAGES, seen)


def _at_work(deliveries: list[Delivery]) -> list[Delivery]:
    return [delivery for delivery in deliveries if delivery.ended is None]


LATE_POLL = Scenario(
    "late-poll",
    "A consumer has finished all ten messages of a queue and polls. After 0 to 20 s the administrator resets the group "
    "to the time after the fourth message. The messages that come again stay in the listener; 25 s later the consumer "
    "is killed, and another takes over.",
    "The broker's offset is past the target while everything from there on is still in the listener.",
    _late_poll,
    ("I5-late-poll",),
    at_once=10,
)
QUERY_FIRST = Scenario(
    "query-first",
    "The same reset, a second after all is finished. (The client sends the target one-way and asks the broker at once "
    "where to start.)",
    "No message comes again, and the broker's offset is where it was before the reset.",
    _query_first,
    ("I5-overtaken-by-query",),
    at_once=10,
)

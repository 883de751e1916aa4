"""Ends of a consumer, by kill -9 or by its own shutdown, and what its successor is given."""

from __future__ import annotations

from itertools import count

from offsetproof.real.whole.listening import ListenerAnswer, ListenerBehaviour, Script
from studies.natural_timing.trying import Attempt, Scenario, Try
from studies.natural_timing.waiting import Waiting, until

_MESSAGES = 10


def _broadcast_killed(own: Try) -> Waiting[Attempt]:
    up = own.random.uniform(0, 30)
    return (yield from _broadcast_ended(own, up, graceful=False))


def _broadcast_idle(own: Try) -> Waiting[Attempt]:
    up = own.random.uniform(0, 30)
    return (yield from _broadcast_ended(own, up, graceful=True))


def _broadcast_ended(own: Try, up: float, *, graceful: bool) -> Waiting[Attempt]:
    own.create()
    consumer = own.consumer("first", broadcasting=True)
    consumer.start()
    yield up
    if graceful:
        consumer.stop()
    else:
        consumer.kill()
    file = "an offset file" if consumer.offset_files else "no offset file"
    own.send(*(f"m{i}" for i in range(_MESSAGES)))
    consumer.start()
    skipped = _MESSAGES - len((yield from own.old_messages(consumer)))
    ended = "shut down" if graceful else "killed"
    return Attempt(skipped > 0, f"{ended} after {up:.1f} s with {file}; {skipped} of {_MESSAGES} messages skipped")


def _killed_between_persists(own: Try) -> Waiting[Attempt]:
    own.create()
    consumer = own.consumer("first")
    consumer.start()
    left, bodies = own.random.uniform(11, 16), (f"m{i}" for i in count())
    while left > 0:
        own.send(next(bodies))
        yield 0.2
        left -= 0.2
    before = {delivery.offset for delivery in consumer.finished_deliveries()}
    consumer.kill()
    (committed,) = own.committed_offsets()
    successor = own.consumer("second")
    successor.start()
    twice = len(before & (yield from own.old_messages(successor)))
    return Attempt(twice > 0, f"{len(before)} finished, {committed} committed; {twice} delivered again")


def _shut_down_at_work(own: Try) -> Waiting[Attempt]:
    own.create()
    own.send(*(f"m{i}" for i in range(4)))
    consumer = own.consumer("first")
    consumer.start(Script(ListenerBehaviour(seconds=4.0)))
    yield from until(lambda: len(consumer.deliveries()) == 4, 30, "four messages are in the listener")
    yield own.random.uniform(0, 6)
    consumer.shut_down()
    at_work = sum(delivery.ended is None for delivery in consumer.deliveries())
    yield from until(lambda: len(consumer.finished_deliveries()) == 4, 30, "the listener ends")
    done = {d.offset for d in consumer.finished_deliveries() if d.answer == ListenerAnswer.SUCCESS}
    (committed,) = own.committed_offsets()
    successor = own.consumer("second")
    successor.start()
    twice = len(done & (yield from own.old_messages(successor)))
    return Attempt(twice > 0, f"{at_work} at work after the shutdown, {committed} committed; {twice} delivered again")


BROADCAST_KILLED = Scenario(
    "broadcast-killed",
    "A broadcasting consumer starts on an empty queue and is killed with kill -9 after 0 to 30 s. Ten messages are "
    "sent, and it starts again on the same folder.",
    "Messages that were sent while it was down are never delivered to it.",
    _broadcast_killed,
    ("I4-killed-before-first-persist", "I4-broadcast-killed-before-first-persist"),
    at_once=10,
)
BROADCAST_IDLE = Scenario(
    "broadcast-idle",
    "The same, but it shuts down gracefully after 0 to 30 s.",
    "Messages that were sent while it was down are never delivered to it.",
    _broadcast_idle,
    ("I4-idle-no-row",),
    at_once=10,
)
KILLED = Scenario(
    "killed",
    "A consumer is sent five messages a second and finishes each at once. After 11 to 16 s it is killed with kill -9, "
    "and another takes over.",
    "Messages that were finished are delivered again.",
    _killed_between_persists,
    at_once=5,
)
SHUT_DOWN = Scenario(
    "shut-down",
    "Four messages are in a listener that works for 4 s and does not end when it is interrupted. After 0 to 6 s the "
    "consumer shuts down with its stock settings; the listener comes to its end, and another consumer takes over.",
    "Messages whose listener answered success are delivered again.",
    _shut_down_at_work,
    ("I16-listener-outlives-persist",),
    at_once=2,
)

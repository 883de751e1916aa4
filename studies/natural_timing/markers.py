"""A reset at the broker (5.x) puts a marker beside the offset, which the next pull takes: does the offset stay?"""

from __future__ import annotations

import time
from collections.abc import Sequence

from offsetproof.real.whole.cluster import Consumer
from offsetproof.real.whole.listening import ListenerBehaviour, Script
from studies.natural_timing.trying import Attempt, Scenario, Try
from studies.natural_timing.waiting import NotInTimeError, Waiting, until

_AT_BROKER = ("5.3.3", "5.5.0")
_MIXED = "broker=5.3.3,client=4.9.4"
_EARLIER, _EARLY, _LATE = 50, 100, 1_900
_SENT_AT_ONCE = 100
_WORKING = Script(ListenerBehaviour(seconds=0.2))
_STAYING = ListenerBehaviour(seconds=600)
_POLL_SECONDS = 20.0
_SECONDS_AFTER = 10.0
_REPAIR_SECONDS = 15.0
"""By then a client of 4.9.x has repaired the queue, which it does 10 s after it has heard of the target."""
_PERSIST_SECONDS = 5.0

Changes = Sequence[tuple[float, int | None]]


def time_away(changes: Changes, target: int) -> tuple[int, float | None] | None:
    """Where an offset was after it had come to a target, if that is not on from there, and for how many seconds.

    No seconds where it has not come back. On from there is what a consumer commits that starts at the target: more
    each time, and less than what it had before a backward reset.

    >>> time_away([(0.0, 60), (1.0, 10), (1.2, 61), (1.25, 10), (2.0, 20)], 10)
    (61, 0.05)
    >>> time_away([(0.0, 60), (1.0, 10), (1.2, 61), (9.0, 90)], 10)
    (61, None)
    >>> time_away([(0.0, 60), (1.0, 10), (2.0, 20), (9.0, 90)], 10) is None
    True
    >>> time_away([(0.0, 4), (1.0, 8), (5.0, 4), (5.5, 8)], 8)
    (4, 0.5)
    """
    values = [-1 if value is None else value for _, value in changes]
    landed = next((at for at, value in enumerate(values) if at and value == target), len(values))
    if landed + 1 >= len(values):
        return None
    before, following = values[landed - 1], values[landed + 1]
    back = next((at for at in range(landed + 2, len(values)) if values[at] == target), None)
    if back is not None:
        return following, round(changes[back][0] - changes[landed + 1][0], 4)
    return (following, None) if following < target or following >= before > target else None


def _send_marking(own: Try, *numbers: int) -> Waiting[list[float]]:
    """Sends so many messages, then so many; a time after each of these groups, before the next."""
    own.create()
    times: list[float] = []
    for number in numbers:
        bodies = [f"m{len(times)}-{i}" for i in range(number)]
        for place in range(0, number, _SENT_AT_ONCE):
            own.send(*bodies[place : place + _SENT_AT_ONCE])
            yield 0.01
        yield 0.1
        times.append(time.time())
        yield 0.1
    return times


def _consumer_that_is_behind(own: Try) -> Waiting[tuple[Consumer, float]]:
    """It works through messages, and has passed the early ones; the time after these."""
    early, _ = yield from _send_marking(own, _EARLY, _LATE)
    consumer = own.consumer("first")
    consumer.start(_WORKING)
    yield from until(lambda: (own.committed_offsets()[0] or 0) > _EARLY, 30, f"more than {_EARLY} are committed")
    yield own.random.uniform(0, 2)
    return consumer, early


def _reset_while_it_works(own: Try) -> Waiting[Attempt]:
    consumer, early = yield from _consumer_that_is_behind(own)
    return (yield from _reset_watched(own, consumer, early, _REPAIR_SECONDS))


def _deployed_after_reset(own: Try) -> Waiting[Attempt]:
    first, early = yield from _consumer_that_is_behind(own)
    (target,) = own.cluster.reset(own.group, own.topic, early).values()
    before = first.deliveries()
    after = own.random.uniform(0, _SECONDS_AFTER)
    yield after
    again = {delivery.offset for delivery in first.deliveries()[len(before) :]}
    first.stop()
    (committed,) = own.committed_offsets()
    second = own.consumer("second")
    second.start()
    again |= yield from own.old_messages(second)
    finished = {delivery.offset for delivery in before if delivery.ended is not None and delivery.offset >= target}
    missing = len(finished - again)
    seen = f"reset to {target}; shut down {after:.1f} s later, {committed} committed; "
    return Attempt(missing > 0, f"{seen}{missing} of {len(finished)} do not come")


def _reset_twice(own: Try) -> Waiting[Attempt]:
    earlier, early, _ = yield from _send_marking(own, _EARLIER, _EARLY - _EARLIER, _LATE)
    consumer = own.consumer("first")
    consumer.start()
    yield from until(lambda: own.committed_offsets() == [_EARLY + _LATE], 60, "all messages are committed")
    consumer.listen(_WORKING)
    own.cluster.reset(own.group, own.topic, early)
    yield from until(lambda: len(consumer.deliveries()) > _EARLY + _LATE, 60, "messages come again")
    yield own.random.uniform(0.5, 2.5)
    return (yield from _reset_watched(own, consumer, earlier, _SECONDS_AFTER))


def _reset_while_it_persists(own: Try) -> Waiting[Attempt]:
    _, late, _ = yield from _send_marking(own, 4, 4, 2)
    consumer = own.consumer("first")
    consumer.start(Script(_STAYING, {f"m0-{i}": ListenerBehaviour() for i in range(4)}))
    yield from until(lambda: own.committed_offsets() == [4], 60, "four messages are committed")
    yield own.random.uniform(0, _POLL_SECONDS)
    return (yield from _reset_watched(own, consumer, late, _POLL_SECONDS + _PERSIST_SECONDS))


def _reset_watched(own: Try, consumer: Consumer, to_time: float, seconds: float) -> Waiting[Attempt]:
    """Resets the group, and watches for so long what the broker answers to a query for its offset."""
    own.cluster.watch(own.group, own.topic)
    yield 0.2
    (target,) = own.cluster.reset(own.group, own.topic, to_time).values()
    before = len(consumer.deliveries())
    yield seconds
    changes = own.cluster.end_watch(own.topic)
    if target not in {offset for _, offset in changes}:
        raise NotInTimeError(f"the offset is at the target: not in {seconds:g} s")
    away = time_away(changes, target)
    (committed,) = own.committed_offsets()
    deliveries = consumer.deliveries()
    again = len({d.offset for d in deliveries[before:]} & {d.offset for d in deliveries[:before]})
    seen = f"reset to {target}: {_went(away)}; {seconds:g} s later {committed} committed, {again} delivered again"
    return Attempt(away is not None, seen)


def _went(away: tuple[int, float | None] | None) -> str:
    if away is None:
        return "it stays"
    offset, seconds = away
    return f"it goes to {offset} for {'good' if seconds is None else f'{1000 * seconds:.1f} ms'}"


def _restarted_after_resets(tries: Sequence[Try]) -> Waiting[None]:
    """Each group has finished all and polls; it is reset at a moment of its own before the broker is restarted."""
    cluster, resets = tries[0].cluster, []
    for own in tries:
        early, _ = yield from _send_marking(own, 4, 6)
        own.noted["consumer"] = consumer = own.consumer("first")
        consumer.start()
        resets.append((own.random.uniform(0, _POLL_SECONDS), early, own))
    yield from until(lambda: all(own.committed_offsets() == [10] for own in tries), 60, "all messages are committed")
    yield own.random.uniform(0, _POLL_SECONDS)
    begun = time.monotonic()
    for before, early, own in sorted(resets, key=lambda each: -each[0]):
        yield max(0.0, begun + _POLL_SECONDS - before - time.monotonic())
        own.noted["consumer"].listen(Script(_STAYING))
        (own.noted["target"],) = cluster.reset(own.group, own.topic, early).values()
        own.noted["at"] = time.monotonic()
    yield max(0.0, begun + _POLL_SECONDS - time.monotonic())
    for own in tries:
        own.noted["before"] = time.monotonic() - own.noted["at"]
    cluster.restart_broker()


def _restarted(own: Try) -> Waiting[Attempt]:
    yield 1.5 * _POLL_SECONDS
    target, before = own.noted["target"], own.noted["before"]
    again = sum(delivery.ended is None for delivery in own.noted["consumer"].deliveries())
    (committed,) = own.committed_offsets()
    seen = f"reset to {target} {before:.1f} s before; {committed} committed, {again} messages in the listener"
    return Attempt(not again and committed == 10, seen)


COMMIT_WITH_MARKER = Scenario(
    "commit-with-marker",
    f"A consumer works through {_EARLY + _LATE:,} messages, 0.2 s each. When {_EARLY} are committed, 0 to 2 s later "
    "the administrator resets the group to the time after these. What the broker answers to a query for its offset is "
    "looked at twice a millisecond.",
    "The offset was at the target, and is past it again before anything has been consumed from there.",
    _reset_while_it_works,
    ("I5-commit-with-marker",),
    at_once=2,
    releases=(*_AT_BROKER, _MIXED),
)
DEPLOYED = Scenario(
    "deployed",
    f"A consumer works through {_EARLY + _LATE:,} messages in the same way, and the group is reset to the time after "
    f"{_EARLY}. 0 to 10 s later the consumer shuts down with its stock settings, and another one starts, as while a "
    "new version is deployed.",
    "Some of the messages that were finished after the target when it was reset are not delivered again to either.",
    _deployed_after_reset,
    at_once=2,
    releases=("5.3.3", _MIXED),
)
TWICE = Scenario(
    "twice",
    f"A consumer has finished {_EARLY + _LATE:,} messages. The administrator resets the group to the time after "
    f"{_EARLY} of them. 0.5 to 2.5 s after they come again, 0.2 s each, it is reset to the time after {_EARLIER}. The "
    "offset is looked at in the same way.",
    "The offset was at the second target, and is past it again before anything has been consumed from there.",
    _reset_twice,
    ("I5-twice-commit-with-marker",),
    at_once=2,
    releases=_AT_BROKER,
)
LATE_COMMIT = Scenario(
    "late-commit",
    "A consumer has finished four of ten messages, the others stay in its listener, and it polls. After 0 to 20 s the "
    "administrator resets the group forward, to the time after the eighth. The offset is looked at in the same way.",
    "The offset was at the target, and is before it again.",
    _reset_while_it_persists,
    ("I5-forward-late-commit",),
    at_once=10,
    releases=("5.3.3",),
)
RESTARTED_MARKER = Scenario(
    "restarted-marker",
    "Twenty consumers have each finished all ten messages of a queue of their own, and poll. Each group is reset to "
    "the time after the fourth message, 0 to 20 s before the broker is restarted in order, once for all. What comes "
    "again stays in the listener.",
    "30 s later the offset is where it was before the reset, and no message has come again.",
    _restarted,
    ("I5-restarted-marker-forgotten",),
    at_once=20,
    prepare=_restarted_after_resets,
    releases=_AT_BROKER,
)

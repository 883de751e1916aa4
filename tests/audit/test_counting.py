"""The broker's count of the last minute: what it says of messages that came again is true of any traffic."""

from __future__ import annotations

from typing import Any

from audit.live_group import SECOND, START
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible_always

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.live.counting import Given

INTERVAL = SECOND


def row(at: int, queue: int, offset: int, end: int) -> Event:
    return event(EventKind.OFFSET_STORED, at, queue=queue, offset=offset, other_offset=end)


def event(kind: EventKind, at: int, **columns: Any) -> Event:
    return Event("watch", 1, 0, 1, at, at + 1000, True, "host", "watch", kind, None, "shop", "orders", "a", **columns)


@reproducible_always(400)
@given(
    stored=st.lists(st.integers(0, 4), min_size=160, max_size=160),
    delays=st.lists(st.integers(0, 6), min_size=160, max_size=160),
    fell=st.integers(22, 90),
    depth=st.integers(1, 40),
    took=st.integers(1, 20),
    again=st.booleans(),
    ask=st.integers(12, 58),
    phase=st.integers(0, 9),
)
def test_what_it_says_of_messages_that_came_again_is_so(
    stored: list[int], delays: list[int], fell: int, depth: int, took: int, again: bool, ask: int, phase: int
) -> None:
    """One queue, second by second: messages are stored, given within seconds, committed; at one time it falls.

    Before the first look, too, messages were given.
    """
    gives = {-5: 50}
    counts, end, given_to = Given(INTERVAL), 50, 50
    before = committed = 50
    counts.look(event(EventKind.MESSAGES_GIVEN, START, offset=0, detail="*"))
    for second in range(160):
        if second == fell + took + ask:
            break
        end += stored[second]
        if not delays[second]:
            gives[second], given_to = gives.get(second, 0) + end - given_to, end
        if second == fell:
            before = committed
        committed = max(0, before - depth) if fell <= second < fell + took else given_to
        if second == fell + took - 1 and again:
            gives[second] = gives.get(second, 0) + before - max(0, before - depth)
        counts.look(row(START + second * SECOND + 1000, 0, committed, end))
    now = fell + took + ask
    last = now - (now - phase) % 10
    total = sum(count for at, count in gives.items() if last - 60 <= at < last)
    count = event(EventKind.MESSAGES_GIVEN, START + now * SECOND, offset=total, detail="*")
    came = counts.came_again(count, START + fell * SECOND, START + (fell + took) * SECOND, min(depth, before))
    assert came in (None, again)


def test_count_that_covers_the_fall_decides() -> None:
    for again, said in ((0, False), (30, True)):
        counts = Given(INTERVAL)
        counts.look(event(EventKind.MESSAGES_GIVEN, START, offset=0, detail="*"))
        counts.look(row(START, 0, 100, 100))
        count = event(EventKind.MESSAGES_GIVEN, START + 90 * SECOND, offset=again, detail="*")
        assert counts.came_again(count, START + 60 * SECOND, START + 65 * SECOND, 30) is said


def test_count_that_began_too_late_decides_nothing() -> None:
    counts = Given(INTERVAL)
    counts.look(event(EventKind.MESSAGES_GIVEN, START + 20 * SECOND, offset=0, detail="*"))
    counts.look(row(START, 0, 100, 100))
    count = event(EventKind.MESSAGES_GIVEN, START + 60 * SECOND, offset=0, detail="*")
    assert counts.came_again(count, START + 30 * SECOND, START + 35 * SECOND, 30) is None

"""Timelines keep who had a queue, every fall of its offset, and stay small however many commits there were."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from audit.audits import logs_of
from audit.made import event
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.audit.event import EventKind
from offsetproof.audit.reports.queue_pictures import POINTS_MAX, QueuePicture, pictures_of


def only(lines: dict[tuple[str | None, str | None, str | None, int | None], QueuePicture]) -> QueuePicture:
    (line,) = lines.values()
    return line


def test_a_queue_has_a_lane_for_each_client_in_the_order_in_which_they_came() -> None:
    line = only(pictures_of(logs_of("I8-two-owners")))
    assert line.lanes == ["10.0.0.1@4711", "10.0.0.2@815"]
    assert [(span.lane, span.is_closed) for span in line.spans] == [(0, False), (1, False)]


def test_a_queue_that_is_given_up_has_an_end() -> None:
    added, removed = event(EventKind.QUEUE_ADDED, 1), event(EventKind.QUEUE_REMOVED, 5)
    again = event(EventKind.QUEUE_ADDED, 9)
    line = only(pictures_of([(added, "a"), (removed, "a"), (again, "a")]))
    assert [(span.begin, span.end, span.is_closed) for span in line.spans] == [
        (added.time_from, removed.time_from, True),
        (again.time_from, again.time_from, False),
    ]


def test_resets_are_marks_and_commits_are_points() -> None:
    line = only(pictures_of(logs_of("I5-late-poll")))
    assert [mark.kind for mark in line.marks] == [EventKind.RESET_STARTED, EventKind.SUSPENDED]
    assert [point.offset for point in line.points] == [1000, 1137, 1137]


def test_what_has_no_queue_is_in_no_timeline() -> None:
    assert pictures_of([(replace(event(EventKind.SUSPENDED), queue=None), "a")]) == {}


@reproducible(100)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 4))
def test_every_fall_is_kept_however_long_the_logs_are(falls: list[int], rounds: int) -> None:
    offsets: list[int] = []
    for _ in range(rounds):
        for number, fall in enumerate(falls):
            offsets += [1000 * number + step for step in range(40)]
            offsets.append(max(0, 1000 * number - 100 - fall))
    events = [(event(EventKind.COMMIT_SENT, at, client="a", offset=offset), "a") for at, offset in enumerate(offsets)]
    kept = only(pictures_of(events)).points

    def turns(values: list[int]) -> list[int]:
        return [after for before, after in pairwise(values) if after < before]

    assert turns([point.offset for point in kept]) == turns(offsets)
    assert kept[0].offset == offsets[0]
    assert kept[-1].offset == offsets[-1]
    assert len(kept) <= 2 * POINTS_MAX + 6 * len(falls) * rounds

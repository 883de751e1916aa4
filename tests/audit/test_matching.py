"""A story is seen in logs where its lines are there, in order, with clients and offsets as in the story."""

from __future__ import annotations

from dataclasses import replace

import pytest
from audit.made import event, finding, logged, precedes

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explain import matching
from offsetproof.audit.explain.explaining import scene_of
from offsetproof.audit.explain.matching import Match, TooManyTriesError, kinds_not_left, match_story
from offsetproof.audit.explain.observables import observables_of
from offsetproof.audit.gold.finding import FindingKind

LATE_POLL = "I5-late-poll"
COMMIT = EventKind.COMMIT_SENT
OTHER_OWNER = "I5-other-owner"


def match(story: str, events: list[Event]) -> Match | None:
    found = finding(FindingKind.RESET_OVERRIDDEN, events[-2:])
    return match_story(observables_of(story), scene_of(found, events, precedes))


def test_all_lines_of_a_story_are_seen_in_its_own_logs() -> None:
    found = match(LATE_POLL, logged(LATE_POLL))
    assert found is not None
    assert len(found.pairs) == found.of == len(observables_of(LATE_POLL))
    assert [each.kind for each, _ in found.pairs] == [each.kind for each in observables_of(LATE_POLL)]


def test_lines_before_the_logs_begin_may_be_missing() -> None:
    whole = logged(LATE_POLL)
    reset = next(i for i, each in enumerate(whole) if each.kind is EventKind.RESET_STARTED)
    found = match(LATE_POLL, whole[reset - 1 :])
    assert found is not None
    assert (len(found.pairs), found.of) == (3, 5)


def test_other_lines_between_those_of_a_story_are_passed_over() -> None:
    events = []
    for number, each in enumerate(logged(LATE_POLL)):
        events += [each, event(EventKind.SEND_BACK_FAILED, 2 * number + 1.5, host="app0", process="app0/log")]
    assert match(LATE_POLL, events) is not None


def test_no_story_is_seen_whose_reset_is_not_in_the_broker_s_log() -> None:
    events = [each for each in logged(LATE_POLL) if each.kind is not EventKind.RESET_STARTED]
    assert match(LATE_POLL, [event(EventKind.COMMIT_BELOW_STORE), *events]) is None


def test_what_no_log_at_hand_could_show_is_free() -> None:
    events = [each for each in logged(LATE_POLL) if each.kind is not EventKind.RESET_STARTED]
    found = match(LATE_POLL, events)
    assert found is not None
    assert found.of == len(observables_of(LATE_POLL)) - 1


def test_two_clients_of_a_story_are_two_in_the_logs() -> None:
    events = logged(OTHER_OWNER)
    one = [
        replace(each, client=each.client and "10.0.0.1@4711", host="app0", process="app0/log", file="app0/log")
        for each in events
    ]
    assert match(OTHER_OWNER, events) is not None
    assert match(OTHER_OWNER, one) is None


def test_two_processes_of_one_id_are_two_clients_where_the_story_says_so_alone() -> None:
    events = [
        replace(each, client=each.client and "10.0.0.1@4711", process=each.host, file=f"{each.host}/log")
        for each in logged(OTHER_OWNER)
    ]
    found = scene_of(finding(FindingKind.RESET_OVERRIDDEN, events[-2:]), events, precedes)
    assert match_story(observables_of(OTHER_OWNER), found) is None
    assert match_story(observables_of(OTHER_OWNER), found, is_one_id=True) is not None


def test_story_of_two_processes_with_one_id_is_not_that_of_two_ids() -> None:
    events = logged(OTHER_OWNER)
    found = scene_of(finding(FindingKind.RESET_OVERRIDDEN, events[-2:]), events, precedes)
    assert match_story(observables_of(OTHER_OWNER), found) is not None
    assert match_story(observables_of(OTHER_OWNER), found, is_one_id=True) is None


def test_telling_line_among_those_of_a_story_is_not_of_it() -> None:
    *before, last = logged(LATE_POLL)
    illegal = replace(last, kind=EventKind.PULL_ILLEGAL, offset=None, byte_offset=last.byte_offset - 1)
    refused = replace(illegal, kind=EventKind.COMMIT_REFUSED)
    late = replace(illegal, byte_offset=last.byte_offset + 1)
    assert kinds([*before, last]) == frozenset()
    assert kinds([*before, illegal, last]) == {EventKind.PULL_ILLEGAL}
    assert kinds([*before, last, late]) == frozenset(), "logs go on"
    assert kinds([*before, refused, last]) == frozenset(), "each persist leaves one while a marker stands"


def kinds(events: list[Event]) -> frozenset[EventKind]:
    """What a late poll does not leave of these lines."""
    found = finding(FindingKind.RESET_OVERRIDDEN, events[-3:])
    scene = scene_of(found, events, precedes)
    matched = match_story(observables_of(LATE_POLL), scene)
    assert matched is not None
    return kinds_not_left(matched, observables_of(LATE_POLL), scene)


def test_offsets_have_the_story_s_order() -> None:
    events = logged("I5-one-cpu")  # the reset sends the target, which is below what was committed before
    assert match("I5-one-cpu", events) is not None
    raised = [replace(each, offset=5_000) if each.kind is EventKind.COMMIT_SENT and each.offset == 1_000 else each
              for each in events]  # fmt: skip
    assert match("I5-one-cpu", raised) is None


def test_consuming_may_go_on_where_the_story_stands_still() -> None:
    events = logged(LATE_POLL)
    last = replace(events[-1], offset=events[-1].offset and events[-1].offset + 40)
    assert match(LATE_POLL, [*events[:-1], last]) is not None


def test_lines_in_another_order_are_another_story() -> None:
    events = logged(LATE_POLL)
    suspended, persisted = events[-2:]
    swapped = [*events[:-2], replace(persisted, byte_offset=suspended.byte_offset, time_from=suspended.time_from),
               replace(suspended, byte_offset=persisted.byte_offset, time_from=persisted.time_from)]  # fmt: skip
    assert match(LATE_POLL, swapped) is None


def test_what_stamps_do_not_order_may_be_in_the_story_s_order() -> None:
    events = logged(LATE_POLL)
    reset = next(i for i, each in enumerate(events) if each.kind is EventKind.RESET_STARTED)
    late = replace(
        events[reset], time_from=events[reset + 1].time_from - 100, time_to=events[reset + 1].time_to + 900_000
    )
    assert match(LATE_POLL, [*events[:reset], events[reset + 1], late, *events[reset + 2 :]]) is not None
    after = replace(late, time_from=events[reset + 1].time_to + 1, time_to=events[reset + 1].time_to + 2)
    assert match(LATE_POLL, [*events[:reset], events[reset + 1], after, *events[reset + 2 :]]) is None


def test_a_match_touches_the_lines_of_the_finding() -> None:
    events = logged(LATE_POLL)
    other = event(EventKind.COMMIT_SENT, 500, client="10.0.0.7@1", host="app7", process="7", file="app7/log", offset=3)
    found = finding(FindingKind.RESET_OVERRIDDEN, [other])
    assert match_story(observables_of(LATE_POLL), scene_of(found, events, precedes)) is None


def test_what_cannot_touch_the_lines_of_the_finding_is_not_tried() -> None:
    events = logged(LATE_POLL)
    commits = [replace(each, byte_offset=10_000 + at) for at in range(200) for each in events if each.kind is COMMIT]
    other = event(EventKind.LOCK_LOST_WHILE_CONSUMING, 500, file="app7/log")
    scene = scene_of(finding(FindingKind.RESET_OVERRIDDEN, [other]), [*events, *commits, other], precedes)
    assert match_story(observables_of(LATE_POLL), scene) is None


def test_a_search_that_has_no_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "TRIES", 3)
    with pytest.raises(TooManyTriesError):
        match(LATE_POLL, logged(LATE_POLL))

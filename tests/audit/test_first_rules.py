"""Rules about commits, owners, resets and starts: what each finds, and what it does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from audit.queue_logs import broker, client, of_group
from audit.steps import find

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.gold.finding import Certainty, FindingKind

CERTAIN, POSSIBLE = Certainty.CERTAIN, Certainty.POSSIBLE


def found(*events: Event) -> list[tuple[FindingKind, Certainty]]:
    return [(each.kind, each.certainty) for each in find(events)]


def handed_over(start: int) -> tuple[Event, ...]:
    """Client 1 gives the queue up at 100, ten seconds later client 2 starts on it."""
    return (
        client(1, 0, Kind.QUEUE_ADDED),
        client(1, 5, Kind.COMMIT_SENT, 50),
        client(1, 10, Kind.COMMIT_SENT, 100),
        client(1, 10.01, Kind.QUEUE_REMOVED),
        client(2, 20, Kind.QUEUE_ADDED),
        client(2, 20.01, Kind.START, start),
        client(2, 25, Kind.COMMIT_SENT, start + 50),
    )


def test_a_hand_over_in_order_yields_nothing() -> None:
    assert found(*handed_over(100)) == []


def test_a_commit_below_the_last_one_is_a_regression() -> None:
    kinds = found(*handed_over(20))
    assert (FindingKind.COMMIT_REGRESSION, CERTAIN) in kinds
    assert (FindingKind.RANGE_REPEATED, CERTAIN) in kinds


def test_a_start_above_what_was_given_up_skips_a_range() -> None:
    assert found(*handed_over(130)) == [(FindingKind.RANGE_SKIPPED, CERTAIN)]


def test_the_repair_of_a_pull_that_was_moved_commits_for_a_queue_that_was_given_up_and_owns_nothing() -> None:
    owned = {}
    for detail in ("persist", "persistAll"):
        late = client(1, 27, Kind.COMMIT_SENT, 160, detail=detail)
        kinds = {kind for kind, _ in found(*handed_over(100), late, client(2, 30, Kind.COMMIT_SENT, 170))}
        assert FindingKind.COMMIT_WITHOUT_QUEUE in kinds
        owned[detail] = FindingKind.TWO_OWNERS in kinds
    assert owned == {"persist": False, "persistAll": True}


def test_after_a_kill_a_higher_start_is_no_skipped_range() -> None:
    assert found(*(each for each in handed_over(130) if each.kind is not Kind.QUEUE_REMOVED)) == []


def test_a_member_without_a_log_makes_a_skipped_range_possible() -> None:
    unknown = of_group(broker(1, Kind.MEMBER_SEEN, client="10.0.0.9@9"))
    assert found(*handed_over(130), unknown) == [(FindingKind.RANGE_SKIPPED, POSSIBLE)]


def test_an_unknown_zone_makes_a_regression_possible() -> None:
    events = [replace(each, zone_known=False) if each.host == "app2" else each for each in handed_over(20)]
    assert {certainty for _, certainty in found(*events)} == {POSSIBLE}


def test_the_brokers_own_word_is_certain_and_counted_once() -> None:
    events = [*handed_over(20), broker(25, Kind.COMMIT_BELOW_STORE, 70, other_offset=100)]
    assert found(*events).count((FindingKind.COMMIT_REGRESSION, CERTAIN)) == 1


def test_owners_that_overlap_by_more_than_the_skew_are_two() -> None:
    events = (
        client(1, 0, Kind.QUEUE_ADDED),
        client(1, 30, Kind.COMMIT_SENT, 100),
        client(2, 20, Kind.QUEUE_ADDED),
        client(2, 25, Kind.COMMIT_SENT, 60),
        client(2, 45, Kind.COMMIT_SENT, 110),
    )
    assert (FindingKind.TWO_OWNERS, CERTAIN) in found(*events)


def test_owners_that_overlap_by_less_are_possibly_two() -> None:
    events = (
        client(1, 0, Kind.QUEUE_ADDED),
        client(1, 20.5, Kind.COMMIT_SENT, 100),
        client(1, 20.51, Kind.QUEUE_REMOVED),
        client(2, 20, Kind.QUEUE_ADDED),
        client(2, 25, Kind.COMMIT_SENT, 110),
    )
    assert found(*events) == [(FindingKind.TWO_OWNERS, POSSIBLE)]


def reset(*after: Event) -> tuple[Event, ...]:
    """A reset from 100 to 10 that the client carries out."""
    return (
        client(1, 0, Kind.QUEUE_ADDED),
        client(1, 5, Kind.COMMIT_SENT, 50),
        client(1, 10, Kind.COMMIT_SENT, 100),
        of_group(broker(13, Kind.RESET_STARTED)),
        of_group(client(1, 13.2, Kind.COMMANDED)),
        client(1, 15, Kind.COMMIT_SENT, 100),
        client(1, 23.2, Kind.COMMIT_SENT, 10),
        broker(23, Kind.COMMIT_BELOW_STORE, 10, other_offset=100),
        client(1, 23.3, Kind.QUEUE_REMOVED),
        *after,
    )


def test_a_resets_own_lower_offset_is_no_finding() -> None:
    assert found(*reset(client(1, 26, Kind.QUEUE_ADDED), client(1, 26.1, Kind.START, 10),
                        client(1, 30, Kind.COMMIT_SENT, 15))) == []  # fmt: skip


def test_a_start_above_the_reset_overrides_it() -> None:
    after = (
        client(1, 26, Kind.QUEUE_ADDED),
        client(1, 26.1, Kind.START, 100),
        client(1, 30, Kind.COMMIT_SENT, 105),
    )
    assert found(*reset(*after)) == [(FindingKind.RESET_OVERRIDDEN, CERTAIN)]


def test_the_old_offset_and_then_the_resets_again_override_it() -> None:
    after = (client(2, 26, Kind.COMMIT_SENT, 101), client(1, 30, Kind.COMMIT_SENT, 15))
    kinds = found(*reset(client(1, 23.4, Kind.QUEUE_ADDED), *after))
    assert (FindingKind.RESET_OVERRIDDEN, CERTAIN) in kinds
    assert (FindingKind.COMMIT_REGRESSION, POSSIBLE) in kinds


def test_a_client_that_committed_nothing_and_starts_further_on_was_not_given_what_is_between() -> None:
    first = (client(1, 0, Kind.QUEUE_ADDED), client(1, 0.1, Kind.START, 0))
    stop = of_group(client(1, 14, Kind.CONSUMER_STOPPED))
    again = (client(1, 18, Kind.QUEUE_ADDED), client(1, 18.1, Kind.START, 5))
    assert found(*first, stop, *again) == [(FindingKind.NEW_GROUP_FROM_END, CERTAIN)]
    assert found(*first, stop, client(1, 17, Kind.LOCAL_LOADED, 5), *again) == []
    assert found(*first, client(1, 13, Kind.COMMIT_SENT, 5), stop, *again) == []


def test_what_a_running_broker_tells_again_and_again_shows_a_regression() -> None:
    rows = [client(1, at, Kind.OFFSET_STORED, offset, other_offset=200) for at, offset in ((0, 90), (5, 100), (10, 95))]
    assert found(*rows) == [(FindingKind.COMMIT_REGRESSION, POSSIBLE)], "a reset does that as well"
    assert found(*rows[:2]) == []


def test_a_commit_that_was_under_way_while_the_queue_was_removed_is_no_second_owner() -> None:
    events = (
        client(1, 0, Kind.QUEUE_ADDED),
        client(1, 5, Kind.COMMIT_SENT, 50),
        client(1, 10, Kind.QUEUE_REMOVED),
        client(2, 10.001, Kind.QUEUE_ADDED),
        client(1, 10.003, Kind.COMMIT_SENT, 50),
        client(2, 15, Kind.COMMIT_SENT, 60),
    )
    assert list(find(events, timedelta(0))) == []


def test_a_lock_of_a_client_whose_id_no_log_has_may_be_that_of_the_owner() -> None:
    own = (client(1, 0, Kind.LOCKED), client(1, 0.001, Kind.QUEUE_ADDED), client(1, 60, Kind.QUEUE_REMOVED))
    taken = broker(20, Kind.LOCKED, client="10.0.0.1@1", detail="expired")
    assert found(*own, taken) == [(FindingKind.LOCK_LOST, POSSIBLE)]
    named = replace(of_group(client(1, 1, Kind.ALLOCATED)), client="10.0.0.1@1")
    assert found(*own, taken, named) == []
    assert found(*own, replace(taken, client="10.0.0.2@1"), named) == [(FindingKind.LOCK_LOST, CERTAIN)]


def test_moves_of_pulls_between_the_same_two_offsets_are_one_finding() -> None:
    moves = [
        each
        for at in (10, 30, 50)
        for each in (
            client(1, at, Kind.PULL_ILLEGAL, 4, other_offset=26),
            client(1, at + 10, Kind.PULL_FIXED, 26),
        )
    ]
    skipped = [each for each in find(moves) if each.kind is FindingKind.RANGE_SKIPPED]
    assert [each.says for each in skipped] == ["a pull at 4 was sent on to 26 (3 times): what is between is skipped"]


def test_a_fall_to_where_a_pull_was_sent_has_that_pull_among_its_lines() -> None:
    low = broker(20, Kind.COMMIT_BELOW_STORE, 6, other_offset=10)
    for asked, first in ((9.9, "pull refused"), (-20, "commit below the store"), (30, "commit below the store")):
        [fall] = find([client(1, asked, Kind.PULL_ILLEGAL, 10, other_offset=6), low])
        assert fall.kind is FindingKind.COMMIT_REGRESSION
        assert fall.evidence[0].role == first

"""What brokers of a pair do with their tables: copies, stops, starts, and who answers whom."""

from __future__ import annotations

import pytest
from systems.replica_worlds import (
    ADDS,
    COMMITS_ONE,
    CONSUMES,
    COPY,
    HEARS_ROUTE,
    MASTER,
    PULLS,
    SENDS,
    SLAVE,
    after,
    broker,
    cannot,
    executes,
    pair_in,
    resets,
    shown,
)

OF_SLAVE, OF_MASTER = "broker[1].table[0].offset", "broker[0].table[0].offset"
DOWN = (broker("shuts_down", MASTER), HEARS_ROUTE)
TO_SLAVE = (ADDS, PULLS, CONSUMES, *DOWN, SENDS, executes(SLAVE))
TAKES: tuple[str, tuple[()]] = ("master_takes_slaves_table", ())
ONLINE: tuple[str, tuple[()]] = ("master_goes_online", ())


def test_copy_overwrites_what_the_slave_has_heard_since_it_was_sent() -> None:
    world = pair_in("slave-reads")
    assert shown(world, COPY[0], *TO_SLAVE)[OF_SLAVE] == 1
    fields = shown(world, COPY[0], *TO_SLAVE, COPY[1])
    assert fields[OF_SLAVE] == fields["broker[1].file[0].offset"] == 0


def test_copy_replaces_all_queues_of_the_group_and_removes_none_of_a_group_that_the_master_does_not_know() -> None:
    world = pair_in("two-queues", messages=2)
    second = tuple((name, (("c", 0), ("q", 1))) for name in ("client_adds_queue", "client_sends_commit"))
    to_slave = (second[0], *DOWN, second[1], ("broker_executes_commit", (("r", SLAVE), ("c", 0), ("q", 1))))
    back = (broker("starts", MASTER), HEARS_ROUTE)
    assert shown(world, *to_slave, *back, *COPY)["broker[1].table[1].offset"] == 0
    knows_first = (*to_slave, *back, *COMMITS_ONE, *COPY)
    assert shown(world, *knows_first)["broker[1].table[1].offset"] is None
    by_row = pair_in("two-queues", fixes=("copied-row-by-row",), messages=2)
    assert shown(by_row, *knows_first)["broker[1].table[1].offset"] == 0


def test_master_that_is_killed_starts_from_its_last_flush_and_one_that_is_shut_down_from_its_table() -> None:
    killed = (broker("is_killed", MASTER), broker("starts", MASTER))
    world = pair_in("take-over")
    assert shown(world, *COMMITS_ONE, *killed)[OF_MASTER] == 0
    assert shown(world, *COMMITS_ONE, broker("flushes", MASTER), *killed)[OF_MASTER] == 1
    assert shown(pair_in("stop"), *COMMITS_ONE, DOWN[0], broker("starts", MASTER))[OF_MASTER] == 1


def test_commit_on_its_way_ends_with_the_broker_and_a_copy_with_the_slave() -> None:
    world = pair_in("return")
    fields = shown(world, *COMMITS_ONE[:-1], DOWN[0])
    assert fields["consumer[0].to_master[0].offset"] is None
    assert shown(world, COPY[0], broker("is_killed", SLAVE))["copy.on_its_way"] is False
    assert shown(world, COPY[0], DOWN[0], ("copy_is_lost", ()))["copy.on_its_way"] is False
    assert cannot(world, ("copy_is_lost", ()), COPY[0])


@pytest.mark.parametrize(("release", "serves"), [("4.9.4", True), ("5.3.3", False)])
def test_slave_refuses_pulls_since_5_unless_it_is_told_to_serve_them(release: str, *, serves: bool) -> None:
    story = (*DOWN, ADDS)
    assert cannot(pair_in("stop", release), PULLS, *story) is not serves
    assert not cannot(pair_in("slave-reads", release), PULLS, *story)


def test_client_of_4_looks_for_the_master_before_it_sends_a_commit_to_the_slave_and_one_of_5_does_not() -> None:
    story = (ADDS, PULLS, CONSUMES, *DOWN, broker("starts", MASTER), SENDS)
    old, new = shown(pair_in("slave-reads"), *story), shown(pair_in("slave-reads", "5.3.3"), *story)
    assert (old["consumer[0].to_master[0].offset"], old["consumer[0].to_slave[0].offset"]) == (1, None)
    assert (new["consumer[0].to_master[0].offset"], new["consumer[0].to_slave[0].offset"]) == (None, 1)


def test_client_that_knows_no_master_asks_it_all_the_same_where_it_is_back() -> None:
    story = (*TO_SLAVE, ("client_gives_queue_up", (("c", 0), ("q", 0))), broker("starts", MASTER), ADDS)
    for release in ("4.9.4", "5.3.3"):
        fields = shown(pair_in("slave-reads", release, hand_overs=1), *story)
        assert fields["consumer[0].position[0]"] == 0
        assert fields["consumer[0].knows_master"] is True


@pytest.mark.parametrize(("release", "stored"), [("4.9.4", 1), ("5.3.3", None)])
def test_commit_for_a_topic_that_the_slave_does_not_know_is_refused_since_5_3(release: str, stored: int | None) -> None:
    story = (ADDS, PULLS, CONSUMES, broker("is_killed", MASTER), HEARS_ROUTE, SENDS, executes(SLAVE))
    assert shown(pair_in("new-topic", release), *story)[OF_SLAVE] == stored
    assert shown(pair_in("new-topic", release), *COPY, *story)[OF_SLAVE] == 1


def test_slave_without_the_row_gives_zero_or_leaves_the_max_offset_to_the_master() -> None:
    down = (broker("is_killed", MASTER), HEARS_ROUTE)
    warm = pair_in("cold", cold=0)
    assert shown(warm, *down, ADDS)["consumer[0].position[0]"] == 0
    cold = pair_in("cold")
    begins = ("client_begins_at_max", (("c", 0), ("q", 0)))
    assert shown(cold, *down, ADDS)["consumer[0].asks_max[0]"] is True
    assert cannot(cold, begins, *down, ADDS)
    assert shown(cold, *down, ADDS, broker("starts", MASTER), begins)["consumer[0].position[0]"] == 2
    assert shown(pair_in("acting-cold", "5.3.3"), *down, ADDS, begins)["consumer[0].position[0]"] == 2


def test_master_of_an_acting_slave_takes_its_rows_unless_its_own_version_is_higher() -> None:
    world = pair_in("acting-stop", "5.3.3")
    restart = (*COMMITS_ONE, DOWN[0], broker("starts", MASTER))
    assert shown(world, *restart)[OF_MASTER] == 1
    assert shown(world, *restart, TAKES, ONLINE)[OF_MASTER] == 0
    moved = (broker("moves_version", MASTER), *restart)
    assert shown(world, *moved, TAKES, ONLINE)[OF_MASTER] == 1
    later = (*moved, broker("moves_version", SLAVE), TAKES)
    assert shown(world, *later)[OF_MASTER] == 0, "the counters are equal, and the slave's timestamp is the later one"
    assert cannot(world, ONLINE, *restart)


def test_master_whose_slave_is_down_goes_online_alone() -> None:
    world = pair_in("acting-stop", "5.3.3", stops=2)
    story = (*COMMITS_ONE, broker("shuts_down", SLAVE), DOWN[0], broker("starts", MASTER))
    assert cannot(world, TAKES, *story)
    assert shown(world, *story, ONLINE)[OF_MASTER] == 1


def test_slave_takes_the_version_with_the_rows_since_5() -> None:
    story = (broker("moves_version", MASTER), *COPY)
    assert shown(pair_in("acting-stop", "5.3.3"), *story)["broker[1].version.counter"] == 1
    assert shown(pair_in("acting-stop", "4.9.4"), *story)["broker[1].version.counter"] == 0


def test_marker_is_at_the_master_alone_and_ends_with_it() -> None:
    world = pair_in("reset-back-stop", "5.3.3")
    marked = (*COMMITS_ONE, resets(0))
    fields = shown(world, *marked, *COPY)
    assert fields["broker[0].marker[0].offset"] == fields[OF_SLAVE] == 0
    assert fields["broker[1].marker[0].offset"] is None
    commits = (SENDS, executes(MASTER))
    assert shown(world, *marked, *commits)[OF_MASTER] == 0, "a commit is ignored while the marker is there"
    restart = (DOWN[0], broker("starts", MASTER))
    assert shown(world, *marked, *restart, *commits)[OF_MASTER] == 1
    assert shown(world, *marked, ("client_hears_of_reset", (("c", 0),)))["consumer[0].cell[0].offset"] == 0


def test_slave_refuses_a_reset_at_the_broker_and_passes_on_one_at_the_client() -> None:
    down = (*COMMITS_ONE, *COPY, *DOWN)
    assert cannot(pair_in("reset-back-stop", "5.3.3"), resets(0), *down)
    old = pair_in("reset-back-stop")
    hears = ("client_hears_of_reset", (("c", 0),))
    assert shown(old, *down, resets(0), hears, SENDS, executes(SLAVE))["ghost_landed"] is True


def test_reset_lands_only_at_the_broker_that_answers_queries() -> None:
    world = pair_in("reset-back-stop", starts=1)
    hears = ("client_hears_of_reset", (("c", 0),))
    story = (*COMMITS_ONE, *COPY, resets(0), hears, *DOWN, SENDS, broker("starts", MASTER))
    state = after(world, *story)
    assert world.show(state)["ghost_landed"] is False
    assert shown(world, *story, executes(SLAVE))["ghost_landed"] is False

"""Watching a group on played brokers: what is asked, what is found, and when."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit.live_group import BROKER, GROUP, START, TOPIC, A, B, Played, watch_of
from audit.steps import read_silver

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.gold.finding import Certainty
from offsetproof.audit.lines.layouts import layout_of
from offsetproof.audit.lines.rows import Reading
from offsetproof.audit.live.journal import Journal
from offsetproof.audit.live.observer import Member
from offsetproof.audit.live.owners import SameId
from offsetproof.audit.live.polling import Poller
from offsetproof.audit.silver.piece_work import by_pool
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.snapshots import events_of_snapshot
from offsetproof.audit.silver.sources import ReadingOptions, SourceKind, kind_of


def rows_told(group: Played) -> list[str]:
    return [f"{each.kind} {each.queue} {each.offset}" for each in group.watch.events if each.queue is not None]


def test_only_what_changes_is_told_again_within_half_a_minute() -> None:
    group = watch_of(10.5)
    group.change(5.2, rows={1: (101, 103)})
    group.watch.run()
    assert rows_told(group) == ["offset-stored 0 100", "offset-stored 1 100", "offset-stored 1 101"]
    assert group.watch.poller.polls == 11
    assert group.kinds == []


def test_what_stands_is_told_every_half_minute() -> None:
    group = watch_of(61.0)
    group.watch.run()
    assert rows_told(group).count("offset-stored 0 100") == 3


def test_two_requests_are_sent_a_poll_and_one_more_for_clients_own_offsets() -> None:
    group = watch_of(20.5)
    group.watch.run()
    first = ["route", "version", "settings", "given", "route again", "route of the topic"]
    polls, cells, routes = 21, 5, 0
    assert group.watch.poller.requests == len(first) + 2 * polls + cells + routes


def test_offset_that_falls_is_possibly_a_regression_in_the_poll_that_shows_it() -> None:
    group = watch_of(40.0)
    group.change(25.5, rows={0: (40, 100)})
    group.watch.run()
    [(at, finding)] = group.heard.findings
    assert at == 26.0
    assert (finding.kind, finding.certainty, finding.queue) == ("commit-regression", "possible", 0)
    assert finding.values == {"before": 100, "after": 40}
    assert [each.role for each in finding.evidence] == ["before", "after"]
    assert finding.decided_by is not None


def falls_and_is_back(group: Played, *, delivered: bool) -> None:
    def back() -> None:
        group.group.rows[0] = 101, 101
        if delivered:
            group.group.give(61)

    group.change(25.5, rows={0: (40, 100)})
    group.at(29.5, back)


def test_offset_that_is_back_without_deliveries_is_certainly_a_regression() -> None:
    group = watch_of(100.0)
    falls_and_is_back(group, delivered=False)
    group.watch.run()
    assert group.kinds == [("commit-regression", "certain")]
    (finding,) = group.watch.findings
    assert finding.values == {"before": 100, "after": 40, "back": 101}
    assert finding.queue == 0


def test_offset_that_is_back_as_its_messages_came_again_is_possible_only() -> None:
    group = watch_of(100.0)
    falls_and_is_back(group, delivered=True)
    group.watch.run()
    assert group.kinds == [("commit-regression", "possible")]


def test_offset_that_works_up_is_possible_only() -> None:
    group = watch_of(100.0)
    group.change(25.5, rows={0: (40, 100)})
    group.change(27.5, rows={0: (70, 100)})
    group.change(29.5, rows={0: (100, 100)})
    group.watch.run()
    assert group.kinds == [("commit-regression", "possible")]


def test_messages_that_are_filtered_are_not_counted_so_nothing_is_certain() -> None:
    group = watch_of(100.0, expression="TagA")
    falls_and_is_back(group, delivered=False)
    group.watch.run()
    assert group.kinds == [("commit-regression", "possible")]


def test_count_of_a_broker_that_was_restarted_decides_nothing() -> None:
    group = watch_of(100.0)
    group.change(20.5, silent=True)
    group.change(22.5, silent=False)
    falls_and_is_back(group, delivered=False)
    group.watch.run()
    assert group.kinds == [("commit-regression", "possible")]


def test_count_decides_nothing_where_a_broker_may_be_started_again_between_two_polls() -> None:
    for interval, certainty in ((5.0, "certain"), (6.0, "possible")):
        group = watch_of(150.0, interval=interval)
        group.change(40.5, rows={0: (40, 100)})
        group.change(47.5, rows={0: (101, 101)})
        group.watch.run()
        assert group.kinds == [("commit-regression", certainty)]


def test_row_that_is_gone_is_told_from_one_that_is_0() -> None:
    group = watch_of(10.0)
    group.change(5.5, rows={0: (0, 100)}, absent={0})
    group.watch.run()
    assert group.kinds == [("file-lost-queue", "certain")]
    group = watch_of(10.0)
    group.change(5.5, rows={0: (0, 100)})
    group.watch.run()
    assert group.kinds == [("commit-regression", "possible")]


def test_each_of_several_regressions_is_decided() -> None:
    group = watch_of(120.0)
    for number in range(4):
        group.change(30.5 + 6 * number, rows={0: (40, 100)})
        group.change(33.5 + 6 * number, rows={0: (100, 100)})
    group.watch.run()
    assert group.kinds == [("commit-regression", "certain")] * 4


def test_regression_that_is_certain_leaves_a_later_one_possible() -> None:
    group = watch_of(120.0)
    falls_and_is_back(group, delivered=False)
    group.change(32.5, rows={0: (40, 101)})
    group.change(34.5, rows={0: (60, 101)})
    group.watch.run()
    assert group.kinds == [("commit-regression", "possible"), ("commit-regression", "certain")]


def test_offset_beyond_the_end_is_certain_with_the_next_poll() -> None:
    group = watch_of(10.0)
    group.change(5.5, rows={0: (100, 80)})
    group.watch.run()
    assert group.kinds == [("pull-beyond-end", "certain")]
    [(at, finding)] = group.heard.findings
    assert (at, finding.values) == (6.0, {"offset": 100, "end": 80})


def test_end_that_was_looked_up_before_a_message_came_is_no_finding() -> None:
    group = watch_of(10.0)
    group.change(5.5, rows={0: (101, 100)})
    group.change(6.5, rows={0: (101, 101)})
    group.watch.run()
    assert group.kinds == []


def moves(group: Played, seconds: int, *, blocked: bool) -> None:
    for number in range(seconds):
        rows = {0: (100, 100 + (5 if blocked else 0)), 1: (100 + number, 100 + number)}
        group.change(number + 0.5, rows=rows)


def test_offset_that_stands_before_messages_while_others_move_is_pinned() -> None:
    group = watch_of(100.0)
    moves(group, 95, blocked=True)
    group.watch.run()
    assert group.kinds == [("offset-pinned", "certain")]
    (finding,) = group.watch.findings
    assert finding.values == {"offset": 100, "end": 105}


def test_offset_that_stands_at_the_end_is_not_pinned() -> None:
    group = watch_of(100.0)
    moves(group, 95, blocked=False)
    group.watch.run()
    assert group.kinds == []


def test_two_connections_of_one_client_id_are_certain_when_both_stay() -> None:
    group = watch_of(170.0)
    group.change(5.5, also=(Member(A, "10.0.0.9:5000", "JAVA", "V5_3_3"),))
    group.watch.run()
    assert [(at < 10, each.certainty) for at, each in group.heard.findings] == [
        (True, Certainty.POSSIBLE),
        (False, Certainty.CERTAIN),
    ]
    assert group.kinds == [("client-id-twice", "certain")]


def test_connections_are_not_counted_while_their_broker_is_silent() -> None:
    rule, journal, second = SameId(), Journal(None, START), 1_000_000

    def told(at: int, kind: EventKind, broker: str, address: str = "") -> list[Certainty]:
        client = {"client": A, "detail": f"{address} JAVA V5_3_3"} if address else {}
        event = journal.add(kind, START + at * second, START + at * second, broker=broker, **client)
        return [each.certainty for each in rule.look(event)]

    told(1, EventKind.MEMBER_SEEN, BROKER, "10.0.0.2:4000")
    assert told(2, EventKind.MEMBER_SEEN, BROKER, "10.0.0.9:5000") == [Certainty.POSSIBLE]
    told(4, EventKind.BROKER_SILENT, BROKER)
    assert told(200, EventKind.MEMBER_SEEN, "broker-b", "10.0.0.9:5001") == []
    told(300, EventKind.BROKER_ANSWERS, BROKER)
    assert told(400, EventKind.MEMBER_SEEN, "broker-c", "10.0.0.9:5002") == []
    assert told(431, EventKind.MEMBER_SEEN, "broker-d", "10.0.0.9:5003") == [Certainty.CERTAIN]


def test_connection_that_is_made_anew_is_possible_only() -> None:
    group = watch_of(200.0)
    group.change(5.5, also=(Member(A, "10.0.0.9:5000", "JAVA", "V5_3_3"),))
    group.change(60.5, also=())
    group.watch.run()
    assert group.kinds == [("client-id-twice", "possible")]


def both_have_it(group: Played, *, both_rise: bool) -> None:
    for number in range(60):
        cells = {A: {0: 100 + number}, B: {0: 100 + (number if both_rise else 0)}}
        group.change(10.5 + number, cells_=cells)


def test_two_clients_that_go_on_with_a_queue_are_certainly_two_owners() -> None:
    group = watch_of(60.0, cells_={A: {0: 100}})
    both_have_it(group, both_rise=True)
    group.watch.run()
    assert group.kinds == [("two-owners", "certain")]


def test_offset_that_a_client_keeps_is_possibly_a_second_owner() -> None:
    group = watch_of(60.0, cells_={A: {0: 100}})
    both_have_it(group, both_rise=False)
    group.watch.run()
    assert group.kinds == [("two-owners", "possible")]


def test_queue_that_is_handed_over_has_no_second_owner() -> None:
    group = watch_of(60.0, cells_={A: {0: 100}})
    group.change(10.5, cells_={A: {0: 100}, B: {0: 101}})
    group.change(15.5, cells_={B: {0: 105}})
    group.watch.run()
    assert group.kinds == []


def test_every_member_of_a_broadcasting_group_has_every_queue() -> None:
    group = watch_of(60.0, cells_={A: {0: 100}}, model="BROADCASTING")
    both_have_it(group, both_rise=True)
    group.watch.run()
    assert group.kinds == []


def test_clients_of_other_languages_are_not_asked_for_their_offsets() -> None:
    group = watch_of(20.0, cells_={A: {0: 100}})
    group.group.also = (Member(B, "10.0.0.9:5000", "GO", "V4_9_4"),)
    group.watch.run()
    assert not [each for each in group.watch.events if each.kind is EventKind.CELL_SEEN]


def test_what_is_kept_is_what_was_seen(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    with Journal(tmp_path, START) as journal:
        group = watch_of(60.0, journal=journal)
        group.change(5.5, rows={0: (101, 103)})
        group.watch.run()
    parts = sorted(tmp_path.glob("silver/source=*/*.parquet"), key=_first)
    kept = [row for part in parts for row in pq.ParquetFile(part).read().to_pylist()]
    seen = [{name: getattr(each, name) for name in Event.__slots__} for each in group.watch.events]
    assert kept == [{**each, "kind": str(each["kind"])} for each in seen]
    lines = Path(group.watch.events[0].file).read_bytes()
    last = group.watch.events[-1]
    assert lines.count(b"\n") == last.line == len(kept)
    assert len(lines) == last.byte_offset + last.byte_length + 1
    assert b'"offset":101' in lines
    file = Path(group.watch.events[0].file)
    assert kind_of(file, lines[:100]) is SourceKind.WATCH
    reading = Reading(str(file), layout_of(lines), host=last.host)
    assert events_of_snapshot(lines + b'{"from":1', SourceKind.WATCH, reading, 0) == [*group.watch.events]


def _first(part: Path) -> int:
    return int(part.stem.removeprefix("part-"))


def test_topics_are_those_with_offsets_and_those_that_are_subscribed_to() -> None:
    group = watch_of(3.0)
    group.watch.run()
    poller: Poller = group.watch.poller
    assert poller.topics == [TOPIC]
    assert [*poller.clients] == [A]
    assert GROUP in (each.group for each in group.watch.events)


def test_audit_reads_a_folder_of_what_was_kept(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with Journal(tmp_path / "kept", START) as journal:
        group = watch_of(20.0, journal=journal)
        group.watch.run()
    run = make_silver([str(tmp_path / "kept" / "bronze")], tmp_path / "audit", ReadingOptions(), by_pool())
    assert run.unreadable == []
    names = [(each.kind, each.offset, each.byte_offset) for each in read_silver(tmp_path / "audit")]
    assert names == [(each.kind, each.offset, each.byte_offset) for each in group.watch.events]

"""After a reset: what became of each queue, and what is said of one that came undone."""

from __future__ import annotations

import json

from audit.live_group import A, B, Played, stopping, watch_of

from offsetproof.audit.gold.finding import Certainty
from offsetproof.audit.live.conditions import Direction
from offsetproof.audit.live.following import Fate
from offsetproof.audit.live.observer import Member
from offsetproof.audit.live.report import Report, exit_of_watch, watch_json, watch_text
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.verdict.exits import Exit


def fates(group: Played) -> list[Fate]:
    assert group.watch.following is not None
    return [each.fate for each in group.watch.following.landed.values()]


def test_reset_while_down_stays_once_a_consumer_has_worked_up_from_it() -> None:
    group = stopping(120.0)
    group.change(40.5, rows={0: (10, 100), 1: (10, 100)})
    group.change(45.5, members_={B: "10.0.0.3:4000"})
    group.at(49.5, lambda: group.group.give(180))
    for number in range(8):
        group.change(50.5 + number, rows=dict.fromkeys((0, 1), (20 + 10 * number, 100)))
    group.change(58.5, rows={0: (100, 100), 1: (100, 100)})
    group.watch.run()
    assert fates(group) == [Fate.STAYED, Fate.STAYED]
    assert group.heard.notes[3:5] == [
        "reset of orders broker-a:0 from 100 to 10: waits to be consumed",
        "reset of orders broker-a:1 from 100 to 10: waits to be consumed",
    ]
    assert exit_of_watch(group.watch, Certainty.POSSIBLE) is Exit.AS_EXPECTED
    assert group.watch.ended - group.watch.started < 80_000_000


def test_group_that_nobody_has_started_yet_leaves_the_reset_open() -> None:
    group = stopping(60.0)
    group.change(40.5, rows={0: (10, 100)})
    group.watch.run()
    assert fates(group) == [Fate.WAITS]
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_reset_that_no_member_has_consumed_from_is_not_said_to_have_stayed() -> None:
    """Its consumer may hang, or have no queue yet: a commit of what it had before would still undo the reset."""
    group = stopping(140.0)
    group.change(40.5, rows={0: (10, 100)})
    group.change(45.5, members_={B: "10.0.0.3:4000"})
    group.watch.run()
    assert fates(group) == [Fate.WAITS]
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_reset_that_is_undone_at_a_running_group_is_told_with_stories_that_fit() -> None:
    group = watch_of(120.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(31.5, rows={0: (100, 100)})
    group.watch.run()
    assert fates(group) == [Fate.UNDONE]
    assert group.kinds == [("reset-overridden", "certain")]
    assert exit_of_watch(group.watch, None) is Exit.VIOLATION
    assert group.watch.following is not None
    (landed,) = group.watch.following.landed.values()
    assert "I5-commit-with-marker" in landed.undone_by
    assert {*landed.undone_by} <= {*recorded_stories()}


def test_reset_at_a_broker_that_is_silent_has_not_stayed_yet() -> None:
    group = watch_of(100.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(31.5, rows={0: (20, 100)})
    group.change(40.5, silent=True)
    group.watch.run()
    assert fates(group) == [Fate.OPEN]
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN
    group = watch_of(200.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(31.5, rows={0: (20, 100)})
    group.change(40.5, silent=True)
    group.change(90.5, silent=False)
    group.watch.run()
    assert fates(group) == [Fate.STAYED]
    assert group.watch.ended - group.watch.started > 115_000_000


def test_outage_of_the_broker_is_told_by_other_stories() -> None:
    group = watch_of(150.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(32.5, silent=True)
    group.change(36.5, rows={0: (100, 100)}, silent=False)
    group.watch.run()
    assert group.watch.following is not None
    (landed,) = group.watch.following.landed.values()
    assert landed.fate is Fate.UNCLEAR, "a broker that was restarted counts anew"
    assert group.watch.following.suspects(landed) == ("I5-restarted-marker-forgotten",)
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_offset_that_moves_while_nobody_runs_is_certainly_undone() -> None:
    group = stopping(60.0, release="4.9.4", at_broker=False, version_="V4_9_4")
    group.change(40.5, rows={0: (10, 100)})
    group.change(41.5, rows={0: (100, 100)})
    group.watch.run()
    assert fates(group) == [Fate.UNDONE]
    (finding,) = group.watch.findings
    assert "I5-offline-late-commit" in finding.says


def test_messages_that_came_again_at_once_are_no_undone_reset() -> None:
    group = watch_of(150.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(31.4, rows={0: (100, 100)})
    group.at(31.5, lambda: group.group.give(90))
    group.watch.run()
    assert fates(group) == [Fate.STAYED]
    assert group.kinds == []


def test_forward_reset_is_seen_while_the_group_is_down_and_must_not_fall() -> None:
    group = watch_of(90.0, before_reset=Direction.FORWARD, rows={0: (40, 100)})
    group.at(5.5, group.group.members_.clear)
    group.change(6.2, rows={0: (50, 100)})
    group.change(40.5, rows={0: (100, 100)})
    group.change(60.5, rows={0: (45, 100)})
    group.watch.run()
    assert "a forward reset is safe now (I5-forward-while-down holds in 5.3.3)" in group.heard.notes
    assert fates(group) == [Fate.UNDONE]
    (finding,) = group.watch.findings
    assert finding.values == {"before": 50, "target": 100, "back": 45}


def test_offset_that_is_back_after_a_few_commits_was_not_consumed_again() -> None:
    group = watch_of(150.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.at(31.5, lambda: group.group.give(2))
    group.change(32.5, rows={0: (12, 100)})
    group.change(34.5, rows={0: (100, 100)})
    group.watch.run()
    assert fates(group) == [Fate.UNDONE]


def test_queue_that_has_stayed_is_looked_at_while_others_are_followed() -> None:
    group = watch_of(200.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(50.5, rows={1: (10, 100)})
    group.change(31.5, rows={0: (11, 100)})
    group.change(59.5, rows={0: (100, 100), 1: (50, 100)})
    group.watch.run()
    assert "reset of orders broker-a:0 from 100 to 10: stayed" in group.heard.notes
    assert fates(group) == [Fate.UNDONE, Fate.STAYED]
    assert exit_of_watch(group.watch, None) is Exit.VIOLATION


def test_queue_that_comes_back_long_after_its_reset_may_have_been_consumed_again() -> None:
    group = watch_of(200.0, before_reset=Direction.BACKWARD)
    group.change(30.5, rows={0: (10, 100)})
    group.change(50.5, rows={1: (10, 100)})
    group.change(51.5, rows={1: (20, 100)})
    group.at(74.5, lambda: group.group.give(90))
    group.change(75.5, rows={0: (100, 100)})
    group.watch.run()
    assert fates(group) == [Fate.UNCLEAR, Fate.STAYED]


def test_second_reset_of_a_group_that_is_down_is_followed_in_place_of_the_first() -> None:
    group = stopping(120.0)
    group.change(40.5, rows={0: (10, 100)})
    group.change(50.5, rows={0: (50, 100)})
    group.change(60.5, members_={B: "10.0.0.3:4000"})
    group.change(65.5, rows={0: (60, 100)})
    group.watch.run()
    assert fates(group) == [Fate.STAYED]
    assert group.heard.notes[-1] == "reset of orders broker-a:0 from 100 to 50: stayed"
    assert group.kinds == [("reset-overridden", "possible")]


def test_reset_to_less_is_followed_and_may_come_undone_as_well() -> None:
    group = stopping(160.0)
    group.change(40.5, rows={0: (50, 100)})
    group.change(50.5, rows={0: (10, 100)})
    group.change(60.5, members_={B: "10.0.0.3:4000"})
    group.change(62.5, rows={0: (100, 100)})
    group.watch.run()
    assert fates(group) == [Fate.UNDONE]
    assert ("reset-overridden", "certain") in group.kinds
    assert exit_of_watch(group.watch, None) is Exit.VIOLATION


def test_client_that_has_connected_anew_is_still_there_when_its_old_connection_goes() -> None:
    """Else the offsets that it commits as it consumes again would be moved by nobody: certainly undone."""
    group = watch_of(120.0, before_reset=Direction.BACKWARD, also=(Member(A, "10.0.0.9:5000", "JAVA", "V5_3_3"),))
    group.change(10.5, also=())
    group.change(30.5, rows={0: (10, 100)})
    for number in range(8):
        group.change(31.5 + number, rows={0: (20 + 10 * number, 100)})
    group.watch.run()
    assert fates(group) == [Fate.STAYED]
    assert group.kinds == [("client-id-twice", "possible")]


def test_queues_that_were_left_out_are_named() -> None:
    group = stopping(140.0, rows={0: (100, 100), 1: (100, 100), 2: (0, 0)})
    group.change(40.5, rows={0: (10, 100)})
    group.change(45.5, members_={B: "10.0.0.3:4000"})
    group.change(50.5, rows={0: (20, 100)})
    group.watch.run()
    assert fates(group) == [Fate.STAYED]
    assert "not seen to be reset: orders broker-a:1 at 100\n" in watch_text(Report(group.watch), 120)
    assert json.loads(watch_json(Report(group.watch)))["not_reset"] == ["orders broker-a:1 at 100"]

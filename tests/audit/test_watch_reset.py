"""Before and after a reset: by which cases it would be safe, what is waited for, and what became of each queue."""

from __future__ import annotations

import json

import pytest
from audit.live_group import A, stopping, watch_of

from offsetproof.audit.gold.finding import Certainty
from offsetproof.audit.live.conditions import ARRIVED, ENDED, SEEN, WAYS, Direction, Met, Way, verdict_of
from offsetproof.audit.live.report import Report, exit_of_watch, watch_json, watch_text
from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.causes import subject_named
from offsetproof.lang.cases import HOLDS
from offsetproof.verdict.exits import Exit

RELEASES = ("4.9.4", "4.9.8", "5.3.3-client-reset", "5.3.3", "5.5.0")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.case)
def test_case_of_each_way_holds_and_each_of_its_assumptions_is_looked_at(way: Way) -> None:
    prop = subject_named(way.subject).find(way.case)
    assert {each.name for each in prop.assumptions} <= {*SEEN}
    baseline = json.loads((BUILT_INS[way.subject].folder / "baseline.json").read_text())
    text = json.dumps(baseline)
    assert f'"{way.case}"' in text
    assert any(verdict_of(way, release) is HOLDS for release in RELEASES)


def test_way_of_each_release_is_the_one_that_the_catalogue_has() -> None:
    found = {release: [way.case for way in WAYS if verdict_of(way, release) is HOLDS] for release in RELEASES}
    assert found == {
        "4.9.4": ["I5-offline-quiet", "I29-stopped"],
        "4.9.8": ["I5-offline-quiet", "I29-stopped"],
        "5.3.3-client-reset": ["I5-offline-quiet", "I29-stopped"],
        "5.3.3": ["I5-while-down", "I5-forward-while-down", "I29-stopped"],
        "5.5.0": ["I5-while-down", "I5-forward-while-down", "I29-stopped"],
    }


@pytest.mark.parametrize("case", ["I5", "I5-forward", "I5-broker-kill", "I6"])
def test_case_that_is_refuted_is_no_way(case: str) -> None:
    assert all(verdict_of(Way(Direction.BACKWARD, "rocketmq", case), release) is not HOLDS for release in ("4.9.4",))


def test_nothing_is_left_of_what_a_client_sent_after_21_seconds() -> None:
    assert (ARRIVED, ENDED) == (1.0, 21.0)


def test_running_group_is_to_be_stopped_and_then_waited_for() -> None:
    group = stopping(40.0)
    group.watch.run()
    assert group.heard.notes == [
        "a backward reset is not safe: stop all consumers of the group",
        "a backward reset is not safe: wait until it is 21 s",
        "a backward reset is safe now (I5-while-down holds in 5.3.3)",
    ]
    assert group.watch.safety is not None
    assert {each.name: each.met for each in group.watch.safety.conditions} == {
        "one-release": Met.YES,
        "tool-of-the-line": Met.YES,
        "clustering": Met.YOURS,
        "every-queue-has-an-offset": Met.YES,
        "reset-while-down": Met.YES,
        "group-stays-down": Met.YOURS,
    }
    assert exit_of_watch(group.watch, None) is Exit.AS_EXPECTED


def test_group_that_is_down_for_less_than_its_polls_are_held_is_not_safe() -> None:
    group = stopping(20.0)
    group.watch.run()
    assert group.watch.safety is not None
    assert not group.watch.safety.is_safe
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_silent_broker_may_have_members() -> None:
    group = stopping(60.0)
    group.change(50.5, silent=True)
    group.watch.run()
    assert group.heard.notes[-1] == "a backward reset is not safe: wait until all brokers and the name server answer"


def test_members_may_have_come_and_gone_while_a_broker_was_silent() -> None:
    group = stopping(50.0)
    group.change(30.5, silent=True)
    group.change(40.5, silent=False)
    group.watch.run()
    assert group.heard.notes[-1] == "a backward reset is not safe: wait until it is 21 s"
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_client_that_left_as_it_hung_may_go_on() -> None:
    """A broker forgets a process that is stopped after 120 s; when it goes on, it commits what it had."""
    group = stopping(100.0)
    group.change(20.5, members_={A: "10.0.0.2:4001"}, hangs=True)
    group.change(45.5, members_={}, hangs=False)
    group.watch.run()
    assert group.watch.safety is not None
    (unmet,) = [each for each in group.watch.safety.conditions if each.met is Met.NO]
    assert (unmet.seen, unmet.todo) == (f"{A} did not answer, and left", "end what hangs, and watch anew")
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_client_that_answers_again_before_it_leaves_does_not_hang() -> None:
    group = stopping(100.0)
    group.change(20.5, members_={A: "10.0.0.2:4001"}, hangs=True)
    group.change(45.5, hangs=False)
    group.change(55.5, members_={})
    group.watch.run()
    assert exit_of_watch(group.watch, None) is Exit.AS_EXPECTED


def test_release_decides_which_case_is_meant() -> None:
    group = stopping(40.0, release="4.9.4", at_broker=False, version_="V4_9_4")
    group.watch.run()
    assert group.heard.notes[-1] == "a backward reset is safe now (I5-offline-quiet holds in 4.9.4)"
    group = stopping(40.0, at_broker=False)
    group.watch.run()
    assert group.heard.notes[-1] == "a backward reset is safe now (I5-offline-quiet holds in 5.3.3-client-reset)"


def test_broker_of_4_9_refuses_where_a_queue_has_no_offset() -> None:
    old = {"release": "4.9.4", "at_broker": False, "version_": "V4_9_4"}
    group = stopping(40.0, absent={1}, rows={0: (100, 100), 1: (0, 5)}, **old)
    group.watch.run()
    assert group.watch.safety is not None
    (unmet,) = [each for each in group.watch.safety.conditions if each.met is Met.NO]
    assert (unmet.name, unmet.seen) == ("every-queue-has-an-offset", "without: orders broker-a:1")


def test_broker_that_has_the_topic_and_no_offset_of_the_group_is_asked_as_well() -> None:
    """Though a broker of 4.9 answers 0 to a query for an offset that it has not."""
    group = stopping(40.0, is_spread=True, release="4.9.4", at_broker=False, version_="V4_9_4")
    group.watch.run()
    assert [*group.watch.poller.brokers] == ["broker-a", "broker-b"]
    assert "broker broker-b is asked as well (4.9.4 resets-at-clients)" in group.heard.notes
    assert group.watch.safety is not None
    (unmet,) = [each for each in group.watch.safety.conditions if each.met is Met.NO]
    assert (unmet.name, unmet.seen) == ("every-queue-has-an-offset", "without: orders broker-b:0")
    group = stopping(40.0, is_spread=True)
    group.watch.run()
    assert exit_of_watch(group.watch, None) is Exit.AS_EXPECTED


def test_broker_of_4_9_may_mean_no_offset_by_0() -> None:
    """QUERY_CONSUMER_OFFSET answers 0 of a queue without an offset that begins at 0."""
    old = {"release": "4.9.4", "at_broker": False, "version_": "V4_9_4"}
    group = stopping(40.0, rows={0: (100, 100), 1: (0, 5)}, **old)
    group.watch.run()
    assert group.watch.safety is not None
    conditions = {each.name: each for each in group.watch.safety.conditions}
    assert conditions["every-queue-has-an-offset"].met is Met.YOURS
    assert conditions["every-queue-has-an-offset"].seen == "0, which may be none: orders broker-a:1"


def test_release_that_no_model_knows_has_no_safe_way() -> None:
    group = stopping(40.0, release="5.1.4", version_="V5_1_4")
    group.watch.run()
    assert group.heard.notes == ["not safe: no case of the catalogue says of 5.1.4 that a backward reset stays"]
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_tool_of_the_other_line_is_not_safe() -> None:
    group = stopping(40.0)
    group.watch.tool = "4.9.4"
    group.watch.run()
    assert group.watch.safety is not None
    assert [each.name for each in group.watch.safety.conditions if each.met is Met.NO] == ["tool-of-the-line"]


def test_broadcasting_group_has_no_offsets_to_reset() -> None:
    group = watch_of(5.0, before_reset=Direction.BACKWARD, model="BROADCASTING")
    group.watch.run()
    assert group.watch.safety is not None
    assert "clustering" in [each.name for each in group.watch.safety.conditions if each.met is Met.NO]


def test_group_that_was_broadcasting_while_it_ran_still_is() -> None:
    group = stopping(40.0, model="BROADCASTING")
    group.watch.run()
    assert group.watch.safety is not None
    assert "clustering" in [each.name for each in group.watch.safety.conditions if each.met is Met.NO]


def test_offset_that_moves_is_somebodys_though_nobody_is_seen() -> None:
    group = stopping(60.0)
    for number in range(40):
        group.change(10.5 + number, rows={0: (100 + number, 200)})
    group.watch.run()
    assert not [each for each in group.heard.notes if "is safe now" in each]
    assert group.watch.safety is not None
    (unmet,) = [each for each in group.watch.safety.conditions if each.met is Met.NO]
    assert (unmet.name, unmet.seen) == ("reset-while-down", "nobody, but an offset moved 9 s ago")
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_group_without_an_offset_has_nothing_to_reset() -> None:
    group = stopping(40.0, rows={0: (0, 100), 1: (0, 100)}, absent={0, 1})
    group.watch.run()
    assert group.watch.safety is not None
    (unmet,) = [each for each in group.watch.safety.conditions if each.met is Met.NO]
    assert (unmet.name, unmet.seen) == ("every-queue-has-an-offset", "the group has none")


def test_name_server_that_is_silent_may_know_of_other_brokers() -> None:
    group = stopping(80.0)
    group.change(40.5, name_server_silent=True)
    group.watch.run()
    assert group.heard.notes[-2:] == [
        "the name server does not answer (connect to name-server:9876 failed); it is asked on",
        "a backward reset is not safe: wait until all brokers and the name server answer",
    ]
    assert "name server silent" in group.heard.statuses[-1]
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_report_says_each_condition_with_what_was_seen() -> None:
    group = stopping(12.0)
    group.watch.run()
    text = watch_text(Report(group.watch), 120)
    assert text.startswith("0 findings, 0 certain, in 11 s of group shop (5.3.3)\n12 polls, ")
    assert "  no    reset-while-down: a reset at the broker comes only while no consumer" in text
    document = json.loads(watch_json(Report(group.watch)))
    assert document["before_reset"]["safe"] is False
    assert document["before_reset"]["case"] == "I5-while-down"
    assert document["brokers"][0]["resets_at_broker"] is True


def test_finding_that_polls_cannot_explain_is_none_about_the_model() -> None:
    group = watch_of(40.0, cells_={A: {0: 100}})
    group.change(25.5, rows={0: (40, 100)})
    group.watch.run()
    document = json.loads(watch_json(Report(group.watch)))
    (finding,) = document["findings"]
    assert finding["kind"] == "commit-regression"
    assert finding["explanation"]["outcome"] != "not-explained"
    assert exit_of_watch(group.watch, Certainty.POSSIBLE) is Exit.VIOLATION
    assert exit_of_watch(group.watch, Certainty.CERTAIN) is Exit.AS_EXPECTED

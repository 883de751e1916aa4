"""Watching what does not answer, or is not there: brokers, the name server, topics, a group that is misspelled."""

from __future__ import annotations

import pytest
from audit.live_group import ADDRESS, BROKER, TOPIC, watch_of

from offsetproof.audit.live.observer import NO_ANSWER, AnswerError
from offsetproof.audit.live.report import Report, exit_of_watch, watch_text
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.prerequisite import NotStartedError


def test_group_that_no_broker_has_is_refused() -> None:
    group = watch_of(5.0)
    group.watch.poller.group = "another"
    with pytest.raises(
        NotStartedError,
        match="no broker of the group shop is known; asked name-server:9876 for the route of %RETRY%another: No",
    ):
        group.watch.run()


def test_broker_that_has_lost_all_offsets_tells_of_no_topic_and_is_asked_for_it() -> None:
    group = watch_of(40.0, members_={})
    group.change(5.5, silent=True)
    group.change(10.5, rows={0: (0, 100), 1: (0, 100)}, absent={0, 1}, silent=False)
    group.watch.run()
    assert group.kinds == [("file-lost-queue", "certain"), ("file-lost-queue", "certain")]
    assert {row.offset for row in group.watch.poller.rows.values()} == {None}


def test_topic_that_no_broker_tells_of_any_more_is_forgotten() -> None:
    group = watch_of(20.0)
    group.at(5.5, group.group.rows.clear)
    group.watch.run()
    assert group.kinds == []
    assert group.watch.poller.rows == {}


def test_broker_that_does_not_say_whether_a_0_is_none_is_silent() -> None:
    group = watch_of(10.0, rows={0: (100, 100), 1: (5, 5)})

    def unanswered(*_asked: object) -> bool:
        raise AnswerError(NO_ANSWER, "timeout")

    group.at(5.5, lambda: (group.group.rows.update({0: (0, 100)}), setattr(group.group, "has_row", unanswered))[-1])
    group.watch.run()
    assert group.heard.notes == [f"broker {BROKER} does not answer (timeout); it is asked on"]


def test_broker_that_dies_is_told_once_and_watched_on_when_it_returns() -> None:
    group = watch_of(30.0)
    group.change(5.5, silent=True)
    group.change(15.5, rows={0: (60, 100)}, silent=False)
    group.watch.run()
    assert group.heard.notes == [
        f"broker {BROKER} does not answer (connect to {ADDRESS} failed); it is asked on",
        f"broker {BROKER} answers again (5.3.3 resets-at-broker)",
    ]
    assert group.kinds == [("commit-regression", "possible")]


def test_broker_that_is_silent_in_the_end_is_no_success() -> None:
    group = watch_of(20.0)
    group.change(5.5, silent=True)
    group.watch.run()
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN
    assert group.heard.statuses[-1].startswith("poll 20, 1 broker silent, ")
    assert f"broker {BROKER} does not answer: nothing is known of it since\n" in watch_text(Report(group.watch), 120)


def test_broker_that_never_answers_is_no_success() -> None:
    group = watch_of(20.0, silent=True)
    group.watch.run()
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_slave_does_not_answer_for_its_master() -> None:
    group = watch_of(20.0)
    group.change(5.5, silent=True, addresses={1: "10.0.0.1:20911"})
    group.change(10.5, silent=False)
    group.watch.run()
    assert group.watch.poller.brokers[BROKER].address == ADDRESS
    group = watch_of(20.0, addresses={1: "10.0.0.1:20911"})
    group.watch.run()
    assert group.heard.notes == [
        f"broker {BROKER} does not answer (the name server has no master of it); it is asked on"
    ]
    assert exit_of_watch(group.watch, None) is Exit.UNKNOWN


def test_topic_that_is_misspelled_is_refused() -> None:
    group = watch_of(5.0, topic="ordres", rows={})
    with pytest.raises(NotStartedError, match="no broker tells of a queue of the topic ordres for the group shop"):
        group.watch.run()


def test_group_that_is_misspelled_is_refused_though_its_topic_is_there() -> None:
    group = watch_of(5.0, topic=TOPIC, members_={}, rows={0: (0, 100), 1: (0, 100)}, absent={0, 1})
    group.watch.poller.group = "another"
    with pytest.raises(NotStartedError, match=r"no broker of the group shop is known; asked .* of %RETRY%another: No"):
        group.watch.run()

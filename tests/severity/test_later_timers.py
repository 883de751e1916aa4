"""Timers that later releases have otherwise, in stories about RocketMQ whose times can be worked out by hand."""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.recordings import FOLDER, question_of, subject_of

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.smt.timing import Gap
from offsetproof.ir.system import Label
from offsetproof.lang import Release, Subject
from offsetproof.lang.claim import WALK
from offsetproof.lang.reference import Reference, Replay
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import R_4_9_4, R_4_9_8, R_5_3_3, R_5_3_3_CLIENT_RESET, R_5_5_0
from offsetproof.model.timers import DISPATCH_DELAY, REBALANCE_AGAIN, REBALANCES_APART
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.severity.timing import schedule_of
from offsetproof.severity.waits import waits_of
from offsetproof.traces.store import labels_of, read_record_file
from offsetproof.traces.trace import Schedule
from offsetproof.verdict.question import Question

STARTS = "broker_answers_query r=0; rebalance_stores_start r=0; rebalance_adds_queue r=0"
ADDED = f"rebalance_removes_dirty_offset r=0; {STARTS}"
GIVEN_UP = "rebalance_persists r=0; rebalance_removes_offset r=0; rebalance_removes_queue r=0; broker_executes_commit"
COMES_BACK = f"{ADDED}; view_changes; rebalance_drops_queue r=0; {GIVEN_UP}; view_changes; {ADDED}"


def _label(text: str) -> Label:
    """`consumer_pulls pq_id=0` as a label, with c=0 where the action has it."""
    name, *args = text.split()
    given = {"c": 0} | {key: int(value) for key, value in (arg.split("=") for arg in args)}
    return name, tuple((param, given[param]) for param, _ in RocketMQ.actions[name].sorts)


def _asked(text: str, release: str) -> tuple[Question, Replay]:
    """A story of one consumer that is suspended at most once; the broker has a message, so that it answers with 0."""
    (question,) = questions_of(Request(ROCKETMQ, ("I8-heals-resume",), (release,)))
    labels = [_label(step) for step in f"producer_sends; {text}".split("; ")]
    return question, Replay(Reference(question.model, question.setting), WALK, labels)


def _schedule(subject: Subject, question: Question, replay: Replay) -> Schedule:
    timing = subject.timing_in(question.setting)
    assert timing is not None
    found = schedule_of(replay, ENGINES.models.of(question), timing)
    assert found is not None
    return found


def _times(text: str, release: str) -> dict[str, list[float]]:
    """When the steps of each action happen."""
    question, replay = _asked(text, release)
    found = _schedule(ROCKETMQ, question, replay)
    assert found.stall == 0.0
    times: dict[str, list[float]] = {}
    for number, time in zip(found.order or range(1, len(replay.labels) + 1), found.times, strict=True):
        times.setdefault(replay.labels[number - 1][0], []).append(time)
    return times


@pytest.mark.parametrize(
    ("release", "first", "apart", "again"),
    [(R_4_9_4, 0.0, 0.0, 20.0), (R_4_9_8, 0.0, 0.0, 20.0)]
    + [(release, 0.5, 1.0, 1.0) for release in (R_5_3_3_CLIENT_RESET, R_5_3_3, R_5_5_0)],
    ids=lambda value: value.name if isinstance(value, Release) else "",
)
def test_release_has_its_timers(release: Release, first: float, apart: float, again: float) -> None:
    timers = (DISPATCH_DELAY, REBALANCES_APART, REBALANCE_AGAIN)
    assert tuple(map(release.seconds, timers)) == (first, apart, again)


@pytest.mark.parametrize(("release", "seconds"), [("4.9.4", 0.0), ("5.3.3", 0.5), ("client=4.9.4,broker=5.3.3", 0.0)])
def test_new_process_queue_is_first_pulled_when_its_client_dispatches_it(release: str, seconds: float) -> None:
    times = _times(f"{ADDED}; consumer_pulls pq_id=0", release)
    assert (times["rebalance_adds_queue"], times["consumer_pulls"]) == ([0.0], [seconds])


def _gaps(text: str, release: str, who: str) -> list[Gap]:
    """The waits of which it is said who is late, that of the last step last."""
    question, replay = _asked(text, release)
    timing = ROCKETMQ.timing_in(question.setting)
    assert timing is not None
    return [each.gap for each in waits_of(replay, timing) if each.who == who and each.gap.end is not None]


def test_pull_is_late_a_second_after_it_was_put_back_and_the_consumer_resumed() -> None:
    text = f"{ADDED}; user_suspends; user_resumes; consumer_pulls pq_id=0"
    assert _gaps(text, "4.9.4", "the pull thread is late") == [Gap((5, 7), 8, 0.0, 1.0)]


@pytest.mark.parametrize("who", ["the first pull", "the pull thread is late"])
def test_pull_of_an_earlier_process_queue_does_not_wait_since_a_new_one_was_made(who: str) -> None:
    text = f"{COMES_BACK}; consumer_pulls pq_id=0; consumer_pulls pq_id=1"
    assert [(gap.begins, gap.end) for gap in _gaps(text, "5.3.3", who)] == [((5,), 17), ((16,), 18)]


def test_runs_of_the_service_are_a_second_apart_in_later_releases() -> None:
    runs = ("rebalance_removes_dirty_offset", "rebalance_drops_queue")
    earlier, later = _times(COMES_BACK, "4.9.4"), _times(COMES_BACK, "5.3.3")
    assert [earlier[run] for run in runs] == [[0.0, 0.0], [0.0]]
    assert [later[run] for run in runs] == [[0.0, 2.0], [1.0]]


def test_run_of_the_thread_that_resumes_waits_for_no_run_of_the_service() -> None:
    resumes = "rebalance_persists r=1; rebalance_removes_offset r=1; rebalance_removes_queue r=1"
    text = f"{ADDED}; view_changes; user_suspends; user_resumes; rebalance_drops_queue r=1; {resumes}"
    assert _times(text, "5.3.3")["rebalance_drops_queue"] == [0.0]


@pytest.mark.parametrize(("release", "sooner"), [("4.9.4", ()), ("5.3.3", ((8, 3.0),))])
def test_service_runs_soon_after_a_pause_or_as_late_as_if_there_had_been_none(
    release: str, sooner: tuple[tuple[int, float], ...]
) -> None:
    question, replay = _asked(f"{ADDED}; view_changes; user_suspends; user_resumes; rebalance_drops_queue r=0", release)
    timing = ROCKETMQ.timing_in(question.setting)
    assert timing is not None
    late = [each.gap for each in waits_of(replay, timing) if each.who == "a rebalance is late" and each.gap.end == 9]
    assert late == [Gap((5, 6, 7, 8), 9, 0.0, 20.0, sooner)]


@pytest.mark.parametrize(
    ("story", "before", "now"),
    [
        ("I5-commit-with-marker", (0.0, 15.0), (0.0, 15.5)),
        ("I4-killed-broker-second-look", (0.0, 15.0), (0.0, 17.5)),
        ("I9-once-forced-unlock", (0.0, 20.0), (0.0, 20.5)),
        ("I34-several-frozen-cell", (0.0, 0.0), (0.0, 1.0)),
    ],
)
def test_timers_move_the_times_of_recorded_stories(
    story: str, before: tuple[float, float], now: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest stall that a story needs, and when it ends, without the three timers and with them."""
    file = FOLDER / f"{story}.json"
    question, record = question_of(file), read_record_file(file)
    replay = Replay(Reference(question.model, question.setting), question.prop, labels_of(record))
    found = _schedule(subject_of(record.trace), question, replay)
    assert (found.stall, found.times[-1]) == now
    assert record.trace.timing == found
    three = (DISPATCH_DELAY, REBALANCES_APART, REBALANCE_AGAIN)
    others = tuple(each for each in R_5_3_3_CLIENT_RESET.timers if each.timer not in three)
    monkeypatch.setitem(vars(R_5_3_3_CLIENT_RESET), "timers", others)
    without = _schedule(subject_of(record.trace), question, replay)
    assert (without.stall, without.times[-1]) == before

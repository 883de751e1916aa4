"""Times never go back along a story as it is told, whatever is known of time, and cost it no longer delay.

Held against waits that are found by plain looking, over every recorded trace and over stories of a crowd in which most
steps could change places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from systems.answered import ENGINES
from systems.crowd import STAGED, stories, timings
from systems.odometer import BASE, Odometer
from systems.odometer import setting as long_way
from systems.recordings import WITH_AN_END, question_of, subject_of
from systems.reproducible import reproducible
from systems.sizes import large_are_slow

from offsetproof.checking.answers import answers, with_trace
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.smt.timing import smallest_delays
from offsetproof.ir.system import Label
from offsetproof.lang import Damage, Model, Setting, Subject, Timing, Wait, action, always, flag, require
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.severity import reordering
from offsetproof.severity import timing as scheduling
from offsetproof.severity.timing import schedule_of
from offsetproof.severity.waits import kept_order, waits_of
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.store import labels_of, read_record_file
from offsetproof.traces.trace import Effect, Schedule, Trace, trace_of
from offsetproof.verdict.limits import Deadline, Limits

CLOSE = 1e-6


def agree(wait: Wait, a: Label, b: Label) -> bool:
    mine, others = dict(a[1]), dict(b[1])
    return all(mine[name] == others[name] for name in wait.same if name in mine and name in others)


def belongs(wait: Wait, label: Label) -> bool:
    """Has a step the arguments that the wait asks for?"""
    mine = dict(label[1])
    return all(mine.get(name, value) == value for name, value in wait.only)


def gaps(labels: tuple[Label, ...], timing: Timing) -> Iterator[tuple[Wait, int, int]]:
    """Every wait that a step ends: the wait, the latest step that it began with, the step."""
    for at, label in enumerate(labels):
        for wait in timing.waits:
            earlier = [i for i in range(at) if belongs(wait, labels[i]) and agree(wait, label, labels[i])]
            begins = [max((i for i in earlier if labels[i][0] in group), default=None) for group in wait.begins]
            known = [i for i in begins if i is not None]
            if label[0] in wait.ends and belongs(wait, label) and known:
                yield wait, max(known), at


def told(replay: Replay, schedule: Schedule) -> Replay:
    """The story in the order in which it is told, replayed."""
    order = schedule.order or range(1, len(replay.labels) + 1)
    return Replay(replay.reference, replay.prop, [replay.labels[i - 1] for i in order], replay.states[0])


def must_be_possible(replay: Replay, schedule: Schedule, timing: Timing) -> None:
    """Holds the schedule's times to what is known of time, but for what is still awaited at the end."""
    times, labels = schedule.times, told(replay, schedule).labels
    assert len(times) == len(labels)
    assert all(earlier <= later for earlier, later in pairwise(times))
    for wait, begin, end in gaps(labels, timing):
        assert times[end] - times[begin] >= wait.least - CLOSE, (wait, begin, end)
        in_rounds = bool(wait.idle) and times[end] - times[begin] >= wait.idle_least - CLOSE
        if wait.most is not None and not in_rounds and times[end] - times[begin] > wait.most + CLOSE:
            assert times[end] - times[begin] - wait.least <= schedule.stall + CLOSE
            assert any(where.startswith(wait.who) for where in schedule.where)


def must_tell_the_same(replay: Replay, schedule: Schedule, staged: Staged) -> None:
    """Holds the trace's story to a trace made of the story's own replay, and what it does to what the trace does."""
    trace = replace(trace_of(replay, staged=staged), timing=schedule)
    again = trace_of(told(replay, schedule), staged=staged)
    assert trace.story.steps == again.steps
    assert trace.story.states[-1] == trace.states[-1]
    assert sorted(map(repr, trace.cause)) == sorted(map(repr, again.cause))


@reproducible(150)
@given(stories(), timings())
def test_times_of_any_story_go_forward_and_keep_to_every_wait(replay: Replay, timing: Timing) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduling, "PUT_IN_MAX", 0)
        schedule = schedule_of(replay, STAGED, timing)
    assert schedule is not None
    must_be_possible(replay, schedule, timing)
    must_tell_the_same(replay, schedule, STAGED)


@reproducible(150)
@given(stories(), timings())
def test_order_in_which_a_story_is_told_costs_no_delay(replay: Replay, timing: Timing) -> None:
    """The delays are those of the steps in any order that the outcome and the waits allow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduling, "PUT_IN_MAX", 0)
        schedule = schedule_of(replay, STAGED, timing)
    waits = waits_of(replay, timing)
    order = [*happens_before(replay, STAGED).edges, *kept_order(replay, timing)]
    free = smallest_delays(len(replay.labels), order, [each.gap for each in waits])
    assert schedule is not None
    assert free is not None
    chain = list(pairwise(range(1, len(replay.labels) + 1)))
    told_waits = waits_of(told(replay, schedule), timing)
    found = smallest_delays(len(replay.labels), chain, [each.gap for each in told_waits])
    assert found is not None
    assert max(found.excess, default=0) == max(free.excess, default=0)
    assert sum(found.excess) == sum(free.excess)
    assert len(schedule.where) == sum(excess > 0 for excess in found.excess)


@reproducible(60)
@given(stories(), timings())
def test_steps_put_in_leave_the_story_possible(replay: Replay, timing: Timing) -> None:
    schedule = schedule_of(replay, STAGED, timing)
    assert schedule is not None
    labels = told(replay, schedule).labels
    assert all(schedule.times[e] - schedule.times[b] >= wait.least - CLOSE for wait, b, e in gaps(labels, timing))


@pytest.mark.parametrize("file", large_are_slow(WITH_AN_END, question_of), ids=lambda file: file.stem)
def test_times_of_recorded_stories_go_forward(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = question_of(file)
    recorded = read_record_file(file)
    replay = Replay(Reference(question.model, question.setting), question.prop, labels_of(recorded))
    staged, timing = ENGINES.models.of(question), subject_of(recorded.trace).timing_in(question.setting)
    assert timing is not None
    schedule = schedule_of(replay, staged, timing)
    assert schedule is not None
    must_tell_the_same(replay, schedule, staged)
    monkeypatch.setattr(scheduling, "PUT_IN_MAX", 0)
    alone = schedule_of(replay, staged, timing)
    assert alone is not None
    must_be_possible(replay, alone, timing)
    assert schedule.stall <= alone.stall


@pytest.mark.slow
def test_story_with_a_sweep_after_fifteen_minutes_is_told_in_the_order_of_its_times() -> None:
    request = Request(ROCKETMQ, ("I5-offline-quiet",), scope="offline-reset", bounds={"sweeps": 1})
    (answer,) = answers(ROCKETMQ, ENGINES, questions_of(request))
    assert answer.trace is not None
    assert answer.trace.timing is not None
    assert answer.trace.timing.times[-1] >= 900.0
    story = answer.trace.story
    assert [step.number for step in story.steps] == list(range(1, story.length + 1))
    assert story.steps != answer.trace.steps


def test_schedule_whose_times_go_back_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="go back"):
        Schedule(0.0, (), (0.0, 5.0, 4.0))


class Gate(Model):
    """Someone leaves and comes through the gate, which is opened and shut by somebody else."""

    begun: bool = flag()
    is_open: bool = flag()
    left: bool = flag()

    @action()
    def day_begins(self) -> None:
        require(not self.begun)
        self.begun = True

    @action()
    def gate_opens(self) -> None:
        require(self.begun)
        self.is_open = True

    @action()
    def someone_leaves(self) -> None:
        require(self.begun)
        self.left = True

    @action()
    def gate_shuts(self) -> None:
        require(self.begun)
        self.is_open = False

    @always
    def gate_is_open_for_those_who_left(self) -> bool:
        return self.is_open or not self.left


def test_order_that_would_show_the_claim_too_early_is_not_told() -> None:
    timing = Timing((
        Wait("the gate", ("gate_opens",), (("day_begins",),), least=5, most=None),
        Wait("someone dawdles", ("someone_leaves",), (("day_begins",),)),
    ))  # fmt: skip
    reference = Reference(Gate, Setting(Gate.scopes[0]))
    labels = [(name, ()) for name in ("day_begins", "gate_opens", "someone_leaves", "gate_shuts")]
    replay = Replay(reference, Gate.claims[0], labels)
    found = schedule_of(replay, Staged(Gate, Setting(Gate.scopes[0])), timing)
    assert found is not None
    assert (found.order, found.times, found.stall) == ((), (0.0, 5.0, 5.0, 5.0), 5.0)


def test_very_long_story_has_no_times() -> None:
    replay = Replay(
        Reference(Odometer, long_way(scheduling.STEPS_MAX + 1)),
        Odometer.claims[0],
        [("low_turns" if i % BASE else "mid_turns", ()) for i in range(1, scheduling.STEPS_MAX + 2)],
    )
    assert schedule_of(replay, Staged(Odometer, long_way(1)), Timing(())) is None


def rated(seconds: float) -> Trace:
    """What is shown of a violation that took so many of ten seconds to be decided."""
    subject = Subject("gate", Gate, Gate.claims, Damage(lambda gate: 0), Timing(()))
    (question,) = questions_of(Request(subject, limits=Limits(seconds=10)))
    result = replace(ENGINES.only.decide(question), seconds=seconds)
    _, trace = with_trace(subject, question, result, ENGINES.models.of(question))
    assert trace is not None
    return trace


def test_times_and_effect_are_worked_out_in_the_time_that_is_left() -> None:
    before, after = rated(0.0), rated(11.0)
    assert before.timing is not None
    assert before.effect is not None
    assert before.effect.kind == "permanent"
    assert (after.timing, after.effect) == (None, Effect("unknown", None, None, "time limit"))
    assert after.steps == before.steps


def test_interrupt_while_times_are_worked_out_keeps_the_story(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object) -> Schedule:
        raise KeyboardInterrupt

    monkeypatch.setattr(reordering, "least_delayed", interrupted)
    trace = rated(0.0)
    assert (trace.timing, trace.effect) == (None, Effect("unknown", None, None, "interrupted"))
    assert trace.length == 2


def test_solver_gets_no_more_time_than_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def noting(*args: Any) -> Any:
        given.append(args[3])
        return smallest_delays(*args)

    monkeypatch.setattr(scheduling, "smallest_delays", noting)
    monkeypatch.setattr(Deadline, "left", 3.0)
    assert rated(0.0).timing is not None
    assert given == [3.0, 3.0]

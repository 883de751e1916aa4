"""Limits and interrupts between the alarm and its evidence: what was found is said, and nothing is shown unproved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from systems.odometer import Odometer, setting

from offsetproof.checking.answers import answer_to
from offsetproof.checking.engines import explicit_alone
from offsetproof.cli.formats import FORMATS, TEXT, writer_of
from offsetproof.engines.explicit import fewest_faults
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import Searched
from offsetproof.engines.explicit.fewest_faults import Decision, FinishedSearch
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.search import Alarm
from offsetproof.examples.toys import Overflow, Stairs
from offsetproof.lang import Claim, Model, Scope, Setting, action, always, flag, integer, require
from offsetproof.lang.subject import Subject
from offsetproof.reports.text import report_for_people
from offsetproof.verdict.exits import Exit, exit_of
from offsetproof.verdict.limits import Deadline, LimitMetError, Limits
from offsetproof.verdict.phrases import describe_method
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

STEPS = 99
TIME_IS_UP, INTERRUPTED = LimitMetError(Reason.TIME), KeyboardInterrupt


def odometer() -> Result:
    return Explicit().decide(Question(Odometer, setting(STEPS), Odometer.claims[0], limits=Limits(seconds=1000)))


def ending_at(look: int, error: BaseException | type[BaseException], patch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Makes the deadline come, or the user interrupt, when it is looked at so often; how often it was looked at."""
    looks = [0]

    def check(_: Deadline) -> None:
        looks[0] += 1
        if looks[0] == look:
            raise error

    patch.setattr(Deadline, "check", check)
    return lambda: looks[0]


BACK, FORTH, STEPPING, JUDGING = 1, STEPS + 1, 2 * STEPS + 1, 3 * STEPS + 1


@pytest.mark.parametrize("look", [BACK, STEPS // 2, FORTH, STEPPING, JUDGING, 4 * STEPS + 1])
@pytest.mark.parametrize(("error", "reason"), [(TIME_IS_UP, Reason.TIME), (INTERRUPTED, Reason.INTERRUPTED)])
def test_alarm_whose_trace_is_not_completed_is_unknown_and_says_how_deep_it_is(
    look: int, error: BaseException | type[BaseException], reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = ending_at(look, error, monkeypatch)
    result = odometer()
    assert looks() == look
    assert (result.verdict, result.reason, result.replay) == (Verdict.UNKNOWN, reason, None)
    assert result.detail == "an alarm was found at depth 99, but the trace to it was not completed"
    assert result.interrupted is (reason is Reason.INTERRUPTED)
    assert (result.counts.states, result.counts.depth) == (STEPS, STEPS)
    assert exit_of(result) is Exit.UNKNOWN


def test_time_that_is_over_after_the_replay_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = ending_at(4 * STEPS + 2, TIME_IS_UP, monkeypatch)
    assert odometer().verdict is Verdict.REFUTED
    assert looks() == 4 * STEPS + 1


def test_deadline_is_that_of_the_question_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter([0.0, *[999.0] * STEPS, *[1001.0] * STEPS])
    begun = [0.0]

    def clock() -> float:
        return begun[0] + next(told)

    of = Deadline.of.__func__  # type: ignore[attr-defined]  # a class method's function

    def noting(cls: type[Deadline], limits: Limits, started: float) -> Deadline:
        begun[0] = started
        return of(cls, limits, started)  # type: ignore[no-any-return]  # see above

    monkeypatch.setattr(Deadline, "of", classmethod(noting))
    monkeypatch.setattr(Deadline, "left", property(lambda deadline: deadline.at - clock()))
    result = odometer()
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.TIME)
    assert len(list(told)) == STEPS - 1


def test_witness_whose_trace_is_not_completed_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    ending_at(1, TIME_IS_UP, monkeypatch)
    result = Explicit().decide(Question(Stairs, Setting(Stairs.scopes[0]), Stairs.stands_on_top))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.TIME)
    assert result.detail == "what shows it was found at depth 3, but the trace to it was not completed"


@pytest.mark.parametrize("look", [1, 5])
@pytest.mark.parametrize(("error", "why"), [(TIME_IS_UP, "time limit"), (INTERRUPTED, "interrupted")])
def test_model_error_is_told_without_its_steps_where_there_is_no_time_for_them(
    look: int, error: BaseException | type[BaseException], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending_at(look, error, monkeypatch)
    result = Explicit().decide(Question(Overflow, Setting(Overflow.scopes[0]), Overflow.never_negative))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.OVERFLOW)
    assert result.detail == f"one was found at depth 2, but the steps to it were not traced: {why}"
    assert result.interrupted is (error is INTERRUPTED)


class Tank(Model):
    """Fills drop by drop, without a guard."""

    level: int = integer(0, 60)

    @action()
    def drop_falls(self) -> None:
        self.level = self.level + 1

    @always
    def never_negative(self) -> bool:
        return self.level >= 0


def test_many_steps_to_a_model_error_are_told_in_part() -> None:
    detail = Explicit().decide(Question(Tank, Setting(Tank.scopes[0]), Tank.claims[0])).detail
    told = " -> ".join(["drop_falls"] * 20)
    assert detail.endswith(f"; after 60 steps: {told} -> (20 more) -> {told}")


class Lossy(Model):
    """Loses something once, or lets it go."""

    scopes = (Scope("lossy", {}, {"loss": 1}),)
    lost: bool = flag()
    let_go: bool = flag()

    @action(fault="loss")
    def loses(self) -> None:
        self.lost = True

    @action()
    def lets_go(self) -> None:
        self.let_go = True

    @always
    def nothing_is_lost(self) -> bool:
        return not self.lost


@pytest.mark.parametrize(("seconds", "notes"), [
    (1.0, ()),
    (600.0, ("whether fewer faults suffice was not established: time limit",)),
])  # fmt: skip
def test_search_for_fewer_faults_leaves_time_for_the_way_back(
    seconds: float, notes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Decision.search
    given: list[float | None] = []

    def slow(self: Decision, fault_cap: int | None = None) -> FinishedSearch:
        found = search(self, fault_cap)
        given.append(found.search.limits.seconds)  # type: ignore[attr-defined]  # it is a Search
        return replace(found, seconds=seconds)

    monkeypatch.setattr(Decision, "search", slow)
    question = Question(Lossy, Setting(Lossy.scopes[0]), Lossy.claims[0], limits=Limits(seconds=1000))
    result = Explicit().decide(question)
    assert (result.verdict, result.notes) == (Verdict.REFUTED, notes)
    assert result.fewer_faults_open is (Reason.TIME if notes else None)
    assert describe_method(result).startswith(f"{'a' if notes else 'a smallest'} trace, 1 step, 1 of them a fault")
    assert [round(limit or 0, -1) for limit in given] == [1000, 1000 - max(2 * seconds, 100)]


def using_up(reason: Reason, patch: pytest.MonkeyPatch) -> list[int | None]:
    """Makes each search for fewer faults end with a limit; the fault caps that are searched."""
    search = Decision.search
    caps: list[int | None] = []

    def used_up(self: Decision, fault_cap: int | None = None) -> FinishedSearch:
        caps.append(fault_cap)
        found = search(self, fault_cap)
        if fault_cap is None:
            return found
        found.search.stopped = reason  # type: ignore[misc]  # it is a Search
        if reason is Reason.TIME:
            patch.setattr(PreparedQuestion, "deadline", Deadline(0.0))
        return replace(found, alarm=None)

    patch.setattr(Decision, "search", used_up)
    return caps


@pytest.mark.parametrize("reason", [Reason.TIME, Reason.MEMORY])
def test_violation_is_told_with_its_trace_although_the_search_for_fewer_faults_uses_up_a_limit(
    reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = using_up(reason, monkeypatch)
    result = Explicit().decide(Question(Lossy, Setting(Lossy.scopes[0]), Lossy.claims[0], limits=Limits(seconds=1000)))
    assert searched == [None, 0] * (2 if reason is Reason.MEMORY else 1), "in rows, and then compactly"
    assert (result.verdict, result.reason, result.fewer_faults_open) == (Verdict.REFUTED, None, reason)
    assert result.replay is not None
    assert result.replay.faults == 1


class Twice(Lossy):
    """May lose something at once, by a fault, or in two steps that are none."""

    scopes = (Scope("twice", {}, {"loss": 1}),)
    is_loose: bool = flag()

    @action()
    def loosens(self) -> None:
        self.is_loose = True

    @action()
    def drops(self) -> None:
        require(self.is_loose)
        self.lost = True


@always
def nothing_is_loose(model: Twice) -> bool:
    """Nothing is loose that is not lost."""
    return model.lost or not model.is_loose


@pytest.mark.parametrize(("error", "reason"), [(TIME_IS_UP, Reason.TIME), (INTERRUPTED, Reason.INTERRUPTED)])
def test_first_trace_is_told_where_the_one_with_fewer_faults_cannot_be_completed(
    error: BaseException | type[BaseException], reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Question(Twice, Setting(Twice.scopes[0]), Twice.claims[0], limits=Limits(seconds=1000))
    smallest = Explicit().decide(asked)
    assert smallest.replay is not None
    assert (len(smallest.replay.labels), smallest.replay.faults) == (2, 0)
    of_alarm = fewest_faults.result_of_alarm
    told: list[int] = []

    def end_at_second(prepared: PreparedQuestion, search: Searched, alarm: Alarm) -> Result:
        told.append(alarm.length)
        if len(told) == 2:
            ending_at(1, error, monkeypatch)
        return of_alarm(prepared, search, alarm)

    monkeypatch.setattr(fewest_faults, "result_of_alarm", end_at_second)
    result = Explicit().decide(asked)
    assert told == [1, 2]
    assert (result.verdict, result.fewer_faults_open) == (Verdict.REFUTED, reason)
    assert result.notes == (f"whether fewer faults suffice was not established: {reason}",)
    assert result.interrupted is (error is INTERRUPTED)
    assert result.replay is not None
    assert (len(result.replay.labels), result.replay.faults) == (1, 1)


def test_trace_without_a_fault_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = using_up(Reason.STATES, monkeypatch)
    for limits in (Limits(), Limits(seconds=1000)):
        asked = Question(Twice, Setting(Twice.scopes[0]), nothing_is_loose, limits=limits)
        result = Explicit().decide(asked)
        assert result.replay is not None
        assert (result.replay.faults, result.fewer_faults_open, result.notes) == (0, None, ())
    assert searched == [None, 0, None, 0]


@pytest.mark.parametrize("claim", [Twice.claims[0], nothing_is_loose], ids=lambda claim: claim.id)
def test_time_limit_that_is_not_used_up_changes_nothing(claim: Claim) -> None:
    asked = Question(Twice, Setting(Twice.scopes[0]), claim)
    without, with_time = (Explicit().decide(replace(asked, limits=Limits(seconds=each))) for each in (None, 1000))
    assert without.replay is not None
    assert with_time.replay is not None
    assert with_time.replay.labels == without.replay.labels
    assert replace(with_time, seconds=0, replay=without.replay) == replace(without, seconds=0)


@pytest.mark.parametrize("format", [*FORMATS["check"]])
def test_every_report_says_that_fewer_faults_may_suffice(format: str) -> None:
    asked = Question(Lossy, Setting(Lossy.scopes[0]), Lossy.claims[0])
    whole = answer_to(Subject("lossy", Lossy, Lossy.claims), explicit_alone(), asked)
    note = "whether fewer faults suffice was not established: state limit"
    cut = replace(whole.result, fewer_faults_open=Reason.STATES, notes=(note,))
    for answer, is_said in ((whole, False), (replace(whole, result=cut), True)):
        report = (
            report_for_people("lossy", [answer], 200, claims=[asked.prop])
            if format == TEXT
            else writer_of("check", format)("lossy", [answer])
        )
        assert (note in " ".join(report.split())) is is_said

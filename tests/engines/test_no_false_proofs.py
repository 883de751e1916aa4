"""What once came out as a proof, or as nothing found, and was neither."""

from __future__ import annotations

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.smt.process import run_session
from offsetproof.engines.smt.session import Bounds
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.engines.stateful.machine import ModelGoesWrongError, machine
from offsetproof.lang import Model, Scope, Setting, Step, action, always, each_step, integer, require, smaller
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict


class Climb(Model):
    """Climbs 40 steps and then falls; beside it two counters whose guards keep failures away."""

    scopes = (Scope("one", {}),)
    c: int = integer(0, 40)
    low: int = integer(0, 3)
    high: int = integer(0, 3)

    @action()
    def climbs(self) -> None:
        require(self.c < 40)
        self.c = self.c + 1

    @action()
    def falls(self) -> None:
        require(self.c == 40)
        self.c = 0

    @action()
    def grows(self) -> None:
        require(self.high < 3)
        self.high = self.high + 1

    @action()
    def follows(self) -> None:
        require(self.low < self.high)
        self.low = self.low + 1

    @each_step()
    def never_falls(before: Climb, after: Climb, _step: Step) -> bool:  # type: ignore[misc]  # noqa: N805 - a claim is no method
        return after.c >= before.c


class Stutter(Model):
    """A clock that stands still at the top: the step that breaks the claim leads to no new state."""

    scopes = (Scope("one", {}),)
    c: int = integer(0, 20)

    @action()
    def ticks(self) -> None:
        self.c = smaller(self.c + 1, 20)

    @each_step()
    def every_tick_counts(before: Stutter, after: Stutter, _step: Step) -> bool:  # type: ignore[misc]  # noqa: N805 - a claim is no method
        return after.c != before.c


class Oops(Model):
    """A counter that leaves its domain with its fourth step."""

    scopes = (Scope("one", {}),)
    x: int = integer(0, 3)

    @action()
    def rises(self) -> None:
        self.x = self.x + 1

    @always()
    def stays_small(self) -> bool:
        return self.x <= 3


class Far(Model):
    """An alarm that is farther away than a walk is long."""

    scopes = (Scope("one", {}),)
    x: int = integer(0, 400)

    @action()
    def rises(self) -> None:
        require(self.x < 400)
        self.x = self.x + 1

    @always()
    def stays_below_300(self) -> bool:
        return self.x < 300


def asked(model: type[Model], **limits: float) -> Question:
    return Question(model, Setting(model.scopes[0]), model.claims[0], limits=Limits(**limits))  # type: ignore[arg-type]  # seconds only


@pytest.mark.parametrize("model", [Climb, Stutter], ids=lambda model: model.__name__)
def test_no_broken_step_is_proved_away(model: type[Model]) -> None:
    assert Explicit().decide(asked(model)).verdict is Verdict.REFUTED
    result = Smt(depth=6).decide(asked(model))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.DEPTH)


def test_step_back_into_the_path_is_found_by_smt() -> None:
    result = Smt(depth=25).decide(asked(Stutter))
    assert result.replay is not None
    assert len(result.replay.labels) == 21


def test_sampling_notices_that_the_model_goes_wrong() -> None:
    for effort in (Effort(walk_steps=5_000, examples=0), Effort(walk_steps=0, examples=30)):
        result = Stateful(effort).decide(asked(Oops))
        assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.OVERFLOW)
        assert result.detail == "the model can go wrong after 3 steps: rises -> rises -> rises"


def test_test_case_of_a_model_that_goes_wrong_fails() -> None:
    with pytest.raises(ModelGoesWrongError, match="can go wrong after 3 steps"):
        machine(Oops).TestCase("runTest").runTest()


def test_walks_shorter_than_the_way_to_the_alarm_find_nothing_and_say_so() -> None:
    result = Stateful(Effort(walk_steps=60_000, walk_length=100, examples=0)).decide(asked(Far))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.SAMPLED)


def test_time_limit_binds_hypothesis_too() -> None:
    result = Stateful(Effort(walk_steps=0, examples=1_000_000)).decide(asked(Far, seconds=1.0))
    assert result.reason is Reason.SAMPLED
    assert 0 < sum(result.counts.fired.values()) < 1_000_000


def test_solver_that_died_is_an_error_and_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    system = Staged(Climb, Setting(Climb.scopes[0])).system(Climb.claims)
    with pytest.raises(RuntimeError, match=r"^the solver's process ended: "):
        run_session(system, [False], Bounds(), 20.0, lambda event: None)

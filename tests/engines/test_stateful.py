"""The stateful engine: what sampling finds on the toys, what the Hypothesis machine makes of a user's model."""

from __future__ import annotations

import unittest
from functools import cache
from itertools import count
from typing import Any

import pytest
from hypothesis.statistics import collector

from offsetproof.compiled import instructions
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.engines.stateful.machine import Driven, ViolationError, machine, run, state_machine_of
from offsetproof.engines.stateful.stepper import Stepper
from offsetproof.engines.stateful.walks import WALKERS, Walks
from offsetproof.examples import toys
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.kind import Kind
from offsetproof.lang import ANYTHING, action, always, choose, flag, integer, require
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import Model
from offsetproof.lang.reference import Reference
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.traces.trace_order import rank
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.progress import Walked
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError, Reason, Result

EFFORT = Effort(walk_steps=60_000, walk_length=150, examples=20, example_steps=20)


@cache
def answer(toy: Toy) -> Result:
    return Stateful(EFFORT).decide(Question(toy.model, toy.setting, toy.prop))


def traced(toy: Toy) -> bool:
    return toy.length is not None


@pytest.mark.slow
def test_most_traces_of_the_toys_are_the_smallest_there_are() -> None:
    found = [(rank(r.replay)[:2], (t.faults, t.length)) for t in TOYS if traced(t) and (r := answer(t)).replay]
    assert sum(a == b for a, b in found) >= 0.9 * len(found)


def holding(model: type[Model]) -> Toy:
    return next(toy for toy in TOYS if toy.model is model and not traced(toy))


def walked(toy: Toy, seed: int) -> tuple[int, int, bytes]:
    walks = Walks(Stepper(Staged(toy.model, toy.setting), [toy.prop], WALKERS), seed, 30)
    assert walks.go(20_000) == []
    return walks.steps, walks.runs, walks.history.tobytes()


def test_the_same_seed_takes_the_same_walks_and_another_one_others() -> None:
    toy = holding(toys.Philosophers)
    assert walked(toy, 1) == walked(toy, 1)
    assert walked(toy, 1) != walked(toy, 2)


@pytest.mark.parametrize("toy", [t for t in TOYS if not traced(t) and t.reason is None], ids=lambda toy: toy.name)
def test_every_walk_is_a_run_of_the_model(toy: Toy) -> None:
    stepper = Stepper(Staged(toy.model, toy.setting), [toy.prop], WALKERS)
    walks = Walks(stepper, 3, 12)
    walks.go(5_000)
    reference = Reference(toy.model, toy.setting)
    for walker in range(0, WALKERS, 32):
        state = stepper.system.initial[int(walks.start[walker])]
        for instance in walks.history[walker, : walks.length[walker]]:
            state = reference.take(state, stepper.system.instances[int(instance)].label)  # type: ignore[assignment]  # else the next line fails
        assert stepper.layout.unpack(walks.rows[walker]) == state


def test_walks_report_how_far_they_are() -> None:
    told = str(Walked(1_000_000, 2_000, 77, 0.5))
    assert told == "1,000,000 steps in 2,000 walks of at most 77, 2.0M/s"


def test_a_time_limit_ends_the_walks() -> None:
    toy = holding(toys.Counter)
    effort = Effort(walk_steps=1 << 60)
    result = Stateful(effort).decide(Question(toy.model, toy.setting, toy.prop, limits=Limits(seconds=0.2)))
    assert result.reason is Reason.SAMPLED
    assert result.seconds < 30


def test_an_interrupt_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Walks, "go", interrupted)
    toy = holding(toys.Counter)
    result = Stateful(EFFORT).decide(Question(toy.model, toy.setting, toy.prop))
    assert (result.reason, result.interrupted) == (Reason.INTERRUPTED, True)


def _moving(value: int) -> Any:
    """An action that lets a counter stand at a value one higher."""

    def moves(self: Any) -> None:
        require(self.x == value)
        self.x = value + 1

    return action()(moves)


class Still(Model):
    """A model whose actions are forgotten."""

    x: int = integer(0, 3)

    @always
    def is_small(self) -> bool:
        return self.x < 3


class OddNames(Model):
    """A chain of five actions that are called as the machine calls its own things; it starts at 0 or 1."""

    x: int = integer(0, 5)
    fresh: bool = flag(ANYTHING)

    def initially(self) -> None:
        self.x = choose(self.fresh, 0, 1)

    starts, stepper, violations = _moving(0), _moving(1), _moving(2)
    nothing_can_be_taken, late_holds = _moving(3), _moving(4)

    @always
    def late(self) -> bool:
        return self.x < 5


class Climbs(Model):
    """Breaks its claim with the twelfth step."""

    x: int = integer(0, 12)

    @action()
    def climbs(self) -> None:
        require(self.x < 12)
        self.x = self.x + 1

    @always
    def stays_below_the_top(self) -> bool:
        return self.x < 12


def test_what_answers_differently_the_second_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    kind, looks = machine(OddNames), count()
    look = Driven._look

    def forgetful(self: Driven) -> None:
        look(self)
        if next(looks) % 5 == 4:
            self.enabled = set()

    monkeypatch.setattr(kind, "_look", forgetful)
    with pytest.raises(DisagreementError, match="OddNames answers differently the second time: the same steps"):
        run(kind, 0, examples=60, steps=12)


class TestMachineOfAModel:
    """`machine(Model, scope).TestCase` as a user's test suite runs it."""

    def result_of(self, kind: type[Driven]) -> unittest.TestResult:
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(kind.TestCase).run(result)
        assert result.testsRun == 1
        return result

    def test_passes_where_all_claims_hold(self) -> None:
        toy = holding(toys.Philosophers)
        kind = machine(toys.Philosophers, toy.setting.scope, [toy.prop])
        assert self.result_of(kind).wasSuccessful()

    def test_fails_with_the_smallest_story(self) -> None:
        toy = next(t for t in TOYS if t.model is toys.Counter and t.prop is toys.Counter.stays_below_two)
        result = self.result_of(machine(toys.Counter, toy.setting.scope, [toy.prop]))
        assert len(result.failures) + len(result.errors) == 1
        text = (result.failures + result.errors)[0][1]
        assert "stays_below_two" in text
        assert "1  system, main: counter_rises" in text
        assert "2  system, main: counter_rises" in text
        assert "counter_wraps" not in text.split("fails after 2 steps")[1]

    def test_is_green_for_a_violation_beyond_its_steps_and_says_that_the_limit_ended_its_runs(self) -> None:
        said: list[Any] = []
        with collector.with_value(said.append):
            assert self.result_of(machine(Climbs, steps=10)).wasSuccessful()
        assert "ended by the limit of 10 steps; give machine() more steps to go deeper" in str(said)

    def test_with_more_steps_finds_what_is_deeper(self) -> None:
        result = self.result_of(machine(Climbs, steps=20))
        assert len(result.failures) + len(result.errors) == 1
        assert machine(Climbs).TestCase.settings.stateful_step_count == 50
        assert "fails after 12 steps" in (result.failures + result.errors)[0][1]

    def test_has_a_rule_per_action_and_an_invariant_per_claim(self) -> None:
        kind = machine(toys.Counter)
        assert {"takes counter_rises", "takes counter_wraps", "keeps stays_below_two"} <= set(vars(kind))

    def test_names_of_the_machine_are_in_the_way_of_no_name_of_a_model(self) -> None:
        found = run(machine(OddNames), 0, examples=60, steps=12)
        assert {replay.prop.id for replay in found} == {"late"}
        names = {label[0] for label in found[0].labels}
        assert names <= {"starts", "stepper", "violations", "nothing_can_be_taken", "late_holds"}

    def test_unknown_scope_is_named(self) -> None:
        with pytest.raises(UnknownNameError, match="no scope named 'nowhere'"):
            machine(toys.Counter, "nowhere")

    def test_machine_that_could_take_no_step_is_refused(self) -> None:
        """Its test would be green whatever the claim says of the states that actions would lead to."""
        with pytest.raises(DeclarationError, match="Still would check nothing: the model has no actions"):
            machine(Still)

    def test_shrunk_example_comes_back_as_a_replayed_trace(self) -> None:
        toy = next(t for t in TOYS if t.length == 3 and t.prop.kind is ClaimKind.SOMETIMES)
        found = run(state_machine_of(Staged(toy.model, toy.setting), [toy.prop]), 0, examples=50, steps=10)
        assert [len(replay.labels) for replay in found] == [3]

    def test_notices_a_step_that_was_compiled_wrongly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(instructions.WRITERS, Kind.ADD, instructions.WRITERS[Kind.SUB])
        toy = holding(toys.Counter)
        with pytest.raises(DisagreementError, match="the compiled model and its own Python disagree"):
            run(state_machine_of(Staged(toys.Counter, toy.setting), [toy.prop]), 0, examples=5, steps=5)

    def test_tells_apart_which_claims_fail(self) -> None:
        claims = [toys.Counter.stays_below_two, toys.Counter.never_falls]
        kind = state_machine_of(Staged(toys.Counter, holding(toys.Counter).setting), claims)
        found = run(kind, 1, examples=50, steps=10)
        assert {replay.prop.id for replay in found} == {"stays_below_two"} or len(found) == 2
        assert all(issubclass(violation, ViolationError) for violation in kind.violations)

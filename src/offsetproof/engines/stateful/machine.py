"""Any model as a Hypothesis state machine: a rule per action, its arguments drawn, every claim an invariant.

    from offsetproof.engines.stateful.machine import machine

    TestLock = machine(Lock, "two").TestCase

A test suite runs `TestLock` like any other unittest case. A failure is an AssertionError that tells the smallest story
made of the shrunk example's actions. Every step is taken twice, by the compiled step and by the model's own Python,
and both must agree; claims are judged by the model's own Python. The random walks of `walks` are much faster; this is
what shrinks, integrates with pytest, and draws as Hypothesis does (swarms of rules, `target`).

A run has at most `STEPS` steps, so a green test says nothing of a violation that needs more: `machine(..., steps=200)`
goes deeper. Hypothesis's statistics (`pytest --hypothesis-show-statistics`) tell how many runs the limit ended.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, event, settings, target
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import FAILED
from offsetproof.engines.stateful.stepper import Stepper
from offsetproof.ir.system import Label, show_label
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import Model, usual_releases
from offsetproof.lang.reference import Replay
from offsetproof.lang.scope import Scope, UnknownNameError
from offsetproof.lang.setting import Release, Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject, subject_in, subject_of
from offsetproof.traces.shrink import shorten_replay
from offsetproof.traces.text import in_report
from offsetproof.traces.trace import trace_of
from offsetproof.traces.trace_order import canonical
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import DisagreementError, Reason

STEPS = 50
"""The most steps of a run of a test case, as Hypothesis has it where nothing else is said."""


class ViolationError(AssertionError):
    """A run that breaks a claim (or shows a witness): its text is the story."""

    def __init__(self, replay: Callable[[], Replay]) -> None:
        super().__init__()
        self._found = replay

    @cached_property
    def replay(self) -> Replay:
        """The smallest trace made of the run's own actions."""
        return canonical(shorten_replay(self._found()))

    def __str__(self) -> str:
        prop = self.replay.prop
        return f"{prop.id}: {prop.about or prop.name}\n{in_report(trace_of(self.replay), 100)}"


class ModelGoesWrongError(AssertionError):
    """A run that comes to a state from which some action raises, or leaves a field's domain."""


class Driven(RuleBasedStateMachine):
    """What all generated machines share: the state, the steps taken, and what can be taken next."""

    stepper: ClassVar[Stepper]
    violations: ClassVar[Sequence[type[ViolationError]]]
    inside: ClassVar[float] = 0.0
    steps: ClassVar[int] = 0
    fired: ClassVar[Counter[str]] = Counter()
    failing: ClassVar[tuple[int, ...] | None] = None
    deadline: ClassVar[float | None] = None

    def __init__(self) -> None:
        super().__init__()
        self._best = [1 << 30] * len(self.violations)
        self._rules_run = 0
        self.begin(0)

    def begin(self, start: int) -> None:
        """Begins in one of the initial states; the story of a violation begins here, too."""
        self._start = self.stepper.system.initial[start]
        self._state = self._start
        self._taken: list[int] = []
        self._look()

    def _look(self) -> None:
        """What can be taken from the state that the run has come to."""
        self._row = self.stepper.layout.pack(self._state)
        steps = self.stepper.steps(_rows(self._row))
        self.after = dict(zip(map(int, steps.which), map(self.stepper.layout.unpack, steps.after), strict=True))
        instances = self.stepper.system.instances
        if int(steps.flags[0]) & FAILED:
            type(self).failing = tuple(self._taken)
            raise ModelGoesWrongError(wrong_after([instances[i].label for i in self._taken]))
        self.enabled = {instances[i].label[0] for i in self.after}
        near = self.stepper.nearness(_rows(self._row))[0]
        self._best = [min(a, int(b)) for a, b in zip(self._best, near, strict=False)]

    def take(self, action: str, data: st.DataObject) -> None:
        """Takes one of the action's instances that can be taken, each argument drawn."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise LimitMetError(Reason.TIME)  # Hypothesis lets it pass
        self._rules_run += 1
        left = [i for i in self.after if self.stepper.system.instances[i].label[0] == action]
        for position, (name, _) in enumerate(self.stepper.system.instances[left[0]].label[1]):
            values = list(dict.fromkeys(self.stepper.system.instances[i].label[1][position][1] for i in left))
            chosen = data.draw(st.sampled_from(values), label=name)
            left = [i for i in left if self.stepper.system.instances[i].label[1][position][1] == chosen]
        started = time.perf_counter()
        self._step(left[0])
        type(self).inside += time.perf_counter() - started

    def _step(self, instance: int) -> None:
        stepper, label = self.stepper, self.stepper.system.instances[instance].label
        after = stepper.reference.take(self._state, label)
        if after != self.after[instance]:
            raise DisagreementError(f"the compiled model and its own Python disagree on {show_label(label)}")
        before, self._state = self._state, self.after[instance]
        self._taken.append(instance)
        type(self).steps += 1
        type(self).fired[label[0]] += 1
        for claim, prop in enumerate(stepper.properties):
            if prop.kind is ClaimKind.EACH_STEP and not stepper.reference.judge_step(prop, before, label, self._state):
                self.report(claim)
        self._look()

    def judge(self, claim: int) -> None:
        """Judges a claim on the present state."""
        started = time.perf_counter()
        prop = self.stepper.properties[claim]
        shown = prop.kind is not ClaimKind.EACH_STEP and self.stepper.reference.judge(prop, self._state) is (
            prop.kind is ClaimKind.SOMETIMES
        )
        type(self).inside += time.perf_counter() - started
        if shown:
            self.report(claim)

    def report(self, claim: int) -> None:
        """Fails the run for a claim."""
        start, taken = self._start, tuple(self._taken)
        raise self.violations[claim](lambda: self.stepper.replay(claim, start, taken))

    def teardown(self) -> None:
        """Tells Hypothesis how near the run came to each alarm, and whether the limit of steps ended it."""
        most = self.TestCase.settings.stateful_step_count
        if self._rules_run >= most:
            event(f"ended by the limit of {most} steps; give machine() more steps to go deeper")
        for prop, near in zip(self.stepper.properties, self._best, strict=True):
            target(float(-near), label=prop.id)


def machine(
    model: type[Model] | Subject | ModuleType,
    scope: Scope | str | None = None,
    properties: Sequence[Property] | None = None,
    *,
    release: str | None = None,
    steps: int = STEPS,
) -> type[Driven]:
    """The state machine of a model in a scope (its first one, or one of its own by name) and a release.

    Its `TestCase` samples runs of at most `steps` steps. Green means that no run which Hypothesis tried broke a claim;
    a violation that needs more steps is not found. Give more where the model is deeper (`check` tells the depth of a
    scope), or assign `TestCase.settings` with a `stateful_step_count` of your own. Hypothesis's statistics
    (`pytest --hypothesis-show-statistics`) tell how many runs ended at the limit.

    Without `properties` its claims are invariants: those in the model and those beside it in its module, or those of
    the subject or module that is given. DeclarationError where nothing would be checked; UnknownNameError for a scope
    or a release that the model does not have.
    """
    subject = _subject(model, chosen=properties is not None)
    if not isinstance(scope, Scope):
        scope = subject.scope(scope or subject.model.scopes[0].name)
    claims = subject.properties if properties is None else properties
    judged = [prop for prop in claims if prop.kind is not ClaimKind.SOMETIMES]
    if not judged:
        raise DeclarationError(
            f"a machine of {subject.name} would check nothing: it has no claim but witnesses; give it some, or name "
            "some with properties=[...]"
        )
    if not subject.model.actions:
        raise DeclarationError(f"a machine of {subject.name} would check nothing: the model has no actions")
    return state_machine_of(Staged(subject.model, Setting(scope, _releases(subject.model, release))), judged, steps)


def _subject(given: type[Model] | Subject | ModuleType, *, chosen: bool) -> Subject:
    """The model with its claims, and those beside it."""
    if isinstance(given, Subject):
        return given
    if isinstance(given, ModuleType):
        return subject_in(given, given.__name__)
    return subject_of(given, chosen=chosen)


def _releases(model: type[Model], name: str | None) -> dict[str, Release]:
    """The release of every role; DeclarationError where a model with several is not told which."""
    known, usual = {release.name: release for release in model.releases}, usual_releases(model)
    if name is None and len(usual) > 1:
        raise DeclarationError(f"{model.__name__} has releases {', '.join(known)}; name one with release=...")
    if name is not None and name not in known:
        raise UnknownNameError("release", name, known)
    return dict.fromkeys(model.roles, known[name or usual[0].name]) if known else {}


def state_machine_of(staged: Staged, properties: Sequence[Property], steps: int = STEPS) -> type[Driven]:
    """The state machine of a staged model with these claims; its test case's runs have at most so many steps.

    Rules and invariants stand under names with a space in them, so that they are in the way of no name of a model.
    """
    stepper = Stepper(staged, properties)
    kinds = [type(f"{p.name}_is_violated", (ViolationError,), {"__module__": __name__}) for p in properties]
    rules: dict[str, Any] = {"stepper": stepper, "violations": kinds, "__module__": __name__}
    for action in dict.fromkeys(inst.label[0] for inst in stepper.system.instances):
        rules[f"takes {action}"] = _rule(action)
    for claim, prop in enumerate(properties):
        rules[f"keeps {prop.id}"] = _invariant(claim)
    starts = st.integers(0, len(stepper.system.initial) - 1)
    rules["begins again"] = precondition(lambda self: not self.enabled)(rule(start=starts)(_begins))
    if len(stepper.system.initial) > 1:
        rules["begins"] = initialize(start=starts)(_begins)
    made: type[Driven] = type(f"{staged.model.__name__}Machine", (Driven,), rules)
    made.TestCase.settings = chosen_settings(steps=steps, verbosity=Verbosity.normal)
    return made


def chosen_settings(
    *, examples: int = 100, steps: int = STEPS, verbosity: Verbosity = Verbosity.quiet, several: bool = True
) -> settings:
    """Settings under which a machine runs: no database, no deadline, nothing that depends on earlier runs."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        derandomize=verbosity is not Verbosity.quiet,
        report_multiple_bugs=several,
        print_blob=False,
        verbosity=verbosity,
        phases=(Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def wrong_after(labels: Sequence[Label]) -> str:
    """In words: a run from which the model goes wrong."""
    shown = " -> ".join(map(show_label, labels)) or "the initial state"
    return f"the model can go wrong after {quantity(len(labels), 'step')}: {shown}"


def run(kind: type[Driven], seed: int, *, examples: int, steps: int, seconds: float | None = None) -> list[Replay]:
    """Lets Hypothesis run a machine; the violations that it found and shrank, one per claim.

    `kind.failing` then says how a run came to a state from which the model goes wrong, if one did.
    """
    kind.inside, kind.steps, kind.fired, kind.failing = 0.0, 0, Counter(), None
    kind.deadline = None if seconds is None else time.monotonic() + seconds
    hypothesis.seed(seed)(kind)
    try:
        run_state_machine_as_test(kind, settings=chosen_settings(examples=examples, steps=steps))
    except (LimitMetError, ModelGoesWrongError):
        return []
    except Flaky as error:
        if _stopped_by(error, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        if not _stopped_by(error, LimitMetError):
            raise _differs(kind, error) from error
        return []
    except ViolationError as error:
        return [error.replay]
    except BaseExceptionGroup as group:
        return _replays_in(kind, group)
    return []


def _replays_in(kind: type[Driven], group: BaseExceptionGroup[BaseException]) -> list[Replay]:
    """The violations among several failures; what says that they are of no worth is raised instead."""
    disagreement = next((one for one in group.exceptions if isinstance(one, DisagreementError)), None)
    if disagreement is not None:
        raise disagreement from group
    flaky = next((one for one in group.exceptions if isinstance(one, Flaky)), None)
    if flaky is not None:
        raise _differs(kind, flaky) from group
    _, others = group.split((ViolationError, ModelGoesWrongError))
    if others is not None:
        raise group
    return [error.replay for error in group.exceptions if isinstance(error, ViolationError)]


def _differs(kind: type[Driven], error: Flaky) -> DisagreementError:
    """What is said where Hypothesis took the same steps again and came to something else."""
    said = str(error).partition("\n")[0]
    return DisagreementError(
        f"{kind.stepper.staged.model.__name__} answers differently the second time: the same steps, drawn again by "
        f"Hypothesis, came to something else ({said})"
    )


def _stopped_by(error: BaseException, kind: type[BaseException]) -> bool:
    """Did Hypothesis call a run flaky because it was stopped in the middle of a draw?"""
    cause = error.__context__
    while cause is not None and not isinstance(cause, kind):
        cause = cause.__context__
    return cause is not None


def _rule(action: str) -> Any:
    def take(self: Driven, data: st.DataObject) -> None:
        self.take(action, data)

    take.__name__ = action
    return precondition(lambda self: action in self.enabled)(rule(data=st.data())(take))


def _invariant(claim: int) -> Any:
    def holds(self: Driven) -> None:
        self.judge(claim)

    return invariant()(holds)


def _begins(self: Driven, start: int) -> None:
    """A run that can go no further goes on as another one, instead of standing still until Hypothesis ends it."""
    self.begin(start)


def _rows(words: Sequence[int]) -> Words:
    return np.array([words], np.uint64)

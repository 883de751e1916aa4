"""Random walks on the real classes: no difference; wrong models differ; what a model lacks is found."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from real.stories import RELEASE

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.walks import conform_settings, schedule_of, settings_to_conform
from offsetproof.engines.stateful.machine import Driven, state_machine_of
from offsetproof.ir.system import show_label
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformer
from offsetproof.real.replay import Replayer
from offsetproof.real.sidecar import Gates, Sidecar
from offsetproof.real.unmodelled import Prober

QUICK = {
    "rocketmq": ("calm-reset", "hand-over", "batch", "crash"),
    "orderly": ("orderly", "orderly-reset"),
    "offset-files": ("broker-full-disk", "client-kills"),
    "several-queues": ("two-brokers", "held-polls"),
    "broadcasting": ("broadcast-two-queues", "broadcast-reset"),
    "replicas": ("return", "two-queues"),
}
"""Components that the fast suite compares; the slow one compares all."""


@cache
def subject(name: str) -> Subject:
    """A built-in subject."""
    return SINGLES[name].subjects[0]


def conformer(sidecar: Sidecar, of: Subject, setting: Setting, seed: int = 1) -> Conformer:
    """Walks over a setting beside a sidecar."""
    staged = Staged(of.model, setting)
    return Conformer(staged, Replayer(sidecar, schedule_of(of, staged, RELEASE)), seed)


@pytest.mark.parametrize(("name", "scope"), [(name, scope) for name, scopes in QUICK.items() for scope in scopes])
def test_walks_of_the_model_happen_on_the_real_classes(woven: Sidecar, name: str, scope: str) -> None:
    setting = settings_to_conform(subject(name), scope)[0]
    result = conformer(woven, subject(name), setting).go(300)
    assert (result.steps, result.disagreements) == (300, [])
    assert sum(result.taken.values()) == 300


def test_commit_is_executed_while_another_thread_of_the_broker_makes_the_row(woven: Sidecar) -> None:
    beside = conformer(woven, subject("rocketmq"), settings_to_conform(subject("rocketmq"), "unsubscribe")[0])
    named = {show_label(inst.label): inst.label for inst in beside.stepper.system.instances}
    start = ("rebalance_removes_dirty_offset(c=0, r=0)", "broker_answers_query(c=0, r=0)")
    start += ("rebalance_stores_start(c=0, r=0)", "neighbour_commits", "rebalance_adds_queue(c=0, r=0)")
    commits = ("consumer_persists_all(c=0)",) * 2
    meanwhile = ("broker_executes_commit(c=0)", "neighbour_publishes_row", "broker_executes_commit(c=0)")
    steps = [named[step] for step in (*start, *commits, *meanwhile, "broker_publishes_row")]
    assert beside.compare(steps) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("rocketmq", 150_000),
        ("orderly", 60_000),
        ("offset-files", 20_000),
        ("broadcasting", 20_000),
        ("several-queues", 14_000),
        ("replicas", 12_000),
    ],
)
def test_two_hundred_thousand_steps_agree(rig: CompiledRig, name: str, steps: int) -> None:
    settings = settings_to_conform(subject(name))
    done = [*conform_settings(rig, subject(name), settings, steps=steps, seed=7, gates=Gates.WOVEN)]
    assert [str(found) for each in done for found in each.result.disagreements] == []
    assert sum(each.result.steps for each in done) == steps


def _beside(sidecar: Sidecar, name: str, scope: str) -> type[Driven]:
    """Hypothesis' machine of a model, each run of which is done on the real classes at its end."""
    setting = settings_to_conform(subject(name), scope)[0]
    walker = conformer(sidecar, subject(name), setting)
    claims = [prop for prop in subject(name).properties if prop.kind is ClaimKind.ALWAYS]

    class Beside(state_machine_of(walker.stepper.staged, claims[:1])):  # type: ignore[misc]  # made at run time
        compared: ClassVar[int] = 0
        taken: ClassVar[Counter[str]] = Counter()

        def judge(self, claim: int) -> None:
            """Whether the claim holds is not asked here."""

        def teardown(self) -> None:
            labels = [self.stepper.system.instances[number].label for number in self._taken]
            able = next((n for n, label in enumerate(labels) if not walker.replayer.can_do(label[0])), len(labels))
            Beside.compared += able
            Beside.taken.update(label[0] for label in labels[:able])
            found = walker.compare(labels[:able])
            assert found is None, str(found)

    return Beside


def _driven(sidecar: Sidecar, name: str, scope: str, examples: int) -> type[Driven]:
    """The machine after so many runs of up to forty steps."""
    beside = _beside(sidecar, name, scope)
    run_state_machine_as_test(
        beside,
        settings=settings(
            max_examples=examples, stateful_step_count=40, deadline=None, database=None, derandomize=True,
            phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
    return beside


@pytest.mark.slow
def test_steps_that_hypothesis_draws_agree(woven: Sidecar) -> None:
    """A thousand steps: with the choice of each by Hypothesis, three thousand take twelve seconds, too many here."""
    beside = _driven(woven, "rocketmq", "come-back", 33)
    assert beside.compared >= 1_000
    assert len(beside.taken) >= 18


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scope"), [("rocketmq", "come-back"), ("orderly", "orderly-reset")])
def test_five_thousand_steps_that_hypothesis_draws_agree(woven: Sidecar, name: str, scope: str) -> None:
    beside = _driven(woven, name, scope, 170)
    assert beside.compared >= 5_000
    assert len(beside.taken) >= 20


def test_running_info_is_found_where_the_model_does_not_have_it(woven: Sidecar) -> None:
    setting = settings_to_conform(subject("rocketmq"), "running-info")[0]
    action = frozenset({"running_info_finds_no_cell"})
    with_it = Prober(conformer(woven, subject("rocketmq"), setting, 5), called="consumerRunningInfo").go(100)
    without = Prober(conformer(woven, subject("rocketmq"), setting, 5), action, "consumerRunningInfo").go(100)
    assert with_it.changes == without.changes > 0
    assert dict(with_it.found) == {}
    (changes,) = without.found.values()
    assert "consumer[0].cell: None to 0" in changes

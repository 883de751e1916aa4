"""Random walks on the real classes: no difference; wrong models differ; what a model lacks is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from real.stories import RELEASE

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.drawn import compare_drawn
from offsetproof.conformance.walks import conform_settings, schedule_of, settings_to_conform
from offsetproof.ir.system import Label, show_label
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformance, Conformer, Disagreement
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "scope", "steps", "actions"),
    [
        ("rocketmq", "come-back", 1_000, 18),
        ("rocketmq", "calm-reset", 5_000, 25),
        ("orderly", "orderly-reset", 5_000, 20),
    ],
)
def test_steps_that_hypothesis_draws_agree(woven: Sidecar, name: str, scope: str, steps: int, actions: int) -> None:
    setting = settings_to_conform(subject(name), scope)[0]
    drawn = compare_drawn(conformer(woven, subject(name), setting), steps, seed=1)
    assert (drawn.disagreements, drawn.steps >= steps, drawn.steps) == ([], True, sum(drawn.taken.values()))
    assert len(drawn.taken) >= actions


def test_run_that_differs_ends_what_hypothesis_draws(woven: Sidecar, monkeypatch: pytest.MonkeyPatch) -> None:
    walker = conformer(woven, subject("rocketmq"), settings_to_conform(subject("rocketmq"), "batch")[0])
    compare = walker.compare

    def differs(labels: Sequence[Label], counted: Conformance | None = None) -> Disagreement | None:
        """Takes one action for one that differs."""
        place = next((n for n, label in enumerate(labels, 1) if label[0] == "consumer_pulls"), None)
        found = compare(labels[:place], counted)
        return found if place is None else Disagreement(tuple(labels[:place]), "cell", 1, 2, "left something else")

    monkeypatch.setattr(walker, "compare", differs)
    drawn = compare_drawn(walker, 1_000, seed=1)
    (found,) = drawn.disagreements
    assert (found.steps[-1][0], found.field, found.real) == ("consumer_pulls", "cell", 2)


def test_running_info_is_found_where_the_model_does_not_have_it(woven: Sidecar) -> None:
    setting = settings_to_conform(subject("rocketmq"), "running-info")[0]
    action = frozenset({"running_info_finds_no_cell"})
    with_it = Prober(conformer(woven, subject("rocketmq"), setting, 5), called="consumerRunningInfo").go(100)
    without = Prober(conformer(woven, subject("rocketmq"), setting, 5), action, "consumerRunningInfo").go(100)
    assert with_it.changes == without.changes > 0
    assert dict(with_it.found) == {}
    (changes,) = without.found.values()
    assert "consumer[0].cell: None to 0" in changes

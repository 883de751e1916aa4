"""SPIN on scopes of the RocketMQ models: the same states, depth, verdict and shortest length as the explicit engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from exports.rocketmq_cases import (
    BREAKS,
    BREAKS_BY_FAULT,
    HOLDS,
    LARGE,
    QUICK_SMALLER,
    SMALL,
    SMALLER_MODELS,
    Case,
    answer_of,
)
from exports.test_spin import QUICK, named_steps
from exports.yardsticks import replayed

from offsetproof.exports.promela.spin import run_spin


def agrees(case: Case, folder: Path) -> None:
    """Everything that SPIN says about a case is what the explicit engine says; its trace replays."""
    judged = run_spin(case.export, claim=case.claim, folder=folder, options=QUICK)
    assert answer_of(judged) == case.answer
    if case.length is not None:
        replay = replayed(case.export, case.question.prop, named_steps(case.export, judged))
        assert (len(replay.labels), replay.faults) == (case.length, case.faults)
    whole = judged if case.length is None else run_spin(case.export, folder=folder, options=QUICK)
    assert (whole.states, whole.depth) == case.space


QUICK_CASES = (HOLDS, BREAKS, BREAKS_BY_FAULT)
"""A claim that holds, and claims that break without and with a fault: a second each."""


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case in QUICK_CASES else pytest.mark.slow) for case in SMALL],
    ids=lambda case: case.name,
)
def test_spin_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_spin_agrees_with_the_explicit_engine_on_up_to_a_million_states(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case in QUICK_SMALLER else pytest.mark.slow) for case in SMALLER_MODELS],
    ids=lambda case: case.name,
)
def test_spin_agrees_about_the_smaller_models(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_cases_hold_and_break_with_and_without_faults_in_at_least_ten_scopes() -> None:
    assert {case.result.verdict.value for case in QUICK_CASES} == {"HOLDS", "REFUTED"}
    assert {case.faults for case in QUICK_CASES} >= {None, 0, 1}
    assert len({(case.scope, *case.bounds.items()) for case in (*SMALL, *LARGE)}) >= 10

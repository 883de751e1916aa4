"""RocketMQ's models in other tools: the same states, depth, verdict and shortest length, and their traces replay."""

from __future__ import annotations

from pathlib import Path

import pytest
from exports.rocketmq_cases import BREAKS, BREAKS_BY_FAULT, HOLDS, LARGE, QUICK_SMALLER, SMALL, SMALLER_MODELS, Case
from exports.tools import SPIN, quick_of, stateright, tlc

from offsetproof.exports.tla.tlc import LONG_RUN

QUICK = (HOLDS, BREAKS, BREAKS_BY_FAULT)
"""A claim that holds, and claims that break without and with a fault: SPIN takes a second for each, TLC a few."""


@pytest.mark.parametrize("case", quick_of([*SMALL, *LARGE, *SMALLER_MODELS], [*QUICK, *QUICK_SMALLER]))
def test_spin_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    SPIN.must_agree(case, tmp_path)


@pytest.mark.parametrize("case", quick_of([*QUICK, *SMALLER_MODELS], QUICK_SMALLER[:1]))
def test_tlc_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    tlc().must_agree(case, tmp_path)


@pytest.mark.parametrize("case", quick_of([case for case in (*SMALL, *LARGE) if case not in QUICK], ()))
def test_tlc_agrees_with_the_explicit_engine_on_up_to_a_million_states(case: Case, tmp_path: Path) -> None:
    tlc(LONG_RUN).must_agree(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*SMALL, *LARGE], ids=lambda case: case.name)
def test_stateright_agrees_with_the_explicit_engine(case: Case, tmp_path: Path, target: Path) -> None:
    stateright(target).must_agree(case, tmp_path)


def test_cases_hold_and_break_with_and_without_faults_in_at_least_ten_scopes() -> None:
    assert {case.result.verdict.value for case in QUICK} == {"HOLDS", "REFUTED"}
    assert {case.faults for case in QUICK} >= {None, 0, 1}
    assert len({(case.scope, *case.bounds.items()) for case in (*SMALL, *LARGE)}) >= 10

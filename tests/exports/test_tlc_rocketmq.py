"""TLC on scopes of the RocketMQ models: the same states, depth, verdict and shortest length; its traces replay."""

from __future__ import annotations

from collections.abc import Sequence
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

from offsetproof.exports.tla.tlc import LONG_RUN, SHORT_RUN, run_tlc
from offsetproof.exports.tla.tlc_traces import read_trace
from offsetproof.lang.reference import Reference, Replay


def agrees(case: Case, folder: Path, java: Sequence[str] = LONG_RUN) -> None:
    """Everything that TLC says about a case is what the explicit engine says; its text trace, read back, replays."""
    judged = run_tlc(case.export, folder=folder, invariants=[case.claim], java=java)
    assert answer_of(judged) == case.answer
    if case.length is not None:
        trace, question = read_trace(case.export, judged), case.question
        reference = Reference(question.model, question.setting)
        replay = Replay(reference, question.prop, trace.labels, trace.initial)
        assert (len(replay.labels), replay.faults) == (case.length, case.faults)
    whole = judged if case.length is None else run_tlc(case.export, folder=folder, java=java)
    assert (whole.states, whole.depth) == case.space


QUICK = (HOLDS, BREAKS, BREAKS_BY_FAULT)
"""A claim that holds, one that breaks, and one that breaks with a fault; TLC explores each in a few seconds."""

REST = tuple(case for case in (*SMALL, *LARGE) if case not in QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_tlc_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path, SHORT_RUN)


@pytest.mark.slow
@pytest.mark.parametrize("case", REST, ids=lambda case: case.name)
def test_tlc_agrees_with_the_explicit_engine_on_up_to_a_million_states(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case in QUICK_SMALLER[:1] else pytest.mark.slow) for case in SMALLER_MODELS],
    ids=lambda case: case.name,
)
def test_tlc_agrees_about_the_smaller_models(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path, SHORT_RUN)


def test_quick_cases_hold_and_break_with_and_without_faults() -> None:
    assert {case.result.verdict.value for case in QUICK} == {"HOLDS", "REFUTED"}
    assert {case.faults for case in QUICK} >= {None, 0, 1}

"""TLC and SPIN on several queues: the same states, depth, verdict and shortest length as the explicit engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from exports.rocketmq_cases import Case, answer_of
from exports.test_spin import QUICK

from offsetproof.exports.promela.spin import run_spin
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.properties.queues.catalogue import QUEUES

CASES = (
    Case("one-broker", "I6", subject=QUEUES),
    Case("twice-empty", "I6-twice-apart", {"consumers": 2, "brokers": 1}, subject=QUEUES),
    Case("twice-empty", "I6-twice", subject=QUEUES),
    Case("persist-moving", "I26-looks-again", subject=QUEUES),
)
"""A claim that holds, one that holds given an assumption, one that is refuted, and one of persistAll's rounds."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tlc_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    judged = run_tlc(case.export, folder=tmp_path, invariants=[case.claim], java=SHORT_RUN)
    assert answer_of(judged) == case.answer
    whole = judged if case.length is None else run_tlc(case.export, folder=tmp_path, java=SHORT_RUN)
    assert (whole.states, whole.depth) == case.space


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_spin_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    judged = run_spin(case.export, claim=case.claim, folder=tmp_path, options=QUICK)
    assert answer_of(judged) == case.answer
    whole = judged if case.length is None else run_spin(case.export, folder=tmp_path, options=QUICK)
    assert (whole.states, whole.depth) == case.space

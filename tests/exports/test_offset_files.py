"""TLC and SPIN on the offset files: the same states, depth, verdict and shortest length as the explicit engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from exports.rocketmq_cases import Case, answer_of
from exports.test_spin import QUICK

from offsetproof.exports.promela.spin import run_spin
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.properties.files.catalogue import OFFSET_FILES

CASES = (
    Case("broker-stop", "I12-stop", {"messages": 3}, subject=OFFSET_FILES),
    Case("broker-kills", "I12", {"messages": 2, "kill": 2}, subject=OFFSET_FILES),
    Case("client-stop", "I12-two-threads", {"messages": 1}, subject=OFFSET_FILES),
    Case("broker-refused", "I12-empty-refused", subject=OFFSET_FILES),
)
"""Claims that hold, one that two threads break, and one that a fault breaks."""


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

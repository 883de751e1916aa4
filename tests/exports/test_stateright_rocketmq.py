"""Stateright on scopes of the RocketMQ model: states, depth, verdict and shortest length as the explicit engine has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exports.rocketmq_cases import LARGE, SMALL, Case, answer_of
from exports.yardsticks import replayed

from offsetproof.exports.stateright.cargo import run_stateright


@pytest.mark.slow
@pytest.mark.parametrize("case", [*SMALL, *LARGE], ids=lambda case: case.name)
def test_stateright_agrees_with_the_explicit_engine(case: Case, tmp_path: Path, target: Path) -> None:
    judged = run_stateright(case.export, claim=case.claim, folder=tmp_path, target=target)
    assert answer_of(judged) == case.answer
    if case.length is not None:
        replay = replayed(case.export, case.question.prop, json.loads(judged.output)["path"])
        assert (len(replay.labels), replay.faults) == (case.length, case.faults)
    whole = judged if case.length is None else run_stateright(case.export, folder=tmp_path, target=target)
    assert (whole.states, whole.depth) == case.space

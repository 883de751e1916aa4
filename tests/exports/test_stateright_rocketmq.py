"""Stateright on scopes of the RocketMQ model: states, depth, verdict and shortest length as explicit and SPIN have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exports.test_spin import explored, replayed
from exports.test_spin_rocketmq import LARGE, SMALL, Case

from offsetproof.exports.cargo import run_stateright


@pytest.mark.slow
@pytest.mark.parametrize("case", [*SMALL, *LARGE], ids=lambda case: case.name)
def test_stateright_agrees_with_the_explicit_engine(
    case: Case,
    tmp_path: Path,
    target: Path,
) -> None:
    whole = run_stateright(case.export, folder=tmp_path, target=target)
    assert (whole.states, whole.depth) == explored(case.export.system)
    judged = run_stateright(case.export, claim=case.claim, folder=tmp_path, target=target)
    assert (judged.violated, judged.length) == (None if case.length is None else case.claim, case.length)
    if case.length is not None:
        replay = replayed(case.export, case.question.prop, json.loads(judged.output)["path"])
        assert len(replay.labels) == case.length

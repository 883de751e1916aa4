"""Exports of reduced random models with several kinds of faults, in the tools themselves: what brute force says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from engines.derived import REDUCTIONS, Case
from exports.tools import QUICK_SPIN
from exports.yardsticks import NEVER
from systems.random_models import made

from offsetproof.engines.preparing import reduce_system
from offsetproof.exports.exported import MODEL_ERROR, Exported, export_system
from offsetproof.exports.promela.spin import run_spin
from offsetproof.exports.stateright.cargo import run_stateright
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc

pytestmark = pytest.mark.slow

Length = Callable[[Exported, str], int | None]
"""The length of the shortest violation of a condition, as a tool finds it."""

NUMBERS = (5, 19, 58, 61)
"""Models in which a kind of fault is never taken, and goes wrong or is cut."""


def must_agree(number: int, length: Length) -> None:
    """All claims, and errors, with as many faults as there may be and with one fewer."""
    case = Case(made(number, several=True))
    question = case.question(case.props[0], REDUCTIONS[0])
    system, _ = reduce_system(case.staged.system(case.props), question)
    for cap in (case.naive.budget, case.naive.budget - 1):
        export = export_system("drawn", case.setting, case.model, system, case.props, fault_cap=cap)
        expected = {prop.id: case.found(prop, cap).length for prop in case.props}
        fails_at = case.found(NEVER, cap).fails_at
        expected[MODEL_ERROR] = None if fails_at is None else fails_at + 1
        stated = [condition.claim for condition in export.conditions]
        assert {claim: length(export, claim) for claim in stated} == {claim: expected[claim] for claim in stated}, (
            case.drawn
        )
        assert MODEL_ERROR in stated or fails_at is None


@pytest.mark.parametrize("number", NUMBERS)
def test_tlc_and_brute_force_agree(number: int, tmp_path: Path) -> None:
    must_agree(number, lambda export, claim: run_tlc(export, folder=tmp_path, claims=[claim], java=SHORT_RUN).length)


@pytest.mark.parametrize("number", NUMBERS)
def test_spin_and_brute_force_agree(number: int, tmp_path: Path) -> None:
    must_agree(number, lambda export, claim: run_spin(export, claim=claim, folder=tmp_path, options=QUICK_SPIN).length)


@pytest.mark.parametrize("number", NUMBERS[:2])
def test_stateright_and_brute_force_agree(number: int, tmp_path: Path, target: Path) -> None:
    must_agree(number, lambda export, claim: run_stateright(export, claim=claim, folder=tmp_path, target=target).length)

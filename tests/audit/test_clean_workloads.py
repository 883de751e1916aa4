"""Workloads in which nothing goes wrong yield no certain finding, whatever their clocks and their fortune."""

from __future__ import annotations

from datetime import timedelta

import pytest
from audit.steps import find
from audit.workloads import Workload

from offsetproof.audit.gold.finding import Certainty, Finding


def certain(workload: Workload, skew: float) -> list[Finding]:
    found = find(workload.log, timedelta(seconds=skew))
    return [each for each in found if each.certainty is Certainty.CERTAIN]


@pytest.mark.parametrize("five", [False, True], ids=["4.9.4", "5.x"])
@pytest.mark.parametrize("seed", range(15))
def test_a_clean_workload_has_no_certain_finding(seed: int, five: bool) -> None:
    skew = (0.0, 0.2, 1.0)[seed % 3]
    workload = Workload(seed, five=five, skew=skew)
    workload.live(600)
    assert certain(workload, skew) == []

"""Each kind of finding is found where it was put, and nothing else that is certain."""

from __future__ import annotations

import pytest
from audit.defects import DEFECTS, Defect, outcome

from offsetproof.audit.gold.finding import FindingKind


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("defect", "five"),
    [
        pytest.param(each, release == "5", id=f"{number} {each.kind} in {release}")
        for number, each in enumerate(DEFECTS)
        for release in each.releases
    ],
)
def test_a_defect_is_found_and_nothing_else(defect: Defect, five: bool, seed: int) -> None:
    found = outcome(defect, seed, five)
    assert found.false == ()
    assert found.found != ()
    assert found.is_certain == defect.certain


def test_every_kind_is_put_somewhere() -> None:
    assert {each.kind for each in DEFECTS} == set(FindingKind)

"""The committed baseline is what is so: every question of the matrix decided, whatever its digest says."""

from __future__ import annotations

import pytest
from cli.program import run_anew
from systems.schemas import read_valid

MOST_SECONDS = 3_600
"""For what takes some minutes on a machine that does nothing else."""


@pytest.mark.alone
@pytest.mark.slow
def test_every_cell_is_what_the_baseline_says() -> None:
    ran = run_anew("guard", "--all", "--format=json", "--no-progress", seconds=MOST_SECONDS)
    found = read_valid("guard", ran.out)
    assert {finding["property"]: finding["change"] for finding in found["cells"] if finding["change"] != "none"} == {}
    assert (ran.code, found["skipped"], found["decided"]) == (0, 0, len(found["cells"]))
    assert found["vacuous"] == found["unreached"] == found["never_fired"] == found["never_possible"] == []

"""Every wrong input of the table ends with its code and its one line, at once, and changes no file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.program import run
from cli.wrong_inputs import ROWS, Wrong, complaint, folder_for
from systems.samples import one_in

from studies.refusals import recorded_refusals


def kept(folder: Path) -> dict[str, tuple[int, bytes]]:
    """What is in a folder, but for what Python keeps of modules."""
    found = [path for path in sorted(folder.rglob("*")) if "__pycache__" not in path.parts]
    return {str(path): (path.lstat().st_mode, path.read_bytes()[:9999] if path.is_file() else b"") for path in found}


@pytest.mark.parametrize("row", one_in(6, ROWS), ids=lambda row: row.tried)
def test_wrong_input_ends_with_its_code_and_one_line_and_changes_nothing(row: Wrong, tmp_path: Path) -> None:
    folder = folder_for(row, tmp_path)
    before = kept(folder)
    ran = run(*row.command.split(), cwd=folder)
    assert ran.code == row.code, ran.err
    lines = ran.err.splitlines()
    assert all(line.startswith(("Usage: ", "Try ")) or not line for line in lines[:-1])
    assert re.fullmatch(row.says, complaint(ran)), lines[-1]
    assert lines[-1].startswith(("offsetproof: ", "Error: "))
    assert kept(folder) == before


def test_each_row_is_told_once_and_says_what_to_do() -> None:
    assert len({(row.tried, row.command) for row in ROWS}) == len(ROWS)
    assert all(row.about and row.instead and row.code in (2, 20, 120, 150, 152) for row in ROWS)
    assert len(ROWS) > 70


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.tried)
def test_record_of_refusals_has_each_row_with_its_code_and_line(row: Wrong) -> None:
    recorded = recorded_refusals()["commands"][row.tried]
    assert recorded["code"] == row.code, "run `make refusals`"
    assert re.fullmatch(row.says, recorded["said"]), "run `make refusals`"

"""docs/refusals.md tells the truth: it is made of what was said of every row, and the rows' own tests compare that."""

from __future__ import annotations

from cli.wrong_inputs import ROWS as COMMANDS
from lang.refused import ROWS as MODELS

from studies.refusals import PAGE, page, recorded_refusals


def test_page_is_made_of_its_records() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(recorded_refusals()), "run `make refusals`"


def test_every_row_is_on_the_page_and_nothing_else() -> None:
    assert list(recorded_refusals()["models"]) == [row.title for row in MODELS]
    assert list(recorded_refusals()["commands"]) == [row.tried for row in COMMANDS]


def test_page_is_narrow_and_shows_no_folder_of_a_machine() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= 120
    assert [line for line in lines if "/tmp" in line or "offending" in line] == []

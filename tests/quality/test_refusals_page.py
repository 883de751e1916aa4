"""docs/studies/refusals.md has every row, with the code that it names; the rows' own tests compare what is said."""

from __future__ import annotations

from cli.wrong_inputs import ROWS as COMMANDS
from lang.refused import ROWS as MODELS

from studies import DOCS
from studies.refusals import recorded_refusals


def test_every_row_is_on_the_page_and_nothing_else() -> None:
    assert list(recorded_refusals()["models"]) == [row.title for row in MODELS]
    assert list(recorded_refusals()["commands"]) == [row.tried for row in COMMANDS]


def test_models_are_refused_with_the_code_that_the_page_names() -> None:
    (code,) = {said["code"] for said in recorded_refusals()["models"].values()}
    assert f"ends with code {code}," in (DOCS / "studies" / "refusals.md").read_text(encoding="utf-8")


def test_page_is_narrow_and_shows_no_folder_of_a_machine() -> None:
    lines = (DOCS / "studies" / "refusals.md").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= 120
    assert [line for line in lines if "/tmp" in line or "offending" in line] == []

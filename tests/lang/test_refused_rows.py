"""Every row of the tables of refusals is refused, at its line and with the way out that is recorded."""

from __future__ import annotations

import pytest
from lang.refusals import Row, refusal_of, without_place
from lang.refused import ROWS

from studies.refusals import recorded_refusals

RECORDED = recorded_refusals()["models"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_offending_model_is_refused_at_its_line_as_is_recorded(row: Row) -> None:
    refusal = refusal_of(row)
    assert refusal is not None, row.source
    assert row.says in str(refusal), str(refusal)
    if row.line is not None:
        assert f"offending.py:{row.line}" in str(refusal), str(refusal)
    told = without_place(str(refusal))  # the program itself adds a place where a message has none
    assert RECORDED[row.title] in [{"code": 120, "said": f"{place}{told}"} for place in ("", "FILE:LINE: ")]


def test_titles_are_distinct_and_each_row_shows_what_was_written_and_what_to_write_instead() -> None:
    assert len({row.title for row in ROWS}) == len(ROWS)
    assert [row.title for row in ROWS if not row.shown] == []
    assert [row.title for row in ROWS if not row.instead and "; " not in RECORDED[row.title]["said"]] == []

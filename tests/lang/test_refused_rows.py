"""Every row of the table of refusals is refused, at its line and with the way out."""

from __future__ import annotations

import pytest
from lang.refusals import ROWS, Row, refusal_of


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_offending_model_is_refused_at_its_line(row: Row) -> None:
    refusal = refusal_of(row)
    assert refusal is not None, row.source
    assert row.says in str(refusal), str(refusal)
    if row.line is not None:
        assert f"offending.py:{row.line}" in str(refusal), str(refusal)


def test_titles_are_distinct() -> None:
    assert len({row.title for row in ROWS}) == len(ROWS)

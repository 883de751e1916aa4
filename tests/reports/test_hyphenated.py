"""Names in tables: broken behind their hyphens, and nowhere else while that is possible."""

from __future__ import annotations

import pytest
from rich.table import Table

from offsetproof.reports.page import Hyphenated, Page


def cells(names: str, width: int) -> list[str]:
    """What a table of this width makes of names beside a column that takes eleven."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row(Hyphenated(names), "as expected")
    page = Page(width)
    page.put(table)
    return [line.removesuffix("as expected").rstrip() for line in page.text.splitlines()]


def alone(name: str, width: int) -> list[str]:
    """What a page of this width makes of a name."""
    page = Page(width)
    page.put(Hyphenated(name))
    return page.text.split()


@pytest.mark.parametrize(("width", "lines"), [
    (80, ["backward-reset-stays (I5)"]),
    (34, ["backward-reset-stays", "(I5)"]),
    (28, ["backward-reset-", "stays (I5)"]),
    (24, ["backward-", "reset-stays", "(I5)"]),
])  # fmt: skip
def test_name_goes_on_behind_a_hyphen_or_a_blank(width: int, lines: list[str]) -> None:
    assert cells("backward-reset-stays (I5)", width) == lines


def test_each_name_begins_a_line_and_none_is_lost_in_a_column_that_is_too_narrow() -> None:
    assert cells("a-fix\nanother", 40) == ["a-fix", "another"]
    assert cells("stays (I5-persist-in-two)", 32) == ["stays", "(I5-persist-in-two)"]
    assert alone("one_by_one", 4) == ["one_", "by_", "one"]
    assert alone("incomprehensible", 9) == ["incompreh", "ensible"]

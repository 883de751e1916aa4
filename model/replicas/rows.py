"""Rows: what an offset table, an offset file, or a client's cells hold of the group, a row for each queue."""

from __future__ import annotations

from offsetproof.lang import Array, every, holds
from offsetproof.model.files.offset_file import Row

Rows = Array[Row]


def take_rows(rows: Rows, source: Rows) -> None:
    """The rows become those of the source."""
    for row, other in zip(rows, source, strict=True):
        row.offset = other.offset


def forget_rows(rows: Rows) -> None:
    """No queue has a row any more."""
    for row in rows:
        row.offset = None


def are_alike(rows: Rows, others: Rows) -> bool:
    """Has each queue the same in both? (Nothing splits.)"""
    pairs = [(row.number_of(Row.offset), other.number_of(Row.offset)) for row, other in zip(rows, others, strict=True)]
    return every(own == number for own, number in pairs)


def are_empty(rows: Rows) -> bool:
    """Has no queue a row?"""
    return every(holds(row, Row.offset, None) for row in rows)

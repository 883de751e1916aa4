"""The columns of the audit's tables, for docs/formats.md."""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.audit.silver.columns import Column


def columns_table(columns: Sequence[Column]) -> str:
    """The columns of a table, with their types and what they say."""
    head = ["| column | type | what it says |", "|---|---|---|"]
    return "\n".join([*head, *(f"| `{each.name}` | {_type(each)} | {each.says} |" for each in columns)])


def _type(column: Column) -> str:
    kind = "string" if column.type == "dictionary" else column.type
    return f"{kind} or null" if column.may_be_empty else kind

"""Data that is a list of rows, a line each: so that a difference shows which rows it is in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_rows(file: Path) -> list[Row]:
    """The rows that are written down; none where nothing is."""
    rows: list[Row] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return rows


def write_rows(file: Path, rows: Iterable[Row]) -> None:
    """Writes all rows."""
    file.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")

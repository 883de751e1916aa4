"""ARCHITECTURE.md is short, and its table has the layers that import-linter keeps; decisions are short records."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def test_page_is_short() -> None:
    assert len(TEXT.splitlines()) <= 130


def test_layers_are_those_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = [each["layers"] for each in contracts if each["name"] == "arrows only go down"]
    rows = re.findall(r"(?m)^\| (`[^|]*`) \|", TEXT)
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == [set(layer.split(" | ")) for layer in layers]


def test_decisions_are_numbered_without_gaps() -> None:
    assert [path.name[:4] for path in RECORDS] == [f"{number:04}" for number in range(1, len(RECORDS) + 1)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_decision_is_a_short_record(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    assert text.startswith(f"# {record.name[:4]} ")
    assert len(text.splitlines()) <= 25
    assert re.findall(r"(?m)^\*\*([\w ]+)\.\*\*", text) == ["Context", "Decision", "Why", "Instead of"]

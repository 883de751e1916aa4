"""Counts in what users read: where there can be one, `quantity` says it, and no plural stands behind a number."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]

NOUNS = ("steps", "walks", "lines", "states", "transitions", "stories", "causes", "objects", "commits", "ends")
"""What is counted most, and is seldom many."""

NEVER_ONE = {
    "{} has {} stories ({}); name one",
    "{} has {} stories; name one of them",
    "{} lines are more than a search takes ({})",
    "  {} lines say nothing of offsets, {} are damaged",
    "a loop that has not ended after {} steps",
    "a walk has up to {} steps, this one has {}",
    "ended by the limit of {} steps; give machine() more steps to go deeper",
    "has {} states, and {} steps lead to it",
    "holds {} states, and {} were written to it",
    "layer {} complete, {} states, {}M/s, {} known, {} MiB",
    "more than {} states can follow; {} of their ends were looked at",
    "more than {} states in one set; explore fewer, by smaller bounds",
    "It has {} times, but {} steps",
    "{} of {} steps",
    "{}{} of {} steps are left out; `--stories full` tells all",
    '{} has a remedy for scope {} that case {} states already; name it, as in remedies=["{}"]',
    "{}: initially() leaves over {} states; use smaller domains",
}
"""Texts whose number is larger, is a limit, is one of so many, or that are about a file which is damaged."""


def texts(file: Path) -> set[str]:
    """The f-strings of a file, with `{}` for each value."""
    return {
        "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.JoinedStr)
    }


def test_number_that_can_be_one_has_no_plural_behind_it() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "traces").rglob("*.py")]
    found = {text for file in files for text in texts(file)}
    plural = {text for text in found if any(f"{{}} {noun}" in text for noun in NOUNS)}
    assert plural == NEVER_ONE

"""The tables of docs/releases.md about behaviours that are taken away, each alone, where they came."""

from __future__ import annotations

from collections.abc import Iterator

from studies.flips import recorded
from studies.flips_reasons import REASONS
from studies.rows import Row
from studies.subjects import ABOUT_ROCKETMQ

NAMED = 4
"""So many of the moved cases are named."""


def moving() -> list[Row]:
    """The rows of behaviours without which a case has another verdict, subject by subject."""
    order = [subject.name for subject in ABOUT_ROCKETMQ]
    return sorted((row for row in recorded().values() if row["moved"]), key=lambda row: order.index(row["subject"]))


def unmoving() -> list[str]:
    """The behaviours without which every case that was asked has the verdict that it has with them."""
    return sorted({row["behaviour"] for row in recorded().values()} - {row["behaviour"] for row in moving()})


def flipped() -> str:
    """A row per behaviour and subject in which a verdict turns."""
    head = [
        "without",
        "model",
        "release",
        "cells",
        "the same system",
        "as before",
        "another story",
        "too large",
        "turn",
    ]
    lines = [f"| {' | '.join(head)} | such as |", "|---|---|---|" + "---:|" * 6 + "---|"]
    return "\n".join([*lines, *(_row(row) for row in moving())])


def _row(row: Row) -> str:
    figures = [row["cells"], row["same"], row["as_before"], row["other_story"], row["larger"], len(row["moved"])]
    named = dict.fromkeys(case for case, *_ in sorted(row["moved"], key=_states))
    told = ", ".join([*named][:NAMED])
    return f"| `{row['behaviour']}` | {row['subject']} | {row['release']} | {' | '.join(map(str, figures))} | {told} |"


def _states(cell: list[str | int]) -> int:
    return int(cell[-1])


def kept() -> str:
    """A row per behaviour that turns no verdict: how many stories are others without it, and the reason to have it."""
    asked = {row["behaviour"] for row in recorded().values()}
    lines = [f"{len(unmoving())} of {len(asked)} behaviours turn no verdict.", ""]
    lines += ["| behaviour | other stories | too large | why the model has it |", "|---|---:|---:|---|"]
    return "\n".join([*lines, *_kept()])


def _kept() -> Iterator[str]:
    for name in unmoving():
        rows = [row for row in recorded().values() if row["behaviour"] == name]
        other, larger = (sum(row[what] for row in rows) for what in ("other_story", "larger"))
        yield f"| `{name}` | {other} | {larger} | {REASONS[name]} |"

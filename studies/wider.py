"""Writes what `check` says of wider worlds, made of what was found in them (`make widened`)."""

from __future__ import annotations

import json
from collections import Counter

from offsetproof.checking import wider
from studies import ROOT
from studies.widened_worlds import OUTCOMES, SAME, WIDENINGS, Found, Widening

FILE = ROOT / "properties" / "wider.json"


def summary() -> wider.Known:
    """Of each case that holds the digests of its setting and its system, and how many worlds in which that is another
    came out how."""
    return {widening.subject.name: _cases(widening) for widening in WIDENINGS}


def _cases(widening: Widening) -> dict[str, tuple[str, str, dict[str, int]]]:
    settings = {pair.name: wider.digest_of(pair.question.setting) for pair in widening.pairs}
    rows = sorted(widening.read().items())
    return {name: (settings[name], *_summary(row)) for name, row in rows if name in settings}


def _summary(row: dict[str, Found]) -> tuple[str, dict[str, int]]:
    digest = next(found.digest for found in row.values() if found.outcome == SAME)
    counts = Counter(found.outcome for found in row.values() if found.outcome != SAME)
    return digest, {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}


def text() -> str:
    """The file, a line for each case."""
    subjects = [f" {json.dumps(name)}: {{\n{_lines(cases)}\n }}" for name, cases in summary().items()]
    return "{\n" + ",\n".join(subjects) + "\n}\n"


def _lines(cases: dict[str, tuple[str, str, dict[str, int]]]) -> str:
    return ",\n".join(f"  {json.dumps(case)}: {json.dumps(found)}" for case, found in cases.items())


def main() -> None:
    """Writes the file."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes what `check` says of wider worlds, made of what was found in them (`make widened`)."""

from __future__ import annotations

from collections import Counter

from offsetproof.checking import wider
from offsetproof.checking.wider import RecordedCase
from offsetproof.checking.wider_record import record_text
from studies import ROOT
from studies.widened_worlds import HELD, HELD_REDUCED, OUTCOMES, SAME, WIDENINGS, Found, Widening

FILE = ROOT / "properties" / "wider.json"


def summary() -> wider.Known:
    """Of each case that holds how many worlds in which its system is another came out how, and which hold."""
    return {widening.subject.name: _cases(widening) for widening in WIDENINGS}


def _cases(widening: Widening) -> wider.Cases:
    rows = widening.read()
    questions = [pair.question for pair in widening.pairs if pair.name in rows]
    named = [(q, rows[f"{q.prop.id} {q.setting.scope.name}"]) for q in questions]
    return {wider.key_of_case(q.prop, q.setting): _summary(wider.digest_of(q.setting), row) for q, row in named}


def _summary(setting: str, row: dict[str, Found]) -> RecordedCase:
    digest = next(found.digest for found in row.values() if found.outcome == SAME)
    counts = Counter(found.outcome for found in row.values() if found.outcome != SAME)
    ordered = {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}
    held = {raised: found.digest for raised, found in row.items() if found.outcome in (HELD, HELD_REDUCED)}
    return RecordedCase(setting, digest, ordered, held)


def text() -> str:
    """The file, a line for each case."""
    return record_text(summary())


def main() -> None:
    """Writes the file."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()

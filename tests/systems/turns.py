"""Which of the slow tests come first where there is no time for all: others in each turn."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

TOGETHER = 20
"""So many tests of a file stay beside each other, as what a file sets up is kept that long."""

Test = TypeVar("Test")


def in_turn(tests: Sequence[Test], turn: int, unit_of: Callable[[Test], str]) -> list[Test]:
    """The tests in another order for each turn: units (files, or groups) are dealt in pieces, whose own order stays."""
    seen: Counter[str] = Counter()

    def piece(test: Test) -> str:
        unit = unit_of(test)
        seen[unit] += 1
        return f"{turn} {unit} {(seen[unit] - 1) // TOGETHER}"

    return sorted(tests, key=lambda test: hashlib.sha256(piece(test).encode()).hexdigest())

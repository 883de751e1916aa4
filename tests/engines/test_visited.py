"""The set of visited states beside a Python set: what is new, in which order, and where, while it grows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offsetproof.engines.explicit.visited import Visited, Words

Rows = list[tuple[int, ...]]

WORD = st.one_of(st.integers(0, 3), st.integers(0, (1 << 64) - 1))


def packed(rows: Rows, words: int) -> Words:
    return np.array(rows, np.uint64).reshape(len(rows), words)


def added(known: Visited, blocks: list[Rows], words: int) -> Rows:
    """What a Python set has found after all blocks were added, in the order in which they came."""
    for block in blocks:
        known.add(packed(block, words), len(block))
    return list(dict.fromkeys(row for block in blocks for row in block))


def found(known: Visited) -> Rows:
    return [tuple(row) for row in known.states[: known.count].tolist()]


def places(known: Visited, rows: Rows, words: int) -> list[int]:
    positions = np.empty(max(1, len(rows)), np.int64)
    known.places_of(packed(rows, words), len(rows), positions)
    return positions[: len(rows)].tolist()


@pytest.mark.parametrize("words", [1, 2, 3, 5])
@settings(deadline=None)
@given(data=st.data())
def test_set_holds_what_was_added_once_each_in_the_order_in_which_it_came(words: int, data: st.DataObject) -> None:
    rows = st.tuples(*[WORD] * words)
    blocks = data.draw(st.lists(st.lists(rows, max_size=80), max_size=6))
    asked = data.draw(st.lists(rows, max_size=20))
    known = Visited(words, rows=1, slots=16)
    expected = added(known, blocks, words)
    assert found(known) == expected
    assert known.count == len(expected)
    assert places(known, expected, words) == [*range(len(expected))]
    where = {row: place for place, row in enumerate(expected)}
    assert places(known, asked, words) == [where.get(row, -1) for row in asked]


@pytest.mark.parametrize("words", [1, 2, 4])
def test_set_that_grows_many_times_loses_and_doubles_nothing(words: int) -> None:
    chance, known, seen = np.random.default_rng(words), Visited(words, rows=1, slots=16), dict[bytes, int]()
    for size in (1, 3, 700, 5_000, 2, 40_000, 90_000):
        rows = chance.integers(0, 1 << 17 if words == 1 else 1 << 9, (size, words), np.uint64)
        known.add(rows, size)
        for row in rows:
            seen.setdefault(row.tobytes(), len(seen))
    assert known.count == len(seen)
    assert known.states[: known.count].tobytes() == b"".join(seen)
    positions = np.empty(known.count, np.int64)
    known.places_of(known.states.copy(), known.count, positions)
    assert (positions == np.arange(known.count)).all()


def test_only_the_rows_that_were_said_are_added() -> None:
    known = Visited(1, rows=1, slots=16)
    known.add(packed([(4,), (5,), (6,)], 1), 2)
    assert found(known) == [(4,), (5,)]

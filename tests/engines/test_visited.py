"""The set of visited states beside a Python set: what is new, in which order, and where, while it grows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.engines.explicit import place_table, visited
from offsetproof.engines.explicit.place_table import PLACES_MAX, Words
from offsetproof.engines.explicit.visited import Visited

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
@reproducible(100)
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


@pytest.mark.parametrize("slot", [0, 40, 63])
def test_rows_of_one_home_are_told_apart_also_around_the_end_of_the_table(slot: int) -> None:
    rows = packed([(i,) for i in range(3_000)], 1)
    with np.errstate(over="ignore"):
        homes = [int(place_table._home(place_table._hash(rows, i), np.zeros(64, np.uint32))) for i in range(len(rows))]
    (crowd,) = np.nonzero(np.array(homes) == slot)
    chosen, absent = rows[crowd[:20]], rows[crowd[20:25]]
    assert (len(chosen), len(absent)) == (20, 5)
    known = Visited(1, rows=64, slots=64)
    for _ in range(2):
        known.add(chosen, 20)
    assert (len(known.table), known.count) == (64, 20)
    assert known.table[slot] != 0
    assert np.count_nonzero(np.roll(known.table, -slot)[:20]) == 20
    assert places(known, [(int(row[0]),) for row in [*chosen, *absent]], 1) == [*range(20), *[-1] * 5]


@pytest.mark.parametrize(("large", "most"), [(1 << 12, 24), (visited._LARGE, 27)])
def test_table_is_never_fuller_than_said_and_takes_few_bytes(
    large: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large one the states take at most 24 bytes each."""
    monkeypatch.setattr(visited, "_LARGE", large)
    chance, known = np.random.default_rng(3), Visited(2, rows=1, slots=16)
    for _ in range(400):
        known.add(chance.integers(0, 1 << 63, (500, 2), np.uint64), 500)
        assert known.count <= len(known.table) * 4 // 5
        assert known.count < 5_000 or known.held_bytes <= most * known.count
    assert known.peak_bytes <= known.nbytes


def test_rows_that_somebody_looks_at_stay_where_they_are_while_the_set_grows() -> None:
    known = Visited(2, rows=4, slots=16)
    known.add(packed([(1, 2), (3, 4)], 2), 2)
    seen = known.states[:2]
    known.add(np.arange(40_000, dtype=np.uint64).reshape(-1, 2), 20_000)
    assert seen.tolist() == [[1, 2], [3, 4]] == known.states[:2].tolist()


def test_set_refuses_more_states_than_places_can_name() -> None:
    known = Visited(1, rows=4, slots=16)
    known.count = PLACES_MAX - 2
    with pytest.raises(OverflowError, match="more than 2,147,483,648 states in one set; explore fewer"):
        known.add(packed([(1,), (2,), (3,)], 1), 3)


def test_set_takes_no_more_than_a_limit_that_it_does_not_outgrow_also_while_it_grows() -> None:
    chance, known, refused = np.random.default_rng(4), Visited(2, rows=1, slots=16), 0
    for _ in range(300):
        limit = known.nbytes + int(chance.integers(0, 40_000))
        outgrows = known.outgrows(700, limit, 50)
        refused += outgrows
        known.peak_bytes = 0
        known.add(chance.integers(0, 1 << 63, (700, 2), np.uint64), 700)
        assert outgrows == (known.peak_bytes + 50 > limit)
    assert 30 < refused < 270


@pytest.mark.parametrize("other", [(7, 2), (8, 1), (8, 2)])
def test_states_with_one_tag_in_one_slot_are_told_apart_by_each_of_their_words(other: tuple[int, int]) -> None:
    known, row = Visited(2, rows=4, slots=64), packed([other], 2)
    known.add(packed([(7, 1)], 2), 1)
    with np.errstate(over="ignore"):
        hash = place_table._hash(row, 0)
        home, tag = place_table._home(hash, known.table), place_table._tag(hash, place_table._place_mask(known.table))
    known.table[:] = tag | 1
    known.table[home - 1] = 0
    assert places(known, [other, (7, 1)], 2)[0] == -1
    known.add(row, 1)
    assert found(known) == [(7, 1), other]
    assert known.table[home - 1] == tag | 2

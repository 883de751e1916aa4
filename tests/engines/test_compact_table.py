"""The table of four-byte slots beside a Python set: nothing is lost, doubled or made up, however small it begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.engines.explicit import compact_table
from offsetproof.engines.explicit.compact_table import FULL, SMALL, CompactTable, Shape, Words
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Reason

TINY = Shape(4, 4, 2, 2)


def nothing(_more: int) -> None:
    """There is room for all of it."""


def packed(pairs: list[tuple[int, int]]) -> Words:
    return np.array([left << 32 | right for left, right in pairs], np.uint64)


def added(table: CompactTable, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What the table says was new, in its order."""
    fresh = np.empty(max(1, len(pairs)), np.uint64)
    known = held(table)
    table.hold(*(1 + max((pair[side] for pair in [*known, *pairs]), default=0) for side in (0, 1)))
    return unpacked(fresh[: table.add(packed(pairs), len(pairs), fresh)])


def unpacked(pairs: Words) -> list[tuple[int, int]]:
    return [(pair >> 32, pair & 0xFFFFFFFF) for pair in pairs.tolist()]


def held(table: CompactTable) -> list[tuple[int, int]]:
    return unpacked(table.pairs(0, table.used))


@pytest.mark.parametrize("far", [1, 2, 5, 240])
@reproducible(100)
@given(data=st.data())
def test_table_finds_new_what_a_python_set_finds_new(far: int, data: st.DataObject) -> None:
    numbers = st.integers(0, data.draw(st.sampled_from([3, 15, 200, 60_000])))
    blocks = data.draw(st.lists(st.lists(st.tuples(numbers, numbers), max_size=120), max_size=6))
    table, seen = CompactTable(nothing, TINY, far), dict[tuple[int, int], None]()
    for block in blocks:
        new = list(dict.fromkeys(pair for pair in block if pair not in seen))
        assert added(table, block) == new
        seen |= dict.fromkeys(new)
        assert added(table, block) == []
    assert table.count == len(seen) == len(held(table))
    assert set(held(table)) == seen.keys()


@pytest.mark.parametrize(("shape", "far"), [(TINY, 240), (Shape(20, 20, 2, 15), 240), (Shape(12, 28, 3, 16), 4)])
def test_table_that_grows_many_times_loses_and_doubles_nothing(shape: Shape, far: int) -> None:
    chance, table, seen = np.random.default_rng(5), CompactTable(nothing, shape, far), set[int]()
    for size in (1, 3, 700, 5_000, 2, 40_000, 200_000):
        pairs = chance.integers(0, 1 << 12, (size, 2), np.uint64)
        given = pairs[:, 0] << np.uint64(32) | pairs[:, 1] % np.uint64(1 << 9)
        table.hold(1 << 12, 1 << 9)
        fresh = np.empty(size, np.uint64)
        new = fresh[: table.add(given, size, fresh)].tolist()
        assert len(set(new)) == len(new)
        assert set(new) == set(given.tolist()) - seen
        seen |= set(new)
        assert table.count <= table.shape.size * FULL[0] // FULL[1]
    assert sorted(table.pairs(0, table.used).tolist()) == sorted(seen)
    assert far < 240 or table.nbytes <= 7.1 * table.count


def test_table_grows_where_a_pair_would_be_too_far_from_home_however_empty_it_is() -> None:
    near, far = (CompactTable(nothing, SMALL, far) for far in (1, 240))
    pairs = [(i, i * i % 1_000) for i in range(2_000)]
    assert added(near, pairs) == added(far, pairs) == pairs
    assert far.shape == SMALL
    assert near.shape.size > 4 * SMALL.size
    slots = near._slots.array
    assert slots[slots > 0].min() >> near.shape.left + near.shape.right - near.shape.doubled - 1 == 1


def test_table_is_entered_anew_where_numbers_need_more_bits() -> None:
    table = CompactTable(nothing, TINY)
    assert added(table, [(1, 2), (15, 15)]) == [(1, 2), (15, 15)]
    assert table.shape == TINY
    assert added(table, [(16, 0), (1, 2)]) == [(16, 0)]
    assert table.shape.left > 4
    far = (1 << 19) - 1, 1 << 18
    assert added(table, [(3, 1 << 18), far, (1, 2)]) == [(3, 1 << 18), far]
    assert (table.shape.left, table.shape.right, table.shape.size) == (19, 19, 1 << 14)
    assert sorted(held(table)) == [(1, 2), (3, 1 << 18), (15, 15), (16, 0), far]


@pytest.mark.parametrize("pairs", [[(1 << 20, 0)], [(i, i) for i in range(60_000)]])
def test_room_that_is_refused_is_not_taken(pairs: list[tuple[int, int]]) -> None:
    asked: list[int] = []

    def refuse(more: int) -> None:
        asked.append(more)
        raise LimitMetError(Reason.MEMORY)

    table = CompactTable(refuse)
    with pytest.raises(LimitMetError):
        added(table, pairs)
    assert asked[0] in (4 * SMALL.length * 1, 4 * SMALL.size // 2)
    assert table.shape == SMALL
    assert len(held(table)) == table.count


@reproducible(200)
@given(left=st.integers(1, 31), right=st.integers(1, 31), data=st.data())
def test_mixing_can_be_turned_back_and_stays_within_its_bits(left: int, right: int, data: st.DataObject) -> None:
    how = Shape(left, right, 2, 1).array(1)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, (1 << left) - 1), st.integers(0, (1 << right) - 1))))
    with np.errstate(over="ignore"):
        mixed = [compact_table._mix(pair, *how[:3]) for pair in packed(pairs)]
        back = [compact_table._turn_back(each, *how[:3]) for each in mixed]
    assert all(int(each) < 1 << left + right for each in mixed)
    assert back == packed(pairs).tolist()


def both(loop: Any, *given: Any) -> Any:
    """What a loop returns as machine code; it does the same in Python."""
    by_code, by_python = ([each.copy() if isinstance(each, np.ndarray) else each for each in given] for _ in range(2))
    with np.errstate(over="ignore"):
        expected = loop.python(*by_python)
    assert loop(*by_code) == expected
    for one, other in zip(by_code, by_python, strict=True):
        assert np.array_equal(one, other)
    return by_code, expected


@pytest.mark.parametrize("far", [2, 240])
@reproducible(20)
@given(st.lists(st.integers(0, (1 << 18) - 1), max_size=90))
def test_loops_do_in_python_what_they_do_as_machine_code(far: int, numbers: list[int]) -> None:
    shape = Shape(10, 8, 3, 4)
    how, pairs = shape.array(far), packed([(number >> 8, number & 255) for number in numbers])
    rooms = np.zeros(shape.length, np.uint32), how, pairs, 0, len(pairs), np.zeros(64, np.uint64)
    (table, *_, fresh, _, _), (_, new) = both(compact_table.insert, *rooms, np.zeros(90, np.uint64), 0, 40)
    grown = shape.grown()
    larger = np.concatenate((table, np.zeros(grown.length - shape.length, np.uint32)))
    (table, *_), is_whole = both(compact_table.spread, larger, shape.size, grown.size, how, grown.array(far))
    assert is_whole
    found = np.zeros(90, np.uint64)
    (*_, found), count = both(compact_table.pairs_in, table, grown.array(far), 0, grown.size + 256, found)
    assert sorted(found[:count].tolist()) == sorted(fresh[:new].tolist())


def test_growing_says_so_where_a_pair_would_come_too_far_from_home() -> None:
    shape = Shape(8, 8, 2, 7)
    one = 1 << shape.left + shape.right - shape.doubled - 1
    table = np.zeros(shape.grown().length, np.uint32)
    table[:300] = [one * (i + 1) for i in range(300)]
    arrays = shape.array(240), shape.grown().array(240)
    assert compact_table.spread(table.copy(), shape.size, shape.grown().size, *arrays) is False
    table[200:300] = 0
    assert compact_table.spread(table, shape.size, shape.grown().size, *arrays) is True

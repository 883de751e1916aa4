"""Halves of packed states have numbers, and states come back from them as they were."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.compiled.layout import USED, HalvedLayout, Layout
from offsetproof.engines.explicit import halves
from offsetproof.engines.explicit.halves import Halves
from offsetproof.engines.explicit.machine_code import KeptCode
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import System, Variable
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Reason

WORD = st.one_of(st.integers(0, 3), st.integers(0, (1 << 64) - 1))


def nothing(_more: int) -> None:
    """There is room for all of it."""


@pytest.mark.parametrize("words", [2, 4, 6])
@reproducible(100)
@given(data=st.data())
def test_states_are_pairs_of_numbers_in_the_order_in_which_halves_come(words: int, data: st.DataObject) -> None:
    blocks = data.draw(st.lists(st.lists(st.tuples(*[WORD] * words), max_size=60), max_size=5))
    known, numbers = Halves(words, nothing, room=1), (dict[object, int](), dict[object, int]())
    for block in blocks:
        rows = np.array(block, np.uint64).reshape(-1, words)
        pairs, back = np.zeros(60, np.uint64), np.zeros((60, words), np.uint64)
        known.number(rows, len(rows), pairs)
        for row, pair in zip(block, pairs.tolist(), strict=False):
            expected = [
                numbers[side].setdefault(row[words // 2 * side :][: words // 2], len(numbers[side])) for side in (0, 1)
            ]
            assert [pair >> 32, pair & 0xFFFFFFFF] == expected
        known.write(pairs, len(rows), back)
        assert np.array_equal(back[: len(rows)], rows)
    assert known.counts == (len(numbers[0]), len(numbers[1]))


@pytest.mark.parametrize("room", [3, 40])
def test_loops_do_in_python_what_they_do_as_machine_code(room: int) -> None:
    chance = np.random.default_rng(room)
    rows = chance.integers(0, 3, (30, 4), np.uint64)
    made = []
    for number, enter, write in (
        (halves.number_halves, halves.enter_halves, halves.write_rows),
        [cast(KeptCode, code).python for code in (halves.number_halves, halves.enter_halves, halves.write_rows)],
    ):
        left, right = (np.zeros((room, 2), np.uint64) for _ in range(2))
        tables = [np.zeros(4 * room, np.uint32) for _ in range(4)]
        pairs, back = np.zeros(30, np.uint64), np.zeros((30, 4), np.uint64)
        with np.errstate(over="ignore"):
            done, lefts, rights = number(rows, 0, 30, left, 0, tables[0], right, 0, tables[1], pairs)
            enter(left, lefts, tables[2])
            enter(right, rights, tables[3])
        write(pairs, done, left, right, back)
        assert np.array_equal(back[:done], rows[:done])
        made.append(((done, lefts, rights), [left, right, *tables, pairs, back]))
    assert made[0][0] == made[1][0]
    assert (made[0][0][0] == 30) == (room == 40)
    for one, other in zip(made[0][1], made[1][1], strict=True):
        assert np.array_equal(one, other)


def test_room_that_is_refused_is_not_taken_and_numbers_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_more: int) -> None:
        raise LimitMetError(Reason.MEMORY)

    rows, pairs = np.arange(40, dtype=np.uint64).reshape(-1, 2), np.empty(20, np.uint64)
    for may_take, most, reason in ((refuse, 1 << 31, Reason.MEMORY), (nothing, 8, Reason.STATES)):
        monkeypatch.setattr(halves, "NUMBERS_MAX", most)
        known = Halves(2, may_take, room=4)
        with pytest.raises(LimitMetError) as met:
            known.number(rows, 20, pairs)
        assert met.value.reason is reason
        assert max(known.counts) <= 8


BITS = st.lists(st.integers(0, 40), max_size=30)


@reproducible(200)
@given(bits=BITS, data=st.data())
def test_layout_by_halves_keeps_values_and_gives_each_half_as_many_words(bits: list[int], data: st.DataObject) -> None:
    variables = tuple(Variable(f"v{i}", Sort.INT, -1, (1 << bit) - 2, (-1,)) for i, bit in enumerate(bits))
    layout, usual = HalvedLayout(System(variables, ())), Layout(System(variables, ()))
    assert usual.words <= layout.words <= 2 * usual.words + 2
    assert layout.words % 2 == 0
    taken = [0] * layout.words
    taken[0] = USED
    for place in layout.places.values():
        assert taken[place.word] & place.mask << place.shift == 0
        taken[place.word] |= place.mask << place.shift
        assert taken[place.word] < 1 << 64
    sides = [layout.places[v.name].word >= layout.words // 2 for v in variables]
    assert sides == sorted(sides)
    state = tuple(data.draw(st.integers(v.lo, v.hi)) for v in variables)
    assert layout.unpack(layout.pack(state)) == state


def test_layout_by_halves_divides_the_bits_equally() -> None:
    variables = tuple(Variable(f"v{i}", Sort.INT, 0, 7, (0,)) for i in range(40))
    layout = HalvedLayout(System(variables, ()))
    assert [layout.places[v.name].word for v in variables] == [0] * 20 + [1] * 20

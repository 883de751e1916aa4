"""Compiled loops do what the same functions do in Python, and what they are not made for is refused with its place."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.compiled.loop_types import call_at, ones, touch
from offsetproof.compiled.loops import llvm_of
from offsetproof.engines.explicit.machine_code import KeptCode, kept_machine_code

Words = npt.NDArray[np.uint64]
Halves = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
Small = npt.NDArray[np.int8]
Middle = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

_ONE = np.uint64(1)
_FIVE, _FAR = 5, 10**12

NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
WORDS = st.integers(0, (1 << 64) - 1)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return kept_machine_code(function)


def both(function: Callable[..., Any], *given: Any) -> Any:
    """What compiled code returns; it must leave the arrays as the same function does in Python, and return the same."""
    by_code, by_python = ([each.copy() if isinstance(each, np.ndarray) else each for each in given] for _ in range(2))
    with np.errstate(over="ignore"):
        expected = function(*by_python)
    found = compiled(function)(*by_code)
    assert found == expected
    for one, other in zip(by_code, by_python, strict=True):
        assert np.array_equal(one, other)
    return found


@reproducible(100)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_signed_numbers_compare_and_shift_with_their_sign(a: int, b: int, c: int) -> None:
    both(_signed, a, b, c)


def _signed(a: int, b: int, c: int) -> tuple[int, int, int, bool]:
    least = max(a, b)
    if c < 0 or c > 9:
        least = min(a, b)
    met = 0
    if a < b and not a == c:  # noqa: SIM201 - `not` is what is compiled
        met = 1
    elif b <= c:
        met = -2
    return least, met, (a >> 3) ^ (b & ~c), a >= c


def _unsigned(words: Words, a: np.uint64, by: int) -> tuple[np.uint64, int, bool]:
    x = a
    for i in range(len(words)):
        x ^= words[i]
        x *= np.uint64(0xFF51AFD7ED558CCD)
        words[i] = (x >> np.uint64(32)) + (words[i] << np.uint64(by)) - _ONE
    return x, ones(x), a < x


@reproducible(100)
@given(st.lists(WORDS, min_size=1, max_size=5), WORDS, st.integers(0, 63))
def test_words_wrap_and_compare_without_a_sign(words: list[int], a: int, by: int) -> None:
    both(_unsigned, np.array(words, np.uint64), np.uint64(a), by)


def _narrow(small: Small, middle: Middle, halves: Halves, flags: Flags, out: Numbers, wide: Words) -> None:
    for i in range(len(small)):
        out[i] = np.int64(small[i]) + np.int64(middle[i])
        wide[i] = np.uint64(halves[i]) + _ONE
        flags[i] = flags[i] != (small[i] < 0)
        if flags[i]:
            middle[i] = small[i]
            small[i] = -1
        halves[i] = wide[i] >> np.uint64(1)


@reproducible(100)
@given(st.integers(0, 2**32 - 1))
def test_narrow_elements_keep_their_sign_and_lose_their_upper_part(seed: int) -> None:
    chance = np.random.default_rng(seed)
    kinds = (np.int8, np.int32, np.uint32)
    arrays = [chance.integers(np.iinfo(kind).min, np.iinfo(kind).max, 4, kind, endpoint=True) for kind in kinds]
    both(_narrow, *arrays, chance.integers(0, 2, 4).astype(np.bool_), np.zeros(4, np.int64), np.zeros(4, np.uint64))


def _rows(rows: Words, first: int, until: int, step: int, found: Numbers) -> int:
    count = last = 0
    for row in range(first, until, step):
        touch(rows, row, 0)
        for word in range(rows.shape[1]):
            if rows[row, word] == np.uint64(7):
                continue
            if rows[row, word] == np.uint64(9):
                break
            found[count] += np.int64(rows[row, word]) + _more(row, word)
            count += 1
        row += 100
        last = row
    while count < len(found):
        count += 1
        if found[count - 1] > _FIVE:
            return -count
    return last


def _more(row: int, word: int) -> int:
    return row << np.int64(word)


@pytest.mark.parametrize("width", [1, 2, 3])
@reproducible(100)
@given(data=st.data())
def test_loops_over_rows_of_any_width_count_on_whatever_happens_to_the_variable(
    width: int, data: st.DataObject
) -> None:
    rows = np.array(data.draw(st.lists(st.integers(5, 9), min_size=4 * width, max_size=4 * width)), np.uint64)
    first, step = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 3))
    both(_rows, rows.reshape(4, width), first, data.draw(st.integers(0, 4)), step, np.zeros(4 * width, np.int64))


def _looks_no_further(numbers: Numbers, at: int) -> bool:
    found = at < len(numbers) and numbers[at] == 3
    return found or (not found and at == _FAR)


@pytest.mark.parametrize(("at", "found"), [(0, True), (1, False), (2, False), (_FAR, True)])
def test_what_does_not_matter_any_more_is_not_looked_at(at: int, found: bool) -> None:
    assert both(_looks_no_further, np.array([3, 4]), at) is found


def _swaps(numbers: Numbers) -> None:
    a, b = numbers[0], numbers[1]
    a, b = b, a
    numbers[0], numbers[1] = a, b
    numbers[2] = numbers[3] = 8


def test_several_are_assigned_at_once() -> None:
    both(_swaps, np.arange(4))


def _calls(code: np.uint64, rows: Words, numbers: Numbers, first: int, at: int) -> int:
    called = call_at(code, rows[first:], len(rows) - first, numbers[at:], numbers, -1)
    return called + numbers[at]


@reproducible(30)
@given(st.integers(0, 3), st.integers(0, 3))
def test_code_of_others_is_given_arrays_from_where_it_is_said(first: int, at: int) -> None:
    def of_others(rows: int, count: int, part: int, whole: int, added: int) -> int:
        words = (ctypes.c_uint64 * (2 * count)).from_address(rows)
        ctypes.c_int64.from_address(part).value += sum(words) + added
        return ctypes.c_int64.from_address(whole).value

    code = ctypes.CFUNCTYPE(ctypes.c_int64, *(ctypes.c_int64,) * 5)(of_others)
    rows, numbers = np.arange(8, dtype=np.uint64).reshape(4, 2), np.arange(10, 14)
    changed = 10 + at + sum(range(2 * first, 8)) - 1
    address = np.uint64(ctypes.cast(code, ctypes.c_void_p).value or 0)
    assert both(_calls, address, rows, numbers, first, at) == (changed if at == 0 else 10) + changed


def _mixes(numbers: Numbers, words: Words) -> int:
    return numbers[0] + words[0]


def _changes_its_sort(words: Words, total: int) -> int:
    total = 0
    total = words[0]
    return total  # noqa: RET504 - what must be refused


def _slices(numbers: Numbers) -> int:
    return len(numbers[1:])


def _divides(number: int) -> int:
    return number // 2


def _asks_elsewhere(number: int) -> int:
    return llvm_of(number, [])  # type: ignore[arg-type, return-value]  # what must be refused


def _takes_a_list(number: int) -> int:
    return [number][0]


def _knows_nothing_of_it(number: int) -> int:
    return number + np.uint8(3)


def _counts_truths(flags: Flags) -> int:
    return np.int64(flags[0] + flags[1])


def _forgets_a_dimension(rows: Words) -> None:
    rows[0, 1] = rows[0]


@pytest.mark.parametrize(
    ("function", "widths", "why"),
    [
        (_mixes, [0, 0], "signed and unsigned do not mix: numbers[0] + words[0]"),
        (_changes_its_sort, [0], "unsigned where signed is wanted: total"),
        (_slices, [0], "this is no function of the same module: len(numbers[1:])"),
        (_divides, [], "loops have no such operator: number // 2"),
        (_asks_elsewhere, [], "this is no function of the same module: llvm_of(number, [])"),
        (_takes_a_list, [], "this is no array: [number][0]"),
        (_knows_nothing_of_it, [], "loops have no such call: np.uint8(3)"),
        (_counts_truths, [0], "truths are not counted: flags[0] + flags[1]"),
        (_forgets_a_dimension, [2], "there are not as many dimensions: 0"),
    ],
)
def test_what_loops_do_not_have_is_refused_with_its_place(
    function: Callable[..., Any], widths: list[int], why: str
) -> None:
    with pytest.raises(SyntaxError) as raised:
        llvm_of(function, widths)
    line = function.__code__.co_firstlineno + 1 + (function is _changes_its_sort)
    assert str(raised.value) == f"{__name__}.{function.__name__}, line {line}: {why}"


@pytest.mark.parametrize("wrong", [np.arange(4.0), np.arange(8)[::2], [1, 2, 3, 4], np.arange(4, dtype=np.int32)])
def test_arrays_that_the_code_is_not_for_never_reach_it(wrong: Any) -> None:
    with pytest.raises(TypeError, match="_swaps takes numbers as an array of int64 in one piece"):
        KeptCode(_swaps)(wrong)

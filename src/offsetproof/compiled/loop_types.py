"""What compiled loops (see `loops`) take and return, and what they may call; all that a call of kept code needs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np

Function = Callable[..., Any]


class Sort(Enum):
    """What a value is; the second part is its LLVM type."""

    NUMBER = ("signed", "i64")
    WORD = ("unsigned", "i64")
    TRUTH = ("true or false", "i1")

    @property
    def words(self) -> str:
        """What it is, for people."""
        return self.value[0]

    @property
    def llvm(self) -> str:
        """How LLVM calls it."""
        return self.value[1]

    @property
    def signs(self) -> str:
        """How the instructions begin that depend on the sign."""
        return "s" if self is Sort.NUMBER else "u"


@dataclass(frozen=True)
class Array:
    """An array of such elements; `width` is the length of its rows, 0 where it has one dimension."""

    element: type[np.generic]
    width: int


Type = Sort | Array

ELEMENTS: dict[type[np.generic], tuple[str, Sort]] = {
    np.uint64: ("i64", Sort.WORD), np.uint32: ("i32", Sort.WORD), np.int64: ("i64", Sort.NUMBER),
    np.int32: ("i32", Sort.NUMBER), np.int8: ("i8", Sort.NUMBER), np.bool_: ("i8", Sort.TRUTH),
}  # fmt: skip
"""How an element lies in memory, and what it is once it is loaded."""

SCALARS: dict[Any, Sort] = {int: Sort.NUMBER, np.int64: Sort.NUMBER, np.uint64: Sort.WORD, bool: Sort.TRUTH}


def touch(array: Any, *index: Any) -> None:
    """Has the processor load an element that will be needed; of no other effect."""


def ones(word: Any) -> int:
    """How many bits of a word are set."""
    return int(word).bit_count()


def read_shared(array: Any, index: Any) -> Any:
    """An element that other threads write: what they wrote before they put it there can be read afterwards."""
    return array[index]


def put_first(array: Any, index: Any, new: Any) -> Any:
    """Puts an element where there is 0, unless another thread does it first; what was there: 0 where it was put."""
    there = array[index]
    if not there:
        array[index] = new
    return there


def take_from(array: Any, index: Any, count: Any) -> Any:
    """Adds to an element that other threads add to as well; what was there before."""
    there = array[index]
    array[index] += count
    return there


def call_at(code: Any, *given: Any) -> int:
    """Calls machine code that takes arrays, each by its address, and numbers; the number that it returns. An array may
    be given from an element or row on (`array[i:]`)."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *(ctypes.c_uint64,) * len(given))
    numbers = [each.ctypes.data if isinstance(each, np.ndarray) else int(each) for each in given]
    return int(prototype(int(code))(*numbers))


@cache
def takes(function: Function) -> Mapping[str, Any]:
    """What a function takes, by name: what an array holds, or a `Sort`."""
    hints = get_type_hints(function)
    del hints["return"]
    return {name: SCALARS.get(hint) or get_args(get_args(hint)[1])[0] for name, hint in hints.items()}


@cache
def returns(function: Function) -> tuple[Sort, ...]:
    """The sorts of what a function returns."""
    returned = get_type_hints(function)["return"]
    if returned is type(None):
        return ()
    return tuple(SCALARS[each] for each in get_args(returned) or (returned,))

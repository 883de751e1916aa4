"""Packing a state into 64-bit words: each variable has a word, a shift and a width; nothing straddles two words.

The top bit of word 0 is always set, so that a packed state is never all zeros and a table can use zero for "empty".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from offsetproof.ir.system import State, System, Variable

Words = npt.NDArray[np.uint64]
"""Packed states, one row each: shape (states, words)."""

USED = 1 << 63
"""The bit of word 0 that every packed state has."""


@dataclass(frozen=True)
class Place:
    """Where one variable sits: value - lo is in `bits` bits of word `word`, from bit `shift` on."""

    word: int
    shift: int
    bits: int
    lo: int

    @property
    def mask(self) -> int:
        """The variable's bits, unshifted."""
        return (1 << self.bits) - 1


class Layout:
    """The places of all variables of a system, wide ones first (first fit)."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.places: dict[str, Place] = {}
        filled = [1]
        self._place(system.variables, filled, 0)
        self.words = len(filled)

    def _place(self, variables: Sequence[Variable], filled: list[int], first: int) -> None:
        """Puts variables into the words from `first` on, which are filled so far, and into as many more as it takes."""
        for variable in sorted(variables, key=lambda v: -v.bits):
            word = self._fit(variable, filled)
            shift = filled[word] - (1 if first + word == 0 else 0)
            self.places[variable.name] = Place(first + word, shift, variable.bits, variable.lo)
            filled[word] += variable.bits

    @staticmethod
    def _fit(variable: Variable, filled: list[int]) -> int:
        for word, used in enumerate(filled):
            if used + variable.bits <= 64:
                return word
        filled.append(0)
        return len(filled) - 1

    @cached_property
    def _places_in_order(self) -> list[Place]:
        return [self.places[v.name] for v in self.system.variables]

    def pack(self, state: State) -> list[int]:
        """The words of a state."""
        words = [USED] + [0] * (self.words - 1)
        for field, value in zip(self._places_in_order, state, strict=True):
            words[field.word] |= (value - field.lo) << field.shift
        return words

    def unpack(self, words: npt.NDArray[np.uint64] | list[int]) -> State:
        """The state of a row of words."""
        numbers = [int(word) for word in words]
        return tuple(((numbers[p.word] >> p.shift) & p.mask) + p.lo for p in self._places_in_order)

    def unpack_all(self, rows: npt.NDArray[np.uint64]) -> list[State]:
        """The states of many rows, a variable at a time."""
        columns = []
        for place in self._places_in_order:
            bits = (rows[:, place.word] >> np.uint64(place.shift)) & np.uint64(place.mask)
            columns.append((bits.astype(np.int64) + place.lo).tolist())
        return [*zip(*columns, strict=True)] if columns else [()] * len(rows)


class HalvedLayout(Layout):
    """As many words in two halves, each with half of the bits, the variables in the order in which they are declared.

    What is declared together changes together, so that a half has few different values (decision 0065).
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.places = {}
        count = _first_half(system.variables)
        left, right = [1], [0]
        self._place(system.variables[:count], left, 0)
        half = len(left)
        self._place(system.variables[count:], right, half)
        if len(right) > half:
            half = len(right)
            self._place(system.variables[count:], [0], half)
        self.words = 2 * half


def _first_half(variables: Sequence[Variable]) -> int:
    """How many of the variables, from the first on, have half of the bits."""
    bits, before = sum(variable.bits for variable in variables), 0
    for number, variable in enumerate(variables):
        if 2 * before + variable.bits >= bits:
            return number
        before += variable.bits
    return len(variables)

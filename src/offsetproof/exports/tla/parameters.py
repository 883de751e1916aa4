"""The parameters of an action, and what in its instances may be written with them: numbers, indices, sets, questions.

The instances are rows. A number stands for a column of values, one per row; whichever parameter is chosen for it, it
has the column's value in every row, so a choice can be odd but never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import or_
from typing import TypeVar

from offsetproof.exports.tla.families import Family, Flavour, Index
from offsetproof.exports.tla.terms import SIGNS, Comparison, Membership, Number, Offsets, Place, Question

Item = TypeVar("Item")

Rows = tuple[int, ...]
"""Which instances are meant, as positions among all of the action's."""


def only(items: Sequence[Item], places: Iterable[int]) -> tuple[Item, ...]:
    """The items at these places."""
    return tuple(items[i] for i in places)


@dataclass(frozen=True)
class Parameter:
    """An action's parameter: its TLA+ name, the name of its sort, and its value in each row."""

    name: str
    sort: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Parameters:
    """All parameters of an action, in order."""

    all: tuple[Parameter, ...] = ()

    def number(self, values: Sequence[int], rows: Rows, flavour: Flavour | None = None) -> Number | None:
        """One number for all rows: the same one, or a parameter plus a number, or a number minus a parameter.

        Members of an enum follow a parameter of that enum only.
        """
        if len(set(values)) == 1:
            return Number(values[0])
        numbers = []
        for sign in (1, -1):
            for parameter in self.all:
                offsets = {v - sign * parameter.values[row] for row, v in zip(rows, values, strict=True)}
                if len(offsets) == 1:
                    numbers.append(Number(offsets.pop(), parameter.name, sign))
        if flavour is not None and flavour.members is not None:
            named = [parameter.name for parameter in self.all if parameter.sort == flavour.members.__name__]
            numbers = [n for n in numbers if n.parameter in named and n.sign > 0 and n.offset == int(flavour.optional)]
        return min(numbers, key=lambda number: not number.is_simple, default=None)

    def offsets(self, masks: Sequence[int], rows: Rows) -> Offsets | None:
        """One constant set for all rows: the same one, one element, all but one, or all below one."""
        every = reduce(or_, masks)
        if len(set(masks)) == 1:
            return Offsets(every)
        for form, elements in (
            ("only", [mask.bit_length() - 1 for mask in masks if mask.bit_count() == 1]),
            ("but", [(every & ~mask).bit_length() - 1 for mask in masks if (every & ~mask).bit_count() == 1]),
            ("below", [mask.bit_length() for mask in masks if mask & (mask + 1) == 0]),
        ):
            number = self.number(elements, rows) if len(elements) == len(masks) else None
            if number is not None:
                return Offsets(every if form == "but" else 0, **{form: number})
        return None

    def place(self, family: Family, indices: Sequence[Index], rows: Rows) -> Place | None:
        """One index into a family for all rows; strings must be the same in all."""
        parts: list[Number | str] = []
        for depth, column in enumerate(zip(*indices, strict=True)):
            numbers = [value for value in column if isinstance(value, int)]
            if not numbers and len(set(column)) == 1:
                parts.append(column[0])
                continue
            if len(numbers) < len(column):
                return None
            number = self._meant(numbers, rows, family.components[depth], depth) or self.number(numbers, rows)
            if number is None:
                return None
            parts.append(number)
        return tuple(parts)

    def _meant(self, values: Sequence[int], rows: Rows, component: str, depth: int) -> Number | None:
        """The parameter that an index stands for: the one of the component's name, else the one in its place."""
        same = [p for p in self.all if only(p.values, rows) == tuple(values)]
        named = [p for p in same if p.sort == component]
        placed = [p for p in self.all[depth : depth + 1] if p in same]
        return next((Number(0, parameter.name) for parameter in (*named, *placed)), None)

    def test(self, chosen: Rows, others: Rows) -> Question:
        """A question about as few parameters as possible that tells the chosen rows from the others."""
        telling = [p for p in self.all if not set(only(p.values, chosen)) & set(only(p.values, others))]
        if telling:
            parameters = [min(telling, key=lambda p: len(set(only(p.values, chosen))))]
        else:
            compared = self._comparison(chosen, others)
            if compared is not None:
                return compared
            parameters = [p for p in self.all if len(set(only(p.values, chosen + others))) > 1]
        values = {tuple(parameter.values[row] for parameter in parameters) for row in chosen}
        return Membership(tuple(parameter.name for parameter in parameters), tuple(sorted(values)))

    def _comparison(self, chosen: Rows, others: Rows) -> Comparison | None:
        """A comparison of two parameters that tells the rows apart; of one sort, if there are such."""
        pairs = sorted(combinations(self.all, 2), key=lambda pair: pair[0].sort != pair[1].sort)
        for first, second in pairs:
            for sign, holds in SIGNS.items():
                truths = [{holds(first.values[row], second.values[row]) for row in rows} for rows in (chosen, others)]
                if truths == [{True}, {False}]:
                    return Comparison(first.name, sign, second.name)
        return None

    def passes(self, test: Question, row: int) -> bool:
        """Is the answer yes in this row?"""
        values = {parameter.name: parameter.values[row] for parameter in self.all}
        if isinstance(test, Comparison):
            return SIGNS[test.sign](values[test.first], values[test.second])
        return tuple(values[name] for name in test.parameters) in test.values

    def within(self, bound: Parameter, origins: Sequence[int]) -> Parameters:
        """The parameters with one more, over other rows: row i was `origins[i]` before."""
        spread = [replace(p, values=only(p.values, origins)) for p in self.all]
        return Parameters((*spread, bound))

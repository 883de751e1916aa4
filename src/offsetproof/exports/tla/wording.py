"""Wording: the names by which expressions speak of numbers, of the module's own operators, and of sets of keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from offsetproof.exports.tla.families import Flavour
from offsetproof.exports.tla.layout import ATOM, SUM, Text
from offsetproof.exports.tla.terms import Number


@dataclass(frozen=True)
class Words:
    """The module's names for what expressions speak of: enum members, the cap on faults, and its own operators.

    `keys` gives the set of an index's values, by the component that the index chooses of.
    """

    keys: Callable[[str, Sequence[int]], str]
    members: Mapping[Enum, str]
    cap: str
    none: str
    some: str
    value: str
    lowest: str
    highest: str
    quotient: str
    remainder: str

    def constant(self, number: Number, flavour: Flavour | None) -> Text:
        """An integer, by name where it is known what it stands for."""
        if flavour is None or (flavour.optional and flavour.lo != 0):
            return _number(number)
        if flavour.optional and number == Number(0):
            return Text(self.none)
        if flavour.optional:
            inner = self.constant(Number(number.offset - 1, number.parameter, number.sign), flavour.inner)
            return Text(f"{self.some}({inner.flat})")
        if flavour.members and number.parameter is None and 0 <= number.offset < len(flavour.members):
            return Text(self.members[tuple(flavour.members)[number.offset]])
        return _number(number)


def _number(number: Number) -> Text:
    return Text(number.text, ATOM if number.is_simple else SUM)

"""Families: the leaves of a model that differ only in their indices are one TLA+ variable.

`consumer[0].process_queue[1].dropped` is `consumer_process_queue_dropped[0][1]`: a function for each index. With all
indices in one tuple TLC would compare tuples to find a value, and where there are more than ten of them it would first
make a hash index, for each new value (docs/measurements.md). Slicing may leave some leaves of a family out; the domains
are then exactly the indices that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from offsetproof.exports.identifiers import Identifiers
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import System, Variable
from offsetproof.lang.domain import Domain, Members, Optionals

Index = tuple[int | str, ...]
"""The indices in a leaf's path, in order."""

_BRACKETS = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True)
class Flavour:
    """What a family's integers stand for, where that is more than numbers: members of an enum, or None and values.

    Of an optional, 0 is None and n stands for the inner value `lo` + n - 1.
    """

    members: type[Enum] | None = None
    optional: bool = False
    lo: int = 0

    @property
    def inner(self) -> Flavour | None:
        """What the values of an optional stand for."""
        return Flavour(self.members) if self.members else None


def flavour_of(domain: Domain | None) -> Flavour | None:
    """What a domain's integers stand for."""
    if isinstance(domain, Members):
        return Flavour(domain.kind)
    if isinstance(domain, Optionals):
        inner = domain.inner
        return Flavour(inner.kind if isinstance(inner, Members) else None, True, inner.lo)
    return None


@dataclass(frozen=True, eq=False)
class Family:
    """One TLA+ variable: its name, the leaves behind it by index, and what their integers stand for.

    `components[i]` is the component (or field) that index i chooses of. A family without indices has one leaf, at ().
    """

    name: str
    path: str
    components: tuple[str, ...]
    leaves: Mapping[Index, Variable]
    flavour: Flavour | None

    @property
    def sort(self) -> Sort:
        """The sort of every leaf."""
        return next(iter(self.leaves.values())).sort

    @property
    def ghost(self) -> bool:
        """Is it history that only claims read?"""
        return all(leaf.ghost for leaf in self.leaves.values())

    @cached_property
    def levels(self) -> tuple[Mapping[Index, tuple[int | str, ...]], ...]:
        """For each index in turn: the values that it has, by the indices before it."""
        levels: list[dict[Index, dict[int | str, None]]] = [{} for _ in self.components]
        for index in self.leaves:
            for depth, part in enumerate(index):
                levels[depth].setdefault(index[:depth], {})[part] = None
        return tuple({index: tuple(parts) for index, parts in level.items()} for level in levels)

    @cached_property
    def order(self) -> Mapping[Index, int]:
        """Where each index, or the beginning of one, comes first among the leaves."""
        starts = [index[:depth] for index in self.leaves for depth in range(len(index) + 1)]
        return {index: number for number, index in enumerate(dict.fromkeys(starts))}


def index_text(index: Index) -> str:
    """An index tuple as a TLA+ value.

    >>> index_text((0, "RED")), index_text((1,))
    ('<<0, "RED">>', '1')
    """
    texts = [f'"{part}"' if isinstance(part, str) else str(part) for part in index]
    return texts[0] if len(texts) == 1 else f"<<{', '.join(texts)}>>"


def enumeration(values: Iterable[int | str]) -> str:
    """A set of numbers or strings, as a range where that is shorter.

    >>> enumeration([0, 1, 2]), enumeration([3]), enumeration(["a", "b"])
    ('0..2', '{3}', '{"a", "b"}')
    """
    items = list(values)
    numbers = [item for item in items if isinstance(item, int)]
    if len(numbers) == len(items) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]}..{numbers[-1]}"
    return "{" + ", ".join(index_text((item,)) for item in items) + "}"


class Families:
    """All families of a system, in the order of their first leaves; the fault cap is a constant and not among them."""

    def __init__(self, system: System, domains: Mapping[str, Domain], names: Identifiers) -> None:
        grouped: dict[tuple[str, int, Sort], dict[Index, Variable]] = {}
        for variable in system.variables:
            if variable.name != CAP:
                index = index_of(variable.name)
                key = (_BRACKETS.sub("", variable.name), len(index), variable.sort)
                grouped.setdefault(key, {})[index] = variable
        self.all = tuple(_family(path, leaves, domains, names) for (path, _, _), leaves in grouped.items())
        self.of = {leaf.name: (family, index) for family in self.all for index, leaf in family.leaves.items()}


def index_of(path: str) -> Index:
    """The indices in a leaf's path.

    >>> index_of("consumer[0].bag[RED,1]")
    (0, 'RED', 1)
    """
    texts = [part for bracket in _BRACKETS.findall(path) for part in bracket.split(",")]
    return tuple(int(text) if re.fullmatch(r"-?\d+", text) else text for text in texts)


def _family(path: str, leaves: Mapping[Index, Variable], domains: Mapping[str, Domain], names: Identifiers) -> Family:
    flavours = {flavour_of(domains.get(leaf.name)) for leaf in leaves.values()}
    first = next(iter(leaves.values())).name
    components = [
        part.partition("[")[0]
        for part in first.split(".")
        for bracket in _BRACKETS.findall(part)
        for _ in bracket.split(",")
    ]
    flavour = flavours.pop() if len(flavours) == 1 else None
    return Family(names.fresh(path.replace(".", "_")), path, tuple(components), leaves, flavour)

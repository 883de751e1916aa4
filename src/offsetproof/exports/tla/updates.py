"""Updates: what a family is after a step, said by EXCEPT or by functions, whichever takes fewer words.

A step that shifts a queue writes each of its places. As a function, `[i \\in 0..2 |-> ...]`, that is said once, and TLC
copies the value once instead of once per place. What stands in a function depends on what it ranges over and cannot be
shared with the rest of the operator: where a part of it is worth a name, and where a function would only tell all of
its keys apart, it is EXCEPT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from offsetproof.exports.tla.expressions import worth_names
from offsetproof.exports.tla.families import Family, Index
from offsetproof.exports.tla.parameters import Parameter, Rows, only
from offsetproof.exports.tla.terms import (
    Apply,
    Choice,
    Comparison,
    Constant,
    Except,
    Function,
    Number,
    Offsets,
    Place,
    Question,
    Read,
    Term,
    below,
)
from offsetproof.exports.tla.unify import Unifier, classes_of
from offsetproof.ir.node import Node, topological

Writes = Sequence[tuple[Index, Node]]
"""What one row writes to a family: leaves by index, with their new values."""

Group = tuple[Index, Writes]
"""Writes of one row whose indices begin alike, and how they begin."""

Order = Callable[[int, Index], Any]
"""A key to sort the groups of a row by."""

PAIRS_MAX = 1000
"""Where instances and keys make more pairs than this, functions are not tried: one term for all of them takes long."""


@dataclass(frozen=True)
class Updates:
    """Makes the terms of updates. `named` are nodes that have a name in the whole operator, `bound` names to bind."""

    unifier: Unifier
    bound: Sequence[str]
    named: frozenset[Node] = frozenset()

    def of(self, family: Family, writes: Sequence[Writes]) -> Term:
        """The family after the step in which row i writes writes[i]."""
        return self._part(family, (), writes)

    def _part(self, family: Family, place: Place, writes: Sequence[Writes]) -> Term:
        """The family's part at a place after the step: the form with the fewest words, of equals the plainest."""
        depths = range(len(family.components), len(place) - 1, -1)
        forms = [form for depth in depths for form in self._forms(family, place, writes, depth)]
        return min(forms, key=_words_in)

    def _forms(self, family: Family, place: Place, writes: Sequence[Writes], depth: int) -> Iterator[Term]:
        """The forms in which what is replaced lies at this depth: one for each order of writes that may unify."""
        if depth < len(family.components) and not self._is_for_functions(family, writes, depth):
            return
        grouped = [_group_writes(written, depth) for written in writes]
        tried: list[list[list[Group]]] = []
        for order in self._orders(family):
            groups = [sorted(row, key=lambda group: order(i, group[0])) for i, row in enumerate(grouped)]
            if groups in tried:
                continue
            tried.append(groups)
            form = self._replacement(family, place, groups, self.unifier.all, depth)
            if all(_is_worth_it(term) for term in below((form,)) if isinstance(term, Function)):
                yield form

    def _orders(self, family: Family) -> tuple[Order, ...]:
        """As they are written, as the family has them, and those together that follow the same parameters."""
        parameters = self.unifier.parameters.all

        def by_parameters(row: int, index: Index) -> Any:
            follows = [[i for i, p in enumerate(parameters) if p.values[row] == part] for part in index]
            return follows, family.order[index]

        return lambda row, index: 0, lambda row, index: family.order[index], by_parameters

    def _is_for_functions(self, family: Family, writes: Sequence[Writes], depth: int) -> bool:
        """Is the index at this depth a number, are half of its keys or more written, and nothing that is named?"""
        level = family.levels[depth]
        if any(isinstance(key, str) for keys in level.values() for key in keys):
            return False
        groups = [group for row in writes for group in _group_writes(row, depth)]
        counts = [(len(level[index]), len(_group_writes(group, depth + 1))) for index, group in groups]
        if sum(keys for keys, _ in counts) > PAIRS_MAX or all(max(2, keys / 2) > written for keys, written in counts):
            return False
        return self.named.isdisjoint(topological(node for row in writes for _, node in row))

    def _replacement(
        self, family: Family, place: Place, groups: Sequence[Sequence[Group]], rows: Rows, depth: int
    ) -> Term:
        """The part at a place with what each group writes; rows that do not write in corresponding places are asked."""

        def fits(positions: Sequence[int]) -> bool:
            return self._places(family, only(groups, positions), only(rows, positions)) is not None

        def replacement_at(positions: Sequence[int]) -> Term:
            return self._replacement(family, place, only(groups, positions), only(rows, positions), depth)

        classes = classes_of(rows, fits)
        if len(classes) > 1:
            return self.unifier.choice(classes, rows, replacement_at)
        changes = []
        for full_place, column in zip(self._places(family, groups, rows) or (), zip(*groups, strict=True), strict=True):
            rest = full_place[len(place) :]
            changes.append((rest, self._value(family, (*place, *rest), [writes for _, writes in column], rows)))
        return Except(family, place, tuple(changes))

    def _places(self, family: Family, groups: Sequence[Sequence[Group]], rows: Rows) -> list[Place] | None:
        """Where the rows write; None where they do not write in corresponding places."""
        if len({len(row) for row in groups}) > 1:
            return None
        columns = [[index for index, _ in column] for column in zip(*groups, strict=True)]
        candidates = [self.unifier.parameters.place(family, column, rows) for column in columns]
        places = [place for place in candidates if place is not None]
        return places if len(places) == len(candidates) else None

    def _value(self, family: Family, place: Place, writes: Sequence[Writes], rows: Rows) -> Term:
        """What stands at a place after the step: a leaf's value, or a function of the next index."""
        depth = len(place)
        if depth == len(family.components):
            return self.unifier.term([node for ((_, node),) in writes], rows, family.flavour)
        keys = [_numbers(family.levels[depth][row[0][0][:depth]]) for row in writes]
        pairs = [(i, key) for i, numbers in enumerate(keys) for key in numbers]
        bound = Parameter(self.bound[depth], family.components[depth], tuple(key for _, key in pairs))
        inner = replace(self, unifier=self.unifier.within(bound, [rows[i] for i, _ in pairs]))
        below_key = [tuple(write for write in writes[i] if write[0][depth] == key) for i, key in pairs]
        body = inner._part(family, (*place, Number(0, bound.name)), below_key)
        return Function(family, place, keys[0] if len(set(keys)) == 1 else None, bound.name, body)


def _group_writes(writes: Writes, depth: int) -> list[Group]:
    """Writes put together by the first `depth` parts of their indices."""
    groups: dict[Index, list[tuple[Index, Node]]] = {}
    for index, node in writes:
        groups.setdefault(index[:depth], []).append((index, node))
    return list(groups.items())


def _numbers(keys: Sequence[int | str]) -> tuple[int, ...]:
    return tuple(key for key in keys if isinstance(key, int))


def _is_worth_it(function: Function) -> bool:
    """Does a function tell fewer cases apart than it has keys, and repeat nothing long that depends on them?"""
    level = function.family.levels[len(function.place)]
    keys = max(map(len, level.values())) if function.keys is None else len(function.keys)
    cases = [t for t in below((function.body,)) if isinstance(t, Choice) and function.bound in _asked_in(t.test)]
    repeated = [part for part in worth_names((function.body,), {}) if function.bound in _parameters_in(part)]
    return len(cases) + 1 < keys and not repeated


def _words_in(root: Term) -> int:
    """How many names, numbers and signs a term has when nothing in it is given a name."""
    known: dict[Term, int] = {}
    for term in below((root,)):
        own = _own_words(term)
        known[term] = own + sum(known[part] for part in term.parts)
    return known[root]


def _own_words(term: Term) -> int:
    """The words of a term beside those of its parts."""
    if isinstance(term, Apply):
        return max(1, len(term.args) - 1)
    if isinstance(term, Choice):
        question = term.test
        return 3 + (3 if isinstance(question, Comparison) else 2 + len(question.values) * len(question.parameters))
    if isinstance(term, Function):
        return 3 if term.keys is not None else 4 + _words_of(term.place)
    if isinstance(term, Except):
        own = 1 + _words_of(term.place)
        if any(place for place, _ in term.changes):
            return own + 1 + sum(2 + _words_of(place) for place, _ in term.changes)
        return 0 if term.changes else own
    if isinstance(term, Read):
        return 1 + _words_of(term.index)
    return 1


def _words_of(place: Place) -> int:
    return sum(1 if isinstance(part, str) or part.is_simple else 3 for part in place)


def _parameters_in(root: Term) -> set[str]:
    """The names of the parameters that a term speaks of, what is bound in it included."""
    return {name for term in below((root,)) for name in _own_names(term)}


def _asked_in(question: Question) -> tuple[str, ...]:
    """The names of the parameters that a question is about."""
    if isinstance(question, Comparison):
        return question.first, question.second
    return question.parameters


def _own_names(term: Term) -> Iterator[str]:
    """The names in a term beside those in its parts."""
    if isinstance(term, Choice):
        yield from _asked_in(term.test)
    for part in _numbers_in(term):
        if isinstance(part, Number) and part.parameter is not None:
            yield part.parameter


def _numbers_in(term: Term) -> Iterator[Number | str | None]:
    if isinstance(term, Read):
        yield from term.index
    if isinstance(term, Constant):
        yield term.number
    if isinstance(term, Offsets):
        yield from (term.only, term.but, term.below)
    if isinstance(term, Apply):
        yield term.empty
    if isinstance(term, Function):
        yield from term.place
    if isinstance(term, Except):
        yield from term.place
        yield from (part for place, _ in term.changes for part in place)

"""Shapes: families as nested functions, one for each index, in the type invariant and in the initial states.

Slicing may leave different keys below different indices. What differs from place to place is written with the names
that the indices are bound to: `[i \\in 0..2 |-> [j \\in (0..2) \\ {i} |-> 0]]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from offsetproof.exports.tla.expressions import membership_text
from offsetproof.exports.tla.families import Family, Index, index_text
from offsetproof.exports.tla.layout import ATOM, SETS, Text, conditional, infix, junction
from offsetproof.exports.tla.vocabulary import Vocabulary


@dataclass(frozen=True)
class _Varying:
    """A text, and how many of the bound indices, from the first on, it may speak of."""

    text: Text
    indices: int = 0


class Shape:
    """The domains of one family, index by index."""

    def __init__(self, vocabulary: Vocabulary, family: Family) -> None:
        self._vocabulary, self._family = vocabulary, family
        self._bound = vocabulary.bound[: len(family.components)]
        self._domains = [self._domain(depth) for depth in range(len(family.components))]

    def types(self, ranges: Mapping[Index, str]) -> list[str]:
        """What is true of the family where each leaf has its range of values."""
        by_leaf = {index: Text(text, SETS) for index, text in ranges.items()}
        return list(self._type_of_part(self._family.name, 0, self._by_place(by_leaf)))

    def function(self, values: Mapping[Index, str]) -> str:
        """The family where each leaf has its value."""
        return self._nest(self._by_place({index: Text(text) for index, text in values.items()}).text.flat)

    def functions(self, values: Mapping[Index, Sequence[str]]) -> str:
        """The set of all that the family may be where each leaf has one of its values."""
        every = list(dict.fromkeys(value for choices in values.values() for value in choices))
        narrow = {index: choices for index, choices in values.items() if len(choices) < len(every)}
        one, whole = self._vocabulary.local("f"), f"{{{', '.join(every)}}}"
        if not any(domain.indices for domain in self._domains):
            places = {index: one + "".join(f"[{index_text((part,))}]" for part in index) for index in narrow}
            return _such_that(one, self._function_set(0, whole), places, narrow)
        # TLA+ writes no set of functions whose domains differ, so these are made from functions of whole indices.
        places = {index: f"{one}[{index_text(index)}]" for index in narrow}
        flat = _such_that(one, f"[{{{', '.join(map(index_text, values))}}} -> {whole}]", places, narrow)
        nested = self._nest(f"{one}[{', '.join(self._bound)}]")
        return f"{{{nested} : {one} \\in {flat}}}"

    def _type_of_part(self, place: str, depth: int, ranges: _Varying) -> Iterator[str]:
        """The same of a part of the family: by a set of functions where what follows is alike for all of its keys."""
        below = self._domains[depth:]
        if all(varying.indices <= depth for varying in (*below, ranges)):
            yield f"{place} \\in {self._function_set(depth, ranges.text.within(SETS).flat)}"
            return
        domain, bound = below[0].text.flat, self._bound[depth]
        yield f"DOMAIN {place} = {domain}"
        inner = junction("/\\", [Text(text) for text in self._type_of_part(f"{place}[{bound}]", depth + 1, ranges)])
        yield f"\\A {bound} \\in {domain} : {inner.flat}"

    def _function_set(self, depth: int, ranges: str) -> str:
        for domain in reversed(self._domains[depth:]):
            ranges = f"[{domain.text.flat} -> {ranges}]"
        return ranges

    def _nest(self, value: str) -> str:
        """Functions of one index each, down to a value."""
        for bound, domain in zip(reversed(self._bound), reversed(self._domains), strict=True):
            value = f"[{bound} \\in {domain.text.flat} |-> {value}]"
        return value

    def _domain(self, depth: int) -> _Varying:
        """The keys at a depth: the same everywhere, or all but one of the indices before, or told apart."""
        component, level = self._family.components[depth], self._family.levels[depth]
        every = sorted({key for keys in level.values() for key in keys if isinstance(key, int)})
        for i in range(depth if len(set(level.values())) > 1 else 0):
            if all(list(keys) == [key for key in every if key != index[i]] for index, keys in level.items()):
                whole = _set_text(self._vocabulary.keys(component, every))
                return _Varying(infix(whole.within(ATOM), "\\", Text(f"{{{self._bound[i]}}}"), SETS), i + 1)
        sets = {index: _set_text(self._vocabulary.keys(component, keys)) for index, keys in level.items()}
        domain = self._by_place(sets)
        return _Varying(domain.text.within(SETS), domain.indices)

    def _by_place(self, texts: Mapping[Index, Text]) -> _Varying:
        """The text of every index: one text for all of them, or questions about as few indices as tell them apart."""
        alike = Counter(text.flat for text in texts.values())
        if len(alike) == 1:
            return _Varying(next(iter(texts.values())))
        telling = self._telling_indices(texts)
        names = tuple(self._bound[i] for i in telling)
        chosen: dict[str, dict[Index, None]] = {flat: {} for flat in alike}
        for index, text in texts.items():
            chosen[text.flat][tuple(index[i] for i in telling)] = None
        if alike.keys() == {"TRUE", "FALSE"}:
            return _Varying(membership_text(names, tuple(chosen["TRUE"])), max(telling) + 1)
        usual, *others = (flat for flat, _ in alike.most_common())
        choice = Text(usual)
        for flat in others:
            choice = conditional(membership_text(names, tuple(chosen[flat])), Text(flat), choice)
        return _Varying(choice, max(telling) + 1)

    def _telling_indices(self, texts: Mapping[Index, Text]) -> list[int]:
        """One index that tells the texts apart, if there is one; else all."""
        whole = list(range(len(next(iter(texts)))))
        for i in whole:
            if len({(index[i], text.flat) for index, text in texts.items()}) == len({index[i] for index in texts}):
                return [i]
        return whole


def _set_text(keys: str) -> Text:
    return Text(keys, SETS if ".." in keys else ATOM)


def _such_that(one: str, whole: str, places: Mapping[Index, str], narrow: Mapping[Index, Sequence[str]]) -> str:
    """The members of a set of functions that have some of the values at each of the places."""
    if not narrow:
        return whole
    conditions = junction("/\\", [Text(f"{places[index]} {is_or_in(choices)}") for index, choices in narrow.items()])
    return f"{{{one} \\in {whole} : {conditions.flat}}}"


def is_or_in(values: Sequence[str]) -> str:
    """What is said of something that has one of these values."""
    return f"= {values[0]}" if len(values) == 1 else f"\\in {{{', '.join(values)}}}"

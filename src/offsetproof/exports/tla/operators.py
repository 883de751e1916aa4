"""Operators with an action's parameters: what holds of all of its instances, said once, and ranging over them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from offsetproof.exports.tla.families import enumeration, index_text
from offsetproof.exports.tla.layout import OPEN, Row, Text
from offsetproof.exports.tla.parameters import Parameter, Parameters
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.system import Instance
from offsetproof.lang.scope import Index, SortOfParameter


class ActionOperator:
    """Some instances of one action, with their parameters and a unifier over them."""

    def __init__(self, vocabulary: Vocabulary, instances: Sequence[Instance]) -> None:
        self.vocabulary, self.instances = vocabulary, tuple(instances)
        self.action = vocabulary.export.actions[self.instances[0].label[0]]
        self.parameters = tuple(
            Parameter(
                vocabulary.local(name),
                sort.name if isinstance(sort, Index) else sort.__name__,
                tuple(_code(sort, inst.label[1][i][1]) for inst in self.instances),
            )
            for i, (name, sort) in enumerate(self.action.sorts)
        )
        self.unifier = Unifier(vocabulary.families, Parameters(self.parameters), len(self.instances))

    @property
    def call(self) -> str:
        """The action's name with its parameters: `ConsumerPulls(c, life)`."""
        name = self.vocabulary.actions[self.action.name]
        return f"{name}({', '.join(p.name for p in self.parameters)})" if self.parameters else name

    def over(self, quantifier: str, body: Text) -> Text:
        """The body of some (`\\E`) or of all (`\\A`) of the instances."""
        for bounds in reversed(self._ranges() if self.parameters else []):
            start = f"{quantifier} {bounds} :"
            body = Text(f"{start} {body.flat}", OPEN, (Row("", Text(start)), Row("  ", body)))
        return body

    def _ranges(self) -> list[str]:
        """What the parameters range over, quantifier by quantifier: their sorts, as far as they take every value."""
        names = [parameter.name for parameter in self.parameters]
        columns = [sorted(set(parameter.values)) for parameter in self.parameters]
        taken = list(zip(*(parameter.values for parameter in self.parameters), strict=True))
        sets = []
        for (_, sort), column in zip(self.action.sorts, columns, strict=True):
            name, values = self.vocabulary.sort_set(sort)
            sets.append(name if column == values else enumeration(column))
        if set(taken) == set(product(*columns)):
            return [", ".join(f"{name} \\in {values}" for name, values in zip(names, sets, strict=True))]
        if len(names) == 2 and set(taken) == {(a, b) for a, b in product(*columns) if a != b}:
            rest = f"({sets[1]})" if ".." in sets[1] else sets[1]
            return [f"{names[0]} \\in {sets[0]}", f"{names[1]} \\in {rest} \\ {{{names[0]}}}"]
        return [f"<<{', '.join(names)}>> \\in {{{', '.join(map(index_text, taken))}}}"]


def _code(sort: SortOfParameter, value: int | str) -> int:
    """An argument in a label as the integer that stands for it."""
    if isinstance(sort, Index):
        assert isinstance(value, int)
        return value
    return [member.name for member in sort].index(str(value))

"""The vocabulary of a module: the names of its variables, constants, sorts, actions and invariants.

`Words` is the part of it that expressions speak with: numbers by the names of what they stand for, the module's own
operators, and sets of keys.
Global names are given out first and keep the model's own wherever TLA+ allows; bound names (parameters, LETs) then
avoid them, because TLA+ forbids that a bound name hides a declared one. A name is the same whenever it is made for the
same export, so that a trace can be read back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from offsetproof.exports.exported import Exported
from offsetproof.exports.identifiers import Identifiers, spell_in_tla
from offsetproof.exports.tla.families import Families, Family, Flavour, enumeration
from offsetproof.exports.tla.layout import ATOM, SUM, Text
from offsetproof.exports.tla.terms import Number
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import topological
from offsetproof.lang.scope import Index, SortOfParameter, values_of

FIXED = (
    *("vars", "nothing", "TypeOK", "Init", "Next", "Spec", "FairSpec", "MaxFaults"),
    *("None", "Some", "Value", "Optional", "Lowest", "Highest", "Quotient", "Remainder"),
)
"""What every module may define, by these names unless the model is called so itself."""


def camel(text: str) -> str:
    """An action's name as TLA+ people write operators.

    >>> camel("broker_executes_commit")
    'BrokerExecutesCommit'
    """
    return "".join(part[:1].upper() + part[1:] for part in text.split("_"))


class EndingNames(NamedTuple):
    """What a claim about runs is called in a module: its formula, and the two predicates that it is made of."""

    whole: str
    owes: str
    comes: str


class Vocabulary:
    """The names of one export."""

    def __init__(self, export: Exported) -> None:
        self.export = export
        self._names = names = Identifiers(spell_in_tla)
        self.module = names.fresh(camel(export.model.__name__))
        self.fixed = {name: names.fresh(name) for name in FIXED}
        self.families = Families(export.system, export.domains, names)
        self.groups = self._group_families()
        taken = dict.fromkeys(inst.label[0] for inst in export.system.instances)
        self.actions = {name: names.fresh(camel(name)) for name in taken}
        self.invariants = {condition.claim: names.fresh(condition.claim) for condition in export.conditions}
        self.endings = {
            ending.claim: EndingNames(*(names.fresh(ending.claim + part) for part in ("", "_owes", "_comes")))
            for ending in export.endings
        }
        self.enums = {kind: names.fresh(kind.__name__) for kind in self._enums()}
        self.members = {m: names.fresh(f"{name}_{m.name}") for kind, name in self.enums.items() for m in kind}
        self.sorts = {
            sort: names.fresh(camel(sort.name)) for sort in self._parameter_sorts() if isinstance(sort, Index)
        }
        self._locals: dict[tuple[str, str], str] = {}

    def local(self, wanted: str, use: str = "parameter") -> str:
        """A bound name: the same for the same wish and use, and never one that is declared or has another use."""
        if (use, wanted) not in self._locals:
            self._locals[use, wanted] = self._names.fresh(wanted)
        return self._locals[use, wanted]

    @cached_property
    def bound(self) -> tuple[str, ...]:
        """What functions range over, by the depth of the index; no action has a parameter of one of these names."""
        wished = {name for action in self.actions for name, _ in self.export.actions[action].sorts}
        deepest = max((len(family.components) for family in self.families.all), default=0)
        letters = [letter for letter in "ijkhlstuvwxyz" if letter not in wished]
        names = [*letters, *(f"i_{depth}" for depth in range(deepest))]
        return tuple(self.local(name) for name in names[:deepest])

    def keys(self, component: str, keys: Sequence[int | str]) -> str:
        """The values of an index as a TLA+ set: by the name of the component's own sort where they are all of it."""
        for sort, name in self.sorts.items():
            if sort.name == component and list(sort.values(self.export.setting.scope)) == list(keys):
                return name
        return enumeration(keys)

    @cached_property
    def words(self) -> Words:
        """What expressions need of the vocabulary."""
        wanted = ("MaxFaults", "None", "Some", "Value", "Lowest", "Highest", "Quotient", "Remainder")
        return Words(self.keys, self.members, *(self.fixed[name] for name in wanted))

    @property
    def capped(self) -> bool:
        """Is there a cap on faults?"""
        return CAP in self.export.system.by_name

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of nodes that the system's behaviour and its conditions are made of."""
        roots = [node for inst in self.export.system.instances for node in (inst.enabled, *inst.updates.values())]
        roots += [condition.node for condition in self.export.conditions]
        roots += [node for each in self.export.endings for node in (each.premise, each.comes) if node is not None]
        return frozenset(node.kind for node in topological(roots))

    def sort_set(self, sort: SortOfParameter) -> tuple[str, list[int]]:
        """The name of the set of a parameter's values, and the integers that stand for them."""
        if isinstance(sort, Index):
            return self.sorts[sort], list(sort.values(self.export.setting.scope))
        return self.enums[sort], list(range(len(values_of(sort, self.export.setting.scope))))

    def _group_families(self) -> dict[str, tuple[Family, ...]]:
        """The families of each component that has several, by a name for all of them."""
        parts: dict[str, list[Family]] = {}
        for family in self.families.all:
            parts.setdefault(family.path.rpartition(".")[0], []).append(family)
        named = [(part.replace(".", "_"), group) for part, group in parts.items() if part and len(group) > 1]
        return {self._names.fresh(f"{name}_vars"): tuple(group) for name, group in named}

    def _enums(self) -> list[type[Enum]]:
        held = [family.flavour.members for family in self.families.all if family.flavour and family.flavour.members]
        return list(dict.fromkeys([*held, *(s for s in self._parameter_sorts() if not isinstance(s, Index))]))

    def _parameter_sorts(self) -> list[SortOfParameter]:
        return list(dict.fromkeys(sort for name in self.actions for _, sort in self.export.actions[name].sorts))


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

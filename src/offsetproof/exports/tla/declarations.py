"""Declarations: a module's operators, sorts, constants and variables, the type of its states and how it starts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from offsetproof.exports.identifiers import spell_in_tla
from offsetproof.exports.tla.expressions import Writer
from offsetproof.exports.tla.families import Family, enumeration
from offsetproof.exports.tla.layout import NOT, WIDTH, fill_lines
from offsetproof.exports.tla.shapes import Shape, is_or_in
from offsetproof.exports.tla.terms import Constant, Number, Offsets
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.build import TRUE
from offsetproof.ir.faults import SPENT, fault_budget
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.system import Variable


def own_operators(vocabulary: Vocabulary) -> Iterator[str]:
    """Definitions of the module's own operators, as far as it needs them."""
    own = vocabulary.fixed
    s, n, i, j = (vocabulary.local(name) for name in ("S", "n", "i", "j"))
    flavours = [family.flavour for family in vocabulary.families.all if family.flavour]
    if any(flavour.optional and flavour.lo == 0 for flavour in flavours):
        yield "\\* An optional number is 0 where there is none, else the number + 1."
        yield f"{own['None']} == 0"
        yield f"{own['Some']}({n}) == {n} + 1"
        yield f"{own['Value']}({n}) == {n} - 1"
        yield f"{own['Optional']}({s}) == {{{own['None']}}} \\cup {{{own['Some']}({n}) : {n} \\in {s}}}"
        yield ""
    if Kind.LOWEST in vocabulary.kinds:
        yield f"\\* The lowest of a set of offsets below {n}; of the empty set it is {n} - 1, which nobody reads."
        lowest = f"CHOOSE {i} \\in {s} : \\A {j} \\in {s} : {i} <= {j}"
        yield f"{own['Lowest']}({s}, {n}) == IF {s} = {{}} THEN {n} - 1 ELSE {lowest}"
        yield ""
    if Kind.HIGHEST in vocabulary.kinds:
        yield "\\* The highest of a set of offsets; of the empty set it is 0, which nobody reads."
        highest = f"CHOOSE {i} \\in {s} : \\A {j} \\in {s} : {i} >= {j}"
        yield f"{own['Highest']}({s}) == IF {s} = {{}} THEN 0 ELSE {highest}"
        yield ""
    yield from _division(vocabulary)


def _division(vocabulary: Vocabulary) -> Iterator[str]:
    """TLC's \\div rounds down, but its % takes no negative divisor, and neither takes 0."""
    if not {Kind.DIV, Kind.MOD} & vocabulary.kinds:
        return
    own = vocabulary.fixed
    n, d = (vocabulary.local(name) for name in ("n", "d"))
    yield f"\\* {n} divided by {d}, rounded down, and what is left over; 0 where {d} is 0, which nobody reads."
    yield f"{own['Quotient']}({n}, {d}) == IF {d} = 0 THEN 0 ELSE {n} \\div {d}"
    yield f"{own['Remainder']}({n}, {d}) == IF {d} = 0 THEN 0 ELSE {n} - {d} * ({n} \\div {d})"
    yield ""


def sorts(vocabulary: Vocabulary) -> Iterator[str]:
    """The sets that parameters range over, and the enums' members as numbers."""
    for sort, name in vocabulary.sorts.items():
        yield f"{name} == {enumeration(sort.values(vocabulary.export.setting.scope))}"
    if vocabulary.sorts:
        yield ""
    for kind, name in vocabulary.enums.items():
        names = [vocabulary.members[member] for member in kind]
        yield from (f"{member} == {number}" for number, member in enumerate(names))
        yield f"{name} == {names[0]}..{names[-1]}"
        yield ""


def constants(vocabulary: Vocabulary) -> Iterator[str]:
    """The cap on faults, if there are any."""
    if vocabulary.capped:
        name = vocabulary.fixed["MaxFaults"]
        yield f"CONSTANT {name}  \\* the most faults, of whatever kinds, that a run may have"
        yield f"ASSUME {name} \\in 0..{fault_budget(vocabulary.export.system)}"
        yield ""


def variables(vocabulary: Vocabulary) -> Iterator[str]:
    """The variables, each with the fields that it stands for."""
    families = vocabulary.families.all
    if not families:
        nothing = vocabulary.fixed["nothing"]
        yield f"VARIABLE {nothing}  \\* every variable is constant here, but a specification needs one"
        yield f"{vocabulary.fixed['vars']} == <<{nothing}>>"
        yield ""
        return
    if any(family.ghost for family in families):
        yield "\\* Ghosts are history: only claims read them."
    yield "VARIABLES"
    column = max(len(family.name) for family in families) + 1
    for family in families:
        name = family.name + ("" if family is families[-1] else ",")
        about = _about(family)
        yield f"  {name:{column}} \\* {about}" if about else f"  {name}"
    yield ""
    for name, group in vocabulary.groups.items():
        yield from fill_lines(f"{name} == <<", [family.name for family in group], ">>").lines()
    yield from fill_lines(f"{vocabulary.fixed['vars']} == <<", names_of_families(vocabulary, families), ">>").lines()
    yield ""


def names_of_families(vocabulary: Vocabulary, families: Collection[Family]) -> list[str]:
    """The names of families; a group of them by its own name where all of it is meant."""
    whole = {
        family: name for name, group in vocabulary.groups.items() if set(group) <= set(families) for family in group
    }
    return list(dict.fromkeys(whole.get(family, family.name) for family in families))


def type_invariant(vocabulary: Vocabulary) -> Iterator[str]:
    """TypeOK: what every variable holds."""
    yield f"{vocabulary.fixed['TypeOK']} =="
    texts = [text for family in vocabulary.families.all for text in _types(vocabulary, family)]
    yield from (f"  /\\ {text}" for text in texts or [f"{vocabulary.fixed['nothing']} = 0"])
    yield ""


def initial(vocabulary: Vocabulary) -> Iterator[str]:
    """Init: every variable's initial value, or values."""
    yield f"{vocabulary.fixed['Init']} =="
    texts = [_starts(vocabulary, family) for family in vocabulary.families.all]
    start = vocabulary.export.system.start
    if start is not TRUE:
        term = Unifier(vocabulary.families).term([start])
        texts.append(Writer(vocabulary.words).text(term).within(NOT).flat)
    for text in texts or [f"{vocabulary.fixed['nothing']} = 0"]:
        yield from _conjunct(text)
    yield ""


def _conjunct(text: str) -> Iterator[str]:
    """A condition on its line, or on two where it is long."""
    name, sign, value = text.partition(" = ")
    if sign and len(text) > WIDTH - len("  /\\ "):
        yield from (f"  /\\ {name} =", f"       {value}")
    else:
        yield f"  /\\ {text}"


def _about(family: Family) -> str:
    """The field behind a variable, where its name does not say it, and what its numbers are."""
    first = next(iter(family.leaves.values())).name
    parts = [re.sub(r"\[[^\]]*\]", "[_]", first)] if family.components or family.name != spell_in_tla(first) else []
    if family.path == SPENT[:-1]:
        parts = ["faults that have happened, by kind"]
    if family.ghost and "ghost" not in first:
        parts.append("ghost")
    if family.flavour and family.flavour.optional and family.flavour.lo:
        inner = Number(family.flavour.lo - 1, "n").text
        parts.append(f"0 is None, n stands for {inner}")
    return "; ".join(parts)


def _types(vocabulary: Vocabulary, family: Family) -> list[str]:
    return Shape(vocabulary, family).types({i: _range(vocabulary, family, leaf) for i, leaf in family.leaves.items()})


def _range(vocabulary: Vocabulary, family: Family, leaf: Variable) -> str:
    flavour = family.flavour
    if leaf.sort is Sort.BOOL:
        return "BOOLEAN"
    if leaf.sort is Sort.SET:
        return f"SUBSET ({enumeration(range(leaf.hi.bit_length()))})"
    if flavour is None or (flavour.optional and flavour.lo):
        return f"{leaf.lo}..{leaf.hi}"
    values = vocabulary.enums[flavour.members] if flavour.members else enumeration(range(leaf.hi))
    return f"{vocabulary.fixed['Optional']}({values})" if flavour.optional else values


def _starts(vocabulary: Vocabulary, family: Family) -> str:
    values = {index: _values(vocabulary, family, leaf) for index, leaf in family.leaves.items()}
    if not family.components:
        return f"{family.name} {is_or_in(values[()])}"
    shape = Shape(vocabulary, family)
    if all(len(starts) == 1 for starts in values.values()):
        return f"{family.name} = {shape.function({index: value for index, (value,) in values.items()})}"
    return f"{family.name} \\in {shape.functions(values)}"


def _values(vocabulary: Vocabulary, family: Family, leaf: Variable) -> list[str]:
    """The values that a leaf may start with."""
    writer = Writer(vocabulary.words)
    terms = [Offsets(value) if leaf.sort is Sort.SET else Constant(Number(value), leaf.sort) for value in leaf.initial]
    return [writer.text(term, family.flavour).flat for term in terms]

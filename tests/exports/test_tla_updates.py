"""Updates in TLA+: whatever form is chosen for them, every instance writes what it wrote; queues become functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible_always

from offsetproof.exports.identifiers import Identifiers, spell_in_tla
from offsetproof.exports.tla.families import Families, Family, Index
from offsetproof.exports.tla.parameters import Parameter, Parameters
from offsetproof.exports.tla.terms import (
    SIGNS,
    Apply,
    Choice,
    Comparison,
    Constant,
    Except,
    Function,
    Number,
    Place,
    Question,
    Read,
    Term,
    below,
)
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.updates import PAIRS_MAX, Updates
from offsetproof.ir import build
from offsetproof.ir.kind import MEANING, Kind, Sort
from offsetproof.ir.node import Node, evaluate
from offsetproof.ir.system import System, Variable

State = Mapping[Index, int]
"""The values of one family's leaves."""


@dataclass(frozen=True)
class Reader:
    """Computes terms as TLA+ means them, in one state of the one family and with one value for each parameter."""

    state: State
    parameters: Mapping[str, int]

    def value(self, term: Term) -> Any:
        """A number, or a function as a dict."""
        if isinstance(term, Read):
            return self.part(term.index)
        if isinstance(term, Constant):
            assert term.number is not None
            return self.number(term.number)
        if isinstance(term, Choice):
            return self.value(term.then if self.answer(term.test) else term.otherwise)
        if isinstance(term, Function):
            keys = self.part(term.place).keys() if term.keys is None else term.keys
            return {key: Reader(self.state, {**self.parameters, term.bound: key}).value(term.body) for key in keys}
        if isinstance(term, Except):
            return self.replaced(term)
        assert isinstance(term, Apply)
        values = [self.value(part) for part in term.args]
        if term.kind in (Kind.AND, Kind.OR):
            return int(all(values) if term.kind is Kind.AND else any(values))
        return MEANING[term.kind](None, *values)

    def replaced(self, term: Except) -> Any:
        """EXCEPT, one change after the other."""
        result = self.part(term.place)
        for rest, new in term.changes:
            if rest == ():
                return self.value(new)
            *outer, last = self.index(rest)
            inner = result
            for key in outer:
                inner = inner[key]
            assert last in inner, "TLC would warn of a key that is not there, and replace nothing"
            inner[last] = self.value(new)
        return result

    def part(self, place: Place) -> Any:
        """The family's part at a place: a leaf's value, or nested dicts, made anew."""
        start = self.index(place)
        found: Any = {}
        for index, value in self.state.items():
            if index[: len(start)] == start:
                rest = index[len(start) :]
                if rest == ():
                    return value
                inner = found
                for key in rest[:-1]:
                    inner = inner.setdefault(key, {})
                inner[rest[-1]] = value
        assert found, "TLC would say that there is nothing at this place"
        return found

    def index(self, place: Place) -> Index:
        return tuple(part if isinstance(part, str) else self.number(part) for part in place)

    def number(self, number: Number) -> int:
        return number.offset + (number.sign * self.parameters[number.parameter] if number.parameter else 0)

    def answer(self, question: Question) -> bool:
        if isinstance(question, Comparison):
            return SIGNS[question.sign](self.parameters[question.first], self.parameters[question.second])
        return tuple(self.parameters[name] for name in question.parameters) in question.values


def nested(state: State) -> Any:
    """A state's leaves as nested dicts."""
    return Reader(state, {}).part(())


def family(indices: Sequence[Index]) -> Family:
    """A family of numbers with leaves at these indices."""
    names = ["f" + "".join(f"[{part}]" for part in index) for index in indices]
    variables = tuple(Variable(name, Sort.INT, 0, 9, (0,)) for name in names)
    return Families(System(variables, ()), {}, Identifiers(spell_in_tla)).all[0]


@dataclass(frozen=True)
class Sample:
    """A family, the parameters' values row by row, and what each row writes."""

    family: Family
    rows: tuple[tuple[int, int], ...]
    writes: tuple[tuple[tuple[Index, Node], ...], ...]

    def term(self) -> Term:
        """The update as a term."""
        parameters = [Parameter(name, name, tuple(row[at] for row in self.rows)) for at, name in enumerate("pq")]
        families = Families(System(tuple(self.family.leaves.values()), ()), {}, Identifiers(spell_in_tla))
        unifier = Unifier(families, Parameters(tuple(parameters)), len(self.rows))
        return Updates(unifier, ("i", "j", "k")).of(families.all[0], self.writes)


@st.composite
def shapes(draw: st.DrawFn) -> list[Index]:
    """Indices of one to three parts: all of them, or without those that repeat a part, or without one or two."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    whole = list(product(*map(range, sizes)))
    uneven = [index for index in whole if index[:1] != index[1:2]]
    gone = draw(st.sets(st.sampled_from(whole), min_size=1, max_size=2))
    return draw(st.sampled_from([whole, uneven or whole, [i for i in whole if i not in gone] or whole]))


SELECTORS = ("p", "q", "all", "all", "others", 0)
"""Which keys a step is about: that of a parameter, all, all but p's, or a certain one."""

STEPS = ("fill", "raise", "shift", "push", "copy", "keep")
"""What a step does to a leaf."""


def chosen(selector: str | int, key: int, row: tuple[int, int]) -> bool:
    """Is a key the one that a step is about in a row?"""
    if selector == "all":
        return True
    if selector == "others":
        return key != row[0]
    return key == {"p": row[0], "q": row[1]}.get(str(selector), selector)


def written(step: str, leaf: Index, found: Family, row: tuple[int, int]) -> Node:
    """What a step writes to a leaf."""
    nodes = {index: variable.node for index, variable in found.leaves.items()}
    own, following = nodes[leaf], nodes.get((*leaf[:-1], leaf[-1] + 1))  # type: ignore[operator]  # they are numbers
    first = next(iter(nodes.values()))
    return {
        "fill": build.const(7),
        "raise": build.add(own, build.const(1)),
        "shift": build.const(0) if following is None else following,
        "push": build.ite(build.eq(first, build.const(int(leaf[-1]))), build.const(row[1]), own),
        "copy": nodes.get(leaf[::-1], own),
        "keep": own,
    }[step]


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Rows that mostly write alike, each at its own parameters, as the instances of an action do."""
    found = family(draw(shapes()))
    pairs = st.sampled_from([(p, q) for p in range(3) for q in range(3)])
    rows = tuple(sorted(draw(st.sets(pairs, min_size=1, max_size=9))))
    depth = len(found.components)
    selectors = st.tuples(*[st.sampled_from(SELECTORS)] * depth)
    steps = draw(st.lists(st.tuples(selectors, st.sampled_from(STEPS)), min_size=1, max_size=2))
    every = [(row, leaf) for row in rows for leaf in found.leaves]
    left_out = draw(st.just(set()) | st.sets(st.sampled_from(every), max_size=2))
    writes = []
    for row in rows:
        own: dict[Index, Node] = {}
        for where, step in steps:
            for leaf in found.leaves:
                here = all(chosen(s, int(key), row) for s, key in zip(where, leaf, strict=True))
                if here and (row, leaf) not in left_out:
                    own[leaf] = written(step, leaf, found, row)
        writes.append(tuple(own.items()))
    return Sample(found, rows, tuple(writes))


def forms(root: Term) -> set[str]:
    """Which forms a term is made of."""
    terms = list(below((root,)))
    functions = [term for term in terms if isinstance(term, Function)]
    found = {
        "function": bool(functions),
        "functions within functions": any(isinstance(t, Function) for f in functions for t in below((f.body,))),
        "domain that differs": any(function.keys is None for function in functions),
        "question in a function": any(isinstance(t, Choice) for f in functions for t in below((f.body,))),
        "EXCEPT in a function": any(isinstance(t, Except) and t.place and t.changes for t in terms),
        "EXCEPT of several places": any(isinstance(t, Except) and len(t.changes) > 1 for t in terms),
        "comparison": any(isinstance(t, Choice) and isinstance(t.test, Comparison) for t in terms),
    }
    return {form for form, is_there in found.items() if is_there}


@pytest.mark.slow
def test_every_row_writes_what_it_wrote_whatever_form_is_chosen() -> None:
    counts: Counter[str] = Counter()

    @reproducible_always(260)
    @given(samples(), st.integers(0, 1000))
    def each(sample: Sample, seed: int) -> None:
        random, term = Random(seed), sample.term()
        counts.update(forms(term))
        leaves = sample.family.leaves
        for row, writes in zip(sample.rows, sample.writes, strict=True):
            state = {index: random.randint(0, 9) for index in leaves}
            values = {variable.name: state[index] for index, variable in leaves.items()}
            after = state | {index: evaluate([node], values)[0] for index, node in writes}
            assert Reader(state, dict(zip("pq", row, strict=True))).value(term) == nested(after)

    each()
    assert len(counts) == 7
    assert min(counts.values()) >= 5


QUEUES = [(b, i) for b in range(2) for i in range(3)]
"""Two queues of three places."""


def shift(found: Family, queue: int) -> tuple[tuple[Index, Node], ...]:
    """What taking the oldest out of a queue writes, except for the last place."""
    return tuple(((queue, i), found.leaves[queue, i + 1].node) for i in range(2))


def test_shifted_queue_is_a_function_of_its_places() -> None:
    found = family(QUEUES)
    writes = [(*shift(found, p), ((p, 2), build.const(0))) for p in (0, 1)]
    term = Sample(found, ((0, 0), (1, 0)), tuple(writes)).term()
    assert isinstance(term, Except)
    ((place, function),) = term.changes
    assert place == (Number(0, "p"),)
    assert isinstance(function, Function)
    assert (function.place, function.keys, function.bound) == (place, (0, 1, 2), "j")


def leaf_by_leaf(term: Term) -> bool:
    """Is an update said without functions?"""
    return not any(isinstance(part, Function) for part in below((term,)))


def test_function_that_would_tell_all_of_its_keys_apart_is_not_made() -> None:
    found = family([(i,) for i in range(3)])
    asked = build.eq(found.leaves[2,].node, build.const(3))

    def after(*values: int) -> Term:
        """Each leaf gets its value, but only in certain states."""
        writes = [
            (leaf, build.ite(asked, build.const(value), variable.node))
            for (leaf, variable), value in zip(found.leaves.items(), values, strict=True)
        ]
        return Sample(found, ((0, 0),), (tuple(writes),)).term()

    assert leaf_by_leaf(after(5, 9, 6))
    assert not leaf_by_leaf(after(5, 9, 5))
    assert not leaf_by_leaf(after(5, 5, 5))


def test_function_is_not_made_for_less_than_half_of_its_keys() -> None:
    found = family([(i,) for i in range(8)])
    few, most = (tuple(((i,), build.const(5)) for i in range(count)) for count in (3, 7))
    assert leaf_by_leaf(Sample(found, ((0, 0),), (few,)).term())
    assert not leaf_by_leaf(Sample(found, ((0, 0),), (most,)).term())


def test_what_has_a_name_in_the_operator_is_not_repeated_in_a_function() -> None:
    found = family([(i,) for i in range(4)])
    named = build.eq(found.leaves[0,].node, build.const(3))
    writes = tuple((leaf, build.ite(named, build.const(0), v.node)) for leaf, v in found.leaves.items())
    unifier = Unifier(Families(System(tuple(found.leaves.values()), ()), {}, Identifiers(spell_in_tla)))
    of = unifier.families.all[0]
    assert not leaf_by_leaf(Updates(unifier, ("i",)).of(of, [writes]))
    assert leaf_by_leaf(Updates(unifier, ("i",), frozenset([named])).of(of, [writes]))


def test_what_is_long_and_needed_twice_for_each_key_keeps_functions_away() -> None:
    found = family([(i,) for i in range(4)])

    def write(leaf: Index, own: Node) -> tuple[Index, Node]:
        first, second = (v.node for v in list(found.leaves.values())[:2])
        long = build.add(build.ite(build.le(own, second), build.add(own, first), build.sub(own, first)), own)
        return leaf, build.ite(build.le(long, second), long, first)

    writes = tuple(write(leaf, variable.node) for leaf, variable in found.leaves.items())
    assert leaf_by_leaf(Sample(found, ((0, 0),), (writes,)).term())


def test_large_arrays_are_written_leaf_by_leaf() -> None:
    found = family([(i,) for i in range(PAIRS_MAX + 1)])
    writes = tuple((leaf, build.const(5)) for leaf in found.leaves)
    assert leaf_by_leaf(Sample(found, ((0, 0),), (writes,)).term())


@pytest.mark.parametrize(("chosen", "others", "question"), [
    ([(0, 1), (0, 2)], [(1, 1)], ("p", (0,))),
    ([(0, 0), (1, 1)], [(0, 1), (1, 0)], "p = q"),
    ([(0, 1), (1, 0)], [(0, 0), (1, 1)], "p # q"),
    ([(0, 1), (1, 2)], [(1, 1), (2, 1), (1, 0)], "p < q"),
    ([(0, 1), (1, 1)], [(1, 0), (2, 1)], "p <= q"),
    ([(1, 0), (2, 1)], [(0, 1), (1, 1)], "p > q"),
    ([(0, 0), (1, 0), (2, 2)], [(0, 1), (1, 2)], "p >= q"),
    ([(0, 0), (1, 2)], [(0, 2), (1, 0)], None),
])  # fmt: skip
def test_rows_are_told_apart_by_the_shortest_question(
    chosen: list[tuple[int, int]], others: list[tuple[int, int]], question: object
) -> None:
    rows = [*chosen, *others]
    parameters = Parameters(tuple(Parameter(n, n, tuple(row[at] for row in rows)) for at, n in enumerate("pq")))
    asked = parameters.test(tuple(range(len(chosen))), tuple(range(len(chosen), len(rows))))
    assert [parameters.passes(asked, row) for row in range(len(rows))] == [True] * len(chosen) + [False] * len(others)
    if isinstance(asked, Comparison):
        assert f"{asked.first} {asked.sign} {asked.second}" == question
    elif question is None:
        assert (asked.parameters, asked.values) == (("p", "q"), ((0, 0), (1, 2)))
    else:
        assert ("p", asked.values[0]) == question

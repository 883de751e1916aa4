"""The IR keeps its promises on random expressions: folding, intervals, rewriting, interning and digests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir.expressions import VARIABLES, Expression, Maker, expressions, states
from systems.random_models import made
from systems.reproducible import reproducible

from offsetproof.ir import build
from offsetproof.ir.kind import LEAVES, MEANING, RANGE, Kind, Sort, TooWideError, complete
from offsetproof.ir.node import INT_MAX, evaluate, intern, topological, variables
from offsetproof.ir.rewrite import REBUILD, literals, substitute
from offsetproof.ir.system import Instance, System, Variable
from offsetproof.lang.stage import Staged

STATES = tuple(states())
SOME = STATES[::7]


@reproducible(400)
@given(expressions())
def test_folded_nodes_mean_what_they_were_built_from(expression: Expression) -> None:
    for values in SOME:
        assert evaluate([expression.node], values) == [expression.expected(values)]


@reproducible(200)
@given(expressions())
def test_every_value_lies_in_its_nodes_interval(expression: Expression) -> None:
    nodes = list(topological([expression.node]))
    for values in SOME:
        for node, value in zip(nodes, evaluate(nodes, values), strict=True):
            assert node.lo <= value <= node.hi
            assert node.sort is not Sort.BOOL or value in (0, 1)


@reproducible(200)
@given(expressions(), st.integers(0, len(VARIABLES) - 1), st.integers(0, len(STATES) - 1))
def test_substituting_a_value_is_evaluating_with_it(expression: Expression, at: int, chosen: int) -> None:
    variable = VARIABLES[at]
    value = STATES[chosen][variable.name]
    (node,) = substitute([expression.node], {variable.node: variable.constant(value)})
    assert variable.name not in variables([node])
    for values in SOME:
        assert evaluate([node], values) == [expression.expected({**values, variable.name: value})]


@reproducible(200)
@given(expressions(), st.integers(0, 1 << 30))
def test_simultaneous_substitution_swaps(expression: Expression, seed: int) -> None:
    del seed
    p, q = VARIABLES[0].node, VARIABLES[1].node
    (node,) = substitute([expression.node], {p: q, q: p})
    for values in SOME:
        assert evaluate([node], values) == [expression.expected({**values, "p": values["q"], "q": values["p"]})]


@reproducible(300)
@given(expressions(Sort.BOOL), expressions())
def test_literals_of_a_fact_are_true_where_it_is_and_may_be_used(fact: Expression, other: Expression) -> None:
    known = literals(fact.node)
    (simpler,) = substitute([other.node], known)
    for values in SOME:
        if fact.expected(values):
            assert evaluate(known.keys(), values) == evaluate(known.values(), values)
            assert evaluate([simpler], values) == [other.expected(values)]


@reproducible(100)
@given(st.integers(0, 1 << 32))
def test_expressions_built_alike_are_one_object(seed: int) -> None:
    from random import Random

    for sort in Sort:
        assert Maker(Random(seed)).of(sort, 3).node is Maker(Random(seed)).of(sort, 3).node


@reproducible(100)
@given(expressions())
def test_rebuilding_a_node_from_its_arguments_means_the_same(expression: Expression) -> None:
    for node in topological([expression.node]):
        if node.args:
            rebuilt = REBUILD[node.kind](*node.args)
            for values in SOME[::5]:
                assert evaluate([rebuilt], values) == evaluate([node], values)


def test_nodes_are_frozen_and_too_large_ones_are_refused() -> None:
    x = build.var("x", 0, INT_MAX)
    with pytest.raises(AttributeError, match="frozen"):
        x.lo = 1
    with pytest.raises(TooWideError, match=r"add\(x, 1\), which reads x, needs 63 bits, and there are 62"):
        build.add(x, build.const(1))
    with pytest.raises(TooWideError, match="outside 0 to 61"):
        build.single(build.var("i", 0, 62))
    with pytest.raises(ValueError, match="has no value"):
        build.var("x", 1, 0)


def test_sorts_are_not_mixed() -> None:
    s, i, b = build.var("s", 0, 3, Sort.SET), build.var("i", 0, 3), build.var("b", 0, 1, Sort.BOOL)
    for wrong in (
        lambda: build.eq(s, i),
        lambda: build.ite(b, s, i),
        lambda: build.add(b, i),
        lambda: build.le(s, i),
        lambda: build.union(s, i),
        lambda: build.both(i, b),
        lambda: build.has(i, s),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_constants_and_variables_of_one_look_but_another_sort_or_span_differ() -> None:
    assert build.const(1) is not build.const(1, Sort.BOOL)
    assert build.var("x", 0, 1) is not build.var("x", 0, 2)
    assert build.var("x", 0, 1) is build.var("x", 0, 1)


@pytest.mark.parametrize("missing", [kind for kind in Kind if kind not in LEAVES], ids=lambda kind: kind.label)
def test_a_table_without_a_kind_is_refused(missing: Kind) -> None:
    rules = {kind: rule for kind, rule in MEANING.items() if kind is not missing}
    told = f"^toy has no rule for node kind {missing.label}; add one to its table$"
    with pytest.raises(NotImplementedError, match=told):
        complete("toy", rules)
    assert complete("toy", MEANING) == MEANING


def _digest() -> str:
    """A digest over a staged model that has nearly everything in it."""
    drawn = made(2026)
    return Staged(drawn.model, drawn.setting).system(drawn.model.claims).digest


def test_digest_is_the_same_in_every_process() -> None:
    tests = Path(__file__).parents[1]
    code = f"import sys; sys.path.insert(0, {str(tests)!r}); from ir.test_nodes import _digest; print(_digest())"
    seen = {_digest()}
    for seed in ("0", "1", "4711"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(ran.stdout.strip())
    assert len(seen) == 1


def test_digest_tells_systems_apart() -> None:
    x = Variable("x", Sort.INT, 0, 3, (0,))
    step = Instance(("step", ()), build.le(x.node, build.const(2)), {"x": build.add(x.node, build.const(1))}, actor="a")
    whole = System((x,), (step,))
    others = [
        System((Variable("x", Sort.INT, 0, 4, (0,)),), (step,)),
        System((Variable("x", Sort.INT, 0, 3, (0, 1)),), (step,)),
        System((x,), (Instance(("other", ()), step.enabled, step.updates, actor="a"),)),
        System((x,), (Instance(step.label, build.TRUE, step.updates, actor="a"),)),
        System((x,), (Instance(step.label, step.enabled, {"x": build.const(0)}, actor="a"),)),
        System((x,), (Instance(step.label, step.enabled, step.updates, cut=build.negate(step.enabled), actor="a"),)),
        System((x,), (Instance(step.label, step.enabled, step.updates, actor="b"),)),
        System((x,), (Instance(step.label, step.enabled, step.updates, actor="a", fault="loss"),)),
        System((x,), ()),
    ]
    assert len({whole.digest, *(other.digest for other in others)}) == 1 + len(others)


def test_interning_bypasses_no_interval() -> None:
    node = intern(Kind.SUB, (build.var("a", 0, 3), build.var("b", 1, 2)))
    assert node.span == (-2, 2)


def test_set_of_an_offset_that_may_lie_anywhere_is_too_wide_at_once() -> None:
    lo, hi = RANGE[Kind.SINGLE]((0, INT_MAX))
    assert (lo, hi > INT_MAX, hi.bit_length() < 70) == (0, True, True)
    with pytest.raises(TooWideError):
        intern(Kind.SINGLE, (build.var("far", 0, INT_MAX),))


def test_node_that_is_shared_a_hundred_times_is_a_short_text() -> None:
    node = build.var("s", 0, 3, Sort.SET)
    for _ in range(100):
        node = intern(Kind.UNION, (node, node))
    assert len(repr(node)) < 10_000
    assert repr(build.add(build.var("a", 0, 3), build.const(1))) == "add(a, 1)"

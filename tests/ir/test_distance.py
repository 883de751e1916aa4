"""Branch distances: zero exactly where the condition already is as wanted, so that walks aim at the right thing."""

from __future__ import annotations

from hypothesis import given
from ir.expressions import Expression, expressions, states
from systems.reproducible import reproducible_always

from offsetproof.examples.toys import TOYS
from offsetproof.ir import build
from offsetproof.ir.distance import distance
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import evaluate
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Reference
from offsetproof.lang.stage import Staged

STATES = list(states())[::37]


@reproducible_always(100)
@given(expressions(Sort.BOOL))
def test_distance_is_zero_exactly_where_the_condition_is_as_wanted(condition: Expression) -> None:
    roots = [condition.node, distance(condition.node, True), distance(condition.node, False)]
    for state in STATES:
        truth, to_true, to_false = evaluate(roots, state)
        assert (to_true == 0) == bool(truth)
        assert (to_false == 0) == (not truth)
        assert min(to_true, to_false) >= 0


def test_distance_shrinks_on_the_way_to_a_violation() -> None:
    x = build.var("x", 0, 9)
    assert evaluate([distance(build.le(x, build.const(5)), False)], {"x": 2}) == [4]
    assert evaluate([distance(build.le(x, build.const(5)), False)], {"x": 5}) == [1]
    s = build.var("s", 0, 15, Sort.SET)
    assert evaluate([distance(build.eq(s, build.const(15, Sort.SET)), True)], {"s": 1}) == [3]


def test_distance_of_the_toys_claims_is_zero_only_at_alarms() -> None:
    toy = next(t for t in TOYS if t.length and t.prop.kind is ClaimKind.ALWAYS)
    claim = Staged(toy.model, toy.setting).system([toy.prop]).claims[0]
    assert claim.on_state is not None
    reference = Reference(toy.model, toy.setting)
    names = [leaf.path for leaf in reference.grown.tree.leaves]
    for state in reference.initial():
        value = evaluate([distance(claim.on_state, False)], dict(zip(names, state, strict=True)))[0]
        assert (value == 0) is not reference.judge(toy.prop, state)

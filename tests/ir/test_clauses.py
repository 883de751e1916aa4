"""Conditions taken apart say the same as before, in every state."""

from __future__ import annotations

from itertools import product
from random import Random

from offsetproof.ir.build import both, either, negate, var
from offsetproof.ir.clauses import alternatives, conjuncts
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node, evaluate

NAMES = ("a", "b", "c", "d")


def condition(chance: Random, depth: int) -> Node:
    if not depth:
        leaf = var(chance.choice(NAMES), 0, 1, Sort.BOOL)
        return negate(leaf) if chance.random() < 0.5 else leaf
    node = chance.choice((both, either))(condition(chance, depth - 1), condition(chance, depth - 1))
    return negate(node) if chance.random() < 0.3 else node


def test_condition_is_true_where_all_its_conjuncts_are_and_where_all_of_one_alternative_are() -> None:
    chance = Random(1)
    for _ in range(200):
        node, most = condition(chance, 4), chance.choice((1, 4, 64))
        clauses = alternatives(node, most)
        assert len(clauses) <= max(1, most)
        for bits in product((0, 1), repeat=len(NAMES)):
            state = dict(zip(NAMES, bits, strict=True))
            truth = bool(evaluate([node], state)[0])
            assert all(evaluate(conjuncts(node), state)) is truth
            assert any(all(evaluate(clause, state)) for clause in clauses) is truth

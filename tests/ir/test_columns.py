"""Columns mean, state by state, what nodes mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from ir.expressions import VARIABLES, Expression, expressions, states
from systems.reproducible import reproducible

from offsetproof.ir import build
from offsetproof.ir.columns import COLUMNS, columns
from offsetproof.ir.kind import LEAVES, MEANING, Kind, Sort
from offsetproof.ir.node import Node, evaluate, intern, topological

STATES = tuple(states())[::5]
GIVEN = {v.name: np.array([values[v.name] for values in STATES], np.int64) for v in VARIABLES}


def meaning(node: Node) -> list[int]:
    return np.broadcast_to(columns(topological([node]), GIVEN.__getitem__)[node], len(STATES)).tolist()


@reproducible(300)
@given(expressions())
def test_columns_mean_what_nodes_mean_in_each_state(expression: Expression) -> None:
    assert meaning(expression.node) == [evaluate([expression.node], values)[0] for values in STATES]


WIDE = build.var("wide", 0, (1 << 62) - 1, Sort.SET)
NUMBERS = (0, 1, 2, 1 << 31, (1 << 32) + 1, 1 << 61, (1 << 62) - 1, 0b1011 << 40)


@pytest.mark.parametrize("kind", [Kind.LOWEST, Kind.HIGHEST, Kind.COUNT])
def test_ends_and_counts_of_wide_sets_are_right(kind: Kind) -> None:
    node = intern(kind, (WIDE,))
    found = columns(topological([node]), lambda _: np.array(NUMBERS, np.int64))[node]
    assert found.tolist() == [MEANING[kind](node, number) for number in NUMBERS]


@pytest.mark.parametrize("offset", [-1, 0, 61, 62, 63, 64, 1000])
def test_no_offset_outside_a_set_is_in_it(offset: int) -> None:
    at = build.var("at", -1, 1000)
    node = intern(Kind.HAS, (WIDE, at))
    given = {"wide": np.array([(1 << 62) - 1]), "at": np.array([offset])}
    assert columns(topological([node]), given.__getitem__)[node].tolist() == [
        MEANING[Kind.HAS](node, (1 << 62) - 1, offset)
    ]


def test_every_kind_has_a_column() -> None:
    assert COLUMNS.keys() == set(Kind) - LEAVES

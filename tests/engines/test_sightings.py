"""Spot checks find the states that they look for, wherever these are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.compiled.layout import Layout
from offsetproof.engines.explicit.sightings import Sightings, spread_numbers
from offsetproof.engines.explicit.situations import CoverageGoal, StateBlock, sample_states, sight_values
from offsetproof.ir import build
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.ir.system import System, Variable

X, HIDDEN = Variable("x", Sort.INT, 0, 99_999, (0,)), Variable("hidden", Sort.INT, 0, 9, (0,))
LAYOUT = Layout(System((X,), ()))
ROWS = np.array([LAYOUT.pack((x,)) for x in range(10_000)], np.uint64)
COST_MAX, LATE = 30_000_000, math.inf


def blocks(size: int = 500) -> list[StateBlock]:
    variables = {"x": X, "hidden": HIDDEN}
    return [StateBlock(ROWS[at : at + size], at, LAYOUT, variables, {}) for at in range(0, len(ROWS), size)]


def wanted(node: Node, count: int = 3) -> CoverageGoal:
    return CoverageGoal(node, 0, 0, count, count)


@pytest.mark.parametrize("place", [0, 1, 4_711, 9_999])
def test_one_state_among_thousands_is_found_and_looked_at_three_times(place: int) -> None:
    looked_for = wanted(build.eq(X.node, build.const(place)))
    sample_states(blocks(), [looked_for], COST_MAX, LATE)
    assert [state.whole[0] for state in looked_for.states_to_look_at()] == [place] * 3


def test_states_of_a_common_situation_are_from_more_than_one_block() -> None:
    looked_for = wanted(build.le(X.node, build.const(9_000)))
    sample_states(blocks(), [looked_for], COST_MAX, LATE)
    assert [state.whole[0] for state in looked_for.states_to_look_at()] == [0, 499, 500]


def test_three_states_of_one_block_are_three_states() -> None:
    looked_for = wanted(build.le(X.node, build.const(2)))
    sample_states(blocks(), [looked_for], COST_MAX, LATE)
    assert {state.whole[0] for state in looked_for.states_to_look_at()} == {0, 1, 2}


def test_what_is_so_nowhere_is_not_looked_at() -> None:
    looked_for = wanted(build.eq(X.node, build.const(50_000)))
    sample_states(blocks(), [looked_for], COST_MAX, LATE)
    assert looked_for.states_to_look_at() == []


def test_fields_that_are_left_out_get_every_value_and_the_same_ones_in_each_run() -> None:
    hidden = [block.column("hidden") for block in blocks()]
    assert {int(value) for column in hidden for value in column} == set(range(10))
    assert all((one == other.column("hidden")).all() for one, other in zip(hidden, blocks(), strict=True))


def test_a_state_is_found_for_each_value_of_a_field_once() -> None:
    odd = build.eq(build.mod(X.node, build.const(2)), build.const(1))
    found = [(about, state.whole) for about, state in sight_values(blocks(), [(7, odd)], [HIDDEN, X], COST_MAX, LATE)]
    assert sorted(whole[1] for _, whole in found) == list(range(10))
    assert all(about == 7 and whole[0] % 2 == 1 for about, whole in found)


@reproducible(100)
@given(st.integers(1, 3000))
def test_scattered_numbers_are_all_numbers_once(count: int) -> None:
    assert sorted(spread_numbers(count)) == list(range(count))


@reproducible(50)
@given(st.integers(64, 3000))
def test_beginning_of_scattered_numbers_is_spread_over_all(count: int) -> None:
    beginning = [number for number, _ in zip(spread_numbers(count), range(8), strict=False)]
    assert {4 * number // count for number in beginning} == {0, 1, 2, 3}


def test_sightings_keep_the_first_the_last_and_a_middle_level_of_each_instance() -> None:
    noted = Sightings(2)
    fired, cuts = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for depth in range(10):
        fired, cuts = fired + np.array([1, depth == 6]), cuts + np.array([0, depth == 8])
        noted.note(depth, fired, cuts)
    assert noted.parts == [6, 8, 0, 7, 9]
    assert {depth: noted.shown_in(depth).tolist() for depth in range(10)} == {
        0: [0], 1: [], 2: [], 3: [], 4: [], 5: [], 6: [1], 7: [0], 8: [3], 9: [0],
    }  # fmt: skip

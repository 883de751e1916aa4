"""Code is plain at first, and optimised once a search turns out to be long; nobody can tell by the values."""

from __future__ import annotations

import time

import numpy as np
import pytest

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.system import System
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits

SECONDS_MAX = 60.0
LARGEST = max(TOYS, key=lambda toy: toy.states)


def system_of(toy: Toy) -> System:
    return Staged(toy.model, toy.setting).system(())


def searched(system: System, optimise_after: int) -> Search:
    layout = Layout(system)
    native = Native(lower(system, layout, []), optimise_after=optimise_after)
    search = Search(Program(system, layout, native), system.initial, Limits(), lambda told: None)
    search.run(None)
    return search


def test_short_search_is_never_optimised() -> None:
    assert not searched(system_of(LARGEST), optimise_after=LARGEST.states + 1).native.is_optimised


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_search_that_changes_its_code_on_the_way_finds_the_same_states_in_the_same_order(toy: Toy) -> None:
    plain, changing = (searched(system_of(toy), after) for after in (1 << 60, 1))
    assert np.array_equal(plain.states[: plain.count], changing.states[: changing.count])
    assert (plain.transitions, plain.levels, plain.seen_claims) == (
        changing.transitions,
        changing.levels,
        changing.seen_claims,
    )
    assert np.array_equal(plain.snapshot.fired, changing.snapshot.fired)


def test_optimised_code_takes_over_when_it_is_there_and_gives_the_same_successors() -> None:
    search = searched(system_of(LARGEST), optimise_after=1)
    front, until = search.states[:1], time.monotonic() + SECONDS_MAX
    expander = Expander(search.layout, search.native, 1)
    before = expander.out[: expander.expand(front)].tolist()
    while not search.native.is_optimised and time.monotonic() < until:
        expander.expand(front)
    assert search.native.is_optimised
    assert expander.out[: expander.expand(front)].tolist() == before

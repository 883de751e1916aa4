"""An expander has its own arrays: what one is asked never shows in what another has given or counted."""

from __future__ import annotations

import numpy as np
import pytest

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import FAILED, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.engines.explicit.shortest_trace import shortest
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.system import System
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits

SMALL = [toy for toy in TOYS if toy.states < 2_000]


def program_of(toy: Toy) -> Program:
    system: System = Staged(toy.model, toy.setting).system([toy.prop])
    layout = Layout(system)
    return Program(system, layout, Native(lower(system, layout, [claim.on_state for claim in system.claims])))


@pytest.mark.parametrize("toy", SMALL[::5], ids=lambda toy: toy.name)
def test_expander_adds_up_what_the_search_has_counted_and_counts_anew(toy: Toy) -> None:
    program = program_of(toy)
    search = Search(program, program.system.initial, Limits(), lambda told: None)
    search.run(None)
    expander, steps = Expander(program.layout, program.native), 0
    for depth in range(search.depth + 1):
        steps += sum(map(expander.expand, search.fronts(depth)))
    assert steps == search.snapshot.transitions
    assert expander.fired.tolist() == search.snapshot.fired.tolist()
    assert expander.cuts.tolist() == search.snapshot.cuts.tolist()
    expander.reset_counts()
    assert (expander.fired.sum(), expander.cuts.sum()) == (0, 0)
    assert search.snapshot.fired.sum() == steps


@pytest.mark.parametrize("toy", SMALL[::5], ids=lambda toy: toy.name)
def test_steps_from_a_state_are_its_rows_by_instance_and_outlive_the_next_call(toy: Toy) -> None:
    program = program_of(toy)
    one, many = Expander(program.layout, program.native, 1, tells=True), Expander(program.layout, program.native)
    start, *_ = Search(program, program.system.initial, Limits(), lambda told: None).initial_rows()
    steps = one.steps_from(start)
    before = [row.tolist() for _, row in steps]
    assert before == many.out[: many.expand(start.reshape(1, -1))].tolist()
    assert [inst for inst, _ in steps] == [int(inst) for inst in np.flatnonzero(one.fired)]
    for _, row in steps:
        one.steps_from(row)
    assert [row.tolist() for _, row in steps] == before


def test_way_back_leaves_what_the_search_has_counted_as_it_was() -> None:
    toy = next(toy for toy in TOYS if toy.model.__name__ == "Counter" and toy.prop.id == "stays_below_two")
    program = program_of(toy)
    search = Search(program, program.system.initial, Limits(), lambda told: None)
    alarm = search.run(0)
    assert alarm is not None
    before = search.snapshot.fired.tolist()
    shortest(search, alarm, 0, lambda: None)
    search.run(None)
    whole = Search(program, program.system.initial, Limits(), lambda told: None)
    whole.run(None)
    assert before != whole.snapshot.fired.tolist()
    assert search.snapshot.fired.tolist() == whole.snapshot.fired.tolist()


def test_flags_of_judged_states_are_as_many_as_the_states() -> None:
    program = program_of(SMALL[0])
    rows = Search(program, program.system.initial, Limits(), lambda told: None).initial_rows()
    flags = Expander(program.layout, program.native).judge(rows)
    assert len(flags) == len(rows)
    assert not (flags & FAILED).any()

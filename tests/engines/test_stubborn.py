"""Searches by stubborn sets beside whole ones: the same goals, as early; and wrong relations are noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from systems.threads import threads

from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.pairs_seen import PairsSeen
from offsetproof.engines.explicit.reduced_search import goal_of
from offsetproof.engines.explicit.relations import Relations, must_be_among, relate
from offsetproof.engines.explicit.search import Program, Search, alarms_of
from offsetproof.engines.explicit.stubborn import StubbornExpander, Tables, conditions_to_judge
from offsetproof.ir.build import TRUE, add, const, eq, le, negate
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import Instance, StagedClaim, System, Variable
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import DisagreementError
from offsetproof.verdict.limits import Limits

AT_ONCE = 10
"""How many systems one test is about."""

Found = tuple[int | None, int | None]
"""The length of the shortest violation; else the depth of the first error, if there is one."""


def kind_of(system: System) -> ClaimKind:
    return ClaimKind.EACH_STEP if system.claims[0].per_step else ClaimKind.ALWAYS


def relations_of(system: System) -> Relations:
    failing = [failure.condition for inst in system.instances for failure in inst.failures]
    return relate(system, [goal_of(system), *failing], 1e6, lambda: None)


def searched(system: System, relations: Relations | None) -> tuple[Search, Found]:
    """A search by stubborn sets, or, without relations, of everything; and what it finds."""
    layout, conditions = Layout(system), conditions_to_judge(system, relations) if relations else []
    native = Native(lower(system, layout, alarms_of(system, [kind_of(system)]), conditions=conditions))
    expander = relations and StubbornExpander(layout, native, Tables.of(relations, relations.goals))
    search = Search(Program(system, layout, native), system.initial, Limits(), lambda _: None, expander)
    alarm, failure = search.run(0), search.failure()
    return search, (alarm and alarm.length, failure.length if failure and not alarm else None)


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(AT_ONCE, 2000, AT_ONCE))],
)
def test_every_goal_is_found_after_the_fewest_steps(first: int) -> None:
    fewer = 0
    for seed in range(first, first + AT_ONCE):
        system = threads(seed)
        relations = relations_of(system)
        assert relations.open == 0
        (whole, expected), (reduced, found) = searched(system, None), searched(system, relations)
        assert found == expected, seed
        assert reduced.count <= whole.count
        fewer += reduced.count < whole.count
    assert fewer > 0


def counters(count: int, steps: int, *, goal: int) -> System:
    """Counters that know nothing of each other; it is claimed that the first does not come as far as `goal`."""
    variables = tuple(Variable(f"n{i}", Sort.INT, 0, steps, (0,)) for i in range(count))
    instances = tuple(
        Instance((f"count{i}", ()), le(v.node, const(steps - 1)), {v.name: add(v.node, const(1))})
        for i, v in enumerate(variables)
    )
    claim = StagedClaim("claim", on_state=negate(eq(variables[0].node, const(goal))))
    return System(variables, instances, (claim,))


def test_steps_that_no_goal_needs_are_not_taken() -> None:
    system = counters(5, 3, goal=3)
    search, found = searched(system, relations_of(system))
    assert (search.count, search.transitions, found) == (4, 3, (3, None))
    assert searched(system, None)[0].count == 56  # those of depth 3 at most


def test_claim_that_no_step_breaks_needs_no_step() -> None:
    system = counters(5, 3, goal=3)
    claim = StagedClaim("claim", per_step=tuple(le(v.node, const(3)) for v in system.variables))
    kept = replace(system, claims=(replace(claim, per_step=(TRUE, *claim.per_step[1:])),))
    search, found = searched(kept, relations_of(kept))
    assert (search.count, search.transitions, found) == (1, 0, (None, None))


def test_system_without_a_variable_and_without_a_condition_has_relations() -> None:
    system = System((), (Instance(("rest", ()), TRUE, {}),), (StagedClaim("claim", on_state=TRUE),))
    relations = relations_of(system)
    assert (relations.conditions.nodes, relations.enabling, relations.clashing) == ((), (), (0,))
    search, found = searched(system, relations)
    assert (search.count, found) == (1, (None, None))


def without_one(relations: Relations, seen: PairsSeen) -> Relations:
    """The relations without one of the pairs that were seen: one that does not accord, if there is any."""
    one = max(range(len(seen.clashing)), key=lambda i: seen.clashing[i].bit_count())
    if other := seen.clashing[one].bit_length():
        masks = list(relations.clashing)
        masks[one] ^= 1 << other - 1
        masks[other - 1] ^= 1 << one
        return replace(relations, clashing=tuple(masks))
    condition = max(range(len(seen.enabling)), key=lambda c: seen.enabling[c].bit_count())
    masks = list(relations.enabling)
    masks[condition] ^= 1 << seen.enabling[condition].bit_length() - 1
    return replace(relations, enabling=tuple(masks))


def pairs_that_matter(system: System) -> PairsSeen:
    """The pairs that clash in the states of the whole search."""
    relations = relations_of(system)
    seen = PairsSeen(system, relations.conditions.nodes)
    search, _ = searched(system, None)
    seen.look_at(np.ascontiguousarray(search.states[: search.count]))
    must_be_among(seen, relations)
    return seen


@pytest.mark.parametrize("seed", range(20))
def test_pair_that_is_missing_from_the_relations_is_noticed(seed: int) -> None:
    system = threads(seed)
    relations, seen = relations_of(system), pairs_that_matter(system)
    with pytest.raises(DisagreementError, match="relations of the instances are wrong"):
        must_be_among(seen, without_one(relations, seen))


def test_missing_pairs_lose_violations_that_the_comparison_with_whole_searches_would_show() -> None:
    lost = 0
    for seed in range(20):
        system = threads(seed)
        relations = relations_of(system)
        nothing_clashes = replace(relations, clashing=(0,) * len(relations.clashing))
        lost += searched(system, nothing_clashes)[1] != searched(system, relations)[1]
    assert lost > 1

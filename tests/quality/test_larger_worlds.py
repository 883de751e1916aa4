"""Larger worlds (`make check-all`): each scope has one, and only the expected is a success."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import HOLDS, REFUTED, ClaimKind, Expectation
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.limits import Limits
from studies.larger import WORLDS, Decided, Larger, counts, read, rows_with, world_in_words

ROWS = read()["rows"]
SMALL = Larger("first-commits", {"messages": 2})


def _decided(id: str, expected: Expectation | None, states: int | None = None) -> Decided:
    question = next(question for question in SMALL.asked() if question.prop.id == id)
    return Decided(Explicit().decide(replace(question, limits=Limits(states=states))), expected)


TOO_LONG = {"I8-heals": "two-registries"}
"""What is asked in no scope of this name by `make check`, and here with the scope's own bounds as well."""


def test_every_scope_in_which_something_is_claimed_has_a_larger_world() -> None:
    claims = [prop for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES]
    claimed = {scope for prop in claims for scope in prop.scopes}
    assert {world.scope for world in WORLDS} == claimed | {*TOO_LONG.values()}
    assert not claimed & {*TOO_LONG.values()}


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.scope}-{'-'.join(world.bounds)}")
def test_world_is_larger_than_what_its_claims_are_asked_in(world: Larger) -> None:
    scope = ROCKETMQ.scope(world.scope)
    before = {**scope.bounds, **scope.faults}
    is_larger = any(value > before[name] for name, value in world.bounds.items())
    assert world.asked()
    for question in world.asked():
        is_too_long = TOO_LONG.get(question.prop.id) == world.scope
        assert is_too_long or (is_larger and world.scope in question.prop.scopes)


def test_what_takes_too_long_is_asked_with_the_scopes_own_bounds() -> None:
    for claim, name in TOO_LONG.items():
        scope = ROCKETMQ.scope(name)
        worlds = [world for world in WORLDS if world.scope == name and claim in world.claims]
        assert any(all(scope.bounds[each] == value for each, value in world.bounds.items()) for world in worlds)


def test_data_have_what_is_asked_and_nothing_unexpected() -> None:
    assert [(row[0], row[1]) for row in ROWS] == [(q.prop.id, world_in_words(q)) for w in WORLDS for q in w.asked()]
    assert not [row for row in ROWS if "expected" in row[2] or "UNKNOWN" in row[2]]


def test_page_says_what_is_not_as_expected() -> None:
    assert counts(read()).endswith("Not as expected: none.")
    claim, world, _, *others = ROWS[0]
    wrong = {**read(), "rows": [[claim, world, "HOLDS, expected REFUTED", *others], *ROWS[1:]]}
    assert counts(wrong).endswith(f"Not as expected: {claim} in {world}: HOLDS, expected REFUTED.")


def test_rows_that_are_not_decided_again_stay_and_none_is_left_out() -> None:
    rows = ROWS
    again = _decided("I11-fixed", HOLDS)
    assert rows_with([], rows) == rows
    with pytest.raises(SystemExit, match="not decided yet"):
        rows_with([again], rows[1:])


@pytest.mark.parametrize(
    ("id", "expected", "states", "code"),
    [
        ("I11-fixed", HOLDS, None, Exit.AS_EXPECTED),
        ("I11-fixed", HOLDS, 10, Exit.UNKNOWN),
        ("I11-fixed", REFUTED, None, Exit.DIFFERS),
        ("I11", REFUTED, None, Exit.AS_EXPECTED),
        ("I11", HOLDS, None, Exit.VIOLATION),
        ("I11", None, None, Exit.VIOLATION),
    ],
)
def test_only_the_expected_verdict_is_a_success(
    id: str, expected: Expectation | None, states: int | None, code: Exit
) -> None:
    assert _decided(id, expected, states).exit is code

"""Larger worlds (`make check-all`): each scope has one, docs/larger.md lists them; only the expected is a success."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import HOLDS, REFUTED, ClaimKind, Expectation
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.question import Limits
from studies.larger import WORLDS, Decided, Larger

PAGE = (Path(__file__).parents[2] / "docs" / "larger.md").read_text(encoding="utf-8")
SMALL = Larger("first-commits", {"messages": 2})


def _decided(id: str, expected: Expectation | None, states: int | None = None) -> Decided:
    question = next(question for question in SMALL.asked() if question.prop.id == id)
    return Decided(Explicit().decide(replace(question, limits=Limits(states=states))), expected)


def test_every_scope_in_which_something_is_claimed_has_a_larger_world() -> None:
    claims = [prop for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES]
    assert {world.scope for world in WORLDS} == {scope for prop in claims for scope in prop.scopes}


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.scope}-{'-'.join(world.bounds)}")
def test_world_is_larger_and_its_claims_name_its_scope(world: Larger) -> None:
    scope = ROCKETMQ.scope(world.scope)
    before = {**scope.bounds, **scope.faults}
    assert any(value > before[name] for name, value in world.bounds.items())
    assert world.asked()
    assert all(world.scope in question.prop.scopes for question in world.asked())


def test_page_lists_what_is_asked_and_nothing_unexpected() -> None:
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and "world | verdict" not in line]
    asked = [(q.prop.id, q.setting.scope.describe()) for world in WORLDS for q in world.asked()]
    assert [(row[0].removeprefix("| "), row[1].split(": ", 1)[1]) for row in rows] == asked
    assert not [row for row in rows if "expected" in row[2] or "UNKNOWN" in row[2]]


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

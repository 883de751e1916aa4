"""Each behaviour is taken away, alone, from the release that brought it: what is written down of that is so."""

from __future__ import annotations

from typing import Any

import pytest
from systems.answered import ENGINES

from studies.flips import Flip, flips, recorded
from studies.flips_page import moving, unmoving
from studies.flips_reasons import REASONS

RECORDED = recorded()
FLIPS = {(flip.subject.name, flip.behaviour.name): flip for flip in flips()}


def smallest_turns() -> dict[str, tuple[Flip, list[Any]]]:
    """By behaviour: the smallest cell whose verdict turns, of whatever subject."""
    found: dict[str, tuple[Flip, list[Any]]] = {}
    for row in moving():
        for cell in row["moved"]:
            known = found.get(row["behaviour"])
            if known is None or cell[-1] < known[1][-1]:
                found[row["behaviour"]] = FLIPS[row["subject"], row["behaviour"]], cell
    return found


TURNS = smallest_turns()


def test_every_behaviour_was_taken_away() -> None:
    assert {*RECORDED} <= {*FLIPS}
    assert {behaviour for _, behaviour in RECORDED} == {behaviour for _, behaviour in FLIPS}
    for name, row in RECORDED.items():
        assert row["release"] == FLIPS[name].release.name
        kinds = ("same", "larger", "as_before", "other_story")
        assert row["cells"] == sum(row[kind] for kind in kinds) + len(row["moved"]), name


def test_behaviour_without_which_no_verdict_turns_has_a_reason_and_no_other_has() -> None:
    assert {*REASONS} == {*unmoving()}


@pytest.mark.parametrize("name", sorted(TURNS))
def test_verdict_turns_without_the_behaviour(name: str) -> None:
    flip, (claim, scope, was, now, _) = TURNS[name]
    (question, finding) = next(
        (question, finding)
        for question, finding in flip.questions()
        if (question.prop.id, question.setting.scope.name) == (claim, scope)
    )
    assert str(finding.verdict) == was != now
    assert str(ENGINES.only.decide(flip.taken_from(question)).verdict) == now

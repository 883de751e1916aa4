"""Every refuted case has something that makes it hold: a fix, an assumption, or a listener that does it right.

Where a case of the claim says so, that case is decided like any other: `test_expected_verdicts.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from systems.answered import ENGINES
from systems.sizes import FEW

from offsetproof.checking.request import question_of, question_with_remedy
from offsetproof.lang import Property, Remedy
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Verdict
from studies.fixes import options

SPELLED = [(prop, remedy) for prop in PROPERTIES for remedy in prop.remedies if not remedy.case]
NAMED = [(prop, remedy) for prop in PROPERTIES for remedy in prop.remedies if remedy.case]
KNOWN = json.loads((Path(__file__).parents[2] / "studies" / "data" / "fixes.json").read_text(encoding="utf-8"))


def _states(prop: Property, remedy: Remedy) -> int:
    """How many states there are with the remedy, as docs/studies/fixes.md has it; FEW where it does not have it."""
    together = KNOWN["combinations"].get(options(prop, remedy))
    cells = KNOWN["claims"].get(f"{prop.id} {remedy.scope}", {"cells": {}})["cells"]
    alone = [cells[each.name] for each in (*remedy.fixes, *remedy.assumptions) if each.name in cells]
    states: int = (together or [*alone, {"states": FEW}][0])["states"]
    return states


def _id(value: object) -> str:
    if isinstance(value, Remedy):
        return "-".join([value.scope, *(each.name for each in (*value.fixes, *value.assumptions))])
    return value.id if isinstance(value, Property) else ""


@pytest.mark.parametrize(
    ("prop", "remedy"),
    [pytest.param(*each, marks=() if _states(*each) < FEW else pytest.mark.slow) for each in SPELLED],
    ids=_id,
)
def test_refuted_case_holds_with_its_remedy(prop: Property, remedy: Remedy) -> None:
    assert ENGINES.only.decide(question_with_remedy(ROCKETMQ, prop, remedy, Limits())).verdict is Verdict.HOLDS


@pytest.mark.parametrize(("prop", "remedy"), NAMED, ids=_id)
def test_remedy_that_names_a_case_adds_no_fix_assumption_or_listener_that_the_case_is_without(
    prop: Property, remedy: Remedy
) -> None:
    asked = question_with_remedy(ROCKETMQ, prop, remedy, Limits()).setting
    named = question_of(ROCKETMQ, ClaimInWorld(remedy.case, None, remedy.scope)).setting
    assert (asked.scope, {*asked.fixes}, asked.listener) == (named.scope, {*named.fixes}, named.listener)
    assert {*asked.assumptions} == {*named.assumptions, *prop.assumptions}

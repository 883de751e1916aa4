"""Claims about broadcasting get the verdicts that are expected, and remedies repair what is refuted."""

from __future__ import annotations

import pytest

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, question_with_remedy, questions_of
from offsetproof.ir.node import variables
from offsetproof.lang import REFUTED, ClaimKind, Property, Remedy
from offsetproof.properties.broadcasting.catalogue import BROADCASTING, PROPERTIES
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

ENGINES = explicit_alone()
ASKED = questions_of(Request(BROADCASTING))
ONE_CASE_EACH = list({prop.name: prop for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES}.values())
REMEDIES = [(prop, remedy) for prop in PROPERTIES for remedy in prop.remedies]

SMALLEST = {
    "I4-broadcast-expansion": (0, 9),
    "I4-broadcast-file-lost": (2, 10),
    "I4-broadcast-killed": (1, 14),
    "I4-broadcast-repair": (0, 20),
    "I15-broadcast-routes": (0, 15),
    "I23-broadcast-orderly": (0, 13),
}
"""Faults and steps of some smallest stories."""

LARGE = {"broadcast-route", "broadcast-routes", "broadcast-reset", "broadcast-reset-two-queues", "broadcast-orderly"}
"""Scopes of more than 5,000 states; they are slow; of the others each fifth is fast. `make guard` decides them all."""


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(q, marks=pytest.mark.slow if q.setting.scope.name in LARGE or i % 5 else ())
        for i, q in enumerate(ASKED)
    ],
    ids=lambda q: f"{q.prop.id}-{q.setting.scope.name}",
)
def test_verdict_is_the_expected_one(question: Question) -> None:
    result = ENGINES.only.decide(question)
    assert str(result.verdict) == str(question.prop.required(question.setting))
    if question.prop.id in SMALLEST:
        assert result.replay is not None
        assert (result.replay.faults, len(result.replay.labels)) == SMALLEST[question.prop.id]


@pytest.mark.parametrize(
    ("prop", "remedy"),
    [
        pytest.param(*each, marks=pytest.mark.slow if each[1].scope in LARGE or i % 5 else ())
        for i, each in enumerate(REMEDIES)
    ],
)
def test_refuted_case_holds_with_its_remedy(prop: Property, remedy: Remedy) -> None:
    asked = question_with_remedy(BROADCASTING, prop, remedy, Limits())
    assert ENGINES.only.decide(asked).verdict is Verdict.HOLDS


@pytest.mark.parametrize("prop", ONE_CASE_EACH, ids=lambda prop: prop.name)
def test_claim_about_several_clients_does_not_look_at_history_that_is_kept_for_one(prop: Property) -> None:
    asked = questions_of(Request(BROADCASTING, (prop.id,), bounds={"consumers": 2}))
    (claim,) = ENGINES.models.of(asked[0]).system((prop,)).claims
    nodes = claim.per_step if claim.on_state is None else [claim.on_state]
    assert [name for name in variables(nodes) if name.startswith("ghost_")] == []


def test_claims_expect_what_is_told_of_them() -> None:
    claims = [prop for prop in PROPERTIES if prop.kind is not ClaimKind.SOMETIMES]
    refuted = [prop.id for prop in claims if prop.case.expected is REFUTED]
    assert (len(claims), len(refuted)) == (51, 30)

"""Every claim that holds can fail: one small change of the model refutes it, and is written down with its steps.

`make record` finds the changes for new claims, and for those whose own a change of the model has taken away.
"""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.sizes import large_are_slow

from offsetproof.lang import HOLDS, ClaimKind, Subject
from studies.refuting import FILES, name_of, questions_that_hold, recorded_refutations, steps_to_violation

RECORDED = {(subject, name): row for subject in FILES for name, row in recorded_refutations(subject).items()}
HOLDING = {(subject, name_of(question)): question for subject in FILES for question in questions_that_hold(subject)}
TESTED_BY_ITS_FIX = ("several-queues", ("I26-looks-again", "persist-moving"))
"""What a fix makes true by a test within a step, which no mutant takes away: without the fix it is I26, refuted."""
REFUTED = [key for key, row in RECORDED.items() if row.mutant is not None]

Key = tuple[Subject, tuple[str, str]]


def _id(key: Key) -> str:
    subject, (claim, scope) = key
    return f"{subject.name}-{claim}-{scope}"


@pytest.mark.parametrize("key", large_are_slow(REFUTED, HOLDING.__getitem__), ids=_id)
def test_recorded_mutant_refutes_the_claim_in_as_many_steps(key: Key) -> None:
    question, row = HOLDING[key], RECORDED[key]
    assert row.mutant is not None
    assert row.steps
    assert steps_to_violation(question, ENGINES.models.of(question), row.mutant) == row.steps


@pytest.mark.parametrize("subject", FILES, ids=lambda subject: subject.name)
def test_every_claim_that_holds_has_its_mutant_in_each_scope(subject: Subject) -> None:
    holding = {name for each, name in HOLDING if each is subject and (each.name, name) != TESTED_BY_ITS_FIX}
    assert {name for each, name in REFUTED if each is subject} == holding


@pytest.mark.parametrize("subject", FILES, ids=lambda subject: subject.name)
def test_claims_that_hold_are_those_of_the_catalogue_that_are_no_witnesses(subject: Subject) -> None:
    claims = [prop for prop in subject.properties if prop.kind is not ClaimKind.SOMETIMES]
    asked = {claim for each, (claim, _) in HOLDING if each is subject}
    assert asked == {prop.id for prop in claims if prop.case.expected is HOLDS}


def test_mutant_that_is_not_made_any_more_refutes_nothing() -> None:
    question = next(iter(HOLDING.values()))
    assert steps_to_violation(question, ENGINES.models.of(question), "no_action: no change") is None

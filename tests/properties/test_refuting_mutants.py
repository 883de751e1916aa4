"""Every claim that holds can fail: one small change of the model refutes it, and is written down with its steps.

`make record` finds the changes for new claims, and for those whose own a change of the model has taken away.
"""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.sizes import large_are_slow

from offsetproof.lang import HOLDS, ClaimKind, Subject
from studies.refuting import FILES, name_of, questions_that_hold, recorded_refutations, steps_to_violation

RECORDED = {(subject.name, *name): row for subject in FILES for name, row in recorded_refutations(subject).items()}
HOLDING = {(subject.name, *name_of(each)): each for subject in FILES for each in questions_that_hold(subject)}
TESTED_BY_ITS_FIX = {("several-queues", "I26-looks-again", "persist-moving")}
"""What a fix makes true by a test within a step, which no mutant takes away: without the fix it is I26, refuted."""
REFUTED = [name for name, row in RECORDED.items() if row.mutant is not None]


@pytest.mark.parametrize("name", large_are_slow(REFUTED, HOLDING.__getitem__), ids="-".join)
def test_recorded_mutant_refutes_the_claim_in_as_many_steps(name: tuple[str, str, str]) -> None:
    question, row = HOLDING[name], RECORDED[name]
    assert row.mutant is not None
    assert row.steps
    assert steps_to_violation(question, ENGINES.models.of(question), row.mutant) == row.steps


def test_every_claim_that_holds_has_its_mutant_in_each_scope() -> None:
    assert set(REFUTED) == set(HOLDING) - TESTED_BY_ITS_FIX


@pytest.mark.parametrize("subject", FILES, ids=lambda subject: subject.name)
def test_claims_that_hold_are_those_of_the_catalogue_that_are_no_witnesses(subject: Subject) -> None:
    claims = [p for p in subject.properties if p.kind is not ClaimKind.SOMETIMES]
    expected = {p.id for p in claims if p.case.expected is HOLDS}
    assert {id for name, id, _ in HOLDING if name == subject.name} == expected


def test_mutant_that_is_not_made_any_more_refutes_nothing() -> None:
    question = next(iter(HOLDING.values()))
    assert steps_to_violation(question, ENGINES.models.of(question), "no_action: no change") is None

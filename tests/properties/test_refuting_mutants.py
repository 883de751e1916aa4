"""Every claim that holds can fail: in each of its systems a small change refutes it, and is recorded with its steps.

`make record` finds the changes for new claims, and for those whose own a change of the model has taken away.
"""

from __future__ import annotations

import pytest
from systems.answered import ENGINES
from systems.sizes import FEW

from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import HOLDS, ClaimKind, Subject
from studies.refuting import (
    FILES,
    Name,
    findings_that_hold,
    question_about,
    recorded_refutations,
    steps_to_violation,
)
from studies.verdicts import AskedCase, findings_of

RECORDED = {(subject, name): row for subject in FILES for name, row in recorded_refutations(subject).items()}
HOLDING = {(subject, name): finding for subject in FILES for name, finding in findings_that_hold(subject).items()}

Key = tuple[Subject, Name]


def _id(key: Key) -> str:
    subject, name = key
    return "-".join([subject.name, *name])


REPLAYED = [
    pytest.param(key, marks=() if finding.states < FEW else pytest.mark.slow, id=_id(key))
    for key, finding in HOLDING.items()
]
"""What has few states is fast; the rest is slow."""


@pytest.mark.parametrize("key", REPLAYED)
def test_recorded_change_refutes_the_claim_in_as_many_steps(key: Key) -> None:
    row = RECORDED[key]
    assert row.change is not None
    assert row.steps
    assert steps_to_violation(question_about(key[0], HOLDING[key]), ENGINES.models, row.change) == row.steps


@pytest.mark.parametrize("subject", FILES, ids=lambda subject: subject.name)
def test_every_claim_that_holds_has_its_change_in_each_system(subject: Subject) -> None:
    refuted = {name for (each, name), row in RECORDED.items() if each is subject and row.change is not None}
    assert refuted == {name for each, name in HOLDING if each is subject}


@pytest.mark.parametrize("subject", FILES, ids=lambda subject: subject.name)
def test_systems_speak_for_every_claim_in_each_release_in_which_it_is_expected_to_hold(subject: Subject) -> None:
    releases = {release.name: release for release in subject.model.releases}
    named = set()
    for question in questions_of(Request(subject, releases=(ALL_RELEASES,))):
        prop, setting = question.prop, question.setting
        if prop.kind is not ClaimKind.SOMETIMES and prop.expects(setting) is HOLDS:
            case = AskedCase(subject, prop, setting.scope.name)
            (finding,) = findings_of(case, releases[setting.release or ""])
            named.add((prop.id, setting.scope.name, finding.asked.release))
    assert named == {name for each, name in HOLDING if each is subject}


@pytest.mark.parametrize("change", ["no_action: no change", "without nothing"])
def test_change_that_is_not_made_any_more_refutes_nothing(change: str) -> None:
    (subject, _), finding = next(iter(HOLDING.items()))
    assert steps_to_violation(question_about(subject, finding), ENGINES.models, change) is None

"""docs/symptoms.md is what the claims say, and nothing that is refuted is left out without another that leads there."""

from __future__ import annotations

import pytest

from offsetproof.lang import REFUTED, Subject
from offsetproof.properties.catalogue import PROPERTIES
from studies.subjects import ABOUT_ROCKETMQ
from studies.symptoms import PAGE, page

SEEN_OTHERWISE = {
    "rocketmq": {
        "I1-reset": "I1-group",
        "I3-calm": "I3",
        "I6-time-fixed": "I6-time",
        "I17": "I7",
        "I18": "I8-heals-reset",
    },
    "orderly": {
        "I1-orderly-rollback": "I4-orderly-rollback",
        "I1-orderly-reset": "I4-orderly-reset",
        "I9-locked-come-back": "I9",
        "I9-locked-repair": "I9-repair",
        "I9-locked-repair-busy": "I9-repair",
        "I8-one-lost": "I23-orderly-lost",
        "I10-committed": "I10",
    },
}
"""Refuted cases that nobody sees as such, and one whose symptom they cause, by subject."""


def test_page_is_made_of_the_claims() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)
def test_every_refuted_case_has_a_symptom_or_causes_one(subject: Subject) -> None:
    told = {prop.id for prop in subject.properties if prop.case.symptom}
    otherwise = SEEN_OTHERWISE.get(subject.name, {})
    assert {prop.id for prop in subject.properties if prop.case.expected is REFUTED} - told == set(otherwise)
    assert set(otherwise.values()) <= told


def test_every_case_with_a_symptom_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = [prop.id for subject in ABOUT_ROCKETMQ for prop in subject.properties if prop.case.symptom]
    assert [id for id in shown if f"case `{id}`" not in text] == []


def test_symptoms_are_distinct() -> None:
    told = [prop.case.symptom for prop in PROPERTIES if prop.case.symptom]
    assert len(set(told)) == len(told) > 20

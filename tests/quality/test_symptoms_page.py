"""docs/symptoms.md is what the claims say, and nothing that is refuted is left out without another that leads there."""

from __future__ import annotations

from offsetproof.lang import REFUTED
from offsetproof.properties.catalogue import PROPERTIES
from studies.symptoms import PAGE, page

SEEN_OTHERWISE = {
    "I1-reset": "I1-group",
    "I3-calm": "I3",
    "I6-time-fixed": "I6-time",
    "I17": "I7",
    "I18": "I8-heals-reset",
}
"""Refuted cases that nobody sees as such, and one whose symptom they cause."""


def test_page_is_made_of_the_claims() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_refuted_case_has_a_symptom_or_causes_one() -> None:
    told = {prop.id for prop in PROPERTIES if prop.case.symptom}
    assert {prop.id for prop in PROPERTIES if prop.case.expected is REFUTED} - told == set(SEEN_OTHERWISE)
    assert set(SEEN_OTHERWISE.values()) <= told


def test_symptoms_are_distinct() -> None:
    told = [prop.case.symptom for prop in PROPERTIES if prop.case.symptom]
    assert len(set(told)) == len(told) > 20

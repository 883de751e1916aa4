"""The page of each subject has its claims, cases and symptoms; nothing that is refuted is left without a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from offsetproof.lang import REFUTED, ClaimKind, Property, Subject
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.traces.recorded_stories import recorded_stories
from studies.claims import index, page_of, repairs_of
from studies.subjects import ABOUT_ROCKETMQ, SMALLER

STORIES = recorded_stories()

FAMILIES = {
    "orderly": {"I1", "I2", "I4", "I5", "I6", "I8", "I9", "I10", "I14", "I16", "I23"},
    "broadcasting": {"I4", "I5", "I6", "I8", "I15", "I16", "I20", "I23", "I24"},
    "several-queues": {"I3", "I5", "I6", "I8", "I20", "I21", "I24", "I25", "I26", "I27", "I29", "I34"},
    "offset-files": {"I4", "I12", "I15", "I16", "I20"},
    "replicas": {"I4", "I5", "I15", "I19"},
}
"""The claims that are refuted somewhere, by their numbers."""

SEEN_OTHERWISE = {
    "rocketmq": {
        "I1-reset": "I1-group",
        "I3-calm": "I3",
        "I6-time-fixed": "I6-time",
        "I17": "I7",
        "I18": "I8-heals-reset",
        "I36-lost-command": "I6-lost-command",
        "I36-restarted": "I6-restarted",
        "I37-reset": "I4-reset",
        "I40-hang": "I32-hang",
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

EACH = pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)


def stated(subject: Subject) -> list[Property]:
    """The cases that are no witnesses."""
    return [prop for prop in subject.properties if prop.kind is not ClaimKind.SOMETIMES]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@EACH
def test_verdict_of_a_claim_begins_with_what_is_expected_of_its_first_case(subject: Subject) -> None:
    first = {prop.name: str(prop.case.expected) for prop in reversed(stated(subject))}
    rows = re.findall(r"(?m)^\| I[\w-]+ \| \[([a-z0-9-]+)\]\([^)]*\) \| [^|]* \| (HOLDS|REFUTED)", index(subject))
    assert dict(rows) == first


def test_what_is_said_of_claims_is_what_was_worked_out_by_hand() -> None:
    verdicts = dict(re.findall(r"(?m) \| \[([a-z0-9-]+)\]\([^)]*\) \| [^|]* \| (.*) \|$", index(ROCKETMQ)))
    assert verdicts["only-a-fresh-pull-commits"] == "HOLDS"
    assert verdicts["committed-offset-never-exceeds-min-unacked"] == "HOLDS; REFUTED in 19 of 35 cases"
    repairs = {prop.id: repairs_of(prop) for prop in PROPERTIES}
    assert repairs["I22"] == ""
    assert repairs["I1-group"] == "fix `update-checks-dropped`"
    both = "fix `monotone-commits` (case I3-monotone, scope come-back; scope hand-over, messages=1)"
    assert repairs["I3"] == both
    assert repairs["I4-query-error"] == "fix `only-code-22`"
    since = "; or ".join(f"fix `{name}` (in 5.3.3)" for name in ("monotone-commits", "resets-numbered"))
    assert repairs["I5-forward-by-time"] == f"fix `end-when-later`; or {since}"


@EACH
def test_no_refuted_case_is_without_a_way_to_make_it_hold_or_a_reason(subject: Subject) -> None:
    refuted = {prop.id for prop in stated(subject) if prop.case.expected is REFUTED}
    assert {prop.id for prop in stated(subject) if repairs_of(prop)} == refuted
    assert len(stated(subject)) > len(refuted) > 10


@EACH
def test_fixes_that_are_named_are_fixes(subject: Subject) -> None:
    named = set(re.findall(r"fix `([\w-]+)`", text_of(page_of(subject))))
    assert named <= {fix.name for fix in subject.model.fixes}
    assert named & {"keeps-whole-backup", "unlocked-at-once", "start-persisted", "poll-checks-dropped", "master-merges"}


@pytest.mark.parametrize("subject", SMALLER, ids=lambda subject: subject.name)
def test_each_family_of_refuted_claims_has_a_story(subject: Subject) -> None:
    refuted = {prop.id.split("-")[0] for prop in subject.properties if prop.case.expected is REFUTED}
    told = {trace.property.id.split("-")[0] for trace in STORIES.about(subject.name).values()}
    assert told == refuted == FAMILIES[subject.name]


@EACH
def test_every_refuted_case_has_a_symptom_or_causes_one(subject: Subject) -> None:
    told = {prop.id for prop in subject.properties if prop.case.symptom}
    otherwise = SEEN_OTHERWISE.get(subject.name, {})
    assert {prop.id for prop in subject.properties if prop.case.expected is REFUTED} - told == set(otherwise)
    assert set(otherwise.values()) <= told


def test_symptoms_are_distinct() -> None:
    told = [prop.case.symptom for prop in PROPERTIES if prop.case.symptom]
    assert len(set(told)) == len(told) > 20

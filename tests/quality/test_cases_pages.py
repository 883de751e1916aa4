"""The pages of the smaller subjects are what their claims say, and name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from offsetproof.lang import REFUTED, ClaimKind, Subject
from offsetproof.traces.recorded_stories import recorded_stories
from studies.cases import PAGES, table, with_table

STORIES = recorded_stories()

FAMILIES = {
    "orderly": {"I1", "I2", "I4", "I5", "I6", "I8", "I9", "I10", "I14", "I16", "I23"},
    "broadcasting": {"I4", "I5", "I6", "I8", "I15", "I16", "I20", "I23", "I24"},
    "several-queues": {"I3", "I5", "I6", "I8", "I20", "I21", "I24", "I25", "I26", "I27", "I29"},
    "offset-files": {"I4", "I12", "I15", "I16", "I20"},
}
"""The claims that are refuted somewhere, by their numbers."""

EACH_PAGE = pytest.mark.parametrize(("page", "subject"), PAGES.items(), ids=[page.stem for page in PAGES])


@EACH_PAGE
def test_table_is_made_of_the_claims(page: Path, subject: Subject) -> None:
    text = page.read_text(encoding="utf-8")
    assert with_table(text, subject, STORIES) == text, "run `make readme`"
    rows = re.findall(r"(?m)^\| (I[\w-]+) \|", table(subject, STORIES.about(subject.name)))
    assert rows == [prop.id for prop in subject.properties if prop.kind is not ClaimKind.SOMETIMES]


@EACH_PAGE
def test_fixes_that_are_named_are_fixes(page: Path, subject: Subject) -> None:
    named = set(re.findall(r"fix `([\w-]+)`", page.read_text(encoding="utf-8")))
    assert named <= {fix.name for fix in subject.model.fixes}
    assert named & {"keeps-whole-backup", "unlocked-at-once", "start-persisted", "poll-checks-dropped"}


@pytest.mark.parametrize("subject", PAGES.values(), ids=lambda subject: subject.name)
def test_each_family_of_refuted_claims_has_a_story(subject: Subject) -> None:
    refuted = {prop.id.split("-")[0] for prop in subject.properties if prop.case.expected is REFUTED}
    told = {trace.property.id.split("-")[0] for trace in STORIES.about(subject.name).values()}
    assert told == refuted == FAMILIES[subject.name]

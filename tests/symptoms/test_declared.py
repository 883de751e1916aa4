"""What is declared in symptoms.toml is bound to cases, leaves no refuted claim out, and is found by its own words."""

from __future__ import annotations

import re

import pytest

from offsetproof.audit.lines.tables import TEMPLATES
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import RELEASES, refuted_in, subject_named
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import UnknownNameError
from offsetproof.symptoms.declared import Statement, Symptom, cases_named, meanings, symptoms, verdict_named
from offsetproof.symptoms.finding import find
from offsetproof.symptoms.log_lines import writing_steps
from offsetproof.symptoms.words import stem
from offsetproof.traces.recorded_stories import recorded_stories

BY_ID = {symptom.id: symptom for symptom in symptoms()}
PHRASES = [(symptom.id, phrase) for symptom in symptoms() for phrase in symptom.phrases]
STATEMENTS = [each for symptom in symptoms() for each in (*symptom.now, *symptom.because)]


def test_each_has_a_name_of_its_own_and_phrases_in_both_languages() -> None:
    assert len(BY_ID) == len(symptoms())
    assert [each.id for each in symptoms() if not (each.english and each.chinese)] == []
    assert [phrase for each in symptoms() for phrase in each.chinese if not re.search("[㐀-鿿]", phrase)] == []
    assert [each.id for each in symptoms() if len(each.says) > 76] == []


def test_every_claim_with_a_refuted_case_is_reached() -> None:
    reached = {(case.subject.name, case.prop.name) for each in symptoms() for case in each.cases}
    refuted = {
        (name, prop.name)
        for name in SINGLES
        for prop in subject_named(name).properties
        if prop.kind is not ClaimKind.SOMETIMES and refuted_in(subject_named(name), prop)
    }
    assert refuted - reached == set()


def test_every_case_with_a_symptom_is_reached() -> None:
    reached = {case.name for each in symptoms() for case in each.cases}
    seen = {f"{name} {prop.id}" for name in SINGLES for prop in subject_named(name).properties if prop.case.symptom}
    assert seen - reached == set()


@pytest.mark.parametrize("name", ["rocketmq I99", "rocketmq no-such-claim"])
def test_case_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError):
        cases_named(name)


@pytest.mark.parametrize(("id", "phrase"), PHRASES)
def test_phrase_finds_its_own_symptom_among_the_first_three(id: str, phrase: str) -> None:
    assert id in [match.symptom.id for match in find(phrase).answers[:3]]


@pytest.mark.parametrize("symptom", symptoms(), ids=lambda each: each.id)
def test_story_is_one_of_its_cases(symptom: Symptom) -> None:
    if symptom.story:
        trace = recorded_stories()[symptom.story]
        assert f"{trace.subject} {trace.property.id}" in [case.name for case in symptom.cases]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: each.words[:40])
def test_statement_is_told_of_releases_with_its_verdicts_alone(statement: Statement) -> None:
    assert statement.releases() != ()
    for release in RELEASES:
        so = [verdict.is_so_in(release) for verdict in statement.where]
        assert (release in statement.releases()) == all(so)


def test_verdict_of_a_case_that_is_refuted_anywhere_is_not_holds() -> None:
    refuted, holds = (verdict_named(f"rocketmq I32-hang {verdict}") for verdict in ("REFUTED", "HOLDS"))
    assert refuted.is_so_in("4.9.4")
    assert not holds.is_so_in("4.9.4")
    assert not verdict_named("rocketmq I5-offline-quiet HOLDS").is_so_in("5.3.3"), "the case says nothing of it"


def test_log_lines_are_ones_that_a_step_or_a_template_has() -> None:
    known = [*(template.text for template in TEMPLATES), *(step.message for step in writing_steps())]
    own = [line for each in symptoms() for line in each.logs]
    assert [line for line in own if not any(line in text for text in known)] == []


def test_words_that_mean_one_thing_stand_in_one_place() -> None:
    every = [word for name, words in meanings().words.items() for word in (name, *words)]
    assert sorted({word for word in every if every.count(word) > 1}) == []


def test_no_two_words_that_differ_in_meaning_have_one_stem() -> None:
    english = {word: name for name, words in meanings().words.items() for word in (name, *words) if word.isascii()}
    assert [word for word in english if not word.isalpha()] == []
    by_stem: dict[str, set[str]] = {}
    for word, name in english.items():
        by_stem.setdefault(stem(word), set()).add(name)
    assert {each: names for each, names in by_stem.items() if len(names) > 1} == {}

"""Every claim about RocketMQ gets the verdict that its catalogue expects, in each of its scopes; remedies repair it.

What a recorded trace is about is decided by `traces/test_recorded.py`, which holds the verdict to the expected one too.
"""

from __future__ import annotations

import json

import pytest
from systems.answered import ENGINES, Answered
from systems.built_in import BASELINES, BY_MODEL
from systems.recordings import FILES
from systems.recordings import question_of as question_of_file
from systems.sizes import is_small, large_are_slow

from offsetproof.checking.request import Request, question_of, question_with_remedy, questions_of
from offsetproof.lang import ClaimKind, Model, Property, Remedy, Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

ASKED = [question for subject in BASELINES for question in questions_of(Request(subject))]
World = tuple[type[Model], str, str]


def _world(question: Question) -> World:
    return question.model, question.prop.id, question.setting.scope.name


OF_WORLD = {_world(question): question for question in ASKED}
RECORDED = {(q.model, q.prop.id, q.setting.key) for q in map(question_of_file, FILES)}
NOT_RECORDED = [q for q in ASKED if (q.model, q.prop.id, q.setting.key) not in RECORDED]
REMEDIES = [(subject, p, remedy) for subject in BASELINES for p in subject.properties for remedy in p.remedies]
SPELLED = [each for each in REMEDIES if not each[2].case]
NAMED = [each for each in REMEDIES if each[2].case]
COUNTED = ("verdict", "faults", "steps", "states", "transitions", "depth")
CELLS = {
    (subject.model, cell["property"], cell["scope"]["name"]): {key: cell[key] for key in COUNTED}
    for subject, baseline in BASELINES.items()
    for cell in json.loads(baseline.read_text(encoding="utf-8"))["cells"]
    if cell["release"] == subject.model.releases[0].name
}


def _id(value: object) -> str:
    if isinstance(value, Question):
        return f"{BY_MODEL[value.model].name}-{value.prop.id}-{value.setting.scope.name}"
    if isinstance(value, Remedy):
        return "-".join([value.scope, *(each.name for each in (*value.fixes, *value.assumptions))])
    return value.id if isinstance(value, Property) else getattr(value, "name", "")


@pytest.mark.parametrize("question", large_are_slow(NOT_RECORDED, lambda question: question), ids=_id)
def test_verdict_is_the_expected_one_with_the_counts_of_the_baseline(question: Question, answered: Answered) -> None:
    result = answered.result(question)
    assert str(result.verdict) == str(question.prop.required(question.setting))
    counts, replay = result.counts, result.replay
    found = (result.verdict, replay and replay.faults, replay and len(replay.labels))
    found += (counts.states, counts.transitions, counts.depth)
    assert dict(zip(COUNTED, map(_plain, found), strict=True)) == CELLS[_world(question)]


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Verdict) else value


def _small_are_quick(each: tuple[Subject, Property, Remedy]) -> bool:
    question = OF_WORLD.get((each[0].model, each[1].id, each[2].scope))
    return question is not None and is_small(question)


@pytest.mark.parametrize(
    ("subject", "prop", "remedy"),
    [pytest.param(*each, marks=() if _small_are_quick(each) else pytest.mark.slow) for each in SPELLED],
    ids=_id,
)
def test_refuted_case_holds_with_its_remedy(subject: Subject, prop: Property, remedy: Remedy) -> None:
    assert ENGINES.only.decide(question_with_remedy(subject, prop, remedy, Limits())).verdict is Verdict.HOLDS


@pytest.mark.parametrize(("subject", "prop", "remedy"), NAMED, ids=_id)
def test_remedy_that_names_a_case_adds_no_fix_assumption_or_listener_that_the_case_is_without(
    subject: Subject, prop: Property, remedy: Remedy
) -> None:
    """So that the case, which is decided like any other, says that the remedy repairs what is refuted."""
    asked = question_with_remedy(subject, prop, remedy, Limits()).setting
    named = question_of(subject, ClaimInWorld(remedy.case, None, remedy.scope)).setting
    assert (asked.scope, {*asked.fixes}, asked.listener) == (named.scope, {*named.fixes}, named.listener)
    assert {*asked.assumptions} == {*named.assumptions, *prop.assumptions}


@pytest.mark.parametrize("subject", BASELINES, ids=_id)
def test_fast_suite_has_some_of_both_verdicts(subject: Subject) -> None:
    small = {str(q.prop.case.expected) for q in ASKED if q.model is subject.model and is_small(q)}
    assert small >= {"HOLDS", "REFUTED"}


def test_case_about_several_queues_that_holds_by_itself_needs_a_witness() -> None:
    queues = next(subject for subject in BASELINES if subject.name == "several-queues")
    by_itself = [
        prop
        for prop in queues.properties
        if str(prop.case.expected) == "HOLDS" and not prop.case.assumptions and not prop.case.fixes
    ]
    assert [p.id for p in by_itself if p.kind is not ClaimKind.SOMETIMES and not p.case.needs] == []

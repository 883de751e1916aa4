"""Answers to every question about RocketMQ as the baseline has them, made without deciding anything.

Verdicts, sizes and lengths are the baseline's, the stories are recorded ones of about that length: what a page is made
of is there in the right amount, and nothing is claimed by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count, cycle
from types import SimpleNamespace
from typing import Any

from offsetproof.checking.answers import Answer
from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.request import Request, questions_of
from offsetproof.guard.baseline import Finding, Key, baseline_file, read_baseline
from offsetproof.lang import REFUTED, ClaimKind
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.brief import Outline
from offsetproof.traces.cause import Part
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts, Result, Verdict


def recorded_answers(*, of_every_release: bool = False) -> list[Answer]:
    """An answer per question, in the catalogue's order.

    What the baseline does not say of a release is as in one before it, where that has the verdict that is expected.
    """
    findings = read_baseline(baseline_file(DEFAULT, ROCKETMQ), ROCKETMQ).findings
    stories = cycle(recorded_stories().about(ROCKETMQ.name).values())
    numbers = count()
    answers = []
    for question in questions_of(Request(ROCKETMQ, every_release=of_every_release)):
        finding = _finding_of(question, findings)
        trace = _as_its_own(next(stories), next(numbers)) if finding.steps is not None else None
        answers.append(_answer(question, finding, trace))
    return answers


def _finding_of(question: Question, findings: Mapping[Key, Finding]) -> Finding:
    asked = ClaimInWorld.of(question.prop.id, question.setting)
    names = [release.name for release in question.model.releases]
    before = [replace(asked, release=name) for name in names[: names.index(asked.release or "")]]
    known = [findings[each, question.prop.kind] for each in (asked, *before) if (each, question.prop.kind) in findings]
    return next(each for each in known if str(each.verdict) == str(question.prop.required(question.setting)))


def _answer(question: Question, finding: Finding, trace: Trace | None) -> Answer:
    """The answer that a finding tells of; a counterexample has an outline."""
    replay: Any = None
    if trace is not None:
        replay = SimpleNamespace(
            prop=question.prop, labels=range(finding.steps or 0), faults=finding.faults, cycle_at=None
        )
    refuted = finding.verdict is REFUTED
    result = Result(
        question.prop,
        question.setting,
        "explicit",
        "exhaustive",
        Verdict.REFUTED if refuted else Verdict.HOLDS,
        Counts(1, finding.states, finding.transitions, finding.depth),
        1.0,
        exhaustive=trace is None,
        replay=replay,
    )
    told = trace is not None and question.prop.kind is not ClaimKind.SOMETIMES
    return Answer(result, trace, outline=_outline(trace) if trace and told else None, subject=ROCKETMQ)


def _as_its_own(story: Trace, number: int) -> Trace:
    """A story that no other claim shares."""
    first, *others = story.steps
    return replace(story, steps=(replace(first, args={**first.args, "story": number}), *others))


def _outline(trace: Trace) -> Outline:
    """Every step with its action's words, and all that it changed as what the claim read."""
    actions = with_all_changes(ROCKETMQ.model).actions
    return Outline(
        {step.action: actions[step.action].about for step in trace.steps},
        {step.number: Part(step.number, dict.fromkeys(step.changed, 0)) for step in trace.steps},
    )

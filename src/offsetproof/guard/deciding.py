"""Guarding: every question of the matrix decided again and compared with the baseline, and against what claims expect.

A question whose system is the one that the baseline knows, by its digest, need not be decided again: the verdict rests
on nothing else of the model. It also rests on the engine, so one question in ten is decided again all the same, others
each day.
"""

from __future__ import annotations

import time
from collections.abc import Container, Generator, Mapping, Sequence
from dataclasses import replace

from offsetproof.checking.answers import Answer, with_trace
from offsetproof.checking.answers_apart import Packed, pack_answer, unpack_answer
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import Engines
from offsetproof.checking.side_by_side import Job, Lost, Tells, side_by_side
from offsetproof.engines.preparing import ENDED, StagedModels, undecided_apart, unknown_result
from offsetproof.guard.baseline import Finding, Key, RecheckPolicy
from offsetproof.guard.comparison import Change, ComparedQuestion, key_of
from offsetproof.ir.build import TRUE
from offsetproof.ir.system import System
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.other_release import is_right_for
from offsetproof.lang.setting import Release
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.verdict.limits import run_limited
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict


def comparisons_of(
    subject: Subject,
    engines: Engines,
    questions: Sequence[Question],
    findings: Mapping[Key, Finding],
    again: RecheckPolicy,
    count: int,
    tells: Tells,
) -> Generator[ComparedQuestion, None, None]:
    """One comparison per question, in their order, from `count` processes; where they are interrupted, fewer.

    One that an earlier release gives the same system is left to that release's question, if it is among them, and is
    else compared as that question: the baseline has nothing else for it.
    """
    asked = {question.setting.release for question in questions}

    def decide(question: Question) -> tuple[ComparedQuestion, str, Packed | None]:
        comparison = _compare_question(subject, engines, question, findings, again, asked)
        compared_as, answer = comparison.question, comparison.answer
        release = "" if compared_as is None or compared_as is question else compared_as.setting.release or ""
        return (
            replace(comparison, question=None, later=None, answer=None),
            release,
            None if answer is None else pack_answer(answer),
        )

    def unpack(question: Question, given: tuple[ComparedQuestion, str, Packed | None]) -> ComparedQuestion:
        comparison, release, answer = given
        of_release = (each for each in question.model.releases if each.name == release)
        compared_as = next((_asked_of(question, each) for each in of_release), question)
        return replace(
            comparison,
            question=compared_as,
            later=None if compared_as is question else question,
            answer=None if answer is None else unpack_answer(subject, compared_as, answer),
        )

    def guarded_without_answer(question: Question, lost: Lost) -> ComparedQuestion:
        result = undecided_apart(question, engines.only.name, lost.reason, lost.detail, lost.seconds)
        return _without_verdict(question, findings, result)

    job = Job(
        decide=decide,
        unpack=unpack,
        lost=guarded_without_answer,
        is_decided=lambda comparison: comparison.now is not None,
        is_interrupted=lambda comparison: comparison.answer is not None and comparison.answer.is_interrupted,
        lacks_memory=lambda comparison: comparison.answer is not None and comparison.answer.lacks_memory,
    )
    return side_by_side(questions, job, count, tells)


def findings_without_question(questions: Sequence[Question], findings: Mapping[Key, Finding]) -> list[ComparedQuestion]:
    """The findings that nobody asks for any more."""
    wanted = {key_of(question) for question in questions}
    return [ComparedQuestion(finding, None) for key, finding in findings.items() if key not in wanted]


def _compare_question(
    subject: Subject,
    engines: Engines,
    question: Question,
    findings: Mapping[Key, Finding],
    again: RecheckPolicy,
    asked: Container[str | None],
) -> ComparedQuestion:
    with declared_by(question.model):
        limits, started = question.limits, time.monotonic()
        try:
            earlier = run_limited(limits, started, lambda: _earlier_with_same(engines.models, question))
        except ENDED as ended:
            return _without_verdict(question, findings, unknown_result(question, engines.only.name, started, ended))
        if earlier is None:
            return _decide_and_compare(subject, engines, question, findings, again)
        same_as = earlier.setting.release or ""
        if key_of(question) in findings:  # what is known of it may be wrong now
            return replace(_decide_and_compare(subject, engines, question, findings, again), same_as=same_as)
        if same_as in asked:
            return ComparedQuestion(None, None, question, same_as=same_as)
        of_earlier = _decide_and_compare(subject, engines, earlier, findings, again)
        return replace(of_earlier, later=question)


def _without_verdict(question: Question, findings: Mapping[Key, Finding], result: Result) -> ComparedQuestion:
    return ComparedQuestion(findings.get(key_of(question)), None, question, Answer(result, None))


def _decide_and_compare(
    subject: Subject, engines: Engines, question: Question, findings: Mapping[Key, Finding], again: RecheckPolicy
) -> ComparedQuestion:
    started = time.monotonic()
    try:
        staged, system = run_limited(question.limits, started, lambda: engines.models.reduced_system(question)[:2])
    except ENDED as ended:
        return _without_verdict(question, findings, unknown_result(question, engines.only.name, started, ended))
    actions = frozenset(inst.label[0] for inst in system.instances)
    before = findings.get(key_of(question))
    if before is not None and _is_known(before, question, staged, system) and not again.wants(before):
        taken = actions - set(before.idle)
        return ComparedQuestion(before, before, question, None, taken, staged.impossible_actions, actions)
    result = engines.only.decide(question)
    trace = None
    if result.replay is not None:
        trace = trace_of(result.replay, subject=subject.name, digest=result.digest, staged=staged)
    now = (
        None
        if result.verdict is Verdict.UNKNOWN
        else _finding_of(question, system.digest_with_premises, actions, result, trace)
    )
    taken = frozenset(action for action, count in result.counts.fired.items() if count)
    comparison = ComparedQuestion(
        before, now, question, Answer(result, trace), taken, staged.impossible_actions, actions
    )
    if comparison.change is Change.HOLDS_TO_REFUTED or (comparison.is_unexpected and result.verdict is Verdict.REFUTED):
        return replace(comparison, answer=Answer(*with_trace(subject, question, result, staged)))
    return comparison


def _asked_of(question: Question, release: Release) -> Question:
    """The question, asked of a release."""
    return replace(question, setting=replace(question.setting, releases=dict.fromkeys(question.model.roles, release)))


def _earlier_with_same(models: StagedModels, question: Question) -> Question | None:
    """The question asked of the first release before its own that gives it the same system, if one does.

    Where it shows the same of all behaviours that were asked for, the system need not be staged again to know that.
    """
    setting = question.setting
    for release in question.model.releases:
        if release in setting.releases.values():
            return None
        asked = _asked_of(question, release)
        if question.prop.expects(setting) is not question.prop.expects(asked.setting):
            continue  # whether it is as expected is to be seen
        staged, system, _ = models.reduced_system(asked)
        own = system.digest_with_premises
        is_right = is_right_for(staged, setting, (question.prop, *question.witnesses))
        if is_right or models.reduced_system(question)[1].digest_with_premises == own:
            return asked
    return None


def _is_known(before: Finding, question: Question, staged: Staged, system: System) -> bool:
    """Does the baseline speak of the same system, in the same world?

    Of a claim that no step could break the system does not say whether it speaks of any.
    """
    was, now = before.scope, question.setting.scope
    if (before.digest, dict(was.bounds), was.faults) != (system.digest_with_premises, dict(now.bounds), now.faults):
        return False
    is_about_steps = question.prop.kind is ClaimKind.EACH_STEP
    if not is_about_steps or any(node is not TRUE for node in system.claims[0].per_step):
        return True
    return bool(before.vacuous) != staged.can_step(question.prop)


def _finding_of(
    question: Question, digest: str, actions: frozenset[str], result: Result, trace: Trace | None
) -> Finding:
    """What was found out of a question that has a verdict."""
    counts = result.counts
    return Finding(
        *key_of(question),
        question.setting.scope,
        verdict=Expectation(str(result.verdict)),
        states=counts.states or 0,
        transitions=counts.transitions or 0,
        depth=counts.depth,
        faults=trace.faults if trace else None,
        steps=trace.length if trace else None,
        cause=trace.cause if trace else (),
        idle=tuple(sorted(action for action in actions if not counts.fired.get(action))),
        digest=digest,
        judged=counts.judged,
        vacuous=result.vacuous,
    )

"""Guarding: every question of the matrix decided again and compared with the baseline, and against what claims expect.

A question whose system is the one that the baseline knows, by its digest, need not be decided again: the verdict rests
on nothing else of the model. It also rests on the engine, so one question in ten is decided again all the same, others
each day. What must be true of the matrix as a whole is judged with it: every witness is reached, no claim holds because
nothing happens, and every action is taken in some search.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from offsetproof.checking.answers import Answer, trace_of_result
from offsetproof.checking.answers_apart import Packed, pack_answer, unpack_answer
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import Engines
from offsetproof.checking.side_by_side import Job, Lost, Tells, side_by_side
from offsetproof.engines.preparing import ENDED, StagedModels, reduce_system, undecided_apart, unknown_result
from offsetproof.guard.baseline import Again, Baseline, Finding, Key
from offsetproof.ir.build import TRUE
from offsetproof.ir.system import System
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import Scope
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.verdict.exits import Exit, exit_of, exit_of_broken, worst
from offsetproof.verdict.limits import run_limited
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict


class Change(StrEnum):
    """How what is found differs from the baseline."""

    NONE = "none"
    HOLDS_TO_REFUTED = "holds-to-refuted"
    REFUTED_TO_HOLDS = "refuted-to-holds"
    OTHER_CAUSE = "other-cause"
    COUNTS_MOVED = "counts-moved"
    UNKNOWN = "unknown"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True)
class Guarded:
    """One question: what the baseline says of it, and what is so now (None where it is gone, or could not be decided).

    Without an `answer` it was not decided again. `actions` are those of its system, `taken` those that its search took,
    `impossible` those that nothing in its world can ever lead to. `overlay` are fixes that are added to what the claim
    has, so that it states no verdict; `rests_on` are methods below it that changed.
    """

    before: Finding | None
    now: Finding | None
    question: Question | None = None
    answer: Answer | None = None
    taken: frozenset[str] = frozenset()
    impossible: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    overlay: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()

    @property
    def found(self) -> Finding:
        """The finding as it is now, of a question that was decided or is known."""
        assert self.now is not None
        return self.now

    @property
    def key(self) -> Key:
        """What the finding is known by, as it is now or was; where there is neither, what was asked."""
        known = self.now or self.before or self.question
        assert known is not None
        return key_of(known) if isinstance(known, Question) else known.key

    @property
    def asked(self) -> ClaimInWorld:
        """The claim and its world, by names."""
        return self.key[0]

    @property
    def kind(self) -> ClaimKind:
        """The claim's kind."""
        return self.key[1]

    @property
    def scope(self) -> Scope:
        """The scope with its bounds, as they are now or were."""
        known = self.now or self.before or self.question
        assert known is not None
        return known.setting.scope if isinstance(known, Question) else known.scope

    @property
    def claim(self) -> str:
        """The claim as people read it; of one that nobody asks for any more only its id is known."""
        return self.asked.claim if self.question is None else self.question.prop.title

    @property
    def title(self) -> str:
        """The claim and its scope, as lines of reports begin: `backward-reset-stays (I5) in calm-reset`."""
        return f"{self.claim} in {self.scope.name}"

    @property
    def change(self) -> Change:
        """What is different."""
        if self.question is None:
            return Change.GONE
        if self.now is None:
            return Change.UNKNOWN
        return Change.NEW if self.before is None else _change(self.before, self.now)

    @property
    def exit(self) -> Exit:
        """The exit code that the change calls for."""
        if self.is_unexpected and self.now is not None:
            return exit_of_broken(self.kind) if self.now.verdict is Expectation.REFUTED else Exit.DIFFERS
        if self.change is Change.NONE or (self.overlay and self.change in (Change.OTHER_CAUSE, Change.COUNTS_MOVED)):
            return Exit.AS_EXPECTED
        if self.change is Change.UNKNOWN and self.answer is not None:
            return exit_of(self.answer.result)
        return exit_of_broken(self.kind) if self.change is Change.HOLDS_TO_REFUTED else Exit.DIFFERS

    @property
    def expected(self) -> Expectation | None:
        """The verdict that the claim expects here; one that says nothing expects to hold, as `check` has it."""
        if self.question is None or self.overlay:
            return None
        prop, setting = self.question.prop, self.question.setting
        is_witness = prop.kind is ClaimKind.SOMETIMES  # of which `is_unreached` speaks
        return prop.expects(setting) if is_witness else prop.required(setting)

    @property
    def differs_from_expected(self) -> bool:
        """Is the verdict another one than the claim expects?"""
        return self.now is not None and self.expected not in (None, self.now.verdict)

    @property
    def is_unexpected(self) -> bool:
        """Is the verdict another one than the claim expects, without anybody having accepted it?"""
        known = self.before is not None and self.now is not None and self.before.verdict is self.now.verdict
        accepted = known and self.before is not None and self.before.accepted
        return self.differs_from_expected and not accepted

    @property
    def is_edited(self) -> bool:
        """Is the same found of another system: a claim that was made weaker, or a model that was changed?"""
        if self.before is None or self.now is None or self.change is not Change.NONE:
            return False
        return self.before.digest != self.now.digest

    @property
    def is_open(self) -> bool:
        """Might there be a violation with fewer faults than the one that was found?"""
        return self.answer is not None and self.answer.result.fewer_faults_open is not None

    @property
    def is_unreached(self) -> bool:
        """Is this a witness that no state shows, although nobody expects that?"""
        if self.question is None or self.now is None or self.now.kind is not ClaimKind.SOMETIMES:
            return False
        return self.now.verdict is Expectation.REFUTED and self.expected is not Expectation.REFUTED


def _change(before: Finding, now: Finding) -> Change:
    if before.verdict is not now.verdict:
        refuted = now.verdict is Expectation.REFUTED
        return Change.HOLDS_TO_REFUTED if refuted else Change.REFUTED_TO_HOLDS
    if (before.faults, before.steps, before.cause) != (now.faults, now.steps, now.cause):
        return Change.OTHER_CAUSE
    counts = (before.states, before.transitions, before.depth) == (now.states, now.transitions, now.depth)
    return Change.NONE if counts else Change.COUNTS_MOVED


@dataclass(frozen=True)
class Guard:
    """A whole run: its questions, whether these are all questions of the subject, and which it decided in any case.

    `missing` is how many more questions there were when somebody ended it.
    """

    subject: Subject
    compared: tuple[Guarded, ...]
    whole: bool
    again: Again = Again()
    missing: int = field(default=0, kw_only=True)

    @property
    def decided(self) -> int:
        """How many questions were decided again."""
        return sum(each.answer is not None for each in self.compared)

    @property
    def skipped(self) -> int:
        """How many were not, because their digests are equal."""
        return sum(each.answer is None and each.question is not None for each in self.compared)

    @property
    def unreached(self) -> tuple[Guarded, ...]:
        """Witnesses that are not there."""
        return tuple(each for each in self.compared if each.is_unreached)

    @property
    def never_fired(self) -> tuple[str, ...]:
        """Actions that some search went through to the end without ever taking, and that no other search took.

        Left out are those that no claim's slice has, and those of which all searches ended early. Only of the whole
        matrix can this be said.
        """
        if not self.whole:
            return ()
        taken = {action for each in self.compared for action in each.taken}
        ended = [each.now for each in self.compared if each.now is not None and each.now.steps is None]
        return tuple(sorted({action for finding in ended for action in finding.idle} - taken))

    @property
    def never_possible(self) -> tuple[str, ...]:
        """Actions that nothing can ever lead to, in any world that was asked for."""
        decided = [each for each in self.compared if each.question is not None]
        if not self.whole or not decided:
            return ()
        return tuple(sorted(frozenset.intersection(*(each.impossible for each in decided)) - set(self.never_fired)))

    @property
    def vacuous(self) -> tuple[Guarded, ...]:
        """Cells that hold because nothing happens that could break the claim."""
        return tuple(each for each in self.compared if each.question is not None and each.now and each.now.vacuous)

    @property
    def unexpected(self) -> tuple[Guarded, ...]:
        """Cells whose verdict is not the one that the claim expects."""
        return tuple(each for each in self.compared if each.is_unexpected)

    @property
    def unasked(self) -> tuple[str, ...]:
        """Scopes of the model that no claim was asked in, although it could have been."""
        questions = [each.question for each in self.compared if each.question is not None]
        return tuple(dict.fromkeys(name for question in questions for name in question.unasked))

    @property
    def exit(self) -> Exit:
        """The exit code of the comparison."""
        return worst([*(each.exit for each in self.compared), self._gaps_exit])

    def exit_when_accepted(self, *, against_expected: bool) -> Exit:
        """The exit code where changes are accepted: of what is not known, not accepted, or excused by no baseline."""
        left = [each.exit for each in self.compared if each.change is Change.UNKNOWN]
        left += [Exit.UNKNOWN for each in self.compared if each.is_open]
        left += [] if against_expected else [each.exit for each in self.unexpected]
        return worst([*left, self._gaps_exit])

    @property
    def _gaps_exit(self) -> Exit:
        gaps = self.never_fired or self.never_possible or self.unreached or self.vacuous
        return Exit.LIVENESS if gaps else Exit.AS_EXPECTED

    def findings_to_accept(self, baseline: Baseline | None, *, against_expected: bool) -> list[Finding]:
        """The findings of the new baseline: as they are now, as they were where that is not known or was not asked.

        A verdict that its claim does not expect is only accepted with `against_expected`.
        """
        findings = dict(baseline.findings) if baseline else {}
        for each in self.compared:
            if each.change is Change.GONE:
                del findings[each.key]
            elif each.now is not None and not each.is_open and (against_expected or not each.is_unexpected):
                findings[each.now.key] = replace(each.now, accepted=each.differs_from_expected)
        return list(findings.values())


def comparisons_of(
    subject: Subject,
    engines: Engines,
    questions: Sequence[Question],
    findings: Mapping[Key, Finding],
    again: Again,
    count: int,
    tells: Tells,
) -> Generator[Guarded, None, None]:
    """One comparison per question, in their order, from `count` processes; where they are interrupted, fewer."""

    def decide(question: Question) -> tuple[Guarded, Packed | None]:
        comparison = _compare_question(subject, engines, question, findings, again)
        return replace(comparison, question=None, answer=None), None if comparison.answer is None else pack_answer(
            comparison.answer
        )

    def unpack(question: Question, given: tuple[Guarded, Packed | None]) -> Guarded:
        comparison, answer = given
        return replace(
            comparison, question=question, answer=None if answer is None else unpack_answer(subject, question, answer)
        )

    def guarded_without_answer(question: Question, lost: Lost) -> Guarded:
        result = undecided_apart(question, engines.only.name, lost.reason, lost.detail, lost.seconds)
        return _without_verdict(question, findings, result)

    job = Job(
        decide,
        unpack,
        guarded_without_answer,
        lambda comparison: comparison.answer is not None and comparison.answer.is_interrupted,
        lambda comparison: comparison.answer is not None and comparison.answer.lacks_memory,
    )
    return side_by_side(questions, job, count, tells)


def findings_without_question(questions: Sequence[Question], findings: Mapping[Key, Finding]) -> list[Guarded]:
    """The findings that nobody asks for any more."""
    wanted = {key_of(question) for question in questions}
    return [Guarded(finding, None) for key, finding in findings.items() if key not in wanted]


def key_of(question: Question) -> Key:
    """The name of the finding that a question asks for."""
    return ClaimInWorld.of(question.prop.id, question.setting), question.prop.kind


def _stage_and_reduce(models: StagedModels, question: Question) -> tuple[Staged, System]:
    staged = models.of(question)
    whole = staged.system((question.prop, *question.witnesses))
    return staged, reduce_system(whole, question, staged.constants)[0]


def _compare_question(
    subject: Subject, engines: Engines, question: Question, findings: Mapping[Key, Finding], again: Again
) -> Guarded:
    with declared_by(question.model):
        return _decide_and_compare(subject, engines, question, findings, again)


def _without_verdict(question: Question, findings: Mapping[Key, Finding], result: Result) -> Guarded:
    return Guarded(findings.get(key_of(question)), None, question, Answer(result, None))


def _decide_and_compare(
    subject: Subject, engines: Engines, question: Question, findings: Mapping[Key, Finding], again: Again
) -> Guarded:
    started = time.monotonic()
    try:
        staged, system = run_limited(question.limits, started, lambda: _stage_and_reduce(engines.models, question))
    except ENDED as ended:
        return _without_verdict(question, findings, unknown_result(question, engines.only.name, started, ended))
    actions = frozenset(inst.label[0] for inst in system.instances)
    before = findings.get(key_of(question))
    if before is not None and _is_known(before, question, staged, system) and not again.wants(before):
        taken = actions - set(before.idle)
        return Guarded(before, before, question, None, taken, staged.impossible_actions, actions)
    result = engines.only.decide(question)
    if result.fewer_faults_open is not None and (before is None or str(before.verdict) == str(result.verdict)):
        return _without_verdict(question, findings, _without_cause(result))
    trace = None
    if result.replay is not None:
        trace = trace_of(result.replay, subject=subject.name, digest=result.digest, staged=staged)
    now = None if result.verdict is Verdict.UNKNOWN else _finding_of(question, system.digest, actions, result, trace)
    taken = frozenset(action for action, count in result.counts.fired.items() if count)
    comparison = Guarded(before, now, question, Answer(result, trace), taken, staged.impossible_actions, actions)
    if comparison.change is Change.HOLDS_TO_REFUTED or (comparison.is_unexpected and result.verdict is Verdict.REFUTED):
        return replace(comparison, answer=Answer(result, trace_of_result(subject, question, result, staged)))
    return comparison


def _without_cause(result: Result) -> Result:
    """What is known of a violation whose faults may be too many: its cause, faults and steps cannot be compared."""
    detail = "a trace was found, but whether fewer faults suffice was not established"
    return replace(result, verdict=Verdict.UNKNOWN, replay=None, reason=result.fewer_faults_open, detail=detail)


def _is_known(before: Finding, question: Question, staged: Staged, system: System) -> bool:
    """Does the baseline speak of the same system, in the same world?

    Of a claim that no step could break the system does not say whether it speaks of any.
    """
    was, now = before.scope, question.setting.scope
    if (before.digest, dict(was.bounds), was.faults) != (system.digest, dict(now.bounds), now.faults):
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

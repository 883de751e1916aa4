"""What guarding compares: a question as it is now with what the baseline says of it, and the run as a whole.

What must be true of the matrix as a whole is judged with it: every witness is reached, no claim holds because nothing
happens, and every action is taken in some search.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from offsetproof.checking.answers import Answer
from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.scopes import ALL_SCOPES
from offsetproof.guard.baseline import Baseline, Finding, Key, RecheckPolicy
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import Scope
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.exits import Exit, exit_of, exit_of_broken, worst
from offsetproof.verdict.question import Question

if TYPE_CHECKING:
    from offsetproof.guard.wider_worlds import WorldsAgain


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
class ComparedQuestion:
    """One question: what the baseline says of it, and what is so now (None where it is gone, or could not be decided).

    Without an `answer` it was not decided again. `actions` are those of its system, `taken` those that its search took,
    `impossible` those that nothing in its world can ever lead to. `overlay` are fixes that are added to what the claim
    has, so that it states no verdict. `same_as` is the earlier release that gives the same system: what is found of
    that one is found of this one. Where the baseline has nothing of its own for it, nothing else is said here. Where
    only a later one was asked, the question is that of the earlier one, and `later` is what was asked.
    """

    before: Finding | None
    now: Finding | None
    question: Question | None = None
    answer: Answer | None = None
    taken: frozenset[str] = frozenset()
    impossible: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    overlay: tuple[str, ...] = ()
    same_as: str = ""
    later: Question | None = None

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
    def asked_of(self) -> str:
        """The release that was asked, where the question is that of an earlier one."""
        return (self.later.setting.release or "") if self.later is not None else ""

    @property
    def release(self) -> str:
        """The release that was asked, also where the question is that of an earlier one; empty without any."""
        return self.asked_of or self.asked.release or ""

    @property
    def says_nothing(self) -> bool:
        """Does the case say nothing of the release that was asked?"""
        return self.question is not None and not self.question.prop.case.speaks_of(self.question.setting)

    @property
    def change(self) -> Change:
        """What is different."""
        if self.question is None:
            return Change.GONE
        if self.now is None:
            return Change.UNKNOWN
        change = Change.NEW if self.before is None else _change(self.before, self.now)
        if self.is_open and change in (Change.NONE, Change.OTHER_CAUSE, Change.COUNTS_MOVED):
            return Change.NONE if self.overlay else Change.UNKNOWN
        return change

    @property
    def exit(self) -> Exit:
        """The exit code that the change calls for."""
        if self.is_unexpected and self.now is not None:
            return exit_of_broken(self.kind) if self.now.verdict is Expectation.REFUTED else Exit.DIFFERS
        if self.change is Change.NONE or (self.overlay and self.change in (Change.OTHER_CAUSE, Change.COUNTS_MOVED)):
            return Exit.AS_EXPECTED
        if self.change is Change.UNKNOWN and self.answer is not None:
            return Exit.UNKNOWN if self.is_open else exit_of(self.answer.result)
        return exit_of_broken(self.kind) if self.change is Change.HOLDS_TO_REFUTED else Exit.DIFFERS

    @property
    def expected(self) -> Expectation | None:
        """The verdict that the claim expects here; one that states none expects to hold, as `check` has it.

        None where the case says nothing of the release.
        """
        if self.question is None or self.overlay or self.says_nothing:
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
        """Might fewer faults suffice for what was found? Of it only the verdict can be compared, then."""
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

    `missing` is how many more questions there were when somebody ended it, `same` how many ask the system that an
    earlier release gives, which is compared there. `releases` are those that were asked; else those of its questions.
    `wider` is what became of recorded wider worlds, where they were asked.
    """

    subject: Subject
    compared: tuple[ComparedQuestion, ...]
    whole: bool
    again: RecheckPolicy = RecheckPolicy()
    missing: int = field(default=0, kw_only=True)
    same: int = field(default=0, kw_only=True)
    releases: tuple[str, ...] = field(default=(), kw_only=True)
    wider: WorldsAgain | None = field(default=None, kw_only=True)

    @property
    def decided(self) -> int:
        """How many questions were decided again."""
        return sum(each.answer is not None for each in self.compared)

    @property
    def skipped(self) -> int:
        """How many were not, because their digests are equal."""
        return sum(each.answer is None and each.question is not None for each in self.compared)

    @property
    def unreached(self) -> tuple[ComparedQuestion, ...]:
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
    def vacuous(self) -> tuple[ComparedQuestion, ...]:
        """Cells that hold because nothing happens that could break the claim."""
        return tuple(each for each in self.compared if each.question is not None and each.now and each.now.vacuous)

    @property
    def unexpected(self) -> tuple[ComparedQuestion, ...]:
        """Cells whose verdict is not the one that the claim expects."""
        return tuple(each for each in self.compared if each.is_unexpected)

    @property
    def new(self) -> tuple[ComparedQuestion, ...]:
        """Questions that the baseline does not have."""
        return tuple(each for each in self.compared if each.change is Change.NEW)

    @property
    def never_kept(self) -> tuple[ComparedQuestion, ...]:
        """New questions that no run asks which names nothing: it would call them gone."""
        if self.whole or not self.new:
            return ()
        every = (ALL_RELEASES,) if self.subject.model.releases else ()
        kept = {key_of(each) for each in questions_of(Request(self.subject, releases=every, scope=ALL_SCOPES))}
        return tuple(each for each in self.new if each.key not in kept)

    @property
    def unasked(self) -> tuple[str, ...]:
        """Scopes of the model that no claim was asked in, although it could have been."""
        questions = [each.question for each in self.compared if each.question is not None]
        return tuple(dict.fromkeys(name for question in questions for name in question.unasked))

    @property
    def exit(self) -> Exit:
        """The exit code of the comparison."""
        wider = [] if self.wider is None else [self.wider.exit]
        return worst([*(each.exit for each in self.compared), *wider, self._gaps_exit])

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
            elif each.same_as and (against_expected or not each.is_unexpected):
                findings.pop(each.key, None)
            elif each.now is not None and not each.is_open and (against_expected or not each.is_unexpected):
                findings[each.now.key] = replace(each.now, accepted=each.differs_from_expected)
        return list(findings.values())


def key_of(question: Question) -> Key:
    """The name of the finding that a question asks for."""
    return ClaimInWorld.of(question.prop.id, question.setting), question.prop.kind

"""Judging a patch: every recorded cause of a claim, replayed on a release and on the patched classes in front of it.

A cause is *removed* where the release goes along with its story to the end and the patched classes come to another
end, after a method that changed has run, and threads could be held where the story holds them. It is *left* where they
come to the same. What a patch breaks is asked of the model, with the fix that the patch is said to be: whether it is
that, conformance of the stories' components says, and stories that the fix rules out. Where it is not, the model's
verdicts are not the classes', and unknown. Of a method that changed and that nothing of this ran, nobody knows what it
does to a claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from offsetproof.conformance.drift import CauseFate, Drift
from offsetproof.conformance.on_release import Prepared, ReplayOnRelease
from offsetproof.conformance.walks import Conformed
from offsetproof.guard.baseline import Finding, Key
from offsetproof.guard.comparison import Change, ComparedQuestion, key_of
from offsetproof.lang.setting import Setting
from offsetproof.real.method_digests import AnchoredMethod
from offsetproof.real.replay import OutcomeKind
from offsetproof.traces.recorded_stories import mechanisms
from offsetproof.verdict.exits import Exit, exit_of_broken, worst
from offsetproof.verdict.question import Question


@dataclass(frozen=True)
class JudgedCause:
    """A recorded story on the release and on the patched classes, and whether the model with the fixes does it.

    `becomes` is what the patched classes make of it, and `why` says why that is not known.
    """

    base: ReplayOnRelease
    patch: ReplayOnRelease
    becomes: CauseFate
    why: str = ""
    happens_with_fixes: bool = True

    @property
    def name(self) -> str:
        """The story's name."""
        return self.base.name

    @property
    def cause(self) -> CauseFate:
        """What becomes of it; unknown where the release itself does not reproduce it."""
        return self.becomes if self.base.outcome.kind is OutcomeKind.REPRODUCED else CauseFate.UNKNOWN

    @property
    def sentence(self) -> str:
        """What happens in it, or else what an operator sees of it; empty where nobody has written either."""
        seen = self.base.prepared.question.prop.case.symptom
        return mechanisms().get(self.name, "") or (f"seen as: {seen}" if seen else "")


@dataclass(frozen=True)
class Judgement:
    """A patch judged by one claim: its causes, what drifted, conformance, and other claims with the patch's fixes.

    `claims` are all questions that were asked again with `fixes`; without any fix there are none. `expected` are the
    causes that have to be removed; without any, all have.
    """

    claim: str
    release: str
    drift: Drift
    causes: tuple[JudgedCause, ...]
    conformed: tuple[Conformed, ...] = ()
    fixes: tuple[str, ...] = ()
    claims: tuple[ComparedQuestion, ...] = ()
    expected: tuple[str, ...] = ()

    @property
    def contradicting(self) -> tuple[JudgedCause, ...]:
        """Causes that are left although the model with the fixes does not have them: the patch is not these fixes."""
        return tuple(each for each in self.causes_that_are(CauseFate.LEFT) if not each.happens_with_fixes)

    def causes_that_are(self, cause: CauseFate) -> tuple[JudgedCause, ...]:
        """The causes of which this has become."""
        return tuple(each for each in self.causes if each.cause is cause)

    @property
    def wanted(self) -> tuple[JudgedCause, ...]:
        """The causes that have to be removed."""
        return tuple(each for each in self.causes if not self.expected or each.name in self.expected)

    @property
    def broken(self) -> tuple[ComparedQuestion, ...]:
        """Cases that hold on the release, and with the patch's fixes do not."""
        return () if self.why_unproven else self.broken_in_model

    @property
    def repaired(self) -> tuple[ComparedQuestion, ...]:
        """Cases that are refuted on the release, and hold with the patch's fixes."""
        return () if self.why_unproven else self.repaired_in_model

    @property
    def broken_in_model(self) -> tuple[ComparedQuestion, ...]:
        """The same of the model, whether or not the classes are what it describes."""
        return tuple(each for each in self.claims if each.change is Change.HOLDS_TO_REFUTED)

    @property
    def repaired_in_model(self) -> tuple[ComparedQuestion, ...]:
        """The same of the model, whether or not the classes are what it describes."""
        return tuple(each for each in self.claims if each.change is Change.REFUTED_TO_HOLDS)

    @property
    def undecided(self) -> tuple[ComparedQuestion, ...]:
        """Cases of which it is not known; all, where the classes are not what the model describes."""
        return self.claims if self.why_unproven else self.undecided_in_model

    @property
    def undecided_in_model(self) -> tuple[ComparedQuestion, ...]:
        """Cases of which it is not known of the model either."""
        return tuple(each for each in self.claims if each.change is Change.UNKNOWN)

    @property
    def differing(self) -> tuple[Conformed, ...]:
        """The components in which the classes do something else than the model."""
        return tuple(each for each in self.conformed if each.result.disagreements)

    @cached_property
    def why_unproven(self) -> str:
        """Why what the model with the fixes does is not known to be what the classes do; empty where it is."""
        if not self.fixes:
            return ""
        if self.contradicting:
            names = ", ".join(each.name for each in self.contradicting)
            return f"{names} happens on them, and not in the model"
        if self.differing:
            return f"they do something else in {'; '.join(each.component for each in self.differing)}"
        if open_ones := [each.component for each in self.conformed if not each.agrees]:
            return f"conformance of {'; '.join(open_ones)} has not passed"
        if not self.conformed:
            return "conformance took no step (--steps 0)"
        return f"nothing ran {', '.join(map(str, self.never_ran))}" if self.never_ran else ""

    @cached_property
    def never_ran(self) -> tuple[AnchoredMethod, ...]:
        """Methods that changed, and that no story on the patched classes and no step of conformance ran."""
        replayed = [self.drift.ran(each.patch.outcome.entered, each.patch.outcome.built) for each in self.causes]
        walked = [self.drift.ran(each.result.entered, each.result.built) for each in self.conformed]
        ran = frozenset().union(*replayed, *walked)
        return tuple(method for method in self.drift.methods if method not in ran)

    @property
    def exit(self) -> Exit:
        """The exit code: 0 where the patch removes the causes, breaks nothing, and is what it is said to be.

        Where some causes are expected and no fix is named, the classes are meant to do something else than the model.
        """
        codes = [exit_of_broken(each.kind) for each in self.broken]
        codes += [Exit.DIFFERS for each in self.wanted if each.cause is CauseFate.LEFT]
        codes += [Exit.UNKNOWN for each in self.wanted if each.cause is CauseFate.UNKNOWN]
        codes += [Exit.UNKNOWN for each in self.undecided]
        if self.fixes or not self.expected:
            codes += [Exit.DIFFERS for each in self.differing]
            codes += [Exit.UNKNOWN for each in self.conformed if not (each.agrees or each.result.disagreements)]
        codes += [Exit.UNKNOWN] if self.why_unproven else []
        return worst(codes)


def components_of(stories: Sequence[Prepared], fixes: Sequence[str]) -> list[Setting]:
    """The components that stories are of, each once, with nothing in them but what the classes are said to have."""
    settings: dict[tuple[str, object], Setting] = {}
    for each in stories:
        setting = each.question.setting
        had = tuple(fix for fix in each.question.model.fixes if fix.name in fixes)
        settings.setdefault((setting.scope.name, setting.listener), replace(setting, fixes=had, assumptions=()))
    return [*settings.values()]


def findings_without(
    fixes: Sequence[str], questions: Iterable[Question], known: Mapping[Key, Finding]
) -> dict[Key, Finding]:
    """The findings of the same questions without these fixes, under the names of those that have them."""
    found = {}
    for question in questions:
        own = question.prop.fixes
        kept = tuple(fix for fix in question.setting.fixes if fix.name not in fixes or fix in own)
        before = known.get(key_of(replace(question, setting=replace(question.setting, fixes=kept))))
        if before is not None:
            key = key_of(question)
            found[key] = replace(before, asked=key[0])
    return found

"""What guarding says of claims whose methods are others in somebody's own classes: UNKNOWN until conformance passes.

On a method that changed any claim may rest, as nobody knows who calls it; but for methods that only actions of other
subjects stand for. So the components of all claims are held side by side with the classes (`conform`): the scopes and
listeners that they are asked in. Where they agree, and each method that changed has run, the model speaks of these
classes as well, and what it says stands. Of a method that never ran, or that the rig plays, nobody knows anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from offsetproof.checking.answers import Answer
from offsetproof.conformance.drift import Drift
from offsetproof.conformance.on_release import ReplayOnRelease
from offsetproof.conformance.walks import Conformed, component_of
from offsetproof.engines.preparing import undecided_apart
from offsetproof.guard.baseline import Finding, Key
from offsetproof.guard.comparison import ComparedQuestion, Guard, key_of
from offsetproof.lang.cases import Expectation
from offsetproof.lang.setting import Setting
from offsetproof.real.method_digests import AnchoredMethod
from offsetproof.real.replay import OutcomeKind
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason

_TOLD_MAX = 3


@dataclass(frozen=True)
class Drifted:
    """The drift of somebody's own classes, and how the components of the affected claims were compared with them.

    `tried` are recorded stories that no program with the fixes does which the classes are said to have.
    """

    drift: Drift
    conformed: tuple[Conformed, ...] = ()
    tried: tuple[ReplayOnRelease, ...] = ()

    @property
    def contradicting(self) -> tuple[ReplayOnRelease, ...]:
        """Those of the stories that happen all the same: the classes do not have the fixes."""
        return tuple(each for each in self.tried if each.outcome.happens)

    @property
    def not_done(self) -> tuple[ReplayOnRelease, ...]:
        """Those of the stories that could not be enforced, and say nothing."""
        return tuple(each for each in self.tried if not _says_something(each))

    @property
    def done(self) -> tuple[ReplayOnRelease, ...]:
        """The others."""
        return tuple(each for each in self.tried if _says_something(each))

    @cached_property
    def ran(self) -> dict[str, frozenset[AnchoredMethod]]:
        """The methods that changed and that ran, by component."""
        return {each.component: self.drift.ran(each.result.entered, each.result.built) for each in self.conformed}

    @cached_property
    def never_ran(self) -> tuple[AnchoredMethod, ...]:
        """Those that ran in no component."""
        return tuple(each for each in self.drift.methods if not any(each in ran for ran in self.ran.values()))

    def unjudged_methods(self, actions: Iterable[str], component: str) -> tuple[AnchoredMethod, ...]:
        """The methods that changed and of which conformance says nothing to a claim with these actions.

        They never ran, or actions of the claim stand for them and they did not run in its component.
        """
        own = {method for name in actions for method in self.drift.by_action.get(name, ())}
        ran = self.ran.get(component, frozenset())
        never = {*self.never_ran}
        return tuple(each for each in self.drift.methods if each not in ran and (each in never or each in own))

    @property
    def exit(self) -> Exit:
        """The exit code that conformance calls for."""
        differs = [Exit.DIFFERS for each in self.conformed if each.result.disagreements]
        return worst([*differs, *(Exit.DIFFERS for _ in self.contradicting)])


@dataclass(frozen=True)
class DriftGuard(Guard):
    """A whole run with somebody's own classes in front of the release's."""

    drifted: Drifted | None = None

    @property
    def exit(self) -> Exit:
        """The exit code of the comparison, and of conformance."""
        return worst([super().exit, *([self.drifted.exit] if self.drifted else [])])


def _says_something(each: ReplayOnRelease) -> bool:
    return each.outcome.happens or each.outcome.kind is not OutcomeKind.NOT_FORCEABLE


def affected_settings(compared: Iterable[ComparedQuestion], drift: Drift) -> list[Setting]:
    """The components that questions are asked in, each once, as the classes are said to be; none if nothing changed."""
    settings: dict[tuple[str, object], Setting] = {}
    for each in compared if drift.methods else ():
        if each.question is not None:
            setting = _as_the_classes_are(each.question, each.overlay)
            settings.setdefault((setting.scope.name, setting.listener), setting)
    return [*settings.values()]


def _as_the_classes_are(question: Question, overlay: Sequence[str]) -> Setting:
    """The question's setting with nothing in it but what the classes are said to have."""
    fixes = tuple(fix for fix in question.setting.fixes if fix.name in overlay)
    return replace(question.setting, fixes=fixes, assumptions=())


def judged_by_drift(compared: Sequence[ComparedQuestion], drifted: Drifted) -> list[ComparedQuestion]:
    """The comparisons with HOLDS as UNKNOWN where it rests on a method that changed and conformance has not passed."""
    passed = {each.component: each.agrees for each in drifted.conformed}
    names = ", ".join(each.name for each in drifted.contradicting)
    happens = f"what the model with these fixes cannot do happens: {names}" if names else ""
    return [_judge(each, drifted, passed, happens) for each in compared]


def _judge(each: ComparedQuestion, drifted: Drifted, passed: Mapping[str, bool], happens: str) -> ComparedQuestion:
    below, question = drifted.drift.methods, each.question
    if question is None or not below:
        return each
    each, component = replace(each, rests_on=tuple(map(str, below))), component_of(question.setting)
    if each.now is None or each.now.verdict is not Expectation.HOLDS:
        return each
    unjudged = drifted.unjudged_methods(each.actions, component)
    if not passed.get(component):
        how = f"conformance of {component} has not passed" if component in passed else "conformance was not asked for"
        detail = f"{_some(below)}; {how}"
    elif happens:
        detail = f"{_some(below)}; {happens}"
    elif unjudged:
        detail = f"{_some(unjudged)}; no step of conformance ran that, so nobody knows what it does"
    else:
        return each
    result = undecided_apart(question, "none", Reason.DRIFT, detail, 0.0)
    return replace(each, now=None, answer=Answer(result, None))


def _some(methods: Sequence[AnchoredMethod]) -> str:
    more = f" and {len(methods) - _TOLD_MAX} more" if len(methods) > _TOLD_MAX else ""
    return f"{', '.join(map(str, methods[:_TOLD_MAX]))}{more}"


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

"""What each fix and assumption adds for the causes that a search met: which it removes, and which it leaves.

It removes a cause where, with it, the actions of the cause alone no longer break the claim, in every scope in which the
cause was met. What a search met in spite of something is asked with that, and so that leaves it. An assumption that
goes round all causes makes other actions of them: what the claim came to with it counts instead. Where that
says nothing, because what the assumption speaks of cannot be there, it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from offsetproof.explain.asking import Actions, Asking
from offsetproof.explain.names import CauseName, claimed_by, name_cause
from offsetproof.explain.removers import Remover, removers_left, verdict_on_steps
from offsetproof.lang.reference import Replay
from offsetproof.lang.setting import Assumption, Fix
from offsetproof.lang.stage import Staged
from offsetproof.traces.brief import outline_of
from offsetproof.traces.cause import cause_of
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

ByScope = Mapping[str, Verdict]
"""The verdict with a remover alone, in each scope by its name."""


@dataclass(frozen=True)
class Shown:
    """A counterexample: the question that showed it, and its trace."""

    question: Question
    replay: Replay

    @property
    def scope(self) -> str:
        """The name of its scope."""
        return self.question.setting.scope.name


@dataclass(frozen=True)
class MetCause:
    """A cause: its actions, its name, and the counterexamples that have it, the first one in front."""

    actions: Actions
    name: CauseName
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class OnCauses:
    """A remover, and which causes it removes, leaves, or may remove; by their places, from 0."""

    remover: Remover
    removes: tuple[int, ...]
    leaves: tuple[int, ...]
    unknown: tuple[int, ...]

    @property
    def whose(self) -> str:
        """Who can have it: the roles that a patch changes, an operator today, or nobody: it is taken for granted."""
        if isinstance(self.remover, Fix):
            return " and ".join(sorted({role for each in self.remover.adds for role in (each.role, *each.also)}))
        return "operator" if self.remover.today else "nobody"


def causes_met(asking: Asking, subject: str | None, shown: Sequence[Shown]) -> tuple[MetCause, ...]:
    """The causes of counterexamples of a subject's claim, each once, in their order."""
    met: dict[frozenset[str], MetCause] = {}
    for each in shown:
        staged = asking.engines.models.of(each.question)
        actions = cause_of(each.replay, staged)
        key = frozenset(actions)
        if key not in met:
            met[key] = MetCause(actions, _name(subject, actions, each, staged), ())
        met[key] = replace(met[key], shown=(*met[key].shown, each))
    return tuple(met.values())


def _name(subject: str | None, actions: Actions, shown: Shown, staged: Staged) -> CauseName:
    """What a cause is called, by the counterexample that met it first."""
    question, grown = shown.question, shown.replay.reference.grown.instances
    faults = {label[0] for label in shown.replay.labels if grown[label][0].fault is not None}
    words = outline_of(shown.replay, staged).words
    claimed = claimed_by(subject, question.model, question.prop.name, question.setting.release)
    return name_cause(claimed, actions, words, faults)


def removers_on_causes(
    asking: Asking, question: Question, causes: Sequence[MetCause], wholesale: Mapping[str, ByScope]
) -> Iterator[OnCauses]:
    """What each remover of a question's model does, in the model's order; not one that is known to leave them all.

    `wholesale` has the verdicts with those that go round all causes; of an assumption without them nothing is said.
    """
    round_all = {each.name for each in question.model.wholesale}
    for remover in removers_left(question):
        goes_round = isinstance(remover, Assumption) and remover.name in round_all
        if goes_round and remover.name not in wholesale:
            continue
        by_scope = wholesale[remover.name] if goes_round else None
        verdicts = [_verdict(asking, cause, remover, by_scope) for cause in causes]
        places = {kind: tuple(i for i, each in enumerate(verdicts) if each is kind) for kind in Verdict}
        if len(places[Verdict.REFUTED]) < len(causes):
            yield OnCauses(remover, places[Verdict.HOLDS], places[Verdict.REFUTED], places[Verdict.UNKNOWN])


def _verdict(asking: Asking, cause: MetCause, remover: Remover, by_scope: ByScope | None) -> Verdict:
    """HOLDS: the remover removes the cause in every scope in which it was met. REFUTED: not in some."""
    verdicts = []
    for each in cause.shown:
        setting = each.question.setting
        if remover in (*setting.fixes, *setting.assumptions):
            return Verdict.REFUTED
        if by_scope is not None:
            verdicts.append(by_scope.get(each.scope, Verdict.UNKNOWN))
        elif asking.interrupted or asking.seconds == 0:
            return Verdict.UNKNOWN
        else:
            verdicts.append(verdict_on_steps(asking, each.question, each.replay, cause.actions, remover))
        if verdicts[-1] is Verdict.REFUTED:
            return Verdict.REFUTED
    return Verdict.UNKNOWN if Verdict.UNKNOWN in verdicts else Verdict.HOLDS

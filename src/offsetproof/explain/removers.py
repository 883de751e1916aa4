"""What removes a cause: the fixes and assumptions with which its steps no longer break the claim, and what does then.

A fix or an assumption of the model removes a cause's *steps* if, with it switched on, the trace no longer replays and
the actions of the cause alone, with what the fix brings in place of others, no longer break the claim. It removes the
*cause* if the claim then holds as far as the search for causes found: with what was switched on against the others, and
without those that were excluded. Where the same fault then breaks the claim by other steps, which something else that
removes the cause takes away as well, only the steps are removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from offsetproof.explain.asking import Actions, Asking
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.setting import Assumption, Fix, Setting
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

Remover = Fix | Assumption


@dataclass(frozen=True)
class Removal:
    """A remover of a cause's steps, by its name, and the claim's result with it; None if the user stopped before.

    `cause` is what breaks the claim then.
    """

    name: str
    left: Result | None
    cause: Actions = ()

    @property
    def is_whole(self) -> bool:
        """Does it remove the cause, and not only these steps of it?"""
        return self.left is not None and self.left.verdict is Verdict.HOLDS


def step_removers(asking: Asking, question: Question, replay: Replay, cause: Actions) -> Iterator[Remover]:
    """What removes the steps of a cause that a replay has shown, fixes first; nothing that goes round all causes."""
    wholesale = {each.name for each in question.model.wholesale}
    for remover in (each for each in removers_left(question) if each.name not in wholesale):
        if not asking.interrupted and verdict_on_steps(asking, question, replay, cause, remover) is Verdict.HOLDS:
            yield remover


def verdict_on_steps(asking: Asking, question: Question, replay: Replay, cause: Actions, remover: Remover) -> Verdict:
    """The claim's verdict with a remover where the actions of a cause alone happen; HOLDS: its steps are removed."""
    other = replace(question, setting=with_remover(question.setting, remover))
    return Verdict.REFUTED if replays(other, replay) else _verdict_of_actions(asking, other, cause)


def with_remover(setting: Setting, remover: Remover) -> Setting:
    """The setting with a fix or an assumption more, unless it has it."""
    if remover in (*setting.fixes, *setting.assumptions):
        return setting
    if isinstance(remover, Fix):
        return replace(setting, fixes=(*setting.fixes, remover))
    return replace(setting, assumptions=(*setting.assumptions, remover))


def removers_left(question: Question) -> list[Remover]:
    """The fixes and assumptions of the model that a question does not have."""
    model, setting = question.model, question.setting
    return [
        *(fix for fix in model.fixes if fix not in setting.fixes),
        *(assumption for assumption in model.assumptions if assumption not in setting.assumptions),
    ]


def _verdict_of_actions(asking: Asking, question: Question, cause: Actions) -> Verdict:
    """The claim's verdict where the actions of the cause, and those that fixes bring, alone happen.

    All may where the absence of some would itself be a deadlock.
    """
    if question.prop.kind is ClaimKind.NO_DEADLOCK:
        return asking.decide(replace(question, witnesses=())).verdict
    brought = {name for fix in question.setting.fixes for behaviour in fix.adds for name in behaviour.brings}
    return asking.verdict_with_only(question, {*cause, *brought})


def replays(question: Question, replay: Replay) -> bool:
    """Does the trace replay in the question's setting, too?"""
    try:
        Replay(Reference(question.model, question.setting), question.prop, replay.labels, replay.states[0])
    except ReplayError:
        return False
    return True

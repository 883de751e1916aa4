"""What removes a cause: the fixes and assumptions with which its steps no longer break the claim, and what does then.

A fix or an assumption of the model removes a cause's *steps* if, with it switched on, the trace no longer replays and
the actions of the cause alone, with what the fix brings in place of others, no longer break the claim. It removes the
*cause* if the claim then holds as far as the search for causes found: with what was switched on against the others, and
without those that were excluded. Where the same fault then breaks the claim by other steps, which something else that
removes the cause takes away as well, only the steps are removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from offsetproof.explain.asking import Actions, Asking
from offsetproof.lang.changes import model_in
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
        other = replace(question, setting=with_remover(question.setting, remover))
        if not asking.interrupted and not replays(other, replay) and _steps_are_gone(asking, other, cause):
            yield remover


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


def _steps_are_gone(asking: Asking, question: Question, cause: Actions) -> bool:
    """Do the actions of the cause alone no longer break the claim?"""
    brought = {name for fix in question.setting.fixes for behaviour in fix.adds for name in behaviour.brings}
    never = _to_leave_out(question, model_in(question.setting, question.model).actions.keys() - brought - {*cause})
    return asking.decide(replace(question, witnesses=()), never=never).verdict is Verdict.HOLDS


def _to_leave_out(question: Question, actions: Collection[str]) -> frozenset[str]:
    """Which of the actions a search can do without: none where their absence would itself be a deadlock."""
    return frozenset() if question.prop.kind is ClaimKind.NO_DEADLOCK else frozenset(actions)


def replays(question: Question, replay: Replay) -> bool:
    """Does the trace replay in the question's setting, too?"""
    try:
        Replay(Reference(question.model, question.setting), question.prop, replay.labels, replay.states[0])
    except ReplayError:
        return False
    return True

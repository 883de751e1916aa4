"""For a claim that holds, a mutant of the model that refutes it: the claim can fail, so its HOLDS says something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from offsetproof.ir.system import System
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.stage import Staged
from offsetproof.mutation.layers import Seen
from offsetproof.mutation.matrix import JointRun, asked_alone
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.workshop import Mutant
from offsetproof.verdict.question import Question

_LIMITS = (20_000, 300_000, 5_000_000)
"""Mutants are explored to this many states, all of them before any is explored further; then they are given up."""


def refuting_mutant(question: Question) -> tuple[Mutant, int] | None:
    """A mutant that violates the question's claim, with the number of steps that this takes; None if there is none.

    Changes of what the model does in this setting come first. Only then come those of actions that it never takes
    there, and of ghosts, which are a part of claims.
    Raises ValueError where the claim does not hold, or is a witness.
    """
    staged = Staged(question.model, question.setting)
    run = asked_alone(question, staged)
    if isinstance(run, str) or not run.to_end or run.first[0] is not None:
        why = run if isinstance(run, str) else "its story was found"
        raise ValueError(f"{question.prop.id} does not hold in {question.setting.scope.name}: {why}")
    made = mutants(staged)
    telling = [mutant for mutant in made if _does_otherwise(mutant, run)]
    others = [mutant for mutant in made if mutant not in telling]
    return next(chain(_refuting_mutants(run, telling), _refuting_mutants(run, others)), None)


def steps_to_violate(question: Question, staged: Staged, mutant: Mutant | None = None) -> int | None:
    """After how many steps a mutant violates the question's claim, before it goes wrong; None where it does not.

    Whether the claim holds of the model itself is not asked, but where there is no mutant.
    """
    run = JointRun(question, (question.prop, *question.witnesses), staged, to_end=True)
    seen = _explore(run, run.system) if mutant is None else _explore_mutant(run, mutant)
    return seen.depth if seen is not None and _violates(seen) else None


def _does_otherwise(mutant: Mutant, run: JointRun) -> bool:
    """Does it change when an action is taken, or what it writes for others to read, of those that the run takes?"""
    if run.last is None or mutant.action not in run.last.fired:
        return False
    read = {variable.name for variable in run.system.variables if not variable.ghost}
    pairs = [(run.whole.instances[number], inst) for number, inst in mutant.changed.items()]
    return any(
        was.enabled is not now.enabled or any(was.updates.get(name) is not now.updates.get(name) for name in read)
        for was, now in pairs
    )


def _refuting_mutants(run: JointRun, made: list[Mutant]) -> Iterator[tuple[Mutant, int]]:
    for states in _LIMITS:
        own = run.question.limits
        limits = replace(own, states=min(states, own.states or states))
        limited = replace(run, question=replace(run.question, limits=limits))
        further = []
        for mutant in made:
            seen = _explore_mutant(limited, mutant)
            if seen is not None and _violates(seen):
                yield mutant, seen.depth
            elif seen is not None and seen.stopped is not None:
                further.append(mutant)
        made = further


def _explore_mutant(run: JointRun, mutant: Mutant) -> Seen | None:
    """What is known of a mutant when it violates the run's claim, goes wrong or ends; None where it is none."""
    try:
        system = run.mutant_of(mutant.changed)
    except (DeclarationError, RefusedError):
        return None
    return None if system.digest == run.system.digest else _explore(run, system)


def _explore(run: JointRun, system: System) -> Seen | None:
    seen = None
    for seen in run.explore(system):
        if seen.failed or seen.alarms[0]:
            break
    return seen


def _violates(seen: Seen) -> bool:
    """Has the claim been violated by a system that has not gone wrong?"""
    return seen.alarms[0] and not seen.failed

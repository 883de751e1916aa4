"""For a claim that holds, a mutant of the model that refutes it: the claim can fail, so its HOLDS says something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.stage import Staged
from offsetproof.mutation.matrix import Run, asked_alone
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.workshop import Mutant
from offsetproof.verdict.question import Question

_LIMITS = (20_000, 300_000, None)
"""Mutants are explored to so many states, all of them before any is explored further."""


class NothingToRefuteError(Exception):
    """The claim does not hold, so there is nothing to refute."""


def refuting(question: Question) -> tuple[Mutant, int] | None:
    """A mutant that violates the question's claim, with the number of steps that this takes; None if there is none.

    Raises NothingToRefuteError where the claim does not hold, or is a witness.
    """
    staged = Staged(question.model, question.setting)
    run = asked_alone(question, staged)
    if isinstance(run, str) or not run.to_end or run.first[0] is not None:
        why = run if isinstance(run, str) else "its story was found"
        raise NothingToRefuteError(f"{question.prop.id} does not hold in {question.setting.scope.name}: {why}")
    return next(_found(run, mutants(staged)), None)


def _found(run: Run, made: list[Mutant]) -> Iterator[tuple[Mutant, int]]:
    for states in _LIMITS:
        limited = replace(run, question=replace(run.question, limits=replace(run.question.limits, states=states)))
        for mutant in made:
            steps = _violated(limited, mutant)
            if steps is not None:
                yield mutant, steps


def _violated(run: Run, mutant: Mutant) -> int | None:
    """After how many steps the mutant violates the run's claim, before it goes wrong; None where it does not."""
    try:
        system = run.mutated(mutant.changed)
    except (DeclarationError, RefusedError):
        return None
    if system.digest == run.system.digest:
        return None
    for seen in run.explored(system):
        if seen.failed or seen.alarms[0]:
            return None if seen.failed else seen.depth
    return None

"""From Python to questions: objects where the command line has words, and the same engines behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from offsetproof.api.arguments import Spent, Where, not_one
from offsetproof.api.results import CheckInterruptedError, Results
from offsetproof.checking.answers import Answer, answers_of_all
from offsetproof.checking.answers_apart import answers_apart
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.engines import EngineChoice, EngineName
from offsetproof.checking.request import Request, questions_by_subject
from offsetproof.checking.side_by_side import processes
from offsetproof.checking.subject import load_subjects, refuse_claim_of_another
from offsetproof.lang.claim import Claim, Property, properties_of
from offsetproof.lang.errors import DeclarationError, place_of
from offsetproof.lang.model import Model
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.subject import Subject, subject_of
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question

Asked = str | Path | type[Model] | Subject | None
"""What can be checked: a name as on the command line (or a file), a model, a subject; None for the built-in model."""

Claims = str | Property | Claim
"""What can be asked of it: a claim's id or name, or the decorated function."""


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Asking:
    """Questions about a subject, or the members of a family, and what deciding them may spend."""

    name: str
    by_subject: Sequence[tuple[Subject, Sequence[Question]]]
    choice: EngineChoice
    workers: int = 1

    @property
    def one_by_one(self) -> Iterator[tuple[Question, Asking]]:
        """Each question, and it alone to be decided."""
        for subject, questions in self.by_subject:
            for question in questions:
                yield question, Asking(self.name, [(subject, [question])], self.choice)

    def decide(self) -> Results:
        """The answers, in the order of the questions; see `offsetproof.check` for what is raised."""
        given: list[Answer] = []
        try:
            with ExitStack() as stack:
                asked = [question for _, questions in self.by_subject for question in questions]
                engines = self.choice.start(stack, asked, lambda _text: None)
                count = processes(self.workers, asked)
                if count == 1:
                    answers = answers_of_all(engines, self.by_subject)
                else:
                    answers = answers_apart(engines, self.by_subject, count, lambda _question, _status, _done: None)
                for answer in answers:
                    given.append(answer)
        except KeyboardInterrupt:
            raise CheckInterruptedError(Results(self.name, given)) from None
        if any(answer.is_interrupted for answer in given):
            raise CheckInterruptedError(Results(self.name, given))
        return Results(self.name, given)


def asking_of(subject: Asked, claims: Claims | Iterable[Claims], world: Where, spent: Spent) -> Asking:
    """The questions that these arguments of `offsetproof.check` ask."""
    spent.refuse_odd()
    wanted = _claims(claims)
    subjects = _with_claims(_subjects(subject, chosen=not all(isinstance(each, str) for each in wanted)), wanted)
    name = subjects[0].name if len(subjects) == 1 else str(subject)
    for claim in wanted:
        if isinstance(claim, str):
            refuse_claim_of_another(subjects[0], claim)
    choice = EngineChoice(_engine(spent.engine), spent.depth, spent.seed)
    request = Request(
        subjects[0],
        tuple(name for each in wanted for name in _ids(each)),
        releases=_names(world.release, "releases", subjects),
        fixes=_names(world.fixes, "fixes", subjects),
        assumptions=_names(world.assumptions, "assumptions", subjects),
        listener=None if world.listener is None else _names((world.listener,), "listeners", subjects)[0],
        scope=world.scope,
        bounds=world.bounds,
        limits=Limits(spent.max_states, choice.limit(spent.max_memory), spent.timeout, spent.workers),
    )
    return Asking(name, questions_by_subject(subjects, request), choice, spent.workers)


def _subjects(subject: Asked, *, chosen: bool) -> tuple[Subject, ...]:
    if isinstance(subject, Subject):
        return (subject,)
    if isinstance(subject, type) and issubclass(subject, Model):
        with declared_by(subject):
            return (subject_of(subject, chosen=chosen),)
    if not isinstance(subject, str | Path | None):
        raise not_one("subject", subject, "a model's class, a Subject, or a name as on the command line")
    return load_subjects() if subject is None else load_subjects(str(subject))


def _with_claims(subjects: tuple[Subject, ...], wanted: Sequence[Claims]) -> tuple[Subject, ...]:
    """The subjects; a single one also has the claims that are given as functions from elsewhere."""
    if len(subjects) > 1:
        return subjects
    (subject,) = subjects
    more = [prop for each in wanted for prop in properties_of(each) if prop not in subject.properties]
    if not more:
        return subjects
    with declared_by(subject.model):
        return (replace(subject, properties=(*subject.properties, *dict.fromkeys(more))),)


def _claims(given: Claims | Iterable[Claims]) -> tuple[Claims, ...]:
    """What is given as one or as many; DeclarationError for what is not a claim."""
    claims: tuple[object, ...] = (
        tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    )
    return tuple(_claim(each) for each in claims)


def _claim(given: object) -> Claims:
    if isinstance(given, str | Property | Claim):
        return given
    source = place_of(given) if callable(given) else repr(given)
    raise DeclarationError(f"{source} is not a claim; mark it with @always, @each_step, @at_rest or @sometimes")


def _ids(claim: Claims) -> tuple[str, ...]:
    """What the claim is called: a name as it was given, a function by the ids of its cases."""
    return (claim,) if isinstance(claim, str) else tuple(prop.id for prop in properties_of(claim))


def _names(given: Sequence[str | _HasName], among: str, subjects: Sequence[Subject]) -> tuple[str, ...]:
    """The names of what is given; DeclarationError for an object that the model does not have.

    A name stands for the model's own: an object with that name and other contents would be asked as what it is not.
    """
    own = [each for subject in subjects for each in getattr(subject.model, among)]
    for each in given:
        if not isinstance(each, str) and each.name in {known.name for known in own} and each not in own:
            model = subjects[0].model.__name__
            raise DeclarationError(
                f"{each.name} differs from the one that {model} has in its {among}; give it another name"
            )
    return tuple(each if isinstance(each, str) else each.name for each in given)


def _engine(name: str) -> EngineName:
    known = [str(each) for each in EngineName]
    if name not in known:
        raise UnknownNameError("engine", name, known)
    return EngineName(name)

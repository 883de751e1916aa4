"""Mutating a subject: from a request to mutants, each with what became of it, and the score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.request import Request, questions_about_states
from offsetproof.lang.subject import Subject
from offsetproof.mutation.judging import Judged, Outcome, judge
from offsetproof.mutation.matrix import Matrix, Mutation, matrix


@dataclass(frozen=True)
class Mutated:
    """What came of it: the subject, its matrix, and the mutants that were judged."""

    subject: Subject
    matrix: Matrix
    judged: tuple[Judged, ...]

    def of(self, outcome: Outcome) -> list[Judged]:
        """The mutants of which this became."""
        return [each for each in self.judged if each.notice.outcome is outcome]

    @property
    def noticed(self) -> int:
        """How many somebody noticed."""
        return sum(each.notice.outcome.noticed for each in self.judged)

    @property
    def undecided(self) -> int:
        """How many were given up."""
        return len(self.of(Outcome.UNDECIDED))

    @property
    def score(self) -> float | None:
        """The share that was noticed of the mutants that could be; None where there are none."""
        able = sum(not each.notice.outcome.hidden for each in self.judged)
        return self.noticed / able if able else None


def made_for(request: Request) -> Matrix:
    """The matrix of all questions that the request means, but for those about whole runs."""
    questions = questions_about_states(request)
    with declared_by(request.subject.model):
        return matrix(questions)


def sample_of(mutations: Sequence[Mutation], limit: int | None) -> list[Mutation]:
    """At most this many of the mutants, evenly spread over all of them.

    >>> sample_of([1, 2, 3, 4, 5, 6], 3)
    [1, 3, 5]
    """
    if limit is None or limit >= len(mutations):
        return list(mutations)
    return [mutations[i * len(mutations) // limit] for i in range(limit)]


def judge_mutants(matrix: Matrix, mutations: Iterable[Mutation]) -> Iterator[Judged]:
    """Each mutant with what became of it, as soon as it is known."""
    for mutation in mutations:
        yield judge(mutation, matrix)

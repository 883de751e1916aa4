"""Finds, for every claim about RocketMQ that holds, a mutant of the model that refutes it, and writes it down.

`make record` runs this for each subject; a subject's name asks for that alone. What is written down in its file in
studies/data is kept while its mutant still violates the claim, so that only new claims, and those that a change of the
model has moved, are searched for; `--again` searches for all. Where no mutant refutes a claim, that is written down
too, for the system as it was. Claims that are true of any state whatever are not searched for.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.smt.unrolling import Unrolling
from offsetproof.lang import HOLDS, ClaimKind, Subject
from offsetproof.lang.stage import Staged
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.refuting import refuting_mutant, steps_to_violate
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from studies import RECORDS
from studies.subjects import ABOUT_ROCKETMQ

FILES = {subject: RECORDS / f"refuting-{subject.name}.json" for subject in ABOUT_ROCKETMQ}
"""Where it is written down, by subject."""

STATES = 50_000_000
"""A mutant that has shown nothing after so many states is given up."""


@dataclass(frozen=True)
class Refuting:
    """A claim that holds in a scope, and the mutant that violates it after so many steps; None: no mutant does."""

    claim: str
    scope: str
    mutant: str | None
    steps: int | None
    digest: str

    @property
    def name(self) -> tuple[str, str]:
        """What it is about."""
        return self.claim, self.scope


def questions_that_hold(subject: Subject, states: int = STATES) -> list[Question]:
    """Every claim that is expected to hold, in each of its scopes, in so many states; a witness is no such claim.

    Each is asked of the usual release, or of the first of which it speaks.
    """
    named = tuple(prop.id for prop in subject.properties)
    questions = questions_of(Request(subject, named, limits=Limits(states=states)))
    return [q for q in questions if q.prop.kind is not ClaimKind.SOMETIMES and q.prop.expects(q.setting) is HOLDS]


def name_of(question: Question) -> tuple[str, str]:
    """The claim and its scope."""
    return question.prop.id, question.setting.scope.name


def recorded_refutations(subject: Subject) -> dict[tuple[str, str], Refuting]:
    """What is written down."""
    file = FILES[subject]
    rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return {row.name: row for row in (Refuting(**row) for row in rows)}


def digest_of(question: Question, staged: Staged) -> str:
    """The system that the claim is about."""
    return staged.system((question.prop, *question.witnesses)).digest


def steps_to_violation(question: Question, staged: Staged, mutant: str) -> int | None:
    """After how many steps the mutant of this name violates the claim; None if it does not, or is not made any more."""
    made = next((each for each in mutants(staged) if str(each) == mutant), None)
    return None if made is None else steps_to_violate(question, staged, made)


def true_by_definition(question: Question, staged: Staged) -> bool:
    """Is the claim true whatever the fields are, reached or not? Then no change of the actions can refute it."""
    system = staged.system((question.prop,))
    if system.claims[0].per_step:
        return False
    anything = Unrolling(system, [False], from_initial=False)
    violated = anything.bad(0, 0)
    return violated is None or str(anything.check(0, violated, seconds=60)) == "unsat"


def main() -> None:
    """For the subjects that are named, or for all."""
    again, named = "--again" in sys.argv, [name for name in sys.argv[1:] if not name.startswith("--")]
    for subject in FILES:
        if not named or subject.name in named:
            _refute(subject, {} if again else recorded_refutations(subject))


def _refute(subject: Subject, known: dict[tuple[str, str], Refuting]) -> None:
    """Keeps what is still true, searches for the rest, and writes after each claim."""
    questions = questions_that_hold(subject)
    known = {name_of(question): known[name_of(question)] for question in questions if name_of(question) in known}
    for question in questions:
        row = _row(question, known.get(name_of(question)))
        known[row.name] = row
        _write(FILES[subject], (known[name_of(each)] for each in questions if name_of(each) in known))


def _row(question: Question, before: Refuting | None) -> Refuting:
    staged = Staged(question.model, question.setting)
    digest = digest_of(question, staged)
    if before is not None and before.mutant is None and before.digest == digest:
        return before
    steps = None
    if before is not None and before.mutant is not None:
        steps = steps_to_violation(question, staged, before.mutant)
        if steps is not None:
            return Refuting(*before.name, before.mutant, steps, digest)
    refutation = None if true_by_definition(question, staged) else refuting_mutant(question)
    mutant, steps = (None, None) if refutation is None else (str(refutation[0]), refutation[1])
    print(*name_of(question), f"{mutant} after {steps} steps" if mutant else "no mutant refutes it", flush=True)
    return Refuting(*name_of(question), mutant, steps, digest)


def _write(file: Path, rows: Iterable[Refuting]) -> None:
    file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

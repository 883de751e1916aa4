"""Finds, for every claim about RocketMQ that holds, a change of the model that refutes it, and writes it down.

`make record` runs this for each subject; a subject's name asks for that alone. A claim is asked in each scope and
release of which the baseline says that it holds: a release that gives it the system of an earlier one has no finding of
its own there. What is written down in its subject's file in studies/data is kept while it still violates the claim, so
that only new claims, and those that a change of the model has moved, are searched for; `--again` searches for all.

What refutes the claim in another scope or release comes first. Then a behaviour or a fix is taken away, and then come
the mutants. Where nothing refutes a claim, that is written down too, for the system as it was. Claims that are true of
any state whatever are not searched for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain

from offsetproof.checking.request import question_of
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.smt.unrolling import Unrolling
from offsetproof.guard.baseline import Finding
from offsetproof.lang import HOLDS, ClaimKind, Subject
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.refuting import refuting_mutant, steps_to_violate
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from studies import RECORDS
from studies.flips import without_behaviour
from studies.rows import read_rows, write_rows
from studies.subjects import ABOUT_ROCKETMQ
from studies.verdicts import baseline_of

FILES = {subject: RECORDS / f"refuting-{subject.name}.json" for subject in ABOUT_ROCKETMQ}
"""Where it is written down, by subject."""

STATES = 50_000_000
"""A change that is written down is asked again to so many states, and so is the model itself before mutants are."""

TRIED = 3_000_000
"""A change that is known from elsewhere, or takes something away, is given up after so many states."""

WITHOUT = "without "
"""How the name of a change begins that takes a fix or a behaviour away; others are those of mutants."""

Name = tuple[str, str, str]
"""A claim, a scope and a release."""


@dataclass(frozen=True)
class Refuting:
    """A claim that holds in a scope of a release, and the change that violates it after so many steps; None: none does.

    `digest` is that of the system that the claim is about.
    """

    claim: str
    scope: str
    release: str
    change: str | None
    steps: int | None
    digest: str

    @property
    def name(self) -> Name:
        """What it is about."""
        return self.claim, self.scope, self.release


def findings_that_hold(subject: Subject) -> dict[Name, Finding]:
    """Each system of which the baseline says that a claim holds; a witness is no such claim."""
    findings = baseline_of(subject.name).findings.values()
    holding = (each for each in findings if each.verdict is HOLDS and each.kind is not ClaimKind.SOMETIMES)
    return {(each.asked.claim, each.scope.name, each.asked.release or ""): each for each in holding}


def question_about(subject: Subject, finding: Finding) -> Question:
    """The question that the finding answers, for changes of its model."""
    return question_of(subject, finding.asked, Limits(states=STATES))


def recorded_refutations(subject: Subject) -> dict[Name, Refuting]:
    """What is written down."""
    return {row.name: row for row in (Refuting(**row) for row in read_rows(FILES[subject]))}


def steps_to_violation(question: Question, models: StagedModels, change: str) -> int | None:
    """After how many steps a change violates the claim; None if it does not, or is not made any more."""
    if change.startswith(WITHOUT):
        setting = _changes_of_setting(question, models).get(change)
        return None if setting is None else _steps_in(replace(question, setting=setting))
    staged = models.of(question)
    made = next((each for each in mutants(staged) if str(each) == change), None)
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


def _refute(subject: Subject, known: dict[Name, Refuting]) -> None:
    """Keeps what is still true, searches for the rest, and writes after each claim."""
    holding, models = findings_that_hold(subject), StagedModels()
    known = {name: known[name] for name in holding if name in known}
    for name, finding in holding.items():
        known[name] = _row(name, question_about(subject, finding), known, models)
        write_rows(FILES[subject], (asdict(known[each]) for each in holding if each in known))


def _row(name: Name, question: Question, known: Mapping[Name, Refuting], models: StagedModels) -> Refuting:
    staged, before = models.of(question), known.get(name)
    digest = staged.system((question.prop, *question.witnesses)).digest
    if before is not None and before.change is None and before.digest == digest:
        return before
    change = None if before is None else before.change
    steps = None if change is None else steps_to_violation(question, models, change)
    if steps is None:
        change, steps = _refutation(question, _known_elsewhere(name, known), models) or (None, None)
    if before is None or change != before.change:
        print(*name, f"{change} after {steps} steps" if change else "nothing refutes it", flush=True)
    return Refuting(*name, change, steps, digest)


def _known_elsewhere(name: Name, known: Mapping[Name, Refuting]) -> list[str]:
    """What is known to refute the claim, in this scope first, in as few steps as may be."""
    same = [row for row in known.values() if row.claim == name[0]]
    nearest = sorted(same, key=lambda row: (row.scope != name[1], row.steps or 0))
    return list(dict.fromkeys(row.change for row in nearest if row.change is not None))


def _refutation(question: Question, elsewhere: Sequence[str], models: StagedModels) -> tuple[str, int] | None:
    """A change that violates the claim, with its steps; None if none is found."""
    staged = models.of(question)
    if true_by_definition(question, staged):
        return None
    of_setting = list(_changes_of_setting(question, models))
    made = [*of_setting, *map(str, mutants(staged))]
    known = [each for change in elsewhere for each in made if _what_changes(each) == _what_changes(change)]
    limited = replace(question, limits=Limits(states=TRIED))
    for change in dict.fromkeys((*known, *of_setting)):
        steps = steps_to_violation(limited, models, change)
        if steps is not None:
            return change, steps
    found = refuting_mutant(question)
    return None if found is None else (str(found[0]), found[1])


def _what_changes(change: str) -> str:
    """A change without the words of the guard that it drops: another release may add to them."""
    return ": ".join(change.split(": ", 2)[:2])


def _changes_of_setting(question: Question, models: StagedModels) -> dict[str, Setting]:
    """Each behaviour of its releases that model or claim ask for taken away alone, the latest first; then each fix."""
    setting, staged = question.setting, models.of(question)
    staged.system((question.prop, *question.witnesses))
    brought = [line.behaviours for release in setting.releases.values() for line in release.lineage]
    asked = (sorted(each & staged.asked_for, key=lambda behaviour: behaviour.name) for each in brought)
    changed = {each.name: without_behaviour(setting, each) for each in chain(*asked) if setting.behaves(each)}
    for fix in setting.fixes:
        changed.setdefault(fix.name, replace(setting, fixes=tuple(each for each in setting.fixes if each is not fix)))
    return {f"{WITHOUT}{name}": each for name, each in changed.items()}


def _steps_in(question: Question) -> int | None:
    return steps_to_violate(question, Staged(question.model, question.setting))


if __name__ == "__main__":
    main()

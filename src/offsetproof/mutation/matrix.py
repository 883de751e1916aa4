"""What the model itself does: the runs that every mutant is compared with.

A claim that holds is a run of its own, to the end. Claims that are violated, and witnesses that are reached, share one
run per setting, as deep as the longest of their stories. What cannot be decided within the limits is left out, and
said to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from offsetproof.engines.preparing import reduce_system
from offsetproof.ir.system import Instance, StagedClaim, System
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.fair_threads import fair_threads
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.mutation.layers import Seen, layers
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.runs import seen_of_runs
from offsetproof.mutation.workshop import Mutant, Operator
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question

_CLAIMS_MAX = 50

Key = tuple[object, ...]
"""What tells settings apart: `Setting.key`."""


@dataclass(frozen=True)
class JointRun:
    """Some claims of one setting, explored together: `first` has the depth of each one's first alarm, if it has any.

    `to_end` says that all states were seen; else the run ends with the last of the alarms.
    """

    question: Question
    props: tuple[Property, ...]
    staged: Staged
    to_end: bool
    first: tuple[int | None, ...] = ()
    last: Seen | None = None

    @property
    def setting(self) -> Setting:
        """Where the claims are asked."""
        return self.question.setting

    @cached_property
    def whole(self) -> System:
        """The staged system with the claims, before any reduction."""
        return self.staged.system(self.props)

    @cached_property
    def system(self) -> System:
        """What is explored of the model itself."""
        return reduce_system(self.whole, self.question)[0]

    @cached_property
    def _grown(self) -> ModelInstance:
        """The model in the setting, once for all mutants."""
        return ModelInstance(self.question.model, self.setting)

    def mutant_of(self, changed: Mapping[int, Instance]) -> System:
        """What is explored of a mutant: the claims are judged on what its own steps do."""
        instances = tuple(changed.get(i, inst) for i, inst in enumerate(self.whole.instances))
        claims = tuple(
            self._restate(claim, prop, changed, instances)
            for claim, prop in zip(self.whole.claims, self.props, strict=True)
        )
        return reduce_system(replace(self.whole, instances=instances, claims=claims), self.question)[0]

    def _restate(
        self, claim: StagedClaim, prop: Property, changed: Mapping[int, Instance], instances: Sequence[Instance]
    ) -> StagedClaim:
        if claim.in_the_end is not None:
            threads = fair_threads(self._grown, instances)
            return replace(claim, in_the_end=replace(claim.in_the_end, threads=threads))
        if not claim.per_step:
            return claim
        steps = [self.staged.step_claim(prop, changed[i]) if i in changed else n for i, n in enumerate(claim.per_step)]
        return replace(claim, per_step=tuple(steps))

    def explore(self, system: System, kinds: Sequence[ClaimKind] = ()) -> Iterator[Seen]:
        """Layer by layer, as far as the run goes; of a claim about runs all at once.

        `kinds` where the claims on the system are not the run's own.
        """
        if not kinds and self.props[0].kind.is_about_runs:
            yield seen_of_runs(self.question, self.staged, system)
            return
        deepest = max((depth for depth in self.first if depth is not None), default=None)
        kinds = kinds or [prop.kind for prop in self.props]
        for seen in layers(system, kinds, self.question.limits, self.question.progress):
            yield seen
            if not self.to_end and seen.depth == deepest:
                return


@dataclass(frozen=True)
class Mutation:
    """One mutant in all settings that have it: what it changes in each."""

    key: tuple[str, ...]
    action: str
    operator: Operator
    text: str
    changed: Mapping[Key, Mapping[int, Instance]]

    def __str__(self) -> str:
        return f"{self.action}: {self.text}"


@dataclass(frozen=True)
class Matrix:
    """The runs, the cheapest first; the questions that are left out, with the reason; the mutants, by action."""

    runs: tuple[JointRun, ...]
    left_out: tuple[tuple[Question, str], ...]
    mutations: tuple[Mutation, ...]


def matrix(questions: Sequence[Question]) -> Matrix:
    """The matrix of these questions."""
    staged: dict[Key, Staged] = {}
    alone: list[JointRun] = []
    stories: dict[Key, list[JointRun]] = {}
    left_out: list[tuple[Question, str]] = []
    for question in questions:
        key = question.setting.key
        if key not in staged:
            staged[key] = Staged(question.model, question.setting)
        run = asked_alone(question, staged[key])
        if isinstance(run, str):
            left_out.append((question, run))
        else:
            (alone if run.to_end else stories.setdefault(key, [])).append(run)
    shared = [run for runs in stories.values() for run in _share_runs(runs)]
    runs = sorted((*alone, *shared), key=lambda run: run.last.states if run.last else 0)
    return Matrix(tuple(runs), tuple(left_out), tuple(_merge_mutants(staged)))


def asked_alone(question: Question, staged: Staged) -> JointRun | str:
    """One claim's run, to its first alarm or to the end; or why it cannot serve."""
    run = JointRun(question, (question.prop, *question.witnesses), staged, to_end=True)
    seen = None
    first: list[int | None] = [None] * len(run.props)
    for seen in run.explore(run.system):
        first = [d if d is not None or not up else seen.depth for d, up in zip(first, seen.alarms, strict=True)]
        if seen.stopped is not None:
            return f"{seen.stopped} after {quantity(seen.states, 'state')}"
        if seen.failed:
            return "the model goes wrong"
        if seen.alarms[0]:
            return replace(run, props=(question.prop,), to_end=False, first=(first[0],), last=seen)
    return replace(run, first=tuple(first), last=seen)


def _share_runs(runs: Sequence[JointRun]) -> Iterator[JointRun]:
    """Runs of one setting that end with an alarm, as few runs."""
    for start in range(0, len(runs), _CLAIMS_MAX):
        some = runs[start : start + _CLAIMS_MAX]
        props = tuple(run.props[0] for run in some)
        run = replace(some[0], props=props, first=tuple(run.first[0] for run in some), last=None)
        for seen in run.explore(run.system):
            last = seen
        yield replace(run, last=last)


def _merge_mutants(staged: Mapping[Key, Staged]) -> list[Mutation]:
    """The mutants of all settings, the same ones together, in the order of the model's actions."""
    mutants_by_key: dict[tuple[str, ...], dict[Key, Mutant]] = {}
    for key, each in staged.items():
        for mutant in mutants(each):
            mutants_by_key.setdefault(mutant.key, {})[key] = mutant
    order: list[str] = []
    for each in staged.values():
        order += [action for action in each.actions if action not in order]
    made: dict[object, Mutation] = {}
    for key, by_setting in mutants_by_key.items():
        first = next(iter(by_setting.values()))
        changed = {where: mutant.changed for where, mutant in by_setting.items()}
        mutation = Mutation(key, first.action, first.operator, first.text, changed)
        made.setdefault(_effect(mutation), mutation)
    return sorted(made.values(), key=lambda mutation: order.index(mutation.action))


def _effect(mutation: Mutation) -> object:
    """What a mutant comes to: two changes with the same effect are one mutant."""
    return frozenset(
        (key, number, inst.guards, frozenset(inst.updates.items()))
        for key, changed in mutation.changed.items()
        for number, inst in changed.items()
    )

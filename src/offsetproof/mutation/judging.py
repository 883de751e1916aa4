"""One mutant against the model: which claim notices first.

A mutant is noticed when a claim that held is violated, when a story is no longer what it was, when a witness is
reached earlier or later or not at all, when the mutant goes wrong, or when an action never fires any more. When only
the counts of states differ, no claim has noticed. Of those that survive, some are shown to do what the model does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from offsetproof.ir.system import Instance, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.mutation.layers import Seen
from offsetproof.mutation.matrix import JointRun, Matrix, Mutation
from offsetproof.mutation.sameness import does_the_same
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import Reason


class Outcome(StrEnum):
    """What became of a mutant. The first five are noticed; the last two cannot be."""

    CLAIM = "claim violated"
    STORY = "story moved"
    WITNESS = "witness moved"
    ERROR = "model error"
    IDLE = "action never fires"
    COUNTS = "only counts moved"
    SURVIVED = "survived"
    UNDECIDED = "undecided"
    SAME = "does the same"
    UNSEEN = "in no claim's slice"

    @property
    def noticed(self) -> bool:
        """Did somebody notice?"""
        return self in (Outcome.CLAIM, Outcome.STORY, Outcome.WITNESS, Outcome.ERROR, Outcome.IDLE)

    @property
    def hidden(self) -> bool:
        """Is there nothing that a claim could notice?"""
        return self in (Outcome.SAME, Outcome.UNSEEN)


@dataclass(frozen=True)
class Notice:
    """What gave a mutant away: the claim and the scope where it did, if it was one claim, and how, in words.

    `lacks_memory`: with more of it somebody might have noticed.
    """

    outcome: Outcome
    detail: str = ""
    claim: str | None = None
    scope: str | None = None
    lacks_memory: bool = False


@dataclass(frozen=True)
class Judged:
    """A mutant and what became of it; `scopes` are those whose slices it changes."""

    mutation: Mutation
    notice: Notice
    scopes: tuple[str, ...]


def judge(mutation: Mutation, matrix: Matrix) -> Judged:
    """Explores a mutant, the cheapest run first, until something notices it."""
    sight = _Sight()
    scopes: dict[str, None] = {}
    for run in matrix.runs:
        changed = mutation.changed.get(run.setting.key)
        notice = None
        if changed is None:
            sight.note_unchanged(run)
        else:
            notice = _compare_in_run(run, changed, sight, scopes)
        if notice is not None:
            return Judged(mutation, notice, tuple(scopes))
    notice = sight.verdict(matrix)
    if notice.outcome is Outcome.SURVIVED and _same(mutation, matrix):
        notice = Notice(Outcome.SAME)
    return Judged(mutation, notice, tuple(scopes))


def _same(mutation: Mutation, matrix: Matrix) -> bool:
    """Does the mutant do what the model does in every state of every run?"""
    here = [(run, mutation.changed[run.setting.key]) for run in matrix.runs if run.setting.key in mutation.changed]
    return all(does_the_same(run, run.mutant_of(changed)) for run, changed in here)


class _Sight:
    """What the runs of one mutant that noticed nothing have shown together."""

    def __init__(self) -> None:
        self.fired: set[str] = set()
        self.able: set[str] = set()
        self.open: list[str] = []
        self.moved: list[str] = []
        self.changed = self.lacks_memory = False

    def note_unchanged(self, run: JointRun) -> None:
        """In this run the mutant is the model."""
        if run.last is not None:
            self.fired |= run.last.fired

    def note_run(self, run: JointRun, system: System, last: Seen) -> None:
        """A run of the mutant itself, as far as it got."""
        self.changed = True
        self.fired |= last.fired
        self.lacks_memory |= last.stopped is Reason.MEMORY
        if last.stopped is not None:
            self.open.append(f"{_claims(run)} in {run.setting.scope.name}: {last.stopped}")
        elif run.to_end:
            self.able |= {inst.label[0] for inst in system.instances}
        if run.last is not None and (last.states, last.transitions) != (run.last.states, run.last.transitions):
            here, before = (
                f"{quantity(x.states, 'state')} and {quantity(x.transitions, 'transition')}" for x in (last, run.last)
            )
            self.moved.append(f"{_claims(run)} in {run.setting.scope.name}: {here}, not {before}")

    def verdict(self, matrix: Matrix) -> Notice:
        """What to say where nothing noticed."""
        before = {name for run in matrix.runs if run.last for name in run.last.fired}
        idle = sorted(self.able & before - self.fired)
        if idle:
            return Notice(Outcome.IDLE, f"never taken: {', '.join(idle)}", lacks_memory=self.lacks_memory)
        if self.open:
            return Notice(Outcome.UNDECIDED, self.open[0], lacks_memory=self.lacks_memory)
        if not self.changed:
            return Notice(Outcome.UNSEEN)
        return Notice(Outcome.COUNTS, self.moved[0]) if self.moved else Notice(Outcome.SURVIVED)


def _claims(run: JointRun) -> str:
    return run.props[0].id if run.to_end else "stories"


def _compare_in_run(
    run: JointRun, changed: Mapping[int, Instance], sight: _Sight, scopes: dict[str, None]
) -> Notice | None:
    """Explores the mutant in one run; what differs, if anything does that counts."""
    try:
        system = run.mutant_of(changed)
    except (DeclarationError, RefusedError) as error:
        return Notice(Outcome.ERROR, str(error), scope=run.setting.scope.name)
    if system.digest == run.system.digest:
        sight.note_unchanged(run)
        return None
    scopes[run.setting.scope.name] = None
    before, last = [False] * len(run.props), None
    for last in run.explore(system):
        notice = next(_differences(run, before, last), None)
        if notice is not None:
            return notice
        before = list(last.alarms)
    assert last is not None
    sight.note_run(run, system, last)
    return next(_missing_alarms(run, last), None) if last.finished else None


def _missing_alarms(run: JointRun, last: Seen) -> Iterator[Notice]:
    """What the model shows and a mutant that has ended by now does not."""
    for prop, first, up in zip(run.props, run.first, last.alarms, strict=True):
        if first is not None and not up:
            witness = prop.kind is ClaimKind.SOMETIMES
            how = "is not reached at all" if witness else "holds"
            yield Notice(Outcome.WITNESS if witness else Outcome.STORY, how, prop.id, run.setting.scope.name)


def _differences(run: JointRun, before: list[bool], seen: Seen) -> Iterator[Notice]:
    """What this layer shows that the model's own does not, or the other way round."""
    scope = run.setting.scope.name
    for prop, first, was, now in zip(run.props, run.first, before, seen.alarms, strict=True):
        witness = prop.kind is ClaimKind.SOMETIMES
        if now and not was and first != seen.depth:
            outcome = Outcome.WITNESS if witness else Outcome.CLAIM if first is None else Outcome.STORY
            how = "reached" if witness else "violated"
            instead = "" if first is None else f", not {first}"
            yield Notice(outcome, f"{how} after {quantity(seen.depth, 'step')}{instead}", prop.id, scope)
        elif first == seen.depth and not now and seen.stopped is None:
            how = "not reached" if witness else "not violated"
            outcome = Outcome.WITNESS if witness else Outcome.STORY
            yield Notice(outcome, f"{how} within {quantity(first, 'step')}", prop.id, scope)
    if seen.failed:
        yield Notice(Outcome.ERROR, f"goes wrong after {quantity(seen.depth - 1, 'step')}", scope=scope)

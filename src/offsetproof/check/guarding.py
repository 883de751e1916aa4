"""Guarding: every cell of the matrix decided again and held against the baseline.

A cell whose system is the one that the baseline knows, by its digest, need not be decided again: the verdict rests on
nothing else of the model. (It also rests on the engine, which has its own tests.) What must be true of the matrix as a
whole is judged with it: every witness is reached, and every action that a search could take is taken in some search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from offsetproof.check.answers import Answer, Engine, shown
from offsetproof.check.baseline import Baseline, Cell, Key
from offsetproof.check.places import declared_by
from offsetproof.engines.reducing import reduced
from offsetproof.lang.claim import ClaimKind, Expectation
from offsetproof.lang.model import Subject
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.verdict.exits import Exit, broken, exit_of, worst
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict


class Change(StrEnum):
    """How a cell differs from the baseline."""

    NONE = "none"
    HOLDS_TO_REFUTED = "holds-to-refuted"
    REFUTED_TO_HOLDS = "refuted-to-holds"
    OTHER_CAUSE = "other-cause"
    COUNTS_MOVED = "counts-moved"
    UNKNOWN = "unknown"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True)
class Guarded:
    """One cell: what the baseline says of it, and what is so now (None where it is gone, or could not be decided).

    Without an `answer` it was not decided again. `taken` are the actions that its search took.
    """

    before: Cell | None
    now: Cell | None
    question: Question | None = None
    answer: Answer | None = None
    taken: frozenset[str] = frozenset()

    @property
    def cell(self) -> Cell:
        """What there is of the cell: as it is now, else as it was, else only its name."""
        found = self.now or self.before
        if found is None:
            assert self.question is not None
            found = _cell(self.question, "", frozenset())
        return found

    @property
    def change(self) -> Change:
        """What is different."""
        if self.question is None:
            return Change.GONE
        if self.now is None:
            return Change.UNKNOWN
        return Change.NEW if self.before is None else _change(self.before, self.now)

    @property
    def exit(self) -> Exit:
        """The exit code that the change calls for."""
        if self.change is Change.NONE:
            return Exit.AS_EXPECTED
        if self.change is Change.UNKNOWN and self.answer is not None:
            return exit_of(self.answer.result)
        return broken(self.cell.kind) if self.change is Change.HOLDS_TO_REFUTED else Exit.DIFFERS

    @property
    def is_unreached(self) -> bool:
        """Is this a witness that no state shows, although nobody expects that?"""
        if self.question is None or self.now is None or self.now.kind is not ClaimKind.SOMETIMES:
            return False
        expected = self.question.prop.expects(self.question.setting)
        return self.now.verdict is Expectation.REFUTED and expected is not Expectation.REFUTED


def _change(before: Cell, now: Cell) -> Change:
    if before.verdict is not now.verdict:
        refuted = now.verdict is Expectation.REFUTED
        return Change.HOLDS_TO_REFUTED if refuted else Change.REFUTED_TO_HOLDS
    if (before.faults, before.steps, before.cause) != (now.faults, now.steps, now.cause):
        return Change.OTHER_CAUSE
    counts = (before.states, before.transitions, before.depth) == (now.states, now.transitions, now.depth)
    return Change.NONE if counts else Change.COUNTS_MOVED


@dataclass(frozen=True)
class Guard:
    """A whole run: its cells, and whether these are all cells of the subject."""

    subject: Subject
    cells: tuple[Guarded, ...]
    whole: bool

    @property
    def decided(self) -> int:
        """How many cells were decided again."""
        return sum(each.answer is not None for each in self.cells)

    @property
    def skipped(self) -> int:
        """How many were not, because their digests are equal."""
        return sum(each.answer is None and each.question is not None for each in self.cells)

    @property
    def unreached(self) -> tuple[Guarded, ...]:
        """Witnesses that are not there."""
        return tuple(each for each in self.cells if each.is_unreached)

    @property
    def never_fired(self) -> tuple[str, ...]:
        """Actions that some search went through to the end without ever taking, and that no other search took.

        Left out are those that no claim's slice has, and those of which all searches ended early. Only of the whole
        matrix can this be said.
        """
        if not self.whole:
            return ()
        taken = {action for each in self.cells for action in each.taken}
        ended = [each.now for each in self.cells if each.now is not None and each.now.steps is None]
        return tuple(sorted({action for cell in ended for action in cell.idle} - taken))

    @property
    def exit(self) -> Exit:
        """The exit code of the comparison."""
        return worst([*(each.exit for each in self.cells), self._gaps_exit])

    @property
    def exit_when_accepted(self) -> Exit:
        """The exit code where every change is accepted: of what is not known, and of what no baseline excuses."""
        return worst([*(each.exit for each in self.cells if each.change is Change.UNKNOWN), self._gaps_exit])

    @property
    def _gaps_exit(self) -> Exit:
        return Exit.LIVENESS if self.never_fired or self.unreached else Exit.AS_EXPECTED

    def accepted(self, baseline: Baseline | None) -> list[Cell]:
        """The cells of the new baseline: as they are now, as they were where that is not known or was not asked."""
        cells = dict(baseline.cells) if baseline else {}
        for each in self.cells:
            if each.change is Change.GONE:
                del cells[each.cell.key]
            elif each.now is not None:
                cells[each.now.key] = each.now
        return list(cells.values())


def guarded(
    subject: Subject, engine: Engine, asked: Iterable[Question], cells: Mapping[Key, Cell], *, everything: bool
) -> Iterator[Guarded]:
    """One comparison per question; an interrupted one is the last. With `everything`, no cell is skipped."""
    for question in asked:
        with declared_by(question.model):
            found = _guarded(subject, engine, question, cells, everything=everything)
        yield found
        if found.answer is not None and found.answer.result.interrupted:
            return


def gone(asked: Sequence[Question], cells: Mapping[Key, Cell]) -> list[Guarded]:
    """The cells that nobody asks for any more."""
    wanted = {key_of(question) for question in asked}
    return [Guarded(cell, None) for key, cell in cells.items() if key not in wanted]


def key_of(question: Question) -> Key:
    """The name of the cell that a question asks for."""
    return _cell(question, "", frozenset()).key


def _guarded(
    subject: Subject, engine: Engine, question: Question, cells: Mapping[Key, Cell], *, everything: bool
) -> Guarded:
    staged = engine.staged(question)
    system, _ = reduced(staged.system((question.prop, *question.witnesses)), question)
    actions = frozenset(inst.label[0] for inst in system.instances)
    named = _cell(question, system.digest, actions)
    before = cells.get(named.key)
    if before is not None and before.digest == system.digest and not everything:
        return Guarded(before, before, question, taken=actions - set(before.idle))
    result = engine.decide(question)
    trace = None
    if result.replay is not None:
        trace = trace_of(result.replay, subject=subject.name, digest=result.digest, staged=staged)
    now = None if result.verdict is Verdict.UNKNOWN else _found(named, result, trace)
    taken = frozenset(action for action, count in result.counts.fired.items() if count)
    found = Guarded(before, now, question, Answer(result, trace), taken)
    if found.change is Change.HOLDS_TO_REFUTED:
        return replace(found, answer=Answer(result, shown(subject, question, result, staged)))
    return found


def _cell(question: Question, digest: str, actions: frozenset[str]) -> Cell:
    """The cell of a question of which nothing is known yet."""
    prop, setting = question.prop, question.setting
    return Cell(
        prop.id,
        prop.kind,
        setting.release,
        setting.scope,
        tuple(fix.name for fix in setting.fixes),
        tuple(assumption.name for assumption in setting.assumptions),
        setting.listener.name if setting.listener else None,
        Expectation.HOLDS,
        0,
        0,
        0,
        None,
        None,
        (),
        tuple(sorted(actions)),
        digest,
    )


def _found(named: Cell, result: Result, trace: Trace | None) -> Cell:
    """The cell with what was found out about it."""
    counts, fired = result.counts, result.counts.fired
    return replace(
        named,
        verdict=Expectation(str(result.verdict)),
        states=counts.states or 0,
        transitions=counts.transitions or 0,
        depth=counts.depth,
        faults=trace.faults if trace else None,
        steps=trace.length if trace else None,
        cause=trace.cause if trace else (),
        idle=tuple(sorted(action for action in named.idle if not fired.get(action))),
    )

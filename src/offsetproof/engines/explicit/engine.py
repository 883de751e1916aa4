"""The explicit engine: exhaustive breadth-first search over the compiled system, fewest faults first.

A claim is first searched with the scope's whole fault budget. If it is violated, the search is repeated with at most
0, 1, 2... faults, so that the trace handed back has the fewest faults and then the fewest steps. Where a violation is
expected, the search begins with the fewest faults.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from offsetproof.engines.explicit.explorer import Explorer, InThisProcess, Searched
from offsetproof.engines.explicit.search import Alarm, Program
from offsetproof.engines.explicit.shortest_trace import Tracing
from offsetproof.engines.explicit.spot import spot_check
from offsetproof.engines.preparing import PreparingEngine, StagedModels, reduce_system
from offsetproof.engines.unspent import unspent_budgets
from offsetproof.engines.vacuity import claims_in_scope, vacuity
from offsetproof.ir.build import TRUE
from offsetproof.ir.faults import fault_budget, initial_with_cap, with_fault_cap
from offsetproof.ir.system import StagedClaim, System
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Deadline, LimitMetError, Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import FEWER_FAULTS_OPEN, Counts, Reason, Result, Verdict

METHOD = "exhaustive"


@dataclass(frozen=True)
class FinishedSearch:
    """A search that is over, the alarm that ended it if one did, and how many seconds it took."""

    search: Searched
    alarm: Alarm | None
    seconds: float


class Explicit(PreparingEngine["Decision"]):
    """The engine. `explore` is where it has states explored."""

    def __init__(self, models: StagedModels | None = None, explore: Explorer = InThisProcess()) -> None:
        super().__init__(models)
        self.name, self.explore = explore.name, explore

    def limits_to_prepare(self, question: Question) -> Limits:
        """What whoever explores says."""
        return self.explore.limits_to_prepare(question.limits)

    def prepare(self, question: Question, started: float) -> Decision:
        staged = self._models.of(question)
        whole = staged.system((question.prop, *question.witnesses))
        system, reductions = reduce_system(whole, question, staged.constants)
        decision = Decision(question, self.explore, system, reductions, started, staged)
        decision.compile()
        return decision

    def decide_prepared(self, prepared: Decision, question: Question) -> Result:
        del question
        try:
            return prepared.decide()
        except KeyboardInterrupt:
            return prepared.unknown(Reason.INTERRUPTED)


class Decision:
    """One decision in progress: the question, the reduced system, and the search that runs now."""

    def __init__(
        self,
        question: Question,
        explore: Explorer,
        system: System,
        reductions: tuple[str, ...],
        started: float,
        staged: Staged,
    ) -> None:
        self.question, self.explore = question, explore
        self.system, self.reductions, self.started = system, reductions, started
        self.current: Searched | None = None
        self.notes: list[str] = []
        self.left_open: tuple[Reason, str] | None = None
        self.interrupted = False
        self.staged = staged
        self.deadline = Deadline.of(question.limits, started)
        self.kept_back = 0.0

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self.question.model, self.question.setting)

    @cached_property
    def _claim(self) -> StagedClaim:
        return claims_in_scope(self.staged, self.system)[0]

    @property
    def _tracing(self) -> Tracing:
        return Tracing(self._reference, self.deadline)

    @cached_property
    def _program(self) -> Program:
        system = with_fault_cap(self.system)
        kinds = [prop.kind for prop in (self.question.prop, *self.question.witnesses)]
        return Program.of(system, kinds, with_premise=True)

    def compile(self) -> Program:
        """The compiled system; compiled now, if that is not done yet."""
        return self._program

    def decide(self) -> Result:
        """The result. What is expected decides nothing but the order of searches.

        Where fewer faults show no violation, or meet a limit, the whole budget is searched, and says more.
        """
        fewest_first = self._is_alarm_expected and not self.explore.begins_with_all_faults
        if fewest_first and self.question.limits.seconds is None:
            fewest = self._search_with_fewer_faults()
            if fewest is not None and fewest.alarm is not None:
                return self.with_alarm(fewest.search, fewest.alarm)
        whole = self.search()
        return self.without_alarm(whole.search) if whole.alarm is None else self.result_of_violation(whole)

    @property
    def _is_alarm_expected(self) -> bool:
        """Does the claim say that it is refuted in this world, or reached?"""
        prop = self.question.prop
        return prop.kind is ClaimKind.SOMETIMES or prop.expects(self.question.setting) is REFUTED

    def _search_with_fewer_faults(self) -> FinishedSearch | None:
        """Searches with 0, 1, 2... faults, fewer than the scope has; the one that found a violation or met a limit."""
        for cap in range(fault_budget(self.system)):
            capped = self.search(cap)
            if capped.alarm is not None or capped.search.stopped is not None:
                return capped
        return None

    def search(self, fault_cap: int | None = None) -> FinishedSearch:
        """Explores until the question's claim is violated or everything is seen, with at most `fault_cap` faults."""
        program = self._program
        initial = program.system.initial if fault_cap is None else initial_with_cap(program.system, fault_cap)
        left = self.deadline.left
        limits = replace(self.question.limits, seconds=None if left is None else left - self.kept_back)
        self.current = search = self.explore.search(self.question, program, initial, fault_cap, limits)
        begun = time.monotonic()
        return FinishedSearch(search, search.run(0), time.monotonic() - begun)

    def with_fewest_faults(self, violated: FinishedSearch) -> FinishedSearch:
        """Repeats a violated search with as few faults as still violate the claim.

        Of the time that is left, enough is kept back for the way back and the replay, which take about as long each as
        the violation took to be found; and a tenth of all for what is told of the trace: its effect and its times.
        """
        self.kept_back = max(2 * violated.seconds, (self.question.limits.seconds or 0) / 10)
        fewer = self._search_with_fewer_faults()
        if fewer is None or fewer.alarm is not None:
            return fewer or violated
        assert fewer.search.stopped is not None
        self._leave_open(fewer.search.stopped)
        return violated

    def result_of_violation(self, violated: FinishedSearch) -> Result:
        """The result of a search with an alarm. What comes after it may only cost the search for fewer faults: an
        interrupt, a limit, an error that whoever explores excuses. Where time is limited the trace is made before it.
        """
        assert violated.alarm is not None
        shown = None if self.deadline.left is None else self.with_alarm(violated.search, violated.alarm)
        if shown is not None and shown.replay is None:
            return shown
        fewest = violated
        try:
            fewest = self.with_fewest_faults(violated)
        except KeyboardInterrupt:
            self.interrupted = True
            self._leave_open(Reason.INTERRUPTED)
        except Exception as error:
            if not self.explore.is_excused(error):
                raise
            self._leave_open(Reason.DIED, str(error))
        assert fewest.alarm is not None
        if shown is None:
            return self.with_alarm(fewest.search, fewest.alarm)
        if fewest is not violated:
            with_fewest = self.with_alarm(fewest.search, fewest.alarm)
            if with_fewest.reason is None:
                return with_fewest
            self.interrupted = with_fewest.interrupted
            self._leave_open(with_fewest.reason)  # what has no trace is not established
        return self._as_it_ended(shown)

    def _leave_open(self, reason: Reason, why: str = "") -> None:
        self.left_open = reason, f"{FEWER_FAULTS_OPEN}: {why or reason}"

    def _as_it_ended(self, result: Result) -> Result:
        """A result that was known before the search for fewer faults, with what became of that."""
        seconds = time.monotonic() - self.started
        return self._with_open_question(replace(result, seconds=seconds, interrupted=self.interrupted))

    def _with_open_question(self, result: Result) -> Result:
        """The result, which says so where there may be a trace with fewer faults than its own."""
        if self.left_open is None or result.replay is None or not result.replay.faults:
            return result
        reason, note = self.left_open
        return replace(result, notes=(*result.notes, note), fewer_faults_open=reason)

    def with_alarm(self, search: Searched, alarm: Alarm) -> Result:
        """The result of a violated claim (or a witness that was found): with its canonical trace, replayed.

        Where there is no time for that, nothing has been shown yet: UNKNOWN, which says what was found.
        """
        try:
            replay = self._tracing.replay(search, alarm, self.question.prop)
        except (LimitMetError, KeyboardInterrupt) as error:
            reason = error.reason if isinstance(error, LimitMetError) else Reason.INTERRUPTED
            what = "what shows it" if self.question.prop.kind is ClaimKind.SOMETIMES else "an alarm"
            detail = f"{what} was found at depth {alarm.length:,}, but the trace to it was not completed"
            return self._result(Verdict.UNKNOWN, search, search.depth, reason=reason, detail=detail)
        verdict = Verdict.HOLDS if self.question.prop.kind is ClaimKind.SOMETIMES else Verdict.REFUTED
        return self._with_open_question(self._result(verdict, search, alarm.length, replay=replay, exhaustive=False))

    def without_alarm(self, search: Searched) -> Result:
        """The result of a search that saw everything, or met a limit, a model error, or too little."""
        if search.stopped is not None:
            return self.unknown(search.stopped)
        failure = search.failure()
        if failure is not None:
            return self.unknown(Reason.OVERFLOW, self._error(search, failure))
        if not all(self._reached_witnesses(search).values()):
            missing = ", ".join(id for id, reached in self._reached_witnesses(search).items() if not reached)
            return self.unknown(Reason.WITNESS, missing)
        props = (self.question.prop, *self.question.witnesses)
        looked = spot_check(search, self.staged, self._reference, props)
        self.notes.append(str(looked))
        verdict = Verdict.REFUTED if self.question.prop.kind is ClaimKind.SOMETIMES else Verdict.HOLDS
        result = self._result(verdict, search, search.depth, exhaustive=True)
        if verdict is Verdict.REFUTED:
            return result
        vacuous = vacuity(self.question, self.staged, self._claim, result.counts)
        fired = search.snapshot.fired
        taken = {inst.label: int(count) for inst, count in zip(search.system.instances, fired, strict=False)}
        return replace(result, vacuous=vacuous, unspent=unspent_budgets(self.staged, search.system, taken))

    def unknown(self, reason: Reason, detail: str = "") -> Result:
        """UNKNOWN, with what the search that ran last established."""
        search = self.current
        return self._result(Verdict.UNKNOWN, search, search.depth if search else 0, reason=reason, detail=detail)

    def _result(
        self,
        verdict: Verdict,
        search: Searched | None,
        depth: int,
        *,
        exhaustive: bool = False,
        replay: Replay | None = None,
        reason: Reason | None = None,
        detail: str = "",
    ) -> Result:
        question = self.question
        return Result(
            question.prop,
            question.setting,
            self.explore.name,
            METHOD,
            verdict,
            self._counts(search, depth),
            time.monotonic() - self.started,
            exhaustive,
            replay,
            reason,
            detail,
            self._reached_witnesses(search) if search else {},
            self.system.digest,
            self.reductions,
            (*self.notes, *(self._idle(search) if search and exhaustive else ())),
            self.interrupted or reason is Reason.INTERRUPTED,
        )

    def _counts(self, search: Searched | None, depth: int) -> Counts:
        if search is None:
            return Counts(0, 0, 0, 0)
        fired: Counter[str] = Counter()
        for inst, count in zip(search.system.instances, search.snapshot.fired, strict=False):
            fired[inst.label[0]] += int(count)
        return Counts(
            len(search.initial),
            search.snapshot.states,
            search.snapshot.transitions,
            depth,
            int(search.snapshot.cuts.sum()),
            dict(fired),
            search.peak_bytes,
            search.held_bytes / max(1, search.count),
            _judged_by(self._claim, search),
            _complete(search.level_states, search.snapshot.states),
        )

    def _reached_witnesses(self, search: Searched) -> dict[str, bool]:
        return {w.id: bool(search.seen_claims >> i & 1) for i, w in enumerate(self.question.witnesses, 1)}

    def _idle(self, search: Searched) -> tuple[str, ...]:
        fired = self._counts(search, 0).fired
        idle = [name for name, count in fired.items() if not count]
        impossible = self.staged.impossible_actions - fired.keys()
        notes = [f"never taken in this scope: {', '.join(sorted(idle))}"] if idle else []
        return (*notes, *([f"cannot be taken in this scope: {', '.join(sorted(impossible))}"] if impossible else []))

    def _error(self, search: Searched, failure: Alarm) -> str:
        """The first model error in words, as far as there is time for them."""
        try:
            return self._tracing.error(search, failure)
        except (LimitMetError, KeyboardInterrupt) as error:
            self.interrupted = isinstance(error, KeyboardInterrupt)
            why = error.reason if isinstance(error, LimitMetError) else Reason.INTERRUPTED
            return f"one was found at depth {failure.length:,}, but the steps to it were not traced: {why}"


def _complete(levels: Sequence[int], states: int) -> tuple[int, ...]:
    """The levels that have these states together."""
    return tuple(size for size, total in zip(levels, accumulate(levels), strict=True) if total <= states)


def _judged_by(claim: StagedClaim, search: Searched) -> int | None:
    """The states, or steps, of which a claim says something; None where the search has not counted them."""
    fired, states = search.snapshot.fired, search.snapshot.states
    if claim.on_state is None and not claim.deadlock:
        steps = sum(int(n) for node, n in zip(claim.per_step, fired, strict=False) if node is not TRUE)
        return 0 if claim.premise is not TRUE and search.judged == 0 else steps
    if claim.on_state is TRUE:
        return 0
    return states if claim.deadlock or claim.premise is TRUE else search.judged

"""Deciding claims about runs: all is explored, and then asked whether a fair run can owe for ever what is claimed.

What a bound of the scope, a spent budget or an error of the model keeps a fair thread from doing is read twice. For a
HOLDS no run may owe anything, not even one that stops there; but where a weakly fair thread waits all the time, now for
the bound and now for its turn, it gets its turn. For a REFUTED it counts as something to do: a run that only the scope
ends shows nothing. Between the two it is UNKNOWN.

The search is a whole one: reductions that leave out steps (stubborn sets) are not sound here, as they keep the
states that a claim tells apart, and not the threads that can go on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from offsetproof.engines.explicit.fair_components import fair_components
from offsetproof.engines.explicit.lasso import Lasso, find_lasso
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.results import result_of_replay, result_without_alarm, unknown
from offsetproof.engines.explicit.run_graph import THREADS_MAX, Owing, Places, RunGraph, owing_states, run_graph
from offsetproof.engines.explicit.search import Search
from offsetproof.engines.preparing import whole_state
from offsetproof.ir.faults import fault_budget, initial_with_cap
from offsetproof.ir.in_the_end import InTheEnd
from offsetproof.ir.system import Label, State, show_label
from offsetproof.lang.errors import ReplayError
from offsetproof.lang.reference import NotTaken, Reference, Replay
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import FEWER_FAULTS_OPEN, DisagreementError, Reason, Result, Verdict

_BYTES_PER_STEP, _BYTES_PER_STATE = 5, 100
"""What the graph of all runs takes, with everything that is asked of it, beside the states themselves."""


@dataclass(frozen=True)
class _Judged:
    """A search that has seen everything, and where fair runs can owe for ever what is claimed.

    `component` has the number of the component for each state, -1 for none. In a `spared` one only the scope, or an
    error of the model, keeps these threads from going on: then the others are none.
    """

    search: Search
    graph: RunGraph
    owing: Owing
    component: Places
    spared: tuple[str, ...]

    @property
    def is_broken(self) -> bool:
        """Can a fair run owe it for ever?"""
        return bool((self.component >= 0).any())


class RunDecision:
    """One decision in progress about a claim that is about runs."""

    def __init__(self, prepared: PreparedQuestion) -> None:
        self.prepared = prepared
        prepared.compile()
        in_the_end = prepared.system.claims[0].in_the_end
        assert in_the_end is not None
        self.claimed: InTheEnd = in_the_end
        self._current: Search | None = None
        self._kept_bytes = self._most_bytes = 0

    def decide(self) -> Result:
        """The result."""
        if len(self.claimed.threads) > THREADS_MAX:
            threads = quantity(len(self.claimed.threads), "fair thread")
            return unknown(
                self.prepared, None, Reason.STATES, f"{threads} are more than {THREADS_MAX}; use a smaller scope"
            )
        try:
            result = self._result()
        except LimitMetError as met:
            result = self.unknown(met.reason)
        except MemoryError:
            result = self.unknown(Reason.MEMORY)
        counts = result.counts
        return replace(result, counts=replace(counts, peak_bytes=max(counts.peak_bytes, self._most_bytes)))

    def lasso_of(self, search: Search) -> Lasso | None:
        """A lasso that breaks the claim in a system that was searched whole, not replayed; None where there is none."""
        judged = self._judge(search)
        return self._lasso(judged) if judged.is_broken else None

    def unknown(self, reason: Reason) -> Result:
        """What was established before something came in the way."""
        return unknown(self.prepared, self._current, reason)

    def _result(self) -> Result:
        search = self.search(None)
        if search.stopped is not None:
            return self.unknown(search.stopped)
        judged = self._judge(search)
        if judged.is_broken:
            return self._result_of_lasso(judged)
        result = result_without_alarm(self.prepared, search)
        if result.verdict is not Verdict.HOLDS:
            return result
        if judged.spared:
            why = f"only {' and '.join(judged.spared)} could bring it, and a bound of the scope alone is in the way"
            return unknown(self.prepared, search, Reason.BOUND, f"{why}; raise it with --bound")
        is_done = self.claimed.from_start and bool(
            judged.graph.come[: search.levels[1] if len(search.levels) > 1 else 1].all()
        )
        return replace(result, vacuous=result.vacuous or "it is true from the beginning") if is_done else result

    def search(self, fault_cap: int | None = None) -> Search:
        """All that can be reached, with no more than so many faults, within the limits; `stopped` is the one it met."""
        program = self.prepared.program
        initial = program.system.initial if fault_cap is None else initial_with_cap(program.system, fault_cap)
        limits = replace(self.prepared.question.limits, seconds=self.prepared.deadline.left, threads=1)
        limits = limits.beside(self._kept_bytes)
        search = self.prepared.explore.search(self.prepared.question, program, initial, fault_cap, limits)
        assert isinstance(search, Search)
        self._current = search
        search.run(None)
        if search.stopped is None and self._outgrows(search):
            search.stopped = Reason.MEMORY
        return search

    def _outgrows(self, search: Search) -> bool:
        limit = self.prepared.question.limits.bytes
        return limit is not None and self._kept_bytes + search.held_bytes + _graph_bytes(search) > limit

    def _judge(self, search: Search) -> _Judged:
        check = self.prepared.deadline.check
        self._most_bytes = max(self._most_bytes, self._kept_bytes + search.peak_bytes + _graph_bytes(search))
        graph = run_graph(search, self.claimed.threads, check)
        owing = owing_states(search, graph, from_start=self.claimed.from_start)
        strong = sum(1 << i for i, thread in enumerate(self.claimed.threads) if thread.strong)
        owed = owing.steps >= 0
        without = fair_components(graph, owed, graph.ready, graph.blocked, strong, check)
        if not (without >= 0).any() or not (graph.blocked & ~graph.ready)[owed].any():
            return _Judged(search, graph, owing, without, ())
        nothing = np.zeros_like(graph.blocked)
        component = fair_components(graph, owed, graph.ready | graph.blocked, nothing, strong, check)
        if (component >= 0).any():
            return _Judged(search, graph, owing, component, ())
        kept = without >= 0
        bits = int(np.bitwise_or.reduce((graph.blocked & ~graph.ready)[kept]))
        spared = tuple(thread.name for i, thread in enumerate(self.claimed.threads) if bits >> i & 1)
        return _Judged(search, graph, owing, component, spared)

    def _result_of_lasso(self, judged: _Judged) -> Result:
        """The result with a lasso of the fewest faults, replayed."""
        open_reason: Reason | None = None
        try:
            judged = self._with_fewest_faults(judged)
        except LimitMetError as met:
            open_reason = met.reason
        replay = self._replay(judged)
        result = result_of_replay(self.prepared, judged.search, replay)
        if open_reason is None or not replay.faults:
            return result
        note = f"{FEWER_FAULTS_OPEN}: {open_reason}"
        return replace(result, notes=(*result.notes, note), fewer_faults_open=open_reason)

    def _with_fewest_faults(self, judged: _Judged) -> _Judged:
        self._kept_bytes = judged.search.held_bytes + _graph_bytes(judged.search)
        for cap in range(fault_budget(self.prepared.system)):
            if (capped := self._broken_with(cap)) is not None:
                return capped
        return judged

    def _broken_with(self, cap: int) -> _Judged | None:
        """What breaks the claim with no more than so many faults, if anything does."""
        search = self.search(cap)
        if search.stopped is not None:
            raise LimitMetError(search.stopped)
        capped = self._judge(search)
        return capped if capped.is_broken else None

    def _lasso(self, judged: _Judged) -> Lasso:
        ready, check = judged.graph.ready | judged.graph.blocked, self.prepared.deadline.check
        return find_lasso(
            judged.search, judged.graph, judged.owing, judged.component, ready, self.claimed.threads, check
        )

    def _replay(self, judged: _Judged) -> Replay:
        prepared, check = self.prepared, self.prepared.deadline.check
        lasso = self._lasso(judged)
        initial = whole_state(prepared.reference, judged.search.system, lasso.initial)
        labels, cycle_at = _unroll(prepared.reference, initial, lasso)
        try:
            return Replay(prepared.reference, prepared.question.prop, labels, initial, (), check, cycle_at)
        except ReplayError as error:
            what = f"the compiled model and its own Python disagree on {prepared.question.prop.id}: {error}"
            raise DisagreementError(what) from error


def _graph_bytes(search: Search) -> int:
    """How much the graph of the runs of a search takes at most."""
    return search.transitions * _BYTES_PER_STEP + search.count * _BYTES_PER_STATE


def _unroll(reference: Reference, initial: State, lasso: Lasso) -> tuple[tuple[Label, ...], int]:
    """The lasso as one of the whole model, whose fields that nothing reads may take some more turns to come back."""
    stem, cycle = lasso.labels[: lasso.cycle_at], lasso.labels[lasso.cycle_at :]
    state = initial
    for label in stem:
        state = _after(reference, state, label)
    turns: dict[State, int] = {}
    while state not in turns:
        turns[state] = len(turns)
        for label in cycle:
            state = _after(reference, state, label)
    return (*stem, *cycle * len(turns)), len(stem) + len(cycle) * turns[state]


def _after(reference: Reference, state: State, label: Label) -> State:
    after = reference.take(state, label)
    if isinstance(after, NotTaken):
        raise DisagreementError(f"{show_label(label)} is {after} in the model's own Python")
    return after

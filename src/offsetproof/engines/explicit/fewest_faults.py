"""Which searches decide a question, and in which order: those that find a violation with the fewest faults.

A claim is first searched with the scope's whole fault budget. If it is violated, the search is repeated with at most
0, 1, 2... faults, so that the trace handed back has the fewest faults and then the fewest steps. Where a violation is
expected, the search begins with the fewest faults.
"""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from offsetproof.engines.explicit.explorer import Explorer, Searched
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.reducing_plan import ReducingPlan
from offsetproof.engines.explicit.results import (
    result_of_alarm,
    result_of_proof,
    result_without_alarm,
    unknown,
    unknown_of_reduced,
)
from offsetproof.engines.explicit.same_system import FinishedSearch, SearchesOfOneSystem
from offsetproof.engines.explicit.search import Alarm
from offsetproof.ir.faults import fault_budget, initial_with_cap
from offsetproof.lang.cases import REFUTED
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.result import FEWER_FAULTS_OPEN, Reason, Result
from offsetproof.watch import interrupts_later

if TYPE_CHECKING:
    from offsetproof.engines.explicit.reduced_search import ReducedSearches


class Decision:
    """One decision in progress: the question, compiled, and the search that runs now.

    `known` are the searches of the question before, which are used again where the system is the same.
    """

    def __init__(self, prepared: PreparedQuestion, known: SearchesOfOneSystem, plan: ReducingPlan) -> None:
        self.prepared, self._known, self._plan = prepared, known, plan
        self._reduced: ReducedSearches | None = None
        known.begin(prepared.question, prepared.system)
        if known.is_empty:
            prepared.compile()
        self.current: Searched | None = None
        self._left_open: tuple[Reason, str] | None = None
        self._interrupted = False
        self._kept_back = 0.0

    def decide(self) -> Result:
        """The result. What is expected decides nothing but the order of searches.

        Where fewer faults show no violation, or meet a limit, the whole budget is searched, and says more.
        """
        question, explore = self.prepared.question, self.prepared.explore
        is_expected = question.prop.kind is ClaimKind.SOMETIMES or question.prop.expects(question.setting) is REFUTED
        if is_expected and not explore.begins_with_all_faults and question.limits.seconds is None:
            fewest = self._search_with_fewer_faults()
            if fewest is not None and fewest.alarm is not None:
                return result_of_alarm(self.prepared, fewest.search, fewest.alarm)
        if question.reductions.stubborn and explore.knows_stubborn_sets and not is_expected:
            result = self._by_stubborn_sets()
            if result is not None:
                return result
        whole = self.search()
        if whole.alarm is None:
            return self._without_alarm(whole)
        return self._result_of_violation(whole, whole.alarm)

    def _by_stubborn_sets(self) -> Result | None:
        """The result, if stubborn sets prove the claim, or meet a limit: the whole search would meet it as well."""
        with interrupts_later():  # Z3 comes with it
            from offsetproof.engines.explicit.reduced_search import ReducedSearches

        self._reduced = reduced = ReducedSearches(self.prepared, self._plan)
        if not reduced.are_of_use or self._known.find(None) is not None:
            return None
        begun = time.monotonic()
        whole, alarm = reduced.begin()
        self.current = whole
        if whole.stopped is None:
            if self.prepared.explore.is_here:
                self._known.keep(None, FinishedSearch(whole, alarm, time.monotonic() - begun))
            reduced.let_go()
            return None
        proof = reduced.proof(whole)
        self.current = reduced.current
        if proof is not None:
            return result_of_proof(self.prepared, proof)
        if reduced.current is not None and reduced.current is not whole and reduced.current.stopped is not None:
            return unknown_of_reduced(self.prepared, reduced.current, reduced.current.stopped)
        reduced.let_go()
        return None

    def _without_alarm(self, whole: FinishedSearch) -> Result:
        """What a search without an alarm establishes; where it met a limit, a reduced one may have found an alarm."""
        reduced = self._reduced
        if whole.search.stopped is None or reduced is None or reduced.alarm is None:
            result = result_without_alarm(self.prepared, whole.search)
            why_not = "" if reduced is None else reduced.why_not
            return replace(result, notes=(*result.notes, why_not)) if why_not else result
        self._leave_open(whole.search.stopped)
        search, alarm = reduced.alarm
        shown = result_of_alarm(self.prepared, search, alarm)
        return self._with_what_is_open(replace(shown, counts=replace(shown.counts, reduced=True)))

    def begin_again(self, explore: Explorer) -> None:
        """Lets all go that was searched, so that whoever is asked from now on has its memory."""
        self.current = self._reduced = self._left_open = None
        self._interrupted, self._kept_back = False, 0.0
        self._known.forget()
        gc.collect()  # threads and their table know each other
        self.prepared = replace(self.prepared, explore=explore)
        self.prepared.compile()

    def unknown(self, reason: Reason) -> Result:
        """UNKNOWN, with what the search that ran last established."""
        return unknown(self.prepared, self.current, reason)

    def search(self, fault_cap: int | None = None) -> FinishedSearch:
        """Explores until the question's claim is violated or everything is seen, with at most `fault_cap` faults."""
        known = self._known.find(fault_cap)
        if known is not None:
            self.current = known.search
            return known
        prepared, program = self.prepared, self.prepared.program
        initial = program.system.initial if fault_cap is None else initial_with_cap(program.system, fault_cap)
        left = prepared.deadline.left
        limits = prepared.question.limits.beside(0 if self._reduced is None else self._reduced.held_bytes)
        limits = replace(limits, seconds=None if left is None else left - self._kept_back)
        self.current = search = prepared.explore.search(prepared.question, program, initial, fault_cap, limits)
        begun = time.monotonic()
        finished = FinishedSearch(search, search.run(0), time.monotonic() - begun)
        self._known.keep(fault_cap, finished)
        return finished

    def _search_with_fewer_faults(self) -> FinishedSearch | None:
        """Searches with 0, 1, 2... faults, fewer than the scope has; the one that found a violation or met a limit."""
        for cap in range(fault_budget(self.prepared.system)):
            capped = self.search(cap)
            if capped.alarm is not None or capped.search.stopped is not None:
                return capped
        return None

    def _result_of_violation(self, violated: FinishedSearch, alarm: Alarm) -> Result:
        """The result of a search with an alarm. What comes after it may only cost the search for fewer faults: an
        interrupt, a limit, an error that whoever explores excuses. Where time is limited the trace is made before it.
        """
        is_timed = self.prepared.deadline.left is not None
        shown = result_of_alarm(self.prepared, violated.search, alarm) if is_timed else None
        if shown is not None and shown.replay is None:
            return shown
        fewest = self._with_fewest_faults(violated)
        if shown is not None and fewest is violated:
            return self._as_it_ended(shown)
        assert fewest.alarm is not None
        result = result_of_alarm(self.prepared, fewest.search, fewest.alarm)
        if shown is None:
            return self._with_what_is_open(result)
        if result.reason is None:
            return result
        self._interrupted = result.interrupted
        self._leave_open(result.reason)  # what has no trace is not established
        return self._as_it_ended(shown)

    def _with_fewest_faults(self, violated: FinishedSearch) -> FinishedSearch:
        """Repeats a violated search with as few faults as still violate the claim; itself where that is left open.

        Of the time that is left, enough is kept back for the way back and the replay, which take about as long each as
        the violation took to be found; and a tenth of all for what is told of the trace: its effect and its times.
        """
        self._kept_back = max(2 * violated.seconds, (self.prepared.question.limits.seconds or 0) / 10)
        try:
            fewer = self._search_with_fewer_faults()
        except KeyboardInterrupt:
            self._interrupted = True
            self._leave_open(Reason.INTERRUPTED)
            return violated
        except MemoryError:
            self._leave_open(Reason.MEMORY)
            return violated
        except Exception as error:
            if not self.prepared.explore.is_excused(error):
                raise
            self._leave_open(Reason.DIED, str(error))
            return violated
        if fewer is None or fewer.alarm is not None:
            return fewer or violated
        assert fewer.search.stopped is not None
        self._leave_open(fewer.search.stopped)
        return violated

    def _leave_open(self, reason: Reason, why: str = "") -> None:
        self._left_open = reason, f"{FEWER_FAULTS_OPEN}: {why or reason}"

    def _as_it_ended(self, shown: Result) -> Result:
        """A result that was known before the search for fewer faults, with what became of that."""
        return self._with_what_is_open(replace(shown, seconds=time.monotonic() - self.prepared.started))

    def _with_what_is_open(self, result: Result) -> Result:
        """The result, which says so where there may be a trace with fewer faults than its own."""
        result = replace(result, interrupted=result.interrupted or self._interrupted)
        if self._left_open is None or result.replay is None or not result.replay.faults:
            return result
        reason, note = self._left_open
        return replace(result, notes=(*result.notes, note), fewer_faults_open=reason)

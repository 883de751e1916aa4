"""Deciding all claims of one system by Z3: deeper and deeper, then by induction. Tells what it finds as it finds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from offsetproof.engines.smt.unrolling import Unrolling
from offsetproof.ir.faults import CAP
from offsetproof.ir.system import System

SIMPLE_BITS = 40
"""Whether all paths have been seen is asked only of systems of at most this many bits."""


@dataclass(frozen=True)
class Bounds:
    """How far to go: steps unrolled, seconds per query, steps of induction."""

    depth: int = 25
    query_seconds: float = 30.0
    induction: int = 4


Tell = Callable[[dict[str, Any]], None]
"""Takes events: `depth`, `found`, `failing`, `proved`, `open`."""


class Session:
    """One run over a system (with its fault cap). `sought[j]`: claim j is a witness."""

    def __init__(self, system: System, sought: Sequence[bool], bounds: Bounds, tell: Tell) -> None:
        self.system, self.sought, self.bounds, self.tell = system, tuple(sought), bounds, tell
        self.open = list(range(len(system.claims)))
        self.budget = system.by_name[CAP].hi if CAP in system.by_name else 0
        self.failed = False
        self.given_up: dict[int, int] = {}
        self.main = Unrolling(system, sought, from_initial=True)
        self.reached = -1
        self.spent: dict[int, int] = {}

    def run(self) -> None:
        """Goes to the depth limit, or until every claim is decided or Z3 gives up on it."""
        complete = self._unroll()
        for claim in self.open:
            if complete is not None and not self.failed and claim not in self.given_up:
                self.tell({"event": "proved", "claim": claim, "how": "paths", "k": complete})
            else:
                self._induct(claim)

    def _unroll(self) -> int | None:
        """Asks at every depth; the length of the longest simple path, if that was met.

        Where no simple path of this depth exists, every state is less deep, and the steps from all of them have been
        asked about.
        """
        simple = Unrolling(self.system, self.sought, from_initial=True) if self.system.bits <= SIMPLE_BITS else None
        for depth in range(self.bounds.depth + 1):
            while self.main.length < depth:
                self.main.extend()
            for claim in [claim for claim in self.open if claim not in self.given_up]:
                self._ask(claim, depth)
            for claim in [claim for claim, spent in self.spent.items() if spent]:
                self._ask_for_fewer(claim, depth)
            if not self.failed:
                self._ask_failing(depth)
            self.reached = depth
            self.tell({"event": "depth", "depth": depth})
            if set(self.open) <= set(self.given_up) and not any(self.spent.values()):
                return None
            if simple is not None and depth > 0:
                simple.extend()
                simple.keep_simple()
                if (
                    simple.check(depth, *simple.cap_on_faults(self.budget), seconds=self.bounds.query_seconds)
                    == z3.unsat
                ):
                    return depth - 1
        return None

    def _ask(self, claim: int, depth: int) -> None:
        """Looks for a violation at a depth. Where Z3 gives up, this claim is not asked about any deeper."""
        bad = self.main.bad(claim, depth)
        if bad is None:
            return
        answer = self.main.check(depth, bad, *self.main.cap_on_faults(self.budget), seconds=self.bounds.query_seconds)
        if answer == z3.sat:
            self.open.remove(claim)
            self._report_path(claim, depth)
        elif answer == z3.unknown:
            self.given_up[claim] = depth

    def _report_path(self, claim: int, depth: int) -> None:
        """Reports the path of the last answer, and remembers how many faults it spends."""
        path = self.main.path(depth)
        self.spent[claim] = sum(self.system.instances[i].fault is not None for i in path.instances)
        self.tell({"event": "found", "claim": claim, "initial": path.states[0], "instances": path.instances})

    def _ask_for_fewer(self, claim: int, depth: int) -> None:
        """Looks at a depth for a violation with fewer faults than the one that is known."""
        bad = self.main.bad(claim, depth)
        for cap in range(self.spent[claim] if bad is not None else 0):
            terms = (bad, *self.main.cap_on_faults(cap))
            answer = self.main.check(depth, *terms, seconds=self.bounds.query_seconds)
            if answer == z3.sat:
                self._report_path(claim, depth)
                return
            if answer == z3.unknown:
                self.tell({"event": "unsure", "claim": claim})

    def _ask_failing(self, depth: int) -> None:
        """Can the model go wrong at a depth? If so, or if Z3 does not know, nothing is proved any more."""
        failing = self.main.failing(depth)
        if failing is None:
            return
        terms = (failing, *self.main.cap_on_faults(self.budget))
        answer = self.main.check(depth, *terms, seconds=self.bounds.query_seconds)
        self.failed = answer != z3.unsat
        if answer == z3.sat:
            path = self.main.path(depth)
            self.tell({"event": "failing", "initial": path.states[0], "instances": path.instances})

    def _induct(self, claim: int) -> None:
        """Tries k-induction with simple paths; the claim stands only together with the model being free of errors.

        A claim about steps is first asked of a path of one step, so nothing is proved before that. The states before a
        path's last step differ from each other; its last state may be any, or a step that leads back would go unseen.
        """
        asked_to = self.given_up.get(claim, self.reached + 1) - 1
        first = 1 if self.system.claims[claim].per_step else 0
        step = Unrolling(self.system, self.sought, from_initial=False)
        step.solver.add(*step.cap_on_faults(self.budget))
        counterexample = None
        for k in range(min(self.bounds.induction, asked_to) + 1):
            if self.failed:
                break
            wrong = [term for term in (step.bad(claim, k), step.failing(k)) if term is not None]
            answer = step.check(k, z3.Or(wrong), seconds=self.bounds.query_seconds) if wrong else None
            if answer == z3.unsat and k >= first:
                self.tell({"event": "proved", "claim": claim, "how": "induction", "k": k})
                return
            if answer == z3.unknown:
                break
            if answer == z3.sat:
                path = step.path(k)
                counterexample = {"states": path.states, "instances": path.instances}
            step.solver.add(*(z3.Not(term) for term in wrong))
            step.keep_simple()
            step.extend()
        why = "solver" if claim in self.given_up else "depth"
        self.tell({"event": "open", "claim": claim, "why": why, "depth": asked_to, "counterexample": counterexample})

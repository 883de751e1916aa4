"""A system unrolled step by step: the states of a path as Z3 variables, and what is bad about each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3

from offsetproof.ir.build import FALSE, TRUE
from offsetproof.ir.faults import CAP
from offsetproof.ir.node import Node
from offsetproof.ir.system import State, System
from offsetproof.solving.bitvectors import Term, encode, fit, in_range, read, value, variable, width

SEED = 1


@dataclass(frozen=True)
class PathFound:
    """A path that Z3 found: its first state and the numbers of the instances taken."""

    states: tuple[State, ...]
    instances: tuple[int, ...]


class Unrolling:
    """One growing path of a system. `sought[j]` says that claim j looks for its condition, not for its negation."""

    def __init__(self, system: System, sought: Sequence[bool], *, from_initial: bool) -> None:
        self.system, self.sought = system, tuple(sought)
        self.solver = z3.SolverFor("QF_FD")
        self.solver.set("random_seed", SEED)
        self.known: list[dict[Node, Term]] = []
        self.choices: list[Term] = []
        self.active: list[Term] = []
        self.cap: Term | None = None
        self._add_state()
        if from_initial:
            for v in system.variables:
                if v.name != CAP:
                    term = self.known[0][v.node]
                    self.solver.add(z3.Or([term == value(v.node, start) for start in v.initial]))
            self.solver.add(encode(system.start, self.known[0]))

    @property
    def length(self) -> int:
        """How many steps are unrolled."""
        return len(self.choices)

    def extend(self) -> None:
        """Adds one step. It need not be taken: a question about a shorter path leaves it out."""
        k, n = self.length, len(self.system.instances)
        choice = z3.BitVec(f"choice_{k}", max(1, (n - 1).bit_length()))
        taken = [choice == i for i in range(n)]
        before = self.known[k]
        self.choices.append(choice)
        self.active.append(z3.Bool(f"active_{k}"))
        self._add_state()
        self._when_active(z3.Or(taken))
        for inst, chosen in zip(self.system.instances, taken, strict=True):
            self._when_active(z3.Implies(chosen, encode(inst.enabled, before)))
        for v in self.system.variables:
            if v.name == CAP:
                continue
            after = before[v.node]
            for inst, chosen in zip(self.system.instances, taken, strict=True):
                if v.name in inst.updates:
                    node = inst.updates[v.name]
                    term = encode(node, before)
                    fitted = term if z3.is_bool(term) else fit(node, term, width(v.node))
                    after = z3.If(chosen, fitted, after)
            self._when_active(self.known[k + 1][v.node] == after)

    def bad(self, claim: int, length: int) -> Term | None:
        """What makes a path of this length violate a claim in its last state or step; None if nothing can."""
        stated = self.system.claims[claim]
        if stated.per_step:
            if length == 0:
                return None
            before, choice = self.known[length - 1], self.choices[length - 1]
            broken = [
                z3.And(choice == i, z3.Not(encode(node, before)))
                for i, node in enumerate(stated.per_step)
                if node is not TRUE
            ]
            return z3.Or(broken) if broken else None
        if stated.deadlock:
            guards = [g for inst in self.system.instances for g in inst.guards if g is not FALSE]
            return z3.Not(z3.Or([encode(g, self.known[length]) for g in guards]))
        if stated.on_state is None:
            return None
        term = encode(stated.on_state, self.known[length])
        return term if self.sought[claim] else z3.Not(term)

    def failing(self, length: int) -> Term | None:
        """That the model goes wrong in the last state of a path of this length; None if it cannot."""
        conditions = [f.condition for inst in self.system.instances for f in inst.failures]
        return z3.Or([encode(c, self.known[length]) for c in conditions]) if conditions else None

    def keep_simple(self) -> None:
        """The newest state differs from every earlier one."""
        new = self.known[-1]
        for old in self.known[:-1]:
            self.solver.add(z3.Or([old[v.node] != new[v.node] for v in self.system.variables if v.name != CAP]))

    def check(self, length: int, *terms: Term, seconds: float) -> Any:
        """Z3's answer about paths of this length under these assumptions."""
        self.solver.set("timeout", max(1, int(seconds * 1000)))
        literals = self.active[:length]
        for term in terms:
            literal = z3.FreshBool()
            self.solver.add(z3.Implies(literal, term))
            literals.append(literal)
        return self.solver.check(*literals)

    def cap_on_faults(self, faults: int) -> list[Term]:
        """That at most this many faults may be spent."""
        if self.cap is None:
            return []
        return [self.cap == value(self.system.by_name[CAP].node, faults)]

    def path(self, length: int) -> PathFound:
        """The path of the last answer, cut to a length."""
        model = self.solver.model()
        states = tuple(
            tuple(read(model, v.node, known[v.node]) for v in self.system.variables)
            for known in self.known[: length + 1]
        )
        chosen = [model.eval(choice, model_completion=True).as_long() for choice in self.choices[:length]]
        return PathFound(states, tuple(map(int, chosen)))

    def _when_active(self, term: Term) -> None:
        self.solver.add(z3.Implies(self.active[-1], term))

    def _add_state(self) -> None:
        k = len(self.known)
        state: dict[Node, Term] = {}
        for v in self.system.variables:
            if v.name == CAP:
                self.cap = self.cap if self.cap is not None else variable(v.node, CAP)
                state[v.node] = self.cap
            else:
                state[v.node] = variable(v.node, f"{v.name}_{k}")
                self.solver.add(*in_range(v.node, state[v.node]))
        self.known.append(state)

"""Can some conditions be true at once, whatever values the variables have? Asked of Z3, one question after the other.

The variables are those of one state, any one that their domains allow, whether it can be reached or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import z3

from offsetproof.ir.node import Node
from offsetproof.ir.system import State, Variable
from offsetproof.solving.bitvectors import Term, encode, in_range, read, variable

SEED = 1


class Unsettled(Enum):
    """What takes the place of an answer: no state does it, or Z3 gave up."""

    NO_STATE = "no state"
    GIVEN_UP = "given up"


class Satisfiability:
    """Questions about the states of some variables. What several of them have in common is translated once.

    Z3 gives up on a question after `effort` of its own units, so that the same question has the same answer anywhere.
    """

    def __init__(self, variables: Sequence[Variable], effort: int) -> None:
        self._variables = variables
        self._solver = z3.SolverFor("QF_FD")
        self._solver.set("random_seed", SEED)
        self._solver.set("rlimit", effort)
        self._terms: dict[Node, Term] = {}
        self._literals: dict[Node, Term] = {}
        for number, each in enumerate(variables):
            term = variable(each.node, f"v{number}")
            self._terms[each.node] = term
            self._solver.add(*in_range(each.node, term))

    def state_where(self, *conditions: Node) -> State | Unsettled:
        """A state in which all the conditions are true."""
        answer = self._solver.check(*(self._literal(node) for node in conditions))
        if answer == z3.sat:
            model = self._solver.model()
            return tuple(read(model, each.node, self._terms[each.node]) for each in self._variables)
        return Unsettled.NO_STATE if answer == z3.unsat else Unsettled.GIVEN_UP

    def _literal(self, condition: Node) -> Term:
        if condition not in self._literals:
            self._literals[condition] = literal = z3.Bool(f"l{len(self._literals)}")
            self._solver.add(z3.Implies(literal, encode(condition, self._terms)))
        return self._literals[condition]

"""How the instances of a system are related: which may make which condition true, and which accord with each other.

Two instances accord where, in every state that the domains allow in which both can be taken, neither disables the other
and both orders lead to the same state. An instance may enable a condition where there is a state in which it can be
taken, with the condition false before and true after. A state need not be reachable, so both relations hold of every
search of the system. What is not shown to be unrelated is related: by folding, else by Z3, which is asked of the pairs
alone of which nobody has seen yet that they are related (`pairs_seen`).

`stubborn.py` has what follows from that for a search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from offsetproof.engines.explicit.pairs_seen import PairsSeen
from offsetproof.ir.build import FALSE, disjunction, eq, negate
from offsetproof.ir.clauses import alternatives, conjuncts
from offsetproof.ir.kind import TooWideError
from offsetproof.ir.node import Node, variables
from offsetproof.ir.rewrite import literals, simplify, substitute
from offsetproof.ir.system import Instance, State, System
from offsetproof.lang.errors import DisagreementError
from offsetproof.solving.satisfying import Satisfiability, Unsettled

QUERY_EFFORT = 3_000_000
"""What one question to Z3 may take, in its own unit of resources: some seconds at most."""

CLAUSES_MAX = 64
"""Into so many alternatives a goal is split."""

Numbers = tuple[int, ...]

Goal = tuple[Numbers, ...]
"""Alternatives of which one is true where a goal is reached; each has the numbers of the conditions that make it up."""


@dataclass(frozen=True)
class Conditions:
    """The conditions of a system and of some goals, each once.

    Instance i can be taken where all conditions `guards[i]` are true.
    """

    nodes: tuple[Node, ...]
    guards: tuple[Numbers, ...]
    goals: tuple[Goal, ...]

    @classmethod
    def of(cls, system: System, goals: Sequence[Node]) -> Conditions:
        """Those of guards first, in the order of the instances."""
        guards = [conjuncts(inst.enabled) for inst in system.instances]
        split = [alternatives(goal, CLAUSES_MAX) for goal in goals]
        nodes = [
            *(node for guard in guards for node in guard),
            *(n for goal in split for clause in goal for n in clause),
        ]
        number = {node: i for i, node in enumerate(dict.fromkeys(nodes))}
        return cls(
            tuple(number),
            tuple(tuple(number[node] for node in guard) for guard in guards),
            tuple(tuple(tuple(number[node] for node in clause) for clause in goal) for goal in split),
        )


@dataclass(frozen=True)
class Relations:
    """The relations of a system, and of some goals of its searches.

    `goals` are without the alternatives that no state can meet. `enabling[c]` has a bit for each instance that may make
    condition c true, `clashing[i]` one for each other instance that does not accord with instance i. `open` pairs count
    as related because nobody knows.
    """

    conditions: Conditions
    goals: tuple[Goal, ...]
    enabling: Numbers
    clashing: Numbers
    open: int = 0


def relate(system: System, goals: Sequence[Node], seconds: float, on_the_way: Callable[[], None]) -> Relations:
    """The relations; pairs that are not settled within so many seconds count as related.

    `on_the_way` is called again and again, and may raise what ends the work.
    """
    return _Relating(system, goals, seconds, on_the_way).relations()


def must_be_among(seen: PairsSeen, relations: Relations) -> None:
    """DisagreementError for a pair that was seen to be related, and counts as unrelated."""
    for c, mask in enumerate(relations.enabling):
        if wrong := seen.enabling[c] & ~mask:
            _disagree(seen.system, wrong, f"makes true what it never should: {relations.conditions.nodes[c]!r}")
    for i, mask in enumerate(relations.clashing):
        if wrong := seen.clashing[i] & ~mask:
            _disagree(seen.system, wrong, f"gets in the way of {seen.system.instances[i].name}")


def _disagree(system: System, numbers: int, what: str) -> None:
    first = system.instances[(numbers & -numbers).bit_length() - 1].name
    raise DisagreementError(f"the relations of the instances are wrong: {first} {what}; delete what is kept of them")


class Step:
    """An instance with what the relations need of it."""

    def __init__(self, system: System, inst: Instance) -> None:
        written = ((system.by_name[name].node, node) for name, node in inst.updates.items())
        self.enabled = inst.enabled
        self.updates = {variable: node for variable, node in written if node is not variable}
        self.writes = frozenset(variable.name for variable in self.updates)
        self.reads = variables([inst.enabled, *self.updates.values()])

    @cached_property
    def facts(self) -> dict[Node, Node]:
        """What is known where the instance can be taken."""
        return _facts(conjuncts(self.enabled))

    def before(self, node: Node) -> Node:
        """What a node of the state after the step is over the state before it."""
        return substitute([node], self.updates)[0]


def _facts(conditions: Sequence[Node]) -> dict[Node, Node]:
    known: dict[Node, Node] = {}
    for condition in conditions:
        known.update(literals(condition))
    return known


def enables(step: Step, condition: Node) -> Node:
    """When the step makes the condition true, where it can be taken and the condition is false; FALSE: never."""
    if step.writes.isdisjoint(condition.reads):
        return FALSE
    return simplify([step.before(condition)], {**step.facts, **_facts([negate(condition)])})[0]


def clashes(one: Step, other: Step) -> Node:
    """When two steps do not accord, where both can be taken; FALSE: they always do."""
    if one.writes.isdisjoint(other.reads | other.writes) and other.writes.isdisjoint(one.reads):
        return FALSE
    if simplify([other.enabled], one.facts)[0] is FALSE or simplify([one.enabled], other.facts)[0] is FALSE:
        return FALSE
    wrong = [negate(one.before(other.enabled)), negate(other.before(one.enabled))]
    for node in {node.name: node for node in (*one.updates, *other.updates)}.values():
        other_last, one_last = one.before(other.updates.get(node, node)), other.before(one.updates.get(node, node))
        wrong.append(negate(eq(other_last, one_last)))
    return disjunction(simplify(wrong, {**one.facts, **other.facts}))


class _Relating:
    """The work in progress."""

    def __init__(self, system: System, goals: Sequence[Node], seconds: float, on_the_way: Callable[[], None]) -> None:
        self.steps = [Step(system, inst) for inst in system.instances]
        self.conditions = Conditions.of(system, goals)
        self.seen = PairsSeen(system, self.conditions.nodes)
        self.asking = Satisfiability(system.variables, QUERY_EFFORT)
        self.on_the_way, self.until, self.open = on_the_way, time.monotonic() + seconds, 0

    def relations(self) -> Relations:
        """The relations, condition by condition and pair by pair."""
        goals = tuple(tuple(filter(self._can_be_met, goal)) for goal in self.conditions.goals)
        self.seen.look_around()
        wanted = {c for each in (*self.conditions.guards, *(clause for goal in goals for clause in goal)) for c in each}
        anybody = (1 << len(self.steps)) - 1
        enabling = tuple(self._enabling(c) if c in wanted else anybody for c in range(len(self.conditions.nodes)))
        self._ask_of_clashes()
        return Relations(self.conditions, goals, enabling, tuple(self.seen.clashing), self.open)

    def _can_be_met(self, clause: Numbers) -> bool:
        return self._ask([self.conditions.nodes[c] for c in clause]) is not Unsettled.NO_STATE

    def _enabling(self, number: int) -> int:
        """The instances that may make a condition true."""
        condition = self.conditions.nodes[number]
        for i, step in enumerate(self.steps):
            asked = (step.enabled, negate(condition)), partial(enables, step, condition)
            if not self.seen.enabling[number] >> i & 1 and self._is_possible(*asked):
                self.seen.enabling[number] |= 1 << i
        return self.seen.enabling[number]

    def _ask_of_clashes(self) -> None:
        for i, one in enumerate(self.steps):
            for j, other in enumerate(self.steps[:i]):
                asked = (one.enabled, other.enabled), partial(clashes, one, other)
                if not self.seen.clashing[i] >> j & 1 and self._is_possible(*asked):
                    self.seen.clashing[i] |= 1 << j
                    self.seen.clashing[j] |= 1 << i

    def _is_possible(self, conditions: Sequence[Node], when: Callable[[], Node]) -> bool:
        """May the conditions be true at once with what `when` makes? A state in which they are shows more than that.

        What cannot be written down is possible: an update that leaves its domain where the instance cannot be taken.
        """
        try:
            last = when()
        except TooWideError:
            self.open += 1
            return True
        if last is FALSE:
            return False
        found = self._ask([*conditions, last])
        if not isinstance(found, Unsettled):
            self.seen.look_at_state(found)
        return found is not Unsettled.NO_STATE

    def _ask(self, conditions: Sequence[Node]) -> State | Unsettled:
        self.on_the_way()
        in_time = time.monotonic() < self.until
        found = self.asking.state_where(*conditions) if in_time else Unsettled.GIVEN_UP
        self.open += found is Unsettled.GIVEN_UP
        return found

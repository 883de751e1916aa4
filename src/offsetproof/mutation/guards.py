"""The parts of an action's guard: its conjuncts, those of one form taken together, and without what is not its own.

`require(not some(task.at == CHECKED for task in ...))` is one part, not one per task: dropping one of many equal
conditions would say little. Not parts of a guard are a scope's bounds, the budgets of faults, what only keeps an
action from going wrong, and what follows from the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from offsetproof.ir.build import FALSE, both, conjunction, negate
from offsetproof.ir.faults import SPENT
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node, evaluate, topological, variables
from offsetproof.ir.rewrite import literals, simplify
from offsetproof.ir.system import Instance
from offsetproof.mutation.wording import Domains, families, phrase

_TRIED_MAX = 1000
"""How many combinations of values are tried to see whether a condition says anything new."""


@dataclass(frozen=True)
class GuardPart:
    """One part of a guard: its text, the place among the parts that read the same families, and its conjuncts."""

    text: str
    reads: tuple[str, ...]
    ordinal: int
    nodes: tuple[Node, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """What the same part of another instance's guard has, too."""
        return (*self.reads, str(self.ordinal))


def conjuncts(node: Node) -> list[Node]:
    """The conditions that must all hold for this one to hold, in the order in which they were asked."""
    if node.kind is Kind.AND:
        return [part for arg in node.args for part in conjuncts(arg)]
    if node.kind is Kind.NOT and node.args[0].kind is Kind.OR:
        return [part for arg in node.args[0].args for part in conjuncts(negate(arg))]
    return [node]


def parts(inst: Instance, domains: Domains) -> list[GuardPart]:
    """The parts of an instance's guard, in the order in which they were asked."""
    grouped: dict[str, list[Node]] = {}
    for node in conjuncts(inst.enabled):
        grouped.setdefault(phrase(node, domains), []).append(node)
    result: list[GuardPart] = []
    for text, nodes in grouped.items():
        rest = [node for other in grouped if other != text for node in grouped[other]]
        if _is_own(nodes, rest, inst) and not _follows(conjunction(nodes), conjunction(rest)):
            reads = tuple(sorted(families(nodes)))
            result.append(GuardPart(text, reads, sum(part.reads == reads for part in result), tuple(nodes)))
    return result


def without(inst: Instance, part: GuardPart, instead: Node | None = None) -> Node:
    """The guard with a part left out, or with another condition in its place."""
    kept = [node for node in conjuncts(inst.enabled) if node not in part.nodes]
    return conjunction([*kept, *([] if instead is None else [instead])])


def _is_own(nodes: list[Node], rest: list[Node], inst: Instance) -> bool:
    """Is this part the action's own? What keeps a cut or a failure away, which the rest does not, belongs to those."""
    if all(name.startswith(SPENT) for name in variables(nodes)):
        return False
    others = [inst.cut, *(failure.condition for failure in inst.failures)]
    return all(_exclude(rest, other) for other in others if other is not FALSE)


def _follows(node: Node, rest: Node) -> bool:
    """Does a condition follow from the rest of the guard? Found out by trying all values, where they are few."""
    read = {node.name: node for node in topological([node, rest]) if node.kind is Kind.VAR}
    if prod(node.hi - node.lo + 1 for node in read.values()) > _TRIED_MAX:
        return False
    values = product(*(range(node.lo, node.hi + 1) for node in read.values()))
    counter = both(rest, negate(node))
    return not any(evaluate([counter], dict(zip(read, state, strict=True)))[0] for state in values)


def _exclude(nodes: list[Node], other: Node) -> bool:
    """Is it plain that the conditions and another one are never true together?"""
    facts = {known: value for node in nodes for known, value in literals(node).items()}
    return FALSE in (simplify([other], facts)[0], simplify([conjunction(nodes)], literals(other))[0])

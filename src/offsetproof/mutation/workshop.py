"""Making mutants: one change of an action, the same in all of its instances, and what becomes an error by it.

What a change lets go out of its domain is an error of the mutant, as it would be of a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from offsetproof.ir.build import EMPTY, FALSE, both, const, disjunction, eq, ite, le, minus, negate
from offsetproof.ir.kind import Kind, Sort, TooWideError
from offsetproof.ir.node import Node
from offsetproof.ir.rewrite import literals, simplify
from offsetproof.ir.system import Failure, Instance, Variable
from offsetproof.lang.stage import Staged
from offsetproof.mutation.wording import Domains


class Operator(StrEnum):
    """What kind of change it is."""

    GUARD = "guard dropped"
    BOUND = "guard off by one"
    UPDATE = "update dropped"
    OFF_BY_ONE = "update off by one"
    READ = "flag read as false"
    SWAP = "steps swapped"


@dataclass(frozen=True)
class Mutant:
    """One change of a model in one setting. `key` is the same for the same change in another setting.

    `changed` has the instances that the change touches, by their places among the staged model's.
    """

    key: tuple[str, ...]
    action: str
    operator: Operator
    text: str
    changed: Mapping[int, Instance]

    def __str__(self) -> str:
        return f"{self.action}: {self.text}"


class Workshop:
    """A staged model with what making mutants of it takes."""

    def __init__(self, staged: Staged) -> None:
        self.instances = staged.instances
        self.variables = {variable.name: variable for variable in staged.variables}
        self.domains: Domains = {leaf.path: leaf.domain for leaf in staged.leaves}
        self._made: dict[tuple[str, ...], Mutant] = {}

    @property
    def actions(self) -> dict[str, list[int]]:
        """The places of each action's instances."""
        numbers: dict[str, list[int]] = {}
        for number, inst in enumerate(self.instances):
            numbers.setdefault(inst.label[0], []).append(number)
        return numbers

    def make(
        self,
        operator: Operator,
        what: tuple[str, ...],
        text: str,
        number: int,
        enabled: Node | None = None,
        updates: Mapping[str, Node] | None = None,
        action: str = "",
        base: Instance | None = None,
    ) -> None:
        """Adds a changed instance to the mutant of this name; nothing where it is not a change.

        `base` is the instance with the cut and the failures that the mutant has, where those are not its own.
        """
        inst = base or self.instances[number]
        try:
            changed = changed_instance(inst, self.variables, enabled or inst.enabled, updates)
        except TooWideError:
            return
        if changed is None:
            return
        name = action or inst.label[0]
        key = (name, operator, *what)
        known = self._made.get(key) or Mutant(key, name, operator, text, {})
        self._made[key] = replace(known, changed={**known.changed, number: changed})

    @property
    def made(self) -> list[Mutant]:
        """The mutants so far, in the order of the model's actions and then of making."""
        order = list(self.actions)
        return sorted(self._made.values(), key=lambda mutant: order.index(mutant.action))


def changed_instance(
    inst: Instance,
    known: Mapping[str, Variable],
    enabled: Node,
    updates: Mapping[str, Node] | None,
) -> Instance | None:
    """The instance with another guard or other updates, going wrong where a value leaves its domain; None if equal."""
    after = {n: node for n, node in (inst.updates if updates is None else updates).items() if node is not known[n].node}
    moved = [n for n, node in after.items() if enabled is not inst.enabled or inst.updates.get(n) is not node]
    if enabled is inst.enabled and after == inst.updates:
        return None
    facts = literals(enabled)
    failures = []
    for name in moved:
        outside = _outside(after[name], known[name], facts)
        if outside is not FALSE:
            failures.append(Failure(both(enabled, outside), f"field {name} leaves its domain"))
    failing = disjunction([failure.condition for failure in failures])
    return replace(inst, enabled=both(enabled, negate(failing)), updates=after, failures=(*inst.failures, *failures))


def _outside(node: Node, variable: Variable, facts: Mapping[Node, Node]) -> Node:
    """When a value is not in the variable's domain, as far as these facts leave that open."""
    node = simplify([node], facts)[0]
    if variable.lo <= node.lo and node.hi <= variable.hi:
        return FALSE
    if node.kind is Kind.ITE:
        condition, yes, no = node.args
        chosen = _outside(yes, variable, {**facts, **literals(condition)})
        return ite(condition, chosen, _outside(no, variable, {**facts, **literals(negate(condition))}))
    if variable.sort is Sort.SET:
        inside = eq(minus(node, const(variable.hi, Sort.SET)), EMPTY)
    else:
        inside = both(le(const(variable.lo), node), le(node, const(variable.hi)))
    return simplify([negate(inside)], facts)[0]

"""Which mutants are made of a model: small changes of one action each, or of two steps that follow each other.

Of an action it is its guard, what it writes, and what it reads: a part of the guard is dropped, or its bound is off by
one; an update is dropped, or what it writes is off by one; a flag is taken for false wherever the action reads it. The
ledgers of fault budgets are the checker's and stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from offsetproof.ir.build import FALSE, add, const, eq, ite, le, negate
from offsetproof.ir.faults import SPENT
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node, variables
from offsetproof.ir.rewrite import substitute
from offsetproof.ir.system import Instance
from offsetproof.lang.domain import Integers, Optionals
from offsetproof.lang.stage import Staged
from offsetproof.mutation.guards import GuardPart, parts, without
from offsetproof.mutation.swaps import swap_steps
from offsetproof.mutation.wording import family, shorten_text
from offsetproof.mutation.workshop import Mutant, Operator, Workshop


def mutants(staged: Staged) -> list[Mutant]:
    """All mutants of a model in one setting, in the order of its actions."""
    shop = Workshop(staged)
    for places in shop.actions.values():
        change_guards(shop, places)
        change_updates(shop, places)
        blind(shop, places)
    swap_steps(shop)
    return shop.made


def change_guards(shop: Workshop, numbers: list[int]) -> None:
    """Mutants of an action's guard: each part dropped, each comparison letting one more value pass."""
    parts_by_number = [(number, parts(shop.instances[number], shop.domains)) for number in numbers]
    for number, own in sorted(parts_by_number, key=lambda pair: -len(pair[1])):
        for nth, part in enumerate(own, 1):
            name = f"guard {nth}"
            inst = shop.instances[number]
            text = f"{name} dropped: {shorten_text(part.text)}"
            shop.make(Operator.GUARD, part.key, text, number, without(inst, part))
            wider = _wider(part)
            if wider is not None:
                text = f"{name} off by one: {shorten_text(part.text)}"
                shop.make(Operator.BOUND, part.key, text, number, without(inst, part, wider))


def _wider(part: GuardPart) -> Node | None:
    """A comparison that one more value passes; None for other conditions."""
    node = part.nodes[0]
    if len(part.nodes) > 1:
        return None
    if node.kind is Kind.LE:
        return le(node.args[0], add(node.args[1], const(1)))
    if node.kind is Kind.NOT and node.args[0].kind is Kind.LE:
        left, right = node.args[0].args
        return negate(le(left, add(right, const(-1))))
    return None


def change_updates(shop: Workshop, numbers: list[int]) -> None:
    """Mutants of what an action writes: each family of fields left as it was, or off by one."""
    for number in numbers:
        updates = shop.instances[number].updates
        for here in dict.fromkeys(map(family, updates)):
            if here.startswith(SPENT):
                continue
            kept = {name: node for name, node in updates.items() if family(name) != here}
            shop.make(Operator.UPDATE, (here,), f"update of {here} dropped", number, updates=kept)
            for by, word in ((1, "more"), (-1, "less")):
                moved = {
                    n: _shift_value(shop, n, node, by) if family(n) == here else node for n, node in updates.items()
                }
                text = f"update of {here} off by one, one {word}"
                shop.make(Operator.OFF_BY_ONE, (here, word), text, number, updates=moved)


def _shift_value(shop: Workshop, name: str, root: Node, by: int) -> Node:
    """What is written to an integer field, off by one wherever it is a new value; other fields stay as they are."""
    domain, variable = shop.domains[name], shop.variables[name]
    optional = isinstance(domain, Optionals)
    if not isinstance(domain.inner if isinstance(domain, Optionals) else domain, Integers):
        return root

    def off(node: Node) -> Node:
        copied = node.kind is Kind.VAR and family(node.name) == family(name)
        absent = optional and node.hi == 0
        outside = node.hi + by < variable.lo + optional or node.lo + by > variable.hi
        if copied or absent or outside:
            return node
        moved = add(node, const(by))
        return ite(eq(node, const(0)), node, moved) if optional and node.lo == 0 else moved

    return _at_ends(root, off, {})


def _at_ends(node: Node, change: Callable[[Node], Node], done: dict[Node, Node]) -> Node:
    """A choice with the things that are chosen from changed."""
    if node not in done:
        if node.kind is Kind.ITE:
            done[node] = ite(node.args[0], *(_at_ends(arg, change, done) for arg in node.args[1:]))
        else:
            done[node] = change(node)
    return done[node]


def blind(shop: Workshop, numbers: list[int]) -> None:
    """Mutants that do not see a flag: the action takes it for false wherever it reads it."""
    for number in numbers:
        inst = shop.instances[number]
        for here, flags in _flags_read(shop, inst).items():
            off = dict.fromkeys(flags, FALSE)
            enabled, *values = substitute([inst.enabled, *inst.updates.values()], off)
            updates = dict(zip(inst.updates, values, strict=True))
            base = _going_wrong_without(inst, off)
            shop.make(Operator.READ, (here,), f"reads {here} as false", number, enabled, updates, base=base)


def _going_wrong_without(inst: Instance, off: Mapping[Node, Node]) -> Instance:
    """The instance, cut and going wrong as it would be if these flags were off."""
    cut, *conditions = substitute([inst.cut, *(failure.condition for failure in inst.failures)], off)
    pairs = zip(conditions, inst.failures, strict=True)
    failures = tuple(replace(failure, condition=node) for node, failure in pairs if node is not FALSE)
    return replace(inst, cut=cut, failures=failures)


def _flags_read(shop: Workshop, inst: Instance) -> dict[str, list[Node]]:
    flags: dict[str, list[Node]] = {}
    for name in sorted(variables([inst.enabled, *inst.updates.values()])):
        variable = shop.variables[name]
        if variable.sort is Sort.BOOL and not variable.ghost:
            flags.setdefault(family(name), []).append(variable.node)
    return flags

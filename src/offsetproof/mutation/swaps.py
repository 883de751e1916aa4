"""Swapped steps: two successive steps of one thread, each doing what the other should.

A thread's steps are found by its program counter, an enum field: one step sets it to the value that the next one
requires. The swapped steps are taken at the same values of the counter as before and by the same guards, and write
what the other would.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.ir.build import is_const
from offsetproof.ir.faults import SPENT
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import Node
from offsetproof.lang.domain import Members
from offsetproof.mutation.guards import conjuncts
from offsetproof.mutation.wording import family
from offsetproof.mutation.workshop import Operator, Workshop


def swap_steps(shop: Workshop) -> None:
    """Adds a mutant for each pair of successive steps that do something besides moving the counter."""
    for first in shop.actions.values():
        for second in shop.actions.values():
            if first != second:
                for counter, a, b in _successive(shop, first, second):
                    _swap(shop, counter, a, b)


def _swap(shop: Workshop, counter: str, a: int, b: int) -> None:
    one, other = shop.instances[a], shop.instances[b]
    for number, mine, theirs in ((a, one, other), (b, other, one)):
        own = {name: node for name, node in mine.updates.items() if _stays(name, counter)}
        # Where the other would raise, what it writes is anything; that it leaves no domain, `make` looks at again.
        lent = {name: node for name, node in theirs.updates.items() if not _stays(name, counter)}
        shop.make(
            Operator.SWAP,
            (other.label[0], family(counter)),
            f"swapped with {other.label[0]}, the step after it",
            number,
            updates={**own, **lent},
            action=one.label[0],
        )


def _stays(name: str, counter: str) -> bool:
    return name == counter or name.startswith(SPENT)


def _successive(shop: Workshop, first: list[int], second: list[int]) -> Iterator[tuple[str, int, int]]:
    """Pairs of instances that follow each other on a counter, with the counter, where each has but one partner."""
    leads = [(name, number) for number in first for name in required_counters(shop, number)]
    needs = [(name, number) for number in second for name in required_counters(shop, number)]
    for name, a in leads:
        following = [b for other, b in needs if other == name]
        if len(following) == 1 and [other for other, _ in leads].count(name) == 1:
            value = required_counters(shop, following[0])[name]
            written = shop.instances[a].updates.get(name)
            moves_on = name in shop.instances[following[0]].updates
            if (
                written is not None
                and moves_on
                and value != required_counters(shop, a)[name]
                and value in _written_constants(written)
            ):
                yield name, a, following[0]


def required_counters(shop: Workshop, number: int) -> dict[str, int]:
    """The counters of an instance: the enum fields that its guard requires to have one value, with the value."""
    values = {}
    for node in conjuncts(shop.instances[number].enabled):
        if node.kind is Kind.EQ and node.args[0].kind is Kind.VAR and is_const(node.args[1]):
            name = node.args[0].name
            if isinstance(shop.domains[name], Members) and not shop.variables[name].ghost:
                values[name] = node.args[1].value
    return values


def _written_constants(root: Node) -> set[int]:
    """The constants that an update may write."""
    if root.kind is Kind.ITE:
        return _written_constants(root.args[1]) | _written_constants(root.args[2])
    return {root.value} if is_const(root) else set()

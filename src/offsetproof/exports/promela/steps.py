"""Simultaneous updates as assignments one after another: ordered so that nothing is overwritten before it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from offsetproof.exports.promela.expressions import expression
from offsetproof.exports.wrapping import bare
from offsetproof.ir.node import Node, variables


@dataclass(frozen=True)
class Sequence:
    """Statements that together do what simultaneous updates do.

    `held` counts the auxiliary variables that they use for old values, and leave at 0.
    """

    statements: tuple[str, ...]
    held: int = 0


def held_name(number: int) -> str:
    """The auxiliary variable of this number."""
    return f"held_{number}"


def in_sequence(updates: Mapping[str, Node], names: Mapping[str, str]) -> Sequence:
    """The updates in an order in which each still reads old values; where they go round in a circle, one is held.

    >>> from offsetproof.ir.build import var
    >>> x, y = var("x", 0, 3), var("y", 0, 3)
    >>> in_sequence({"x": y, "y": x}, {"x": "x", "y": "y"}).statements
    ('held_0 = x', 'x = y', 'y = held_0', 'held_0 = 0')
    """
    reads = {name: variables([node]) for name, node in updates.items()}
    known, waiting, statements, held = dict(names), list(updates), [], 0
    while waiting:
        free = [name for name in waiting if not _is_read(name, waiting, reads, known, names)]
        if not free:
            known[waiting[0]] = held_name(held)
            statements.append(f"{known[waiting[0]]} = {names[waiting[0]]}")
            held += 1
            free = waiting[:1]
        statements.append(f"{names[free[0]]} = {bare(expression(updates[free[0]], known))}")
        waiting.remove(free[0])
    statements += [f"{held_name(number)} = 0" for number in range(held)]
    return Sequence(tuple(statements), held)


def _is_read(
    name: str,
    waiting: list[str],
    reads: Mapping[str, frozenset[str]],
    known: Mapping[str, str],
    names: Mapping[str, str],
) -> bool:
    """Does an update that is still to come need the old value from the variable itself?"""
    return known[name] == names[name] and any(name in reads[other] for other in waiting if other != name)

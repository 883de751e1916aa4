"""Rebuilding nodes: substitution of variables, and simplification under facts that are known to be true."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping

from offsetproof.ir import build
from offsetproof.ir.kind import Kind, complete
from offsetproof.ir.node import Node, variables

REBUILD: dict[Kind, Callable[..., Node]] = complete(
    "rewriting",
    {
        Kind.ADD: build.add,
        Kind.SUB: build.sub,
        Kind.MUL: build.mul,
        Kind.DIV: build.div,
        Kind.MOD: build.mod,
        Kind.EQ: build.eq,
        Kind.LE: build.le,
        Kind.NOT: build.negate,
        Kind.AND: build.both,
        Kind.OR: build.either,
        Kind.ITE: build.ite,
        Kind.UNION: build.union,
        Kind.MEET: build.meet,
        Kind.MINUS: build.minus,
        Kind.SINGLE: build.single,
        Kind.HAS: build.has,
        Kind.LOWEST: build.lowest,
        Kind.HIGHEST: build.highest,
        Kind.COUNT: build.count,
    },
)
"""The smart constructor of each kind."""


def substitute(roots: Iterable[Node], values: Mapping[Node, Node]) -> list[Node]:
    """The roots with some nodes replaced wherever they stand, all at once, and folded again.

    What is put in is not looked at again, so swapping two variables swaps them.

    >>> x, y = build.var("x", 0, 3), build.var("y", 0, 3)
    >>> substitute([build.sub(x, y)], {x: y, y: x})
    [sub(y, x)]
    """
    rewriting = _Rewriting(values, {})
    return [rewriting.rewrite(root) for root in roots]


def simplify(roots: Iterable[Node], facts: Mapping[Node, Node]) -> list[Node]:
    """The roots where these nodes are known to have these constant values, folded as far as that goes.

    A node that only comes about by folding is looked up, too: a fact holds of every form of its node.

    >>> x = build.var("x", 0, 3)
    >>> simplify([build.add(x, build.const(1))], {x: build.const(2)})
    [3]
    """
    simplified = simplifier(facts)
    return [simplified(root) for root in roots]


def simplifier(facts: Mapping[Node, Node]) -> Callable[[Node], Node]:
    """What simplifies one root after the other under the same facts; what they share is looked at once."""
    return _Rewriting(facts, facts).rewrite


class _Rewriting:
    """Roots rewritten by the same values; it remembers what each node that it met has become.

    A node that reads none of the variables that the values are about stays what it is.
    """

    def __init__(self, values: Mapping[Node, Node], again: Mapping[Node, Node]) -> None:
        self._done, self._again = dict(values), again
        self._about = variables(values)
        self._constants = any(not node.reads for node in values)

    def rewrite(self, root: Node) -> Node:
        """What the root becomes."""
        done, stack = self._done, [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
            elif not node.args or (node.reads.isdisjoint(self._about) and not self._constants):
                done[stack.pop()] = node
            elif missing := [arg for arg in node.args if arg not in done]:
                stack.extend(missing)
            else:
                done[stack.pop()] = self._rebuilt(node)
        return done[root]

    def _rebuilt(self, node: Node) -> Node:
        args = [self._done[arg] for arg in node.args]
        if all(map(operator.is_, args, node.args)):
            return node
        rebuilt = REBUILD[node.kind](*args)
        return self._again.get(rebuilt, rebuilt)


def literals(fact: Node) -> dict[Node, Node]:
    """What a true condition says of other nodes: each conjunct is true, and `x == constant` gives x.

    >>> x = build.var("x", 0, 3)
    >>> literals(build.eq(x, build.const(2)))[x]
    2
    """
    known: dict[Node, Node] = {fact: build.TRUE}
    if fact.kind is Kind.AND:
        for part in fact.args:
            known.update(literals(part))
    elif fact.kind is Kind.NOT:
        known[fact.args[0]] = build.FALSE
        if fact.args[0].kind is Kind.OR:
            for part in fact.args[0].args:
                known.update(literals(build.negate(part)))
    elif fact.kind is Kind.EQ and build.is_const(fact.args[1]):
        known[fact.args[0]] = fact.args[1]
    return known

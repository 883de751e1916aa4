"""Frozen, hash-consed nodes: two expressions built alike are one object, so identity is equality.

Build nodes with the functions of `build`, which fold; `intern` below is their only way to make one. A node knows its
sort and its interval; backends choose widths and shifts from the interval, so nothing ever wraps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

from offsetproof.ir.kind import MEANING, RANGE, WIDTH_MAX, Interval, Kind, Sort, TooWideError

INT_MAX = (1 << 62) - 1
"""The largest magnitude that a node may reach: signed 64-bit words with room for one addition."""


_SHOWN_DEPTH = 8
"""How deep a node is shown."""


class Node:
    """One expression: its kind, its arguments (or a constant's value, a variable's name), its sort and interval.

    `reads` has the names of all variables below it. Leaves out any notion of where in a model it came from: paths and
    instances keep that.
    """

    __slots__ = ("__weakref__", "args", "hi", "kind", "leaf", "lo", "reads", "sort")

    kind: Kind
    args: tuple[Node, ...]
    leaf: int | str | None
    sort: Sort
    lo: int
    hi: int
    reads: frozenset[str]

    def __init__(self, kind: Kind, args: tuple[Node, ...], leaf: int | str | None, sort: Sort, span: Interval) -> None:
        put = object.__setattr__
        put(self, "kind", kind)
        put(self, "args", args)
        put(self, "leaf", leaf)
        put(self, "sort", sort)
        put(self, "lo", span[0])
        put(self, "hi", span[1])
        put(self, "reads", _reads(args) if args else frozenset((leaf,) if isinstance(leaf, str) else ()))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"nodes are frozen; {name} cannot change")

    @property
    def span(self) -> Interval:
        """The node's interval as a pair."""
        return self.lo, self.hi

    @property
    def value(self) -> int:
        """A constant's value; TypeError for any other node."""
        if self.kind is not Kind.CONST or not isinstance(self.leaf, int):
            raise TypeError(f"{self!r} is not a constant")
        return self.leaf

    @property
    def name(self) -> str:
        """A variable's name; TypeError for any other node."""
        if not isinstance(self.leaf, str):
            raise TypeError(f"{self!r} is not a variable")
        return self.leaf

    def __repr__(self) -> str:
        return _node_text(self, _SHOWN_DEPTH)


def _reads(args: tuple[Node, ...]) -> frozenset[str]:
    """What the arguments read. Nodes that read the same share one set where an argument of theirs has it already."""
    widest = args[0].reads
    for arg in args[1:]:
        if not arg.reads <= widest:
            widest = arg.reads if widest <= arg.reads else widest | arg.reads
    return widest


def _node_text(node: Node, depth: int) -> str:
    """A node as text. What is shared would be repeated, so that only bounds keep a small graph from a huge text."""
    if node.leaf is not None:
        return str(node.leaf)
    inside = ", ".join(_node_text(arg, depth - 1) for arg in node.args) if depth else "..."
    return f"{node.kind.label}({inside})"


_interned: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()


def interned_node(kind: Kind, args: tuple[Node, ...]) -> Node | None:
    """The node of this shape where there is one already; of leaves never."""
    return _interned.get((kind, args))


def intern(
    kind: Kind,
    args: tuple[Node, ...] = (),
    leaf: int | str | None = None,
    sort: Sort | None = None,
    span: Interval | None = None,
) -> Node:
    """The one node of this shape. Leaves bring their sort and span; for the others both follow from the arguments.

    Raises TooWideError when the node's interval would not fit a machine word.
    """
    key = (kind, args, leaf, sort, span) if span is not None else (kind, args)
    known = _interned.get(key)
    if known is not None:
        return known
    if span is None:
        span = RANGE[kind](*(a.span for a in args))
    if max(abs(span[0]), abs(span[1])) > INT_MAX:
        bits = max(abs(span[0]), abs(span[1])).bit_length()
        raise TooWideError(f"{_short_text(kind, args, leaf)} needs {bits} bits, and there are {WIDTH_MAX}")
    node = Node(kind, args, leaf, sort or kind.gives or args[-1].sort, span)
    _interned[key] = node
    return node


def _short_text(kind: Kind, args: tuple[Node, ...], leaf: int | str | None) -> str:
    """An expression in short: what it reads, where it is itself too long to show."""
    if leaf is not None:
        return str(leaf)
    shown = ", ".join(str(arg.leaf) if arg.leaf is not None else f"{arg.kind.label}(...)" for arg in args)
    return f"{kind.label}({shown}), which reads {', '.join(sorted(variables(args))) or 'nothing'},"


def topological(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node below the roots once, arguments before users, in the order of first need."""
    seen: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))


def variables(roots: Iterable[Node]) -> frozenset[str]:
    """The names of all variables that the roots read."""
    return frozenset().union(*(root.reads for root in roots))


def evaluate(roots: Iterable[Node], values: Mapping[str, int]) -> list[int]:
    """The value of each root in a state, by the table `MEANING`.

    >>> from offsetproof.ir.build import add, const, var
    >>> evaluate([add(var("x", 0, 3), const(1))], {"x": 2})
    [3]
    """
    wanted = list(roots)
    known = evaluate_all(topological(wanted), values)
    return [known[root] for root in wanted]


def evaluate_all(nodes: Iterable[Node], values: Mapping[str, int]) -> dict[Node, int]:
    """The value of every node in a state; arguments must come before their users."""
    known: dict[Node, int] = {}
    for node in nodes:
        if node.kind is Kind.CONST:
            known[node] = node.value
        elif node.kind is Kind.VAR:
            known[node] = values[node.name]
        else:
            known[node] = MEANING[node.kind](node, *(known[arg] for arg in node.args))
    return known

"""Smart constructors: every node of the program is made here, folded as far as intervals and algebra allow.

Comparisons with a constant have one form (`x <= c`), so that a condition and its complement share a node: the stager
remembers decisions by node, and the fewer forms there are the fewer impossible paths it follows.
"""

from __future__ import annotations

from functools import lru_cache

from offsetproof.ir.kind import MEANING, RANGE, WIDTH_MAX, Kind, Sort, TooWideError
from offsetproof.ir.node import Node, intern, interned_node


@lru_cache(maxsize=4096)
def const(value: int, sort: Sort = Sort.INT) -> Node:
    """A constant of the given sort."""
    return intern(Kind.CONST, leaf=int(value), sort=sort, span=(int(value), int(value)))


def var(name: str, lo: int, hi: int, sort: Sort = Sort.INT) -> Node:
    """A variable with values lo to hi, both included."""
    if lo > hi:
        raise ValueError(f"variable {name} has no value: {lo} to {hi}")
    return intern(Kind.VAR, leaf=name, sort=sort, span=(lo, hi))


TRUE = const(1, Sort.BOOL)
FALSE = const(0, Sort.BOOL)
EMPTY = const(0, Sort.SET)


def truth(value: bool) -> Node:
    """The constant of a truth value."""
    return TRUE if value else FALSE


def is_const(node: Node) -> bool:
    """Is the node a constant?"""
    return node.kind is Kind.CONST


def _sorted_right(kind: Kind, *args: Node) -> None:
    takes = kind.takes
    if takes is not None and tuple([a.sort for a in args]) != takes:
        raise TypeError(f"{kind.label} takes {', '.join(takes)}, not {', '.join(a.sort for a in args)}")


def _fold(kind: Kind, *args: Node) -> Node:
    """The node, or the constant that it always is (its interval is one value, or all arguments are constants)."""
    node = interned_node(kind, args)
    if node is None:
        _sorted_right(kind, *args)
        if all(is_const(a) for a in args):
            return _constant_of(kind, args)
        node = intern(kind, args)
    return const(node.lo, node.sort) if node.lo == node.hi else node


def _constant_of(kind: Kind, args: tuple[Node, ...]) -> Node:
    sort = kind.gives or args[-1].sort
    shell = Node(kind, args, None, sort, RANGE[kind](*(a.span for a in args)))
    return const(MEANING[kind](shell, *(a.value for a in args)), sort)


def add(a: Node, b: Node) -> Node:
    """a + b, constants gathered on the right."""
    if is_const(a) and not is_const(b):
        a, b = b, a
    if is_const(b):
        if b.value == 0:
            return a
        if a.kind is Kind.ADD and is_const(a.args[1]):
            return add(a.args[0], const(a.args[1].value + b.value))
    return _fold(Kind.ADD, a, b)


def sub(a: Node, b: Node) -> Node:
    """a - b."""
    if a is b:
        return const(0)
    return add(a, const(-b.value)) if is_const(b) else _fold(Kind.SUB, a, b)


def mul(a: Node, b: Node) -> Node:
    """a * b, a constant on the right."""
    if is_const(a) and not is_const(b):
        a, b = b, a
    if is_const(b) and b.value in (0, 1):
        return a if b.value else b
    return sub(const(0), a) if is_const(b) and b.value == -1 else _fold(Kind.MUL, a, b)


def div(a: Node, b: Node) -> Node:
    """a // b, rounded down; 0 where b is 0."""
    if is_const(b) and b.value in (1, -1):
        return mul(a, b)
    return _fold(Kind.DIV, a, b)


def mod(a: Node, b: Node) -> Node:
    """a % b, with the sign of b; 0 where b is 0."""
    return a if a.lo >= 0 and a.hi < b.lo else _fold(Kind.MOD, a, b)


def negate(a: Node) -> Node:
    """not a."""
    return a.args[0] if a.kind is Kind.NOT else _fold(Kind.NOT, a)


def _are_opposite(a: Node, b: Node) -> bool:
    """Is one of two conditions, neither of them a constant, the other's negation?"""
    return (a.kind is Kind.NOT and a.args[0] is b) or (b.kind is Kind.NOT and b.args[0] is a)


def both(a: Node, b: Node) -> Node:
    """a and b, as an expression (no decision)."""
    _sorted_right(Kind.AND, a, b)
    if a is FALSE or b is FALSE or _are_opposite(a, b):
        return FALSE
    if a is TRUE or a is b:
        return b
    return a if b is TRUE else _fold(Kind.AND, a, b)


def either(a: Node, b: Node) -> Node:
    """a or b, as an expression (no decision)."""
    _sorted_right(Kind.OR, a, b)
    if a is TRUE or b is TRUE or _are_opposite(a, b):
        return TRUE
    if a is FALSE or a is b:
        return b
    return a if b is FALSE else _fold(Kind.OR, a, b)


def conjunction(parts: list[Node]) -> Node:
    """All of the parts; TRUE for none."""
    result = TRUE
    for part in parts:
        result = both(result, part)
    return result


def disjunction(parts: list[Node]) -> Node:
    """Any of the parts; FALSE for none."""
    result = FALSE
    for part in parts:
        result = either(result, part)
    return result


def ite(c: Node, a: Node, b: Node) -> Node:
    """a if c else b; of truth values it becomes plain logic."""
    if c.sort is not Sort.BOOL or a.sort is not b.sort:
        raise TypeError(f"a choice takes bool and two of one sort, not {c.sort}, {a.sort} and {b.sort}")
    if is_const(c):
        return a if c.value else b
    if c.kind is Kind.NOT:
        c, a, b = c.args[0], b, a
    if a.kind is Kind.ITE and a.args[0] is c:
        a = a.args[1]
    if b.kind is Kind.ITE and b.args[0] is c:
        b = b.args[2]
    if a is b:
        return a
    return _logic(c, a, b) if a.sort is Sort.BOOL else _fold(Kind.ITE, c, a, b)


def _logic(c: Node, a: Node, b: Node) -> Node:
    if a is TRUE or a is c:
        return either(c, b)
    if b is FALSE or b is c:
        return both(c, a)
    if a is FALSE:
        return both(negate(c), b)
    if b is TRUE:
        return either(negate(c), a)
    return _fold(Kind.ITE, c, a, b)


def eq(a: Node, b: Node) -> Node:
    """a == b, of one sort."""
    if a.sort is not b.sort:
        raise TypeError(f"== compares one sort, not {a.sort} and {b.sort}")
    if a is b:
        return TRUE
    if a.hi < b.lo or b.hi < a.lo:
        return FALSE
    if is_const(a):
        a, b = b, a
    if is_const(b):
        return _eq_const(a, b)
    return _fold(Kind.EQ, a, b)


def _eq_const(a: Node, b: Node) -> Node:
    if a.sort is Sort.BOOL:
        return a if b.value else negate(a)
    if a.kind is Kind.ADD and is_const(a.args[1]):
        return eq(a.args[0], const(b.value - a.args[1].value))
    if a.kind is Kind.ITE and (is_const(a.args[1]) or is_const(a.args[2])):
        return ite(a.args[0], eq(a.args[1], b), eq(a.args[2], b))
    return _fold(Kind.EQ, a, b)


def le(a: Node, b: Node) -> Node:
    """a <= b, of integers."""
    _sorted_right(Kind.LE, a, b)
    if a is b or a.hi <= b.lo:
        return TRUE
    if b.hi < a.lo:
        return FALSE
    if is_const(a):
        return negate(le(b, const(a.value - 1)))
    if is_const(b):
        return _le_const(a, b.value)
    return _fold(Kind.LE, a, b)


def _le_const(a: Node, bound: int) -> Node:
    if a.kind is Kind.ADD and is_const(a.args[1]):
        return le(a.args[0], const(bound - a.args[1].value))
    if a.kind is Kind.ITE and (is_const(a.args[1]) or is_const(a.args[2])):
        return ite(a.args[0], le(a.args[1], const(bound)), le(a.args[2], const(bound)))
    if bound == a.lo:
        return eq(a, const(bound))
    if bound == a.hi - 1:
        return negate(eq(a, const(a.hi)))
    return _fold(Kind.LE, a, const(bound))


def lt(a: Node, b: Node) -> Node:
    """a < b, of integers."""
    return negate(le(b, a))


def union(a: Node, b: Node) -> Node:
    """The offsets in either set."""
    if a is EMPTY or a is b:
        return b
    return a if b is EMPTY else _fold(Kind.UNION, a, b)


def meet(a: Node, b: Node) -> Node:
    """The offsets in both sets."""
    if a is EMPTY or b is EMPTY:
        return EMPTY
    return a if a is b else _fold(Kind.MEET, a, b)


def minus(a: Node, b: Node) -> Node:
    """The offsets of a that are not in b."""
    if a is EMPTY or a is b or (is_const(b) and a.hi & ~b.value == 0):
        return EMPTY
    return a if b is EMPTY else _fold(Kind.MINUS, a, b)


def single(i: Node) -> Node:
    """The set of one offset, which must lie in 0 to WIDTH_MAX - 1 by its interval."""
    if i.lo < 0 or i.hi >= WIDTH_MAX:
        raise TooWideError(f"offset {i!r} may lie outside 0 to {WIDTH_MAX - 1}: {i.lo} to {i.hi}")
    return _fold(Kind.SINGLE, i)


def has(a: Node, i: Node) -> Node:
    """Is offset i in the set? Offsets outside the set's range are not."""
    if a.kind is Kind.SINGLE:
        return eq(a.args[0], i)
    if a is EMPTY or i.hi < 0 or i.lo >= WIDTH_MAX:
        return FALSE
    if is_const(i) and a.hi.bit_length() <= i.value:
        return FALSE
    if is_const(i) and a.kind is Kind.UNION:
        return either(has(a.args[0], i), has(a.args[1], i))
    if is_const(i) and a.kind is Kind.MINUS:
        return both(has(a.args[0], i), negate(has(a.args[1], i)))
    if is_const(i) and a.kind is Kind.ITE:
        return ite(a.args[0], has(a.args[1], i), has(a.args[2], i))
    return _fold(Kind.HAS, a, i)


def lowest(a: Node) -> Node:
    """The lowest offset of a set that is not empty."""
    return a.args[0] if a.kind is Kind.SINGLE else _fold(Kind.LOWEST, a)


def highest(a: Node) -> Node:
    """The highest offset of a set that is not empty."""
    return a.args[0] if a.kind is Kind.SINGLE else _fold(Kind.HIGHEST, a)


def count(a: Node) -> Node:
    """How many offsets the set holds."""
    return _fold(Kind.COUNT, a)

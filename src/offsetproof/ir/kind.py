"""The closed list of node kinds: what each one takes, gives and means.

Every consumer of the IR (evaluation, LLVM, later Z3, TLA+, Promela, Rust) is a table with one rule per kind, made with
`complete`, which raises where a rule is missing. All three sorts are integers underneath: a truth value is 0 or 1, an
offset set is its mask (bit i set: offset i is in), so a node has one interval whatever its sort.

`LOWEST`, `HIGHEST`, `DIV` and `MOD` are total, so that every backend agrees also where nobody may read the answer: the
lowest of the empty set over n offsets is n - 1, the highest is 0; whatever is divided by 0 gives 0 and leaves 0. `DIV`
and `MOD` are Python's `//` and `%`: the quotient is rounded down, the remainder has the divisor's sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, StrEnum
from typing import TypeVar


class Sort(StrEnum):
    """What a node's integer stands for."""

    BOOL = "bool"
    INT = "int"
    SET = "set"


class Kind(Enum):
    """A node kind: its name, the sorts that it takes and the sort that it gives.

    `takes` is None where the kind decides for itself (leaves, EQ, ITE); `gives` is None where it follows from the
    arguments.
    """

    CONST = ("const", None, None)
    VAR = ("var", None, None)
    ADD = ("add", (Sort.INT, Sort.INT), Sort.INT)
    SUB = ("sub", (Sort.INT, Sort.INT), Sort.INT)
    MUL = ("mul", (Sort.INT, Sort.INT), Sort.INT)
    DIV = ("div", (Sort.INT, Sort.INT), Sort.INT)
    MOD = ("mod", (Sort.INT, Sort.INT), Sort.INT)
    EQ = ("eq", None, Sort.BOOL)
    LE = ("le", (Sort.INT, Sort.INT), Sort.BOOL)
    NOT = ("not", (Sort.BOOL,), Sort.BOOL)
    AND = ("and", (Sort.BOOL, Sort.BOOL), Sort.BOOL)
    OR = ("or", (Sort.BOOL, Sort.BOOL), Sort.BOOL)
    ITE = ("ite", None, None)
    UNION = ("union", (Sort.SET, Sort.SET), Sort.SET)
    MEET = ("meet", (Sort.SET, Sort.SET), Sort.SET)
    MINUS = ("minus", (Sort.SET, Sort.SET), Sort.SET)
    SINGLE = ("single", (Sort.INT,), Sort.SET)
    HAS = ("has", (Sort.SET, Sort.INT), Sort.BOOL)
    LOWEST = ("lowest", (Sort.SET,), Sort.INT)
    HIGHEST = ("highest", (Sort.SET,), Sort.INT)
    COUNT = ("count", (Sort.SET,), Sort.INT)

    label: str
    takes: tuple[Sort, ...] | None
    gives: Sort | None

    def __init__(self, label: str, takes: tuple[Sort, ...] | None, gives: Sort | None) -> None:
        self.label, self.takes, self.gives = label, takes, gives

    __hash__ = object.__hash__
    """Every lookup of a node asks for it, and Enum's own is Python code. Members are told apart by identity anyway."""


LEAVES = frozenset({Kind.CONST, Kind.VAR})
"""Kinds without arguments: every consumer treats them on its own."""

WIDTH_MAX = 62
"""The widest offset set: masks stay positive in a signed 64-bit word."""


class TooWideError(Exception):
    """A value would need more bits than a machine word has; the domains that it comes from are too large.

    Staging refuses the model with its place, an export is refused with code 152, a mutant is left out.
    """


Rule = TypeVar("Rule")


def complete(consumer: str, rules: Mapping[Kind, Rule]) -> dict[Kind, Rule]:
    """The consumer's table, checked: one rule for each kind that has arguments, or NotImplementedError.

    >>> complete("toy", {Kind.ADD: None})
    Traceback (most recent call last):
    ...
    NotImplementedError: toy has no rule for node kind sub, mul, div, mod, eq, le, not, and, or, ite, \
union, meet, minus, single, has, lowest, highest, count; add one to its table
    """
    missing = [kind.label for kind in Kind if kind not in LEAVES and kind not in rules]
    if missing:
        raise NotImplementedError(f"{consumer} has no rule for node kind {', '.join(missing)}; add one to its table")
    return dict(rules)


Interval = tuple[int, int]
"""Lowest and highest value a node can take, both included."""


def width(hi: int) -> int:
    """How many offsets a set with the greatest mask `hi` ranges over (at least one)."""
    return max(1, hi.bit_length())


MEANING: dict[Kind, Callable[..., int]] = complete(
    "evaluation",
    {
        Kind.ADD: lambda node, a, b: a + b,
        Kind.SUB: lambda node, a, b: a - b,
        Kind.MUL: lambda node, a, b: a * b,
        Kind.DIV: lambda node, a, b: a // b if b else 0,
        Kind.MOD: lambda node, a, b: a % b if b else 0,
        Kind.EQ: lambda node, a, b: int(a == b),
        Kind.LE: lambda node, a, b: int(a <= b),
        Kind.NOT: lambda node, a: 1 - a,
        Kind.AND: lambda node, a, b: a & b,
        Kind.OR: lambda node, a, b: a | b,
        Kind.ITE: lambda node, c, a, b: a if c else b,
        Kind.UNION: lambda node, a, b: a | b,
        Kind.MEET: lambda node, a, b: a & b,
        Kind.MINUS: lambda node, a, b: a & ~b,
        Kind.SINGLE: lambda node, i: 1 << i,
        Kind.HAS: lambda node, a, i: (a >> i) & 1 if i >= 0 else 0,
        Kind.LOWEST: lambda node, a: (a & -a).bit_length() - 1 if a else node.hi,
        Kind.HIGHEST: lambda node, a: max(a.bit_length() - 1, 0),
        Kind.COUNT: lambda node, a: a.bit_count(),
    },
)
"""What each kind computes, given the node itself (for its interval) and the values of its arguments."""


def _le(a: Interval, b: Interval) -> Interval:
    return int(a[1] <= b[0]), int(a[0] <= b[1])


def _eq(a: Interval, b: Interval) -> Interval:
    return int(a == b and a[0] == a[1]), int(a[0] <= b[1] and b[0] <= a[1])


def _mul(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _div(a: Interval, b: Interval) -> Interval:
    """A quotient is extreme where its arguments are, among divisors of one sign."""
    ends = [y for y in (b[0], b[1], -1, 1) if y and b[0] <= y <= b[1]]
    corners = [x // y for x in a for y in ends] + ([0] if b[0] <= 0 <= b[1] else [])
    return min(corners), max(corners)


def _mod(a: Interval, b: Interval) -> Interval:
    """A remainder lies between 0 and the divisor; it is the dividend itself where that lies there, too."""
    if b[0] == b[1] != 0 and a[0] // b[0] == a[1] // b[0]:
        return a[0] % b[0], a[1] % b[0]
    return min(0, b[0] + 1), max(0, min(b[1] - 1, a[1]) if a[0] >= 0 <= b[0] else b[1] - 1)


RANGE: dict[Kind, Callable[..., Interval]] = complete(
    "intervals",
    {
        Kind.ADD: lambda a, b: (a[0] + b[0], a[1] + b[1]),
        Kind.SUB: lambda a, b: (a[0] - b[1], a[1] - b[0]),
        Kind.MUL: _mul,
        Kind.DIV: _div,
        Kind.MOD: _mod,
        Kind.EQ: _eq,
        Kind.LE: _le,
        Kind.NOT: lambda a: (1 - a[1], 1 - a[0]),
        Kind.AND: lambda a, b: (a[0] & b[0], a[1] & b[1]),
        Kind.OR: lambda a, b: (a[0] | b[0], a[1] | b[1]),
        Kind.ITE: lambda c, a, b: (min(a[0], b[0]), max(a[1], b[1])),
        Kind.UNION: lambda a, b: (0, (1 << max(width(a[1]), width(b[1]))) - 1),
        Kind.MEET: lambda a, b: (0, (1 << min(width(a[1]), width(b[1]))) - 1),
        Kind.MINUS: lambda a, b: (0, (1 << width(a[1])) - 1),
        Kind.SINGLE: lambda i: (0, (1 << (min(i[1], WIDTH_MAX) + 1)) - 1),
        Kind.HAS: lambda a, i: (0, 1),
        Kind.LOWEST: lambda a: (0, width(a[1]) - 1),
        Kind.HIGHEST: lambda a: (0, width(a[1]) - 1),
        Kind.COUNT: lambda a: (0, width(a[1])),
    },
)
"""The interval of each kind's value, from the intervals of its arguments. Sets keep full masks: 0 to 2**width - 1."""

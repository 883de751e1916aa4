"""Terms: IR expressions with parameters in them, so that one body says what many action instances do.

A term is an expression tree like the IR's, except that indices and constants may be a parameter (`Number`) and that a
`Choice` may ask for the parameters. Terms are compared by identity; what is shared in the IR is shared here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

from offsetproof.exports.tla.families import Family
from offsetproof.ir.kind import Kind, Sort


@dataclass(frozen=True)
class Number:
    """`offset`, or `sign` * parameter + `offset`."""

    offset: int
    parameter: str | None = None
    sign: int = 1

    @property
    def text(self) -> str:
        """As TLA+ writes it: `3`, `c`, `c + 1`, `1 - c`."""
        if self.parameter is None:
            return str(self.offset)
        if self.sign < 0:
            return f"{self.offset} - {self.parameter}" if self.offset else f"-{self.parameter}"
        if self.offset == 0:
            return self.parameter
        return f"{self.parameter} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"

    @property
    def is_simple(self) -> bool:
        """Is it one word, a parameter or a number that is not negative?"""
        return self.sign > 0 and (self.offset == 0 or (self.parameter is None and self.offset > 0))


Place = tuple[Number | str, ...]
"""An index with parameters in it, or the beginning of one."""


@dataclass(frozen=True, eq=False)
class Term:
    """One expression with parameters."""

    @property
    def parts(self) -> tuple[Term, ...]:
        """The terms that it is made of."""
        return ()


@dataclass(frozen=True, eq=False)
class Read(Term):
    """The value of a family's leaf at an index."""

    family: Family
    index: Place


@dataclass(frozen=True, eq=False)
class Constant(Term):
    """A truth value (0 or 1), an integer, or the cap on faults (None)."""

    number: Number | None
    sort: Sort


@dataclass(frozen=True, eq=False)
class Offsets(Term):
    """A set of offsets: the elements of `mask`, or by a parameter: `only` it, all of `mask` `but` it, or `below` it."""

    mask: int
    only: Number | None = None
    but: Number | None = None
    below: Number | None = None


@dataclass(frozen=True, eq=False)
class Apply(Term):
    """A node kind applied to terms; AND and OR take any number. `empty` is what LOWEST gives for the empty set."""

    kind: Kind
    args: tuple[Term, ...]
    sort: Sort
    empty: Number | None = None

    @property
    def parts(self) -> tuple[Term, ...]:
        return self.args


@dataclass(frozen=True)
class Membership:
    """A question about parameters: are their values among these tuples?"""

    parameters: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Comparison:
    """A question about two parameters: does the sign, one of `SIGNS`, hold between them?"""

    first: str
    sign: str
    second: str


SIGNS: dict[str, Callable[[int, int], bool]] = {"=": eq, "#": ne, "<": lt, ">": gt, "<=": le, ">=": ge}
"""The signs of comparisons, and what they mean."""

Question = Membership | Comparison
"""What a choice may depend on."""


@dataclass(frozen=True, eq=False)
class Choice(Term):
    """One term for some values of the parameters, another for the others."""

    test: Question
    then: Term
    otherwise: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        return self.then, self.otherwise


@dataclass(frozen=True, eq=False)
class Except(Term):
    """A family's part at a place with some of what is in it replaced, each by the rest of its place and a value.

    With nothing replaced it is the part as it stands.
    """

    family: Family
    place: Place
    changes: tuple[tuple[Place, Term], ...]

    @property
    def parts(self) -> tuple[Term, ...]:
        return tuple(value for _, value in self.changes)


@dataclass(frozen=True, eq=False)
class Function(Term):
    """A family's part at a place given as a function: what it is for each value of a bound parameter.

    `keys` are those of the part; None where they differ from instance to instance.
    """

    family: Family
    place: Place
    keys: tuple[int, ...] | None
    bound: str
    body: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        return (self.body,)


def below(roots: tuple[Term, ...]) -> Iterator[Term]:
    """Every term below the roots once, parts before wholes."""
    seen: set[Term] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        term, ready = stack.pop()
        if ready:
            yield term
        elif term not in seen:
            seen.add(term)
            stack.append((term, True))
            stack.extend((part, False) for part in reversed(term.parts))

"""Domains of fields: how a value is an integer, and how an integer is a value, real or symbolic.

A domain gives the range of integers that a variable of the IR has (`lo` to `hi`), encodes and decodes real values,
and lifts and lowers symbolic ones. Lowering also says when the value is inside the domain: the condition is judged on
the final values of an action, in both kinds of run, and nothing is ever clipped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, Flag
from typing import Any

from offsetproof.ir import build
from offsetproof.ir.kind import WIDTH_MAX, Sort
from offsetproof.ir.node import Node
from offsetproof.lang.errors import DeclarationError, OutOfDomainError
from offsetproof.lang.offsets import OffsetSet, SymSet
from offsetproof.lang.run import decide
from offsetproof.lang.symbolic import Sym, SymBool, SymEnum, SymInt


@dataclass(frozen=True)
class Lowered:
    """A value as a node, with the condition under which it lies in its domain."""

    node: Node
    inside: Node


class Domain(ABC):
    """A finite set of values, numbered lo to hi."""

    sort = Sort.INT
    lo: int
    hi: int

    @property
    def base(self) -> int:
        """What the numbering starts from; the same value has the same number in domains of one base."""
        return 0

    @abstractmethod
    def encode(self, value: Any) -> int:
        """The integer of a real value; OutOfDomainError if it is none of ours."""

    @abstractmethod
    def decode(self, number: int) -> Any:
        """The real value of an integer."""

    @abstractmethod
    def lift(self, node: Node) -> Any:
        """The symbolic value that a node stands for."""

    @abstractmethod
    def lower_symbolic(self, value: Sym) -> Lowered:
        """A symbolic value as a node; OutOfDomainError if its type is not ours."""

    @abstractmethod
    def describe(self) -> str:
        """The domain in words, for messages."""

    def lower(self, value: Any) -> Lowered:
        """A value as a node; a real one is a constant, and one outside the domain is never inside."""
        if isinstance(value, Sym):
            return self.lower_symbolic(value)
        try:
            return Lowered(build.const(self.encode(value), self.sort), build.TRUE)
        except OutOfDomainError:
            return Lowered(build.const(self.lo, self.sort), build.FALSE)

    def read(self, node: Node) -> Any:
        """What reading the field gives in a staged run; optionals ask for presence here."""
        return self.lift(node)

    def _outside(self, value: Any) -> OutOfDomainError:
        return OutOfDomainError(f"{value!r} is not in its domain, {self.describe()}")


class Flags(Domain):
    """False and True."""

    sort = Sort.BOOL
    lo, hi = 0, 1

    def encode(self, value: Any) -> int:
        if not isinstance(value, bool):
            raise self._outside(value)
        return int(value)

    def decode(self, number: int) -> bool:
        return bool(number)

    def lift(self, node: Node) -> SymBool:
        return SymBool(node)

    def lower_symbolic(self, value: Sym) -> Lowered:
        if not isinstance(value, SymBool):
            raise self._outside(value)
        return Lowered(value.node, build.TRUE)

    def describe(self) -> str:
        return "True or False"


class Integers(Domain):
    """The integers lo to hi, both included."""

    def __init__(self, lo: int, hi: int) -> None:
        if lo > hi:
            raise DeclarationError(
                f"an integer field from {lo} to {hi} has no value; swap lo and hi, or raise a bound of the scope"
            )
        self.lo, self.hi = lo, hi

    def encode(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.lo <= value <= self.hi:
            raise self._outside(value)
        return value

    def decode(self, number: int) -> int:
        return number

    def lift(self, node: Node) -> SymInt:
        return SymInt(node)

    def lower_symbolic(self, value: Sym) -> Lowered:
        if not isinstance(value, SymInt):
            raise self._outside(value)
        node = value.node
        above, under = build.le(build.const(self.lo), node), build.le(node, build.const(self.hi))
        return Lowered(node, build.both(above, under))

    def describe(self) -> str:
        return f"{self.lo} to {self.hi}"


class OffsetSets(Domain):
    """All sets of offsets below `size`."""

    sort = Sort.SET
    lo = 0

    def __init__(self, size: int) -> None:
        if not 0 <= size <= WIDTH_MAX:
            raise DeclarationError(f"an offset set over {size} offsets does not fit; at most {WIDTH_MAX} do")
        self.size, self.hi = size, (1 << size) - 1

    def encode(self, value: Any) -> int:
        if not isinstance(value, OffsetSet) or value.mask > self.hi:
            raise self._outside(value)
        return value.mask

    def decode(self, number: int) -> OffsetSet:
        return OffsetSet._of_mask(number)

    def lift(self, node: Node) -> SymSet:
        return SymSet(node)

    def lower_symbolic(self, value: Sym) -> Lowered:
        if not isinstance(value, SymSet):
            raise self._outside(value)
        node = value.node
        if node.hi <= self.hi:
            return Lowered(node, build.TRUE)
        universe = build.const(self.hi, Sort.SET)
        return Lowered(build.meet(node, universe), build.eq(build.minus(node, universe), build.EMPTY))

    def describe(self) -> str:
        return f"sets of offsets 0 to {self.size - 1}"


_MEANING = ("__eq__", "__ne__", "__bool__", "__len__", "__hash__")
"""What decides when a member equals another one, or is true."""


def _defines(kind: type[Enum], name: str) -> bool:
    """Does an enum, or what it mixes in, give a special method a meaning of its own?"""
    return any(name in vars(base) for base in kind.__mro__ if base not in Enum.__mro__)


class Members(Domain):
    """The members of an enum."""

    lo = 0

    def __init__(self, kind: type[Enum]) -> None:
        if issubclass(kind, Flag):
            raise DeclarationError(f"enum {kind.__name__} is a Flag: its members combine; use a flag() field for each")
        if issubclass(kind, int | str):
            raise DeclarationError(
                f"enum {kind.__name__} is also an int or str: its members equal other values; derive it from Enum alone"
            )
        meant = next((name for name in _MEANING if _defines(kind, name)), None)
        if meant is not None:
            raise DeclarationError(
                f"enum {kind.__name__} has its own {meant}: its members mean more than themselves; derive it from Enum "
                "alone, and give what it does a name"
            )
        self.kind, self.members = kind, tuple(kind)
        self.hi = len(self.members) - 1

    def encode(self, value: Any) -> int:
        if not isinstance(value, self.kind):
            raise self._outside(value)
        return self.members.index(value)

    def decode(self, number: int) -> Enum:
        return self.members[number]

    def lift(self, node: Node) -> SymEnum:
        return SymEnum(node, self.members)

    def lower_symbolic(self, value: Sym) -> Lowered:
        if not isinstance(value, SymEnum) or value.members != self.members:
            raise self._outside(value)
        return Lowered(value.node, build.TRUE)

    def describe(self) -> str:
        return f"the members of {self.kind.__name__}"


class Optionals(Domain):
    """None or a value of another domain: 0 is None, n stands for the inner domain's lo + n - 1.

    The inner domain is one of integers or enum members.
    """

    lo = 0

    def __init__(self, inner: Domain) -> None:
        if not isinstance(inner, Integers | Members):
            raise DeclarationError("an optional field holds integers or enum members; use a flag beside other fields")
        self.inner = inner
        self.hi = inner.hi - inner.lo + 1

    @property
    def base(self) -> int:
        return self.inner.lo

    def encode(self, value: Any) -> int:
        return 0 if value is None else self.inner.encode(value) - self.inner.lo + 1

    def decode(self, number: int) -> Any:
        return None if number == 0 else self.inner.decode(number - 1 + self.inner.lo)

    def lift(self, node: Node) -> Any:
        return self.inner.lift(build.add(node, build.const(self.inner.lo - 1)))

    def read(self, node: Node) -> Any:
        return None if decide(build.eq(node, build.const(0))) else self.lift(node)

    def lower_symbolic(self, value: Sym) -> Lowered:
        inner = self.inner.lower_symbolic(value)
        return Lowered(build.add(inner.node, build.const(1 - self.inner.lo)), inner.inside)

    def describe(self) -> str:
        return f"None or {self.inner.describe()}"

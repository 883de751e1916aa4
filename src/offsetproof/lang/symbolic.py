"""Symbolic values: what fields hold while a model is staged. They look like bools, integers, enum members and sets.

Asking one for its truth (`if`, `and`, `or`, `not`, `any`, a chained comparison) splits the run in two; comparing and
computing does not. What has no faithful meaning for a symbolic value is refused, with what to write instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, NoReturn

from offsetproof.ir import build
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.lang.errors import is_own, refuse
from offsetproof.lang.run import decide, is_running
from offsetproof.lang.sorts import ValueSort, may_be_equal, must_match, sort_of


class Sym:
    """A value of a staged run. Not hashable: it must not be a key of a dict or a member of a Python set."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]  # symbolic values have no identity to hash
    value_sort: ClassVar[ValueSort]

    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        if is_running() and not is_own(sys._getframe(1).f_code.co_filename):
            return str(self)
        return f"{type(self).__name__}({self.node!r})"

    def __str__(self) -> str:
        raise refuse("a string made of a field's value", "leave strings to the trace; compute with the value itself")

    def __format__(self, spec: str) -> str:
        return str(self)

    def _no_number(self) -> NoReturn:
        raise refuse("turning a field's value into a Python integer", "compare it, or index an array with it")

    def __int__(self) -> int:
        self._no_number()

    def __index__(self) -> int:
        self._no_number()

    def __float__(self) -> float:
        self._no_number()

    def __len__(self) -> int:
        raise refuse("len() of a field's value", "write .count()")

    def __iter__(self) -> Any:
        raise refuse("a loop over a field's value", "loop over the sort's values and ask .has(value)")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refuse(f"the attribute .{name} of a field's value", "use the operations of its type")

    def __eq__(self, other: object) -> Any:
        return SymBool(build.eq(self.node, node_of(other, self))) if may_be_equal(self, other) else False

    def __ne__(self, other: object) -> Any:
        return SymBool(build.negate(build.eq(self.node, node_of(other, self)))) if may_be_equal(self, other) else True

    def _refuse(self, _other: object = None) -> NoReturn:
        raise refuse(f"this operation on {self.value_sort.value} of a field", _WAYS_OUT[self.value_sort])

    _no_arithmetic: Any = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _no_arithmetic
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _no_arithmetic
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __xor__ = __rxor__ = __and__ = __rand__ = _no_arithmetic
    __or__ = __ror__ = __matmul__ = __rmatmul__ = __lt__ = __le__ = __gt__ = __ge__ = _no_arithmetic
    __neg__ = __pos__ = __abs__ = __invert__ = __round__ = _no_arithmetic


_WAYS_OUT = {
    ValueSort.NUMBER: "numbers have +, -, *, //, %, abs() and comparisons",
    ValueSort.TRUTH: "truth values have &, | and negation(); write choose(x, 1, 0) for one that is to count",
    ValueSort.OFFSETS: "sets have |, & and -, <=, add(), remove(), has(), lowest(), highest() and count()",
    ValueSort.MEMBER: "enum members have == and !=",
}


def _with_number(what: str, combine: Callable[[Node, Node], Any]) -> Any:
    """An operator of a symbolic number with another number."""

    def operator(self: SymInt, other: object) -> Any:
        must_match(what, self, other)
        return combine(self.node, node_of(other))

    return operator


def _number(combine: Callable[[Node, Node], Node]) -> Callable[[Node, Node], SymInt]:
    return lambda a, b: SymInt(combine(a, b))


def _truth(combine: Callable[[Node, Node], Node]) -> Callable[[Node, Node], SymBool]:
    return lambda a, b: SymBool(combine(a, b))


def _swap_operands(combine: Callable[[Node, Node], Any]) -> Callable[[Node, Node], Any]:
    return lambda a, b: combine(b, a)


def _division(combine: Callable[[Node, Node], Any]) -> Callable[[Node, Node], Any]:
    """A division; where the divisor may be 0 the run splits, and one side raises as Python does."""

    def divide(a: Node, b: Node) -> Any:
        if decide(build.eq(b, build.const(0))):
            raise ZeroDivisionError("integer division or modulo by zero")
        return combine(a, b)

    return divide


def _div_and_mod(a: Node, b: Node) -> tuple[SymInt, SymInt]:
    return SymInt(build.div(a, b)), SymInt(build.mod(a, b))


class SymInt(Sym):
    """A symbolic integer: sums, differences, products, quotients and remainders with integers, and all comparisons."""

    __slots__ = ()
    value_sort = ValueSort.NUMBER

    __add__ = __radd__ = _with_number("a sum", _number(build.add))
    __sub__ = _with_number("a difference", _number(build.sub))
    __rsub__ = _with_number("a difference", _swap_operands(_number(build.sub)))
    __mul__ = __rmul__ = _with_number("a product", _number(build.mul))
    __floordiv__ = _with_number("a quotient", _division(_number(build.div)))
    __rfloordiv__ = _with_number("a quotient", _swap_operands(_division(_number(build.div))))
    __mod__ = _with_number("a remainder", _division(_number(build.mod)))
    __rmod__ = _with_number("a remainder", _swap_operands(_division(_number(build.mod))))
    __divmod__ = _with_number("a quotient", _division(_div_and_mod))
    __rdivmod__ = _with_number("a quotient", _swap_operands(_division(_div_and_mod)))
    __le__ = _with_number("a comparison", _truth(build.le))
    __lt__ = _with_number("a comparison", _truth(build.lt))
    __ge__ = _with_number("a comparison", _swap_operands(_truth(build.le)))
    __gt__ = _with_number("a comparison", _swap_operands(_truth(build.lt)))

    def __neg__(self) -> SymInt:
        return SymInt(build.sub(build.const(0), self.node))

    def __pos__(self) -> SymInt:
        return self

    def __abs__(self) -> SymInt:
        return SymInt(build.ite(build.le(build.const(0), self.node), self.node, (-self).node))

    def __bool__(self) -> bool:
        return decide(build.negate(build.eq(self.node, build.const(0))))


def _with_truth(what: str, combine: Callable[[Node, Node], Node]) -> Any:
    def operator(self: SymBool, other: object) -> SymBool:
        must_match(what, self, other)
        return SymBool(combine(self.node, node_of(other)))

    return operator


class SymBool(Sym):
    """A symbolic truth value. `&`, `|`, `==` and `!=` are expressions; `and`, `or`, `not` and `if` split the run."""

    __slots__ = ()
    value_sort = ValueSort.TRUTH

    __and__ = __rand__ = _with_truth("a conjunction", build.both)
    __or__ = __ror__ = _with_truth("a disjunction", build.either)

    def __bool__(self) -> bool:
        return decide(self.node)

    def __invert__(self) -> SymBool:
        raise refuse("~ on a truth value (for a real bool it gives -1 or -2)", "write negation(x)")


class SymImplication(SymBool):
    """A truth value that says something only where its premise is true."""

    __slots__ = ("premise",)

    def __init__(self, node: Node, premise: Node) -> None:
        super().__init__(node)
        self.premise = premise


class SymEnum(Sym):
    """A symbolic member of an enum: only == and != (with a member or another field of the same enum)."""

    __slots__ = ("members",)
    value_sort = ValueSort.MEMBER

    def __init__(self, node: Node, members: tuple[Enum, ...]) -> None:
        super().__init__(node)
        self.members = members

    def __bool__(self) -> bool:
        return True


def node_of(value: object, like: Sym | None = None) -> Node:
    """The node of a truth value, integer, enum member or set, symbolic or real.

    `like` is a symbolic value of the same sort, for reals that do not say it all.
    """
    if isinstance(value, Sym):
        return value.node
    if isinstance(value, bool):
        return build.truth(value)
    if isinstance(value, int):
        return build.const(value)
    if isinstance(value, Enum):
        return build.const(tuple(type(value)).index(value))
    mask = getattr(value, "mask", None)
    if sort_of(value) is ValueSort.OFFSETS and isinstance(mask, int):
        return build.const(mask, Sort.SET)
    wanted = "a truth value or an integer" if like is None else like.value_sort.value
    raise refuse(f"a {type(value).__name__} where {wanted} is needed", "convert it in the model")

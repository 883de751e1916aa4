"""Symbolic values: what fields hold while a model is staged. They look like bools, integers, enum members and sets.

Asking one for its truth (`if`, `and`, `or`, `not`, `any`, a chained comparison) splits the run in two; comparing and
computing does not. What has no faithful meaning for a symbolic value is refused, with what to write instead.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from offsetproof.ir import build
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.lang.errors import refuse
from offsetproof.lang.run import decide


class Sym:
    """A value of a staged run. Not hashable: it must not be a key of a dict or a member of a Python set."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]  # symbolic values have no identity to hash

    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node!r})"

    def __str__(self) -> str:
        raise refuse("text made of a field's value", "leave texts to the trace; compute with the value itself")

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

    def __iter__(self) -> NoReturn:
        raise refuse("a loop over a field's value", "loop over the sort's values and ask .has(value)")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refuse(f"the attribute .{name} of a field's value", "use the operations of its type")

    def _no_arithmetic(self, _other: object) -> NoReturn:
        raise refuse("this arithmetic on a field's value", "use + and -, comparisons, smaller, larger and choose")

    __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = _no_arithmetic
    __mod__ = __rmod__ = __pow__ = __rpow__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no_arithmetic


def _integer(value: object) -> Node | None:
    if isinstance(value, SymInt):
        return build.as_int(value.node)
    return build.const(int(value)) if isinstance(value, int) else None


def _never_equal(value: object, what: str) -> bool:
    """False, where comparing with this value is False on real values too; else a refusal."""
    if value is None or isinstance(value, Enum | SymEnum):
        return False
    raise refuse(f"{what} compared with a {type(value).__name__}", "compare it with a value of its own type")


class SymInt(Sym):
    """A symbolic integer: + and - with integers, and all comparisons."""

    __slots__ = ()

    def __add__(self, other: object) -> SymInt:
        node = _integer(other)
        return NotImplemented if node is None else SymInt(build.add(build.as_int(self.node), node))

    __radd__ = __add__

    def __sub__(self, other: object) -> SymInt:
        node = _integer(other)
        return NotImplemented if node is None else SymInt(build.sub(build.as_int(self.node), node))

    def __rsub__(self, other: object) -> SymInt:
        node = _integer(other)
        return NotImplemented if node is None else SymInt(build.sub(node, build.as_int(self.node)))

    def __neg__(self) -> SymInt:
        return SymInt(build.sub(build.const(0), build.as_int(self.node)))

    def __eq__(self, other: object) -> Any:
        node = _integer(other)
        return _never_equal(other, "a number") if node is None else SymBool(build.eq(build.as_int(self.node), node))

    def __ne__(self, other: object) -> Any:
        node = _integer(other)
        if node is None:
            return not _never_equal(other, "a number")
        return SymBool(build.negate(build.eq(build.as_int(self.node), node)))

    def __le__(self, other: object) -> Any:
        node = _integer(other)
        return NotImplemented if node is None else SymBool(build.le(build.as_int(self.node), node))

    def __lt__(self, other: object) -> Any:
        node = _integer(other)
        return NotImplemented if node is None else SymBool(build.lt(build.as_int(self.node), node))

    def __ge__(self, other: object) -> Any:
        node = _integer(other)
        return NotImplemented if node is None else SymBool(build.le(node, build.as_int(self.node)))

    def __gt__(self, other: object) -> Any:
        node = _integer(other)
        return NotImplemented if node is None else SymBool(build.lt(node, build.as_int(self.node)))

    def __bool__(self) -> bool:
        return decide(build.negate(build.eq(self.node, build.const(0))))


class SymBool(SymInt):
    """A symbolic truth value. `&`, `|` and `==` are expressions; `and`, `or`, `not` and `if` split the run."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return decide(self.node)

    def __eq__(self, other: object) -> Any:
        node = _truth(other)
        return super().__eq__(other) if node is None else SymBool(build.eq(self.node, node))

    def __ne__(self, other: object) -> Any:
        node = _truth(other)
        return super().__ne__(other) if node is None else SymBool(build.negate(build.eq(self.node, node)))

    def __and__(self, other: object) -> SymBool:
        node = _truth(other)
        return NotImplemented if node is None else SymBool(build.both(self.node, node))

    def __or__(self, other: object) -> SymBool:
        node = _truth(other)
        return NotImplemented if node is None else SymBool(build.either(self.node, node))

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> SymBool:
        raise refuse("~ on a truth value (for a real bool it gives -1 or -2)", "write negation(x) or x == False")


def _truth(value: object) -> Node | None:
    if isinstance(value, SymBool):
        return value.node
    return build.truth(value) if isinstance(value, bool) else None


class SymEnum(Sym):
    """A symbolic member of an enum: only == and != (with a member or another field of the same enum)."""

    __slots__ = ("members",)

    def __init__(self, node: Node, members: tuple[Enum, ...]) -> None:
        super().__init__(node)
        self.members = members

    def _same(self, other: object) -> Node | None:
        if isinstance(other, SymEnum) and other.members == self.members:
            return build.eq(self.node, other.node)
        if isinstance(other, Enum) and other in self.members:
            return build.eq(self.node, build.const(self.members.index(other)))
        return None

    def __eq__(self, other: object) -> Any:
        node = self._same(other)
        return _never_equal(other, "an enum member") if node is None else SymBool(node)

    def __ne__(self, other: object) -> Any:
        node = self._same(other)
        return not _never_equal(other, "an enum member") if node is None else SymBool(build.negate(node))

    def __bool__(self) -> bool:
        return True


def node_of(value: object) -> Node:
    """The node of a truth value or integer, symbolic or real."""
    if isinstance(value, Sym):
        return value.node
    if isinstance(value, bool):
        return build.truth(value)
    if isinstance(value, int):
        return build.const(value)
    raise refuse(f"a {type(value).__name__} where a truth value or an integer is needed", "convert it in the model")


def wrap(node: Node) -> SymBool | SymInt:
    """A node of sort bool or int as the value that model code sees."""
    return SymBool(node) if node.sort is Sort.BOOL else SymInt(node)

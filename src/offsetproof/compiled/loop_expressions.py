"""The expressions of compiled loops (see `loops`), as LLVM instructions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offsetproof.compiled.loop_types import (
    ELEMENTS,
    SCALARS,
    Array,
    Function,
    Sort,
    Type,
    call_at,
    ones,
    put_first,
    read_shared,
    returns,
    take_from,
    takes,
    touch,
)  # fmt: skip

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "shr",
}  # fmt: skip
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}


@dataclass(frozen=True)
class Value:
    """A value by its LLVM name; the sort of a literal is what it meets (None)."""

    name: str
    sort: Sort | None


class Expressions:
    """A function's lines, and what writes expressions to them. `add` writes a function, and says its name."""

    def __init__(self, function: Function, types: Sequence[Type], add: Callable[..., str]) -> None:
        self.function, self.add = function, add
        self.takes = dict(zip(takes(function), types, strict=True))
        self.lines: list[str] = []
        self.sorts: dict[str, Sort] = {}
        self.hidden: dict[str, str] = {}
        self._number = 0

    def error(self, node: ast.AST, why: str) -> SyntaxError:
        """What is wrong, with the place."""
        line = getattr(node, "lineno", self.function.__code__.co_firstlineno)
        where = f"{self.function.__module__}.{self.function.__name__}, line {line}"
        return SyntaxError(f"{where}: {why}: {ast.unparse(node)}")

    def emit(self, line: str) -> None:
        """Adds an instruction without a value."""
        self.lines.append(f"  {line}")

    def new(self, line: str) -> str:
        """Adds an instruction; the name of its value."""
        self._number += 1
        self.emit(f"%v{self._number} = {line}")
        return f"%v{self._number}"

    def labels(self, count: int) -> list[str]:
        """Names of blocks to come."""
        self._number += 1
        return [f"b{self._number}.{i}" for i in range(count)]

    def begin(self, label: str) -> None:
        """What follows belongs to this block."""
        self.lines.append(f"{label}:")

    def as_sort(self, sort: Sort, value: Value, node: ast.AST) -> str:
        """A value where such a sort is wanted; a literal becomes what is wanted."""
        if value.sort is not sort and (value.sort is not None or sort is Sort.TRUTH):
            raise self.error(node, f"{value.sort.words if value.sort else 'literal'} where {sort.words} is wanted")
        return value.name

    def common(self, node: ast.AST, *values: Value) -> Sort:
        """The one sort of several values."""
        sorts = {value.sort for value in values if value.sort is not None}
        if len(sorts) > 1:
            raise self.error(node, f"{' and '.join(sorted(sort.words for sort in sorts))} do not mix")
        return sorts.pop() if sorts else Sort.NUMBER

    def array(self, node: ast.AST, name: str) -> Array:
        """The array of that name."""
        kind = self.takes.get(name)
        if not isinstance(kind, Array):
            raise self.error(node, "this is no array")
        return kind

    def address(self, name: str, kind: Array, index: ast.expr) -> str:
        """Where an element is."""
        parts = [self.as_index(part) for part in parts_of(index)]
        if len(parts) != 1 + bool(kind.width):
            raise self.error(index, "there are not as many dimensions")
        at = parts[0]
        if kind.width:
            at = self.new(f"add i64 {self.new(f'mul i64 {at}, {kind.width}')}, {parts[1]}")
        return self.new(f"getelementptr {ELEMENTS[kind.element][0]}, ptr %{name}, i64 {at}")

    def as_index(self, node: ast.expr) -> str:
        """The value of an index, whatever its sign."""
        value = self.value(node)
        if value.sort is Sort.TRUTH:
            raise self.error(node, "this is no index")
        return value.name

    def test(self, node: ast.expr, yes: str, no: str) -> None:
        """Goes to one of two blocks; what does not matter any more is not looked at."""
        match node:
            case ast.BoolOp(op=op, values=values):
                for each in values[:-1]:
                    (rest,) = self.labels(1)
                    self.test(each, *((rest, no) if isinstance(op, ast.And) else (yes, rest)))
                    self.begin(rest)
                self.test(values[-1], yes, no)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.test(operand, no, yes)
            case _:
                value = self.value(node)
                truth = value.name if value.sort is Sort.TRUTH else self.new(f"icmp ne i64 {value.name}, 0")
                self.emit(f"br i1 {truth}, label %{yes}, label %{no}")

    def value(self, node: ast.expr) -> Value:
        """Writes what computes an expression."""
        writer = _WRITERS.get(type(node))
        if writer is None:
            raise self.error(node, "loops have no such expression")
        return writer(self, node)

    def _constant(self, node: ast.Constant | ast.Name) -> Value:
        constant = node.value if isinstance(node, ast.Constant) else self.function.__globals__.get(node.id)
        if isinstance(constant, bool):
            return Value("true" if constant else "false", Sort.TRUTH)
        if not isinstance(constant, int | np.uint64 | np.int64):
            raise self.error(node, "this is not known")
        return Value(str(int(constant)), None if isinstance(constant, int) else SCALARS[type(constant)])

    def _variable(self, node: ast.Name) -> Value:
        if node.id not in self.sorts:
            return self._constant(node)
        sort = self.sorts[node.id]
        return Value(self.new(f"load {sort.llvm}, ptr %{node.id}.at"), sort)

    def _element(self, node: ast.Subscript) -> Value:
        match node.value:
            case ast.Attribute(value=ast.Name(id=name), attr="shape") if ast.unparse(node.slice) == "1":
                return Value(str(self.array(node, name).width), Sort.NUMBER)
            case ast.Name(id=name):
                kind = self.array(node, name)
                value = self.new(f"load {ELEMENTS[kind.element][0]}, ptr {self.address(name, kind, node.slice)}")
                return self._element_of(kind, value)
            case _:
                raise self.error(node, "this is no array")

    def _element_of(self, kind: Array, value: str) -> Value:
        """What an element is that was read from memory."""
        bits, sort = ELEMENTS[kind.element]
        if sort is Sort.TRUTH:
            return Value(self.new(f"icmp ne {bits} {value}, 0"), sort)
        if bits != sort.llvm:
            value = self.new(f"{'sext' if sort is Sort.NUMBER else 'zext'} {bits} {value} to i64")
        return Value(value, sort)

    def _share(self, call: ast.Call, function: Any, args: Sequence[ast.expr]) -> Value:
        """An operation on an element that other threads use, too."""
        name = args[0].id if isinstance(args[0], ast.Name) else ""
        kind = self.array(call, name)
        (bits, sort), at = ELEMENTS[kind.element], self.address(name, kind, args[1])
        if sort is Sort.TRUTH:
            raise self.error(call, "truths are not shared")
        align = int(bits[1:]) // 8
        if function is read_shared:
            return self._element_of(kind, self.new(f"load atomic {bits}, ptr {at} acquire, align {align}"))
        new = self.as_sort(sort, self.value(args[2]), call)
        if bits != sort.llvm:
            new = self.new(f"trunc {sort.llvm} {new} to {bits}")
        if function is take_from:
            return self._element_of(kind, self.new(f"atomicrmw add ptr {at}, {bits} {new} acq_rel"))
        pair = self.new(f"cmpxchg ptr {at}, {bits} 0, {bits} {new} acq_rel acquire")
        return self._element_of(kind, self.new(f"extractvalue {{ {bits}, i1 }} {pair}, 0"))

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self._truth(node)
        value = self.value(node.operand)
        sort = self.common(node, value)
        if sort is Sort.TRUTH or isinstance(node.op, ast.UAdd):
            raise self.error(node, "loops have no such expression")
        if isinstance(node.op, ast.Invert):
            return Value(self.new(f"xor i64 {value.name}, -1"), sort)
        if isinstance(node.operand, ast.Constant):
            return Value(f"-{value.name}", None)
        return Value(self.new(f"sub i64 0, {value.name}"), sort)

    def _truth(self, node: ast.expr) -> Value:
        """What `and`, `or` and `not` come to."""
        yes, no, after = self.labels(3)
        room = f"%{after}.at"
        self.hidden[room] = Sort.TRUTH.llvm
        self.test(node, yes, no)
        for label, truth in ((yes, "true"), (no, "false")):
            self.begin(label)
            self.emit(f"store i1 {truth}, ptr {room}")
            self.emit(f"br label %{after}")
        self.begin(after)
        return Value(self.new(f"load i1, ptr {room}"), Sort.TRUTH)

    def _binary(self, node: ast.BinOp) -> Value:
        op = _BINARY.get(type(node.op))
        if op is None:
            raise self.error(node, "loops have no such operator")
        a, b = self.value(node.left), self.value(node.right)
        sort = self.common(node, a, b)
        if sort is Sort.TRUTH and op not in ("and", "or", "xor"):
            raise self.error(node, "truths are not counted")
        if op == "shr":
            op = "ashr" if sort is Sort.NUMBER else "lshr"
        return Value(self.new(f"{op} {sort.llvm} {a.name}, {b.name}"), sort)

    def _compare(self, node: ast.Compare) -> Value:
        how = _COMPARE.get(type(node.ops[0]))
        if how is None or len(node.ops) > 1:
            raise self.error(node, "loops have no such comparison")
        a, b = self.value(node.left), self.value(node.comparators[0])
        sort = self.common(node, a, b)
        signs = "" if how in ("eq", "ne") else sort.signs
        return Value(self.new(f"icmp {signs}{how} {sort.llvm} {a.name}, {b.name}"), Sort.TRUTH)

    def call(self, call: ast.Call) -> Value:
        """A call; of one that returns nothing the value means nothing."""
        match call:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if name in self.takes:
                return Value(f"%{name}.len", Sort.NUMBER)
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[left, right]):
                a, b = self.value(left), self.value(right)
                sort = self.common(call, a, b)
                first = self.new(f"icmp {sort.signs}{'lt' if name == 'min' else 'gt'} i64 {a.name}, {b.name}")
                return Value(self.new(f"select i1 {first}, i64 {a.name}, i64 {b.name}"), sort)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="uint64" | "int64" as name), args=[node]):
                return self._convert(SCALARS[getattr(np, name)], self.value(node))
            case ast.Call(func=ast.Name(id="int"), args=[node]):
                return self._convert(Sort.NUMBER, self.value(node))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call_function(call, self.function.__globals__.get(name), args)
            case _:
                raise self.error(call, "loops have no such call")

    def _convert(self, sort: Sort, value: Value) -> Value:
        if value.sort is Sort.TRUTH:
            return Value(self.new(f"zext i1 {value.name} to i64"), sort)
        return Value(value.name, sort)

    def _call_function(self, call: ast.Call, function: Any, args: Sequence[ast.expr]) -> Value:
        if function is touch and isinstance(args[0], ast.Name):
            index = args[1] if len(args) == 2 else ast.Tuple(list(args[1:]))
            at = self.address(args[0].id, self.array(call, args[0].id), index)
            self.emit(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
            return Value("0", None)
        if function is ones:
            word = self.as_sort(Sort.WORD, self.value(args[0]), call)
            return Value(self.new(f"call i64 @llvm.ctpop.i64(i64 {word})"), Sort.NUMBER)
        if function in (read_shared, put_first, take_from):
            return self._share(call, function, args)
        if function is call_at:
            return self._call_at(args)
        function = inspect.unwrap(function) if callable(function) else function
        if not inspect.isfunction(function) or function.__module__ != self.function.__module__:
            raise self.error(call, "this is no function of the same module")
        types, given = self._arguments(function, args)
        name = self.add(function, types)
        if not returns(function):
            self.emit(f"call void @{name}({given})")
            return Value("0", None)
        (sort,) = returns(function)
        return Value(self.new(f"call {sort.llvm} @{name}({given})"), sort)

    def _call_at(self, args: Sequence[ast.expr]) -> Value:
        """A call of code that is known by its address alone."""
        code = self.new(f"inttoptr i64 {self.as_sort(Sort.WORD, self.value(args[0]), args[0])} to ptr")
        given = ", ".join(map(self._passed_as, args[1:]))
        return Value(self.new(f"call i64 {code}({given})"), Sort.NUMBER)

    def _passed_as(self, node: ast.expr) -> str:
        """What such code is given: where an array begins, or a part of it, or a number."""
        match node:
            case ast.Name(id=name) if name in self.takes and isinstance(self.takes[name], Array):
                return f"ptr %{name}"
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(lower=first, upper=None)) if first:
                kind = self.array(node, name)
                at = self.new(f"mul i64 {self.as_index(first)}, {max(1, kind.width)}")
                return f"ptr {self.new(f'getelementptr {ELEMENTS[kind.element][0]}, ptr %{name}, i64 {at}')}"
            case _:
                return f"i64 {self.as_index(node)}"

    def _arguments(self, function: Function, args: Sequence[ast.expr]) -> tuple[list[Type], str]:
        types: list[Type] = []
        given: list[str] = []
        for node, kind in zip(args, takes(function).values(), strict=True):
            if isinstance(kind, Sort):
                types.append(kind)
                given.append(f"{kind.llvm} {self.as_sort(kind, self.value(node), node)}")
                continue
            name = node.id if isinstance(node, ast.Name) else ""
            types.append(self.array(node, name))
            if types[-1] != Array(kind, self.array(node, name).width):
                raise self.error(node, f"this is no array of {kind.__name__}")
            given += [f"ptr %{name}", f"i64 %{name}.len"]
        return types, ", ".join(given)


_WRITERS: dict[type[ast.expr], Callable[[Expressions, Any], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._variable,
    ast.Subscript: Expressions._element,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._truth,
    ast.BinOp: Expressions._binary,
    ast.Compare: Expressions._compare,
    ast.Call: Expressions.call,
}
"""How each expression is written."""


def parts_of(node: ast.expr) -> list[ast.expr]:
    """What stands between commas."""
    return node.elts if isinstance(node, ast.Tuple) else [node]

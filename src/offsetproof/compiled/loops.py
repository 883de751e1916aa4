"""Loops over arrays, written in Python, as LLVM IR: a small part of the language, with the meaning that it has there.

A function's annotations say what it takes: arrays by what they hold (`NDArray[np.uint64]`), `int` for signed and
`np.uint64` for unsigned numbers of 64 bits, both of which wrap. The two never mix but where `int` or `np.uint64` is
called; a literal is what it meets. The width of an array of two dimensions is a constant of the code. What is called is
of the same module, or one of `loop_types`; constants are those of the module. Nothing is checked that Python would
check: no index (none may be negative), and no shift (by less than 64).

Such a function can also be called as it is, and its code is compared with that.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from offsetproof.compiled.loop_expressions import Expressions, Value, parts_of
from offsetproof.compiled.loop_types import ELEMENTS, Array, Function, Sort, Type, returns, takes

_DECLARED = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\ndeclare i64 @llvm.ctpop.i64(i64)\n"


def llvm_of(function: Function, widths: Sequence[int]) -> str:
    """The LLVM module with a function for arrays of these widths, one for each array that it takes (see `Array`).

    It takes `ptr %results`, to which it writes what is returned, then for each array its address and its length, and
    for each number its value. SyntaxError, with function and line, where it uses what is not there.
    """
    texts: dict[str, str] = {}
    left = iter(widths)
    types = [kind if isinstance(kind, Sort) else Array(kind, next(left)) for kind in takes(function).values()]

    def add(function: Function, types: Sequence[Type], *, is_entry: bool = False) -> str:
        marks = [f"{kind.element.__name__}x{kind.width}" if isinstance(kind, Array) else kind.name for kind in types]
        name = function.__name__ if is_entry else ".".join([function.__name__, *marks])
        if name not in texts:
            texts[name] = ""
            texts[name] = _Body(function, types, add, is_entry=is_entry).text(name)
        return name

    add(function, types, is_entry=True)
    return _DECLARED + "\n".join(texts.values())


class _Body(Expressions):
    """The statements of one function."""

    def __init__(self, function: Function, types: Sequence[Type], add: Callable[..., str], *, is_entry: bool) -> None:
        super().__init__(function, types, add)
        self.is_entry, self.result = is_entry, "void"
        if returns(function) and not is_entry:
            self.result = returns(function)[0].llvm
        self._loops: list[tuple[str, str]] = []
        for name, kind in self.takes.items():
            if isinstance(kind, Sort):
                self._set(name, Value(f"%{name}", kind))
        (tree,) = ast.parse(inspect.getsource(function)).body
        assert isinstance(tree, ast.FunctionDef)
        ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
        self._write(tree.body)

    def text(self, name: str) -> str:
        """The function, whole."""
        arguments = ["ptr %results"] if self.is_entry else []
        for each, kind in self.takes.items():
            arguments += [f"{kind.llvm} %{each}"] if isinstance(kind, Sort) else [f"ptr %{each}", f"i64 %{each}.len"]
        rooms = {f"%{each}.at": sort.llvm for each, sort in self.sorts.items()} | self.hidden
        scope, inlined = ("", "") if self.is_entry else ("internal ", " alwaysinline")
        head = f"define {scope}{self.result} @{name}({', '.join(arguments)}){inlined} {{\nentry:"
        end = "  ret void" if self.result == "void" else "  unreachable"
        return "\n".join([head, *(f"  {at} = alloca {kind}" for at, kind in rooms.items()), *self.lines, end, "}"])

    def _leave(self, line: str) -> None:
        """Ends a block; what is written behind belongs to one that nothing leads to."""
        self.emit(line)
        self.begin(*self.labels(1))

    def _set(self, name: str, value: Value, node: ast.AST | None = None) -> None:
        sort = self.sorts.setdefault(name, value.sort or Sort.NUMBER)
        self.emit(f"store {sort.llvm} {self.as_sort(sort, value, node or ast.Name(name))}, ptr %{name}.at")

    def _write(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            writer = _WRITERS.get(type(statement))
            if writer is None:
                raise self.error(statement, "loops have no such statement")
            writer(self, statement)

    def _expression(self, statement: ast.Expr) -> None:
        if isinstance(statement.value, ast.Call):
            self.call(statement.value)
        elif not isinstance(statement.value, ast.Constant):
            raise self.error(statement, "this has no effect")

    def _assign(self, statement: ast.Assign) -> None:
        target = statement.targets[0]
        if isinstance(target, ast.Tuple):
            values = [self.value(each) for each in parts_of(statement.value)]
            for each, value in zip(target.elts, values, strict=True):
                self._store(each, value)
        else:
            value = self.value(statement.value)
            for target in statement.targets:
                self._store(target, value)

    def _assign_annotated(self, statement: ast.AnnAssign) -> None:
        """As without the annotation, which is for people."""
        if statement.value is None:
            raise self.error(statement, "loops have no such statement")
        self._store(statement.target, self.value(statement.value))

    def _add_assign(self, statement: ast.AugAssign) -> None:
        read = ast.parse(ast.unparse(statement.target), mode="eval").body
        changed = ast.fix_missing_locations(
            ast.copy_location(ast.BinOp(read, statement.op, statement.value), statement)
        )
        self._store(statement.target, self.value(changed))

    def _store(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name) if not isinstance(self.takes.get(name), Array):
                self._set(name, value, target)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                kind = self.array(target, name)
                bits, sort = ELEMENTS[kind.element]
                stored = self.as_sort(sort, value, target)
                if bits != sort.llvm:
                    stored = self.new(f"{'zext' if sort is Sort.TRUTH else 'trunc'} {sort.llvm} {stored} to {bits}")
                self.emit(f"store {bits} {stored}, ptr {self.address(name, kind, index)}")
            case _:
                raise self.error(target, "nothing can be put there")

    def _if(self, statement: ast.If) -> None:
        yes, no, after = self.labels(3)
        self.test(statement.test, yes, no)
        for label, part in ((yes, statement.body), (no, statement.orelse)):
            self.begin(label)
            self._write(part)
            self.emit(f"br label %{after}")
        self.begin(after)

    def _while(self, statement: ast.While) -> None:
        if statement.orelse:
            raise self.error(statement, "loops have no else")
        top, inside, after = self.labels(3)
        self.emit(f"br label %{top}")
        self.begin(top)
        self.test(statement.test, inside, after)
        self._loop(statement.body, inside, top, after)
        self.begin(after)

    def _for(self, statement: ast.For) -> None:
        """A loop over a range; as in Python it counts on, whatever the body does to the variable."""
        match statement:
            case ast.For(ast.Name(id=name), ast.Call(ast.Name(id="range"), [*given, until]), orelse=[]) if not given:
                bounds = [ast.Constant(0), until, ast.Constant(1)]
            case ast.For(ast.Name(id=name), ast.Call(ast.Name(id="range"), given), orelse=[]):
                bounds = [*given, ast.Constant(1)][:3]
            case _:
                raise self.error(statement, "loops go over ranges, without else")
        start, end, step = (self.value(bound) for bound in bounds)
        sort = self.common(statement.iter, start, end, step)
        top, inside, again, after = self.labels(4)
        counter = f"%{top}.at"
        self.hidden[counter] = sort.llvm
        self.emit(f"store i64 {start.name}, ptr {counter}")
        self.emit(f"br label %{top}")
        self.begin(top)
        now = self.new(f"load i64, ptr {counter}")
        self.emit(f"br i1 {self.new(f'icmp {sort.signs}lt i64 {now}, {end.name}')}, label %{inside}, label %{after}")
        self._loop(statement.body, inside, again, after, (name, Value(now, sort)))
        self.begin(again)
        self.emit(f"store i64 {self.new(f'add i64 {now}, {step.name}')}, ptr {counter}")
        self.emit(f"br label %{top}")
        self.begin(after)

    def _loop(
        self, body: Sequence[ast.stmt], inside: str, again: str, after: str, counted: tuple[str, Value] | None = None
    ) -> None:
        self.begin(inside)
        if counted is not None:
            self._set(*counted)
        self._loops.append((again, after))
        self._write(body)
        self._loops.pop()
        self.emit(f"br label %{again}")

    def _return(self, statement: ast.Return) -> None:
        sorts, parts = returns(self.function), [] if statement.value is None else parts_of(statement.value)
        values = [self.as_sort(sort, self.value(part), part) for sort, part in zip(sorts, parts, strict=True)]
        if not self.is_entry:
            self._leave(f"ret {self.result} {values[0] if values else ''}")
            return
        for i, (sort, value) in enumerate(zip(sorts, values, strict=True)):
            wide = self.new(f"zext i1 {value} to i64") if sort is Sort.TRUTH else value
            self.emit(f"store i64 {wide}, ptr {self.new(f'getelementptr i64, ptr %results, i64 {i}')}")
        self._leave("ret void")

    def _break(self, _statement: ast.Break) -> None:
        self._leave(f"br label %{self._loops[-1][1]}")

    def _continue(self, _statement: ast.Continue) -> None:
        self._leave(f"br label %{self._loops[-1][0]}")


_WRITERS: dict[type[ast.stmt], Callable[[_Body, Any], None]] = {
    ast.Expr: _Body._expression,
    ast.Assign: _Body._assign,
    ast.AnnAssign: _Body._assign_annotated,
    ast.AugAssign: _Body._add_assign,
    ast.If: _Body._if,
    ast.While: _Body._while,
    ast.For: _Body._for,
    ast.Return: _Body._return,
    ast.Break: _Body._break,
    ast.Continue: _Body._continue,
}
"""How each statement is written."""

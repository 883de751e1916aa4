"""One pass over the tree of a function of a model: what may stand in it is a list of kinds of nodes.

The tree tells which constructs and which attributes there are. Which names come from outside Python's own compiler has
told (`sources.names_from_outside`), and what they stand for `outside` judges.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from offsetproof.lang.amounts import excess
from offsetproof.lang.component import Component, Declared, holds
from offsetproof.lang.constructs import ALLOWED, FOR_MESSAGES, INSTEAD, OF_STRINGS
from offsetproof.lang.errors import RefusedError
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.sources import Definition, attributes_in, codes_in

TakeAttribute = Callable[[str, str, bool], None]
"""Hears of an attribute that code asks of some object: its name, the place, and whether it is assigned to."""


class Syntax:
    """Checks one definition, made into `function`; the attributes that it asks for go to `take`.

    `in_message` says that all of it makes a text for a message.
    """

    def __init__(
        self, function: FunctionType, definition: Definition, take: TakeAttribute, *, in_message: bool = False
    ) -> None:
        self.definition, self._take, self._in_message = definition, take, in_message
        self._file, self._line = function.__code__.co_filename, definition.lineno
        self._globals, codes = function.__globals__, list(codes_in(function.__code__))
        self._bound = {name for code in codes for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)}
        self._compiled = attributes_in(function.__code__)

    def check(self) -> None:
        """RefusedError at the first construct that is not allowed."""
        if isinstance(self.definition, ast.AsyncFunctionDef):
            self._refuse(self.definition, *INSTEAD[ast.AsyncFunctionDef])
        body = self.definition.body
        for node in body if isinstance(body, list) else [body]:
            self._visit(node)

    def _refuse(self, node: ast.AST, what: str, instead: str) -> NoReturn:
        raise RefusedError(what, instead, self._place(node))

    def _place(self, node: ast.AST) -> str:
        return shown_place(self._file, getattr(node, "lineno", self._line))

    def _constant(self, name: str) -> object:
        """What a name stands for that nothing in the function binds."""
        return None if name in self._bound else self._globals.get(name)

    def _visit(self, node: ast.AST) -> None:
        self._line = getattr(node, "lineno", self._line)
        is_text = isinstance(node, ast.JoinedStr | ast.FormattedValue) and self._in_message
        if type(node) not in ALLOWED and not is_text:
            self._refuse(node, *INSTEAD.get(type(node), (type(node).__name__, "use plainer Python")))
        special = _SPECIAL.get(type(node))
        for child in special(self, node) if special else ast.iter_child_nodes(node):
            self._visit(child)

    def _function(self, node: ast.FunctionDef) -> Iterator[ast.AST]:
        if node.decorator_list:
            self._refuse(node, "a decorated function within a function", "define it at the top of the module")
        return ast.iter_child_nodes(node)

    def _annotation(self, node: ast.AnnAssign) -> Iterator[ast.AST]:
        """Python never computes the annotation."""
        return iter([node.target, *([node.value] if node.value else [])])

    def _comprehension(self, node: ast.comprehension) -> Iterator[ast.AST]:
        if node.is_async:
            self._refuse(node.iter, *INSTEAD[ast.AsyncFor])
        return ast.iter_child_nodes(node)

    def _comparison(self, node: ast.Compare) -> Iterator[ast.AST]:
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.Is | ast.IsNot) and getattr(right, "value", self) is not None:
                self._refuse(node, "`is` on something other than None", "write == (a field's value has no identity)")
            # The order of a set means nothing to `in`.
            yield from right.elts if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Set) else [right]
        yield node.left

    def _operation(self, node: ast.BinOp) -> Iterator[ast.AST]:
        is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str | bytes)
        if isinstance(node.op, ast.Mod) and is_text and not self._in_message:
            self._refuse(node, *INSTEAD[ast.JoinedStr])
        return self._limit(node)

    def _call(self, node: ast.Call) -> Iterator[ast.AST]:
        names_field = getattr(node.func, "attr", "") == "number_of" or self._value_of(node.func) is holds
        named = [each for each in node.args if names_field and isinstance(self._value_of(each), Declared)]
        return (each for each in self._limit(node) if each not in named)

    def _value_of(self, node: ast.AST) -> object:
        """What a name from outside stands for, or what a class of components has under one."""
        if isinstance(node, ast.Name):
            return self._constant(node.id)
        owner = self._value_of(node.value) if isinstance(node, ast.Attribute) else None
        is_component = isinstance(owner, type) and issubclass(owner, Component)
        return getattr(owner, node.attr, None) if is_component and isinstance(node, ast.Attribute) else None

    def _limit(self, node: ast.Call | ast.BinOp) -> Iterator[ast.AST]:
        what = excess(node, self._constant)
        if what is not None:
            self._refuse(node, f"{what}, which nothing could interrupt,", "use what the fields can hold")
        return ast.iter_child_nodes(node)

    def _raising(self, node: ast.Raise | ast.Assert) -> Iterator[ast.AST]:
        if isinstance(node, ast.Assert):
            yield node.test
        before, self._in_message = self._in_message, True
        yield from [each for each in ast.iter_child_nodes(node) if each is not getattr(node, "test", None)]
        self._in_message = before

    def _trying(self, node: ast.Try) -> Iterator[ast.AST]:
        for each in node.finalbody:
            for inner in ast.walk(each):
                if isinstance(inner, ast.Return | ast.Break | ast.Continue):
                    self._refuse(inner, "leaving a finally clause (it would swallow guards)", "leave after it")
        return ast.iter_child_nodes(node)

    def _handler(self, node: ast.ExceptHandler) -> Iterator[ast.AST]:
        if node.type is None:
            self._refuse(node, "an except clause without an exception", "catch the one exception that you mean")
        if node.name is not None:
            what = f"an except clause that keeps the error, as {node.name},"
            self._refuse(node, what, "leave out `as`; an error is only its message")
        return ast.iter_child_nodes(node)

    def _singleton(self, node: ast.MatchSingleton) -> Iterator[ast.AST]:
        if node.value is not None:
            self._refuse(node, f"the pattern {node.value} (which compares with `is`)", "write an if")
        return iter(())

    def _attribute(self, node: ast.Attribute) -> Iterator[ast.AST]:
        if type(self._in_modules(node.value)) is ModuleType:
            return iter(())  # `outside` judges what the module has under this name
        if node.attr in OF_STRINGS and not self._in_message:
            self._refuse(node, *INSTEAD[ast.JoinedStr])
        if isinstance(self._value_of(node), Declared):
            self._refuse(node, f"{ast.unparse(node)}, which is a field and not its value,", "ask an object for it")
        if node.attr in self._compiled:  # else it stands in a branch that Python has left out
            self._take(node.attr, self._place(node), isinstance(node.ctx, ast.Store))
        return iter([node.value])

    def _in_modules(self, node: ast.AST) -> object:
        """What a name from outside stands for, or what a module has under a name."""
        if isinstance(node, ast.Name):
            return self._constant(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        owner = self._in_modules(node.value)
        return vars(owner).get(node.attr) if type(owner) is ModuleType else None

    def _name(self, node: ast.Name) -> Iterator[ast.AST]:
        if node.id in FOR_MESSAGES and node.id not in self._bound and not self._in_message:
            self._refuse(node, f"{node.id}()", FOR_MESSAGES[node.id])
        return iter(())


_SPECIAL: dict[type[ast.AST], Callable[[Syntax, Any], Iterator[ast.AST]]] = {
    ast.FunctionDef: Syntax._function,
    ast.AnnAssign: Syntax._annotation,
    ast.comprehension: Syntax._comprehension,
    ast.Compare: Syntax._comparison,
    ast.BinOp: Syntax._operation,
    ast.Call: Syntax._call,
    ast.Raise: Syntax._raising,
    ast.Assert: Syntax._raising,
    ast.Try: Syntax._trying,
    ast.ExceptHandler: Syntax._handler,
    ast.MatchSingleton: Syntax._singleton,
    ast.Attribute: Syntax._attribute,
    ast.Name: Syntax._name,
}
"""What of a node is visited, where not just its kind matters; of the others all children are."""

"""The constructs that may stand in a function of a model, and what is said of all others."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from offsetproof.lang.amounts import excess
from offsetproof.lang.component import Component, Field, holds
from offsetproof.lang.constructs import ALLOWED, CATCHABLE, CAUGHT, CHANGING, FIELD, INSTEAD, INTERNAL, ORDER_FREE
from offsetproof.lang.errors import RefusedError
from offsetproof.lang.locals import Locals, is_made_here
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.outside import BUILTINS, FOR_MESSAGES, NameTaker, builtin_fault, is_builtin
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.sources import Definition, closed_over


class Syntax:
    """Checks one definition, made into `function`; what it names goes to `names`."""

    def __init__(self, function: FunctionType, definition: Definition, names: NameTaker) -> None:
        self.function, self.definition, self.names = function, definition, names
        self._file = function.__code__.co_filename
        self._scopes: list[Locals] = []
        self._in_message = False
        self._order_free: set[int] = set()
        self._line = definition.lineno
        self._closed_over = closed_over(function)

    def check(self) -> None:
        """RefusedError at the first construct that is not allowed."""
        self._definition(self.definition)

    def refuse(self, node: ast.AST, what: str, instead: str) -> NoReturn:
        """Refuses what stands at a node."""
        raise RefusedError(what, instead, self._place(node))

    def _place(self, node: ast.AST) -> str:
        return shown_place(self._file, getattr(node, "lineno", self._line))

    def _definition(self, node: Definition) -> None:
        if isinstance(node, ast.AsyncFunctionDef):
            self.refuse(node, *INSTEAD[ast.AsyncFunctionDef])
        if self._scopes and isinstance(node, ast.FunctionDef) and node.decorator_list:
            self.refuse(node, "a decorated function within a function", "define it at the top of the module")
        if self._scopes:
            self._visit_all([*node.args.defaults, *(each for each in node.args.kw_defaults if each)])
        with self._within(Locals.of_function(node)):
            self._visit_all(node.body if isinstance(node, ast.FunctionDef) else [node.body])

    @contextmanager
    def _within(self, scope: Locals) -> Iterator[None]:
        self._scopes.append(scope)
        yield
        self._scopes.pop()

    def _visit_all(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def visit(self, node: ast.AST) -> None:
        """Checks a node and all below it."""
        self._line = getattr(node, "lineno", self._line)
        if isinstance(node, ast.JoinedStr | ast.FormattedValue) and self._in_message:
            self._visit_all(list(ast.iter_child_nodes(node)))
            return
        if type(node) not in ALLOWED and not self._is_membership_set(node):
            what, instead = INSTEAD.get(type(node), (f"{type(node).__name__}", "use plainer Python"))
            self.refuse(node, what, instead)
        special = _SPECIAL.get(type(node))
        if special is None:
            self._visit_all(list(ast.iter_child_nodes(node)))
        else:
            special(self, node)

    def _is_membership_set(self, node: ast.AST) -> bool:
        """Is it a set that something is looked up in? Its order then means nothing."""
        return isinstance(node, ast.Set) and id(node) in self._order_free

    def _annotated_assignment(self, node: ast.AnnAssign) -> None:
        self._target(node.target)
        if node.value is not None:
            self.visit(node.value)

    def _assignment(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._target(target)
        self.visit(node.value)

    def _augmented_assignment(self, node: ast.AugAssign) -> None:
        self._target(node.target)
        if isinstance(node.target, ast.Name) and self._is_alias(node.target.id):
            self._refuse_outer(node.target, node.target.id)
        self._visit_all([node.op, node.value])

    def _named_expression(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)

    def _target(self, node: ast.expr) -> None:
        """What is assigned to: locals, attributes and items of what is not from outside."""
        if isinstance(node, ast.Name):
            return
        if isinstance(node, ast.Tuple | ast.List):
            for each in node.elts:
                self._target(each)
        elif isinstance(node, ast.Starred):
            self._target(node.value)
        else:
            root = _root(node)
            if isinstance(root, ast.Name) and (not self._is_local(root.id) or self._is_alias(root.id)):
                self._refuse_outer(node, root.id)
            if isinstance(node, ast.Attribute):
                self._member(node)
            self._visit_all([each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr_context)])

    def _refuse_outer(self, node: ast.AST, name: str) -> NoReturn:
        self.refuse(node, f"a change of {name}, which is not a field and not made in this function,", FIELD)

    def _loop(self, node: ast.For) -> None:
        self._target(node.target)
        self._refuse_unordered(node.iter)
        self._visit_all([node.iter, *node.body, *node.orelse])

    def _generator(self, node: ast.comprehension, *, is_first: bool) -> None:
        if node.is_async:
            self.refuse(node.iter, *INSTEAD[ast.AsyncFor])
        self._target(node.target)
        if not is_first:
            self._refuse_unordered(node.iter)
            self.visit(node.iter)
        self._visit_all(node.ifs)

    def _refuse_unordered(self, node: ast.expr) -> None:
        if isinstance(node, ast.Set | ast.SetComp) or self._is_set(node):
            what = "a loop over a Python set, whose order is not fixed,"
            self.refuse(node, what, "loop over a tuple, or sorted(...)")

    def _is_set(self, node: ast.expr) -> bool:
        """Is it a call that makes a Python set, or a name for one from outside?"""
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and self._is_builtin(node.func, "set", "frozenset")
        is_known, value = self._static(node)
        return is_known and isinstance(value, set | frozenset)

    def _is_builtin(self, node: ast.expr, *names: str) -> bool:
        """Is it the name of one of these builtins?"""
        if not isinstance(node, ast.Name) or node.id not in names:
            return False
        return not self._is_local(node.id) and not self._static(node)[0]

    def _allow_any_order(self, nodes: Sequence[ast.expr]) -> None:
        """Notes that these stand where the order of a set means nothing."""
        self._order_free.update(id(node) for node in nodes)

    def _refuse_order(self, node: ast.expr) -> None:
        if self._is_set(node) and id(node) not in self._order_free:
            self.refuse(
                node,
                "a Python set where its order may matter, which is not fixed,",
                "write a tuple or sorted(...); ask a set what is `in` it",
            )

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> None:
        first = node.generators[0].iter
        self._refuse_unordered(first)
        self.visit(first)  # Python asks for it outside of the comprehension, whose names are not there yet
        with self._within(Locals.of_comprehension(node)):
            self._visit_all([each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.comprehension)])
            for i, generator in enumerate(node.generators):
                self._generator(generator, is_first=i == 0)

    def _comparison(self, node: ast.Compare) -> None:
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.Is | ast.IsNot):
                if not (isinstance(right, ast.Constant) and right.value is None):
                    self.refuse(node, "`is` on something other than None", "write == (a field's value has no identity)")
            elif isinstance(op, ast.In | ast.NotIn):
                self._allow_any_order([right])
        self._allow_any_order([each for each in (node.left, *node.comparators) if self._is_set(each)])
        self._visit_all([node.left, *node.comparators])

    def _operation(self, node: ast.BinOp) -> None:
        text = isinstance(node.left, ast.Constant | ast.JoinedStr) and not self._in_message
        if isinstance(node.op, ast.Mod) and text and isinstance(getattr(node.left, "value", ""), str | bytes):
            self.refuse(node, *INSTEAD[ast.JoinedStr])
        self._refuse_excess(node)
        self._visit_all([node.left, node.op, node.right])

    def _refuse_excess(self, node: ast.Call | ast.BinOp) -> None:
        what = excess(node, self._static)
        own = isinstance(node, ast.Call) and not self._is_builtin(node.func, "range")
        if what is not None and not own:
            self.refuse(node, f"{what}, which nothing could interrupt,", "use what the fields can hold")

    def _message(self, nodes: Sequence[ast.AST | None]) -> None:
        self._in_message = True
        self._visit_all([node for node in nodes if node is not None])
        self._in_message = False

    def _raise_statement(self, node: ast.Raise) -> None:
        self._message([node.exc, node.cause])

    def _assertion(self, node: ast.Assert) -> None:
        self.visit(node.test)
        self._message([node.msg])

    def _trying(self, node: ast.Try) -> None:
        for handler in node.handlers:
            self._handler(handler)
        for each in node.finalbody:
            for inner in ast.walk(each):
                if isinstance(inner, ast.Return | ast.Break | ast.Continue):
                    self.refuse(inner, "leaving a finally clause (it would swallow guards)", "leave after it")
        self._visit_all([*node.body, *node.orelse, *node.finalbody])

    def _handler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.refuse(
                node,
                f"an except clause that keeps the error, as {node.name},",
                "leave out `as`; an error is only its message",
            )
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        for each in caught:
            is_known, kind = (False, None) if each is None else self._static(each)
            own = isinstance(kind, type) and issubclass(kind, Exception) and not _is_of_others(kind)
            if not is_known or not (own or kind in CAUGHT):
                what = "an except clause that may catch more than the model's own errors"
                self.refuse(node, what, f"catch the one exception that you mean, one of {CATCHABLE} or your own")
        self._visit_all(node.body)

    def _matching(self, node: ast.Match) -> None:
        for case in node.cases:
            for inner in ast.walk(case.pattern):
                if isinstance(inner, ast.MatchSingleton) and inner.value is not None:
                    self.refuse(inner, f"the pattern {inner.value} (which compares with `is`)", "write an if")
                if not isinstance(inner, ast.MatchSingleton) and isinstance(inner, ast.pattern):
                    self._must_be_allowed(inner)
                if isinstance(inner, ast.MatchValue):
                    self.visit(inner.value)
            self._visit_all([*([case.guard] if case.guard else []), *case.body])
        self.visit(node.subject)

    def _must_be_allowed(self, node: ast.AST) -> None:
        if type(node) not in ALLOWED:
            self.refuse(node, *INSTEAD.get(type(node), (type(node).__name__, "write an if")))

    def _call(self, node: ast.Call) -> None:
        self._refuse_order(node)
        self._refuse_excess(node)
        if len(node.args) == 1 and not node.keywords and self._is_builtin(node.func, *ORDER_FREE):
            self._allow_any_order(node.args)
        self.visit(node.func)
        of_fields = getattr(node.func, "attr", "") == "number_of" or self._static(node.func)[1] is holds
        named = [each for each in node.args if of_fields and isinstance(self._static(each)[1], Field)]
        self._visit_all([each for each in (*node.args, *node.keywords) if each not in named])

    def _attribute(self, node: ast.Attribute) -> None:
        if node.attr in ("format", "format_map") and not self._in_message and not self.names.is_member(node.attr):
            self.refuse(node, *INSTEAD[ast.JoinedStr])
        self._refuse_order(node)
        if node.attr in ("issubset", "issuperset", "isdisjoint"):
            self._allow_any_order([node.value])
        is_known, value = self._static(node)
        if is_known:
            self._outer(node, value, ast.unparse(node))
            return
        self._member(node)
        self.visit(node.value)

    def _member(self, node: ast.Attribute) -> None:
        """An attribute of something that is only known when the code runs."""
        name = node.attr
        if name.startswith("__"):
            self.refuse(node, f"the attribute {name}", "use fields, methods and the language's functions")
        if not self.names.is_member(name):
            if name in INTERNAL:
                self.refuse(node, f"{name}, which is the language's own,", "use fields, methods and loops")
            if name in CHANGING and not self._is_made_here(node.value):
                self.refuse(node, f".{name} on what was not made in this function", "make a new list, or use a field")
        self.names.take_member(name, self._place(node))

    def _is_made_here(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            scope = next((scope for scope in reversed(self._scopes) if node.id in scope), None)
            return scope is not None and scope.is_made_here(node.id)
        return is_made_here(node)

    def _name(self, node: ast.Name) -> None:
        if self._is_local(node.id):
            return
        self._refuse_order(node)
        is_known, value = self._static(node)
        if is_known:
            self._outer(node, value, node.id)
        elif node.id in BUILTINS or (node.id in FOR_MESSAGES and self._in_message) or self._is_exception(node.id):
            return
        elif is_builtin(node.id):
            self.refuse(node, *builtin_fault(node.id))
        else:
            self.refuse(node, f"the name {node.id}, which nothing defines,", "define it at the top of the module")

    @staticmethod
    def _is_exception(name: str) -> bool:
        kind = getattr(builtins, name, None)
        return isinstance(kind, type) and issubclass(kind, Exception)

    def _outer(self, node: ast.expr, value: Any, name: str) -> None:
        """A value from outside; a method that would change it is refused."""
        if isinstance(node, ast.Attribute):
            holds, owner = self._static(node.value)
            if holds and isinstance(owner, list | dict | set):
                if node.attr in (*CHANGING, "add", "remove"):
                    self._refuse_outer(node, ast.unparse(node.value))
                self.visit(node.value)
                return
            pure = type(owner) in (tuple, frozenset, str, range) or owner is OffsetSet
            if holds and pure and callable(value):
                return
        if isinstance(value, set | frozenset) and id(node) in self._order_free:
            self.names.outside.allow_unordered(value, name, self._place(node))
        else:
            self.names.outside.allow(value, name, self._place(node))

    def _is_local(self, name: str) -> bool:
        return any(name in scope for scope in self._scopes)

    def _is_alias(self, name: str) -> bool:
        """Is it a local name for something from outside?"""
        scope = next((scope for scope in reversed(self._scopes) if name in scope), None)
        bound_to = [self._static(each) for each in scope.values(name)] if scope else []
        return any(
            is_known and isinstance(value, list | dict | set | type | ModuleType | FunctionType)
            for is_known, value in bound_to
        )

    def _static(self, node: ast.expr) -> tuple[bool, Any]:
        """A value that is known without running the code: of an outer name, and what such a value has."""
        if isinstance(node, ast.Name) and not self._is_local(node.id):
            for names in (self._closed_over, self.function.__globals__):
                if node.id in names:
                    return True, names[node.id]
            if self._is_exception(node.id):
                return True, getattr(builtins, node.id)
        if isinstance(node, ast.Attribute):
            is_known, owner = self._static(node.value)
            if is_known and _tells_attributes(owner):
                try:
                    return True, getattr(owner, node.attr)
                except AttributeError:
                    return False, None
        return False, None


_SPECIAL: dict[type[ast.AST], Callable[[Syntax, Any], None]] = {
    **dict.fromkeys((ast.FunctionDef, ast.Lambda), Syntax._definition),
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp, ast.DictComp), Syntax._comprehension),
    ast.AnnAssign: Syntax._annotated_assignment,
    ast.Assign: Syntax._assignment,
    ast.AugAssign: Syntax._augmented_assignment,
    ast.NamedExpr: Syntax._named_expression,
    ast.For: Syntax._loop,
    ast.BinOp: Syntax._operation,
    ast.Compare: Syntax._comparison,
    ast.Raise: Syntax._raise_statement,
    ast.Assert: Syntax._assertion,
    ast.Try: Syntax._trying,
    ast.Match: Syntax._matching,
    ast.Call: Syntax._call,
    ast.Attribute: Syntax._attribute,
    ast.Name: Syntax._name,
}
"""Nodes of which not just the kind matters; of the others all children are visited."""


def _tells_attributes(owner: Any) -> bool:
    """Does what this has to say of its attributes hold whenever the code runs?"""
    return isinstance(owner, ModuleType | type | Enum | tuple | frozenset | list | dict | set | str | range) or (
        hasattr(type(owner), "__dataclass_params__") and not isinstance(owner, Component)
    )


def _is_of_others(kind: type) -> bool:
    """Is it a class of Python or of this project, and not of a model?"""
    top = kind.__module__.partition(".")[0]
    return top in sys.stdlib_module_names or kind.__module__.startswith(("offsetproof.lang.", "offsetproof.ir."))


def _root(node: ast.expr) -> ast.expr:
    """What a chain of attributes, items and calls begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node

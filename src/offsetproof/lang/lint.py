"""Reading a model's source for what no symbolic value can notice: identity, type tests, guards swallowed by `except`.

Everything else that cannot be staged is refused while it runs (see `symbolic`).
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FunctionType

from offsetproof.lang.component import Component
from offsetproof.lang.errors import RefusedError

_TYPE_TESTS = {"isinstance", "issubclass", "type", "id"}
_CATCH_ALL = {"BaseException", "Exception"}
"""Catching these swallows guards, or the refusals of this package."""


@cache
def check_sources(component: type[Component]) -> None:
    """Reads a component's class and its bases outside of the language; RefusedError at the first bad line."""
    for kind in component.__mro__:
        if issubclass(kind, Component) and not kind.__module__.startswith("offsetproof.lang."):
            _check(kind)
            for value in vars(kind).values():
                if isinstance(value, FunctionType):
                    _check_helpers(value)


@cache
def check_function(function: Callable[..., object]) -> None:
    """Reads one function, such as a claim, and those that it calls by name; RefusedError at the first bad line."""
    _check(function)
    if isinstance(function, FunctionType):
        _check_helpers(function)


def _check_helpers(function: FunctionType) -> None:
    """Reads the functions of models that a function names: those of its module, and what they name in turn."""
    for name in _names(function.__code__):
        helper = function.__globals__.get(name)
        if isinstance(helper, FunctionType) and _is_of_a_model(helper):
            check_function(helper)


def _names(code: CodeType) -> set[str]:
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def _is_of_a_model(helper: FunctionType) -> bool:
    """Was it written for a model: outside the language, the standard library and installed packages?"""
    if helper.__module__.partition(".")[0] in sys.stdlib_module_names:
        return False
    own = helper.__module__.startswith(("offsetproof.lang.", "offsetproof.ir."))
    return not own and "site-packages" not in helper.__code__.co_filename


def _check(source: type | Callable[..., object]) -> None:
    try:
        lines, start = inspect.getsourcelines(source)
        file = inspect.getsourcefile(source) or "unknown file"
    except (OSError, TypeError):
        return
    tree = ast.parse(textwrap.dedent("".join(lines)))
    for node, what, instead in _offences(tree):
        raise RefusedError(what, instead, f"{file}:{start + node.lineno - 1}")


def _offences(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt | ast.excepthandler | ast.pattern, str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for op, right in zip(node.ops, node.comparators, strict=True):
                if isinstance(op, ast.Is | ast.IsNot) and not (isinstance(right, ast.Constant) and right.value is None):
                    yield (
                        node,
                        "`is` on something other than None",
                        "write == (identity means nothing for a field's value)",
                    )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TYPE_TESTS:
            yield node, f"{node.func.id}()", "decide by a field or an enum, not by a Python type"
        elif isinstance(node, ast.MatchClass):
            yield node, "a class pattern", "decide by a field or an enum, not by a Python type"
        elif isinstance(node, ast.MatchSingleton) and node.value is not None:
            yield node, f"the pattern {node.value} (which compares with `is`)", "write an if"
        elif isinstance(node, ast.ExceptHandler) and _catches_guards(node):
            yield node, "an except clause that catches everything", "catch the one exception that you mean"
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield node, "a variable outside of the model's fields", "declare a field"


def _catches_guards(handler: ast.ExceptHandler) -> bool:
    caught = [] if handler.type is None else list(ast.walk(handler.type))
    return handler.type is None or any(isinstance(kind, ast.Name) and kind.id in _CATCH_ALL for kind in caught)

"""Where a value that a model declares stands in its sources: the line that makes it, and the functions that name it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import ModuleType

from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.sources import modules_imported_by


def declaration_of(value: object, modules: Iterable[ModuleType]) -> str:
    """`file:line` of the statement that gives a value its name, in these modules or one that they import.

    Empty where none does: it was made within an expression.
    """
    mine = [*modules]
    every = dict.fromkeys([*mine, *(each for module in mine for each in modules_imported_by(module))])
    for module in every:
        names = _names_of(value, module)
        for node in _tree(module).body if names else ():
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if any(isinstance(target, ast.Name) and target.id in names for target in targets):
                return shown_place(str(module.__file__), node.lineno)
    return ""


def users_of(value: object, modules: Iterable[ModuleType]) -> Iterator[tuple[str, str]]:
    """The functions of these modules that name a value, decorators included, each with its place."""
    for module in modules:
        names = _names_of(value, module)
        for node in ast.walk(_tree(module)) if names else ():
            if isinstance(node, ast.FunctionDef) and names & _names_in(node):
                yield node.name, shown_place(str(module.__file__), node.lineno)


def _names_of(value: object, module: ModuleType) -> set[str]:
    """The names by which a module knows a value."""
    return {name for name, held in vars(module).items() if held is value}


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _tree(module: ModuleType) -> ast.Module:
    return _parse(tuple(linecache.getlines(getattr(module, "__file__", None) or "", vars(module))))


@lru_cache(maxsize=64)
def _parse(lines: tuple[str, ...]) -> ast.Module:
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError):  # changed since it was loaded
        return ast.Module(body=[], type_ignores=[])

"""The local names of one function or comprehension, and what they are bound to, as far as its source tells."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from offsetproof.lang.sources import Definition

_MAKING = frozenset({"list", "dict", "sorted"})
"""Builtins whose result is new."""

_INNER = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Locals:
    """Names that are bound here; `values` are the expressions that one is bound to, None standing for anything."""

    def __init__(self) -> None:
        self._bound: dict[str, list[ast.expr | None]] = defaultdict(list)

    @classmethod
    def of_function(cls, node: Definition) -> Locals:
        """The parameters of a function and all that its body binds."""
        made, args = cls(), node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(each for each in (args.vararg, args.kwarg) if each)]
        for arg in every:
            made._bound[arg.arg].append(None)
        for each in [node.body] if isinstance(node, ast.Lambda) else node.body:
            made._gather(each)
        return made

    @classmethod
    def of_comprehension(cls, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Locals:
        """What a comprehension's loops bind."""
        made = cls()
        for generator in node.generators:
            made._bind(generator.target, None)
        return made

    def __contains__(self, name: str) -> bool:
        return name in self._bound

    def values(self, name: str) -> Iterator[ast.expr]:
        """The expressions that a name is bound to, as far as they are told."""
        return (value for value in self._bound[name] if value is not None)

    def is_made_here(self, name: str) -> bool:
        """Is the name only ever bound to lists or dicts that this function makes?"""
        return all(value is not None and is_made_here(value) for value in self._bound[name])

    def _gather(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._bound[node.name].append(None)
        if isinstance(node, _INNER):
            return
        if isinstance(node, _COMPREHENSION):
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    self._bind(inner.target, inner.value)
            return
        self._bound_by(node)
        for child in ast.iter_child_nodes(node):
            self._gather(child)

    def _bound_by(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            self._bind(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._bind(node.target, None)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            self._bound[node.name].append(None)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._bound[(alias.asname or alias.name).partition(".")[0]].append(None)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._bound[target.id].append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else ()
            same = len(parts) == len(target.elts) and not any(isinstance(each, ast.Starred) for each in target.elts)
            for each, part in zip(target.elts, _or_unknown(parts, len(target.elts), same=same), strict=True):
                self._bind(each, part)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None)


def _or_unknown(parts: Sequence[ast.expr], count: int, *, same: bool) -> Sequence[ast.expr | None]:
    return list(parts) if same else [None] * count


def is_made_here(node: ast.expr) -> bool:
    """Does an expression give a new list or dict?"""
    if isinstance(node, ast.List | ast.ListComp | ast.Dict | ast.DictComp):
        return True
    if isinstance(node, ast.BinOp):
        return is_made_here(node.left) or is_made_here(node.right)
    if isinstance(node, ast.IfExp):
        return is_made_here(node.body) and is_made_here(node.orelse)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKING

"""Tables: what may stand in a function of a model, what is said of other constructs, and names that mean more."""

from __future__ import annotations

import ast

from offsetproof.lang.array import Array
from offsetproof.lang.component import Component
from offsetproof.lang.offsets import OffsetSet, SymSet
from offsetproof.lang.symbolic import SymBool, SymEnum, SymImplication, SymInt
from offsetproof.lang.transit import Bag, Fifo

ALLOWED = frozenset(
    {
        *(ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Pass, ast.Break, ast.Continue),
        *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Expr, ast.If, ast.For, ast.While, ast.IfExp),
        *(ast.Raise, ast.Assert, ast.Try, ast.ExceptHandler, ast.Match, ast.match_case, ast.MatchValue, ast.MatchOr),
        *(ast.MatchAs, ast.MatchSequence, ast.MatchStar, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call),
        *(ast.keyword, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Name, ast.List),
        *(ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
        *(ast.Load, ast.Store, ast.And, ast.Or, ast.Not, ast.Invert, ast.UAdd, ast.USub),
        *(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift),
        *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    }
)
"""Every kind of syntax node that is known to stage faithfully; some only in some forms, see `Syntax`."""

FIELD = "declare a field"
_LOOP = "write a loop or a comprehension that ends, and return a list"
INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.Yield: ("yield (the body would only run when somebody iterates)", _LOOP),
    ast.YieldFrom: ("yield from (the body would only run when somebody iterates)", _LOOP),
    ast.AsyncFunctionDef: ("an async function (its body would never run)", "write def"),
    ast.Await: ("await", "an action is one step; make two actions of it"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncWith: ("async with", "call what you need, one after the other"),
    ast.With: ("with", "call what you need, one after the other"),
    ast.Global: ("a variable outside of the model's fields", FIELD),
    ast.Nonlocal: ("a variable outside of the model's fields", FIELD),
    ast.Delete: ("del", "assign another value"),
    ast.Import: ("an import within a function", "import at the top of the module"),
    ast.ImportFrom: ("an import within a function", "import at the top of the module"),
    ast.ClassDef: ("a class within a function", "define it at the top of the module"),
    ast.TryStar: ("except*", "catch the one exception that you mean"),
    ast.Set: ("a set", "write a tuple, or an OffsetSet"),
    ast.SetComp: ("a set", "write a list, or an OffsetSet"),
    ast.Div: ("a quotient that may have a fraction", "write //"),
    ast.MatMult: ("@", "write out what is to be computed"),
    ast.MatchClass: ("a class pattern", "decide by a field or an enum, not by a Python type"),
    ast.MatchMapping: ("a mapping pattern", "write an if"),
    ast.JoinedStr: ("a string made of values", "leave strings to the trace; messages of errors may have them"),
}

CHANGING = frozenset(
    "append extend insert pop popitem clear sort reverse update setdefault discard appendleft popleft".split()
)
"""Methods that change a list, dict or set."""

_OWN_KINDS = (Component, Array, Fifo, Bag, OffsetSet, SymBool, SymImplication, SymInt, SymEnum, SymSet)

INTERNAL = frozenset(
    {
        *("_tree", "_path", "_members", "_items", "_slots", "_count", "_counts", "_capacity", "_copies", "_names"),
        *("members", "node", "premise", "value_sort"),
        *(name for kind in _OWN_KINDS for name in dir(kind) if name.startswith("_")),
    }
)
"""Names of what the language's own objects are made of."""

ORDER_FREE = ("len", "sorted", "any", "all", "sum", "min", "max", "bool", "set", "frozenset")
"""Builtins to which the order of a set means nothing."""

CAUGHT = (IndexError, ValueError, KeyError, LookupError, ZeroDivisionError)

CATCHABLE = ", ".join(kind.__name__ for kind in CAUGHT)

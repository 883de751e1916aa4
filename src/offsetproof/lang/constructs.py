"""Tables: what may stand in a function of a model, what is said of other constructs, and names that mean more."""

from __future__ import annotations

import ast
import functools
import itertools
import math
import operator
import typing

from offsetproof.lang.action import bound, require
from offsetproof.lang.array import Array
from offsetproof.lang.claim import Step
from offsetproof.lang.component import Component, holds
from offsetproof.lang.expression import among, choose, every, implies, larger, negation, smaller, some
from offsetproof.lang.model import Model
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.scope import Fault, Index, Scope
from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Release, Setting
from offsetproof.lang.timing import Timer
from offsetproof.lang.transit import Bag, Fifo

ALLOWED = frozenset(
    {
        *(ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Pass, ast.Break, ast.Continue),
        *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Expr, ast.If, ast.For, ast.While, ast.IfExp),
        *(ast.Raise, ast.Assert, ast.Try, ast.ExceptHandler, ast.Match, ast.match_case, ast.MatchValue, ast.MatchOr),
        *(
            ast.MatchAs,
            ast.MatchSequence,
            ast.MatchStar,
            ast.MatchSingleton,
            ast.BoolOp,
            ast.BinOp,
            ast.UnaryOp,
            ast.Compare,
            ast.Call,
        ),
        *(ast.keyword, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Name, ast.List),
        *(ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.MatchSingleton),
        *(ast.Load, ast.Store, ast.And, ast.Or, ast.Not, ast.Invert, ast.UAdd, ast.USub),
        *(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift),
        *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    }
)
"""Every kind of syntax node that is known to stage faithfully; some only in some forms, see `Syntax`."""

_FIELD = "declare a field"
_LOOP = "write a loop or a comprehension that ends, and return a list"
INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.Yield: ("yield (the body would only run when somebody iterates)", _LOOP),
    ast.YieldFrom: ("yield from (the body would only run when somebody iterates)", _LOOP),
    ast.AsyncFunctionDef: ("an async function (its body would never run)", "write def"),
    ast.Await: ("await", "an action is one step; make two actions of it"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncWith: ("async with", "call what you need, one after the other"),
    ast.With: ("with", "call what you need, one after the other"),
    ast.Global: ("a variable outside of the model's fields", _FIELD),
    ast.Nonlocal: ("a variable outside of the model's fields", _FIELD),
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

_NOT_AT_ALL = "a model only reads and writes its fields"
FOR_MESSAGES = dict.fromkeys(("str", "repr", "format"), "build strings in messages of errors only")
"""Builtins that make strings, which only messages of errors may be made of, and what else to do."""

OF_STRINGS = frozenset({"format", "format_map"})
"""Methods of strings that make strings of values."""

FORBIDDEN = {
    **dict.fromkeys(("isinstance", "issubclass", "type", "id"), "decide by a field or an enum, not by a Python type"),
    **dict.fromkeys(("print", "input", "open", "breakpoint"), _NOT_AT_ALL),
    **dict.fromkeys(("getattr", "setattr", "hasattr", "delattr", "vars"), "write the field's name, or use an array"),
    **dict.fromkeys(("iter", "next", "map", "filter"), "write a loop or a comprehension"),
    **dict.fromkeys(("hash", "callable", "object"), "compare values instead"),
    **dict.fromkeys(("float", "complex", "round", "pow"), "compute with whole numbers"),
    **dict.fromkeys(("set", "frozenset"), "write a tuple, or an OffsetSet"),
    **dict.fromkeys(("random", "secrets"), "let a parameter of the action range over what may be chosen"),
    **dict.fromkeys(("time", "datetime"), "model time as a field that an action moves on"),
    **FOR_MESSAGES,
}
"""What to do instead of a builtin, or of what a module of Python has."""

USABLE: tuple[object, ...] = (
    *(smaller, larger, choose, every, some, negation, implies, among, require, bound, holds, OffsetSet),
    *(abs, all, any, bool, dict, divmod, enumerate, int, len, list, max, min),
    *(range, reversed, sorted, sum, super, tuple, zip),
    *(functools.reduce, typing.cast, math.gcd, math.isqrt, math.comb),
    *(itertools.chain, itertools.combinations, itertools.pairwise, itertools.permutations, itertools.product),
    *(operator.add, operator.sub, operator.mul, operator.eq, operator.ne, operator.lt, operator.le, operator.gt),
    *(operator.ge, operator.and_, operator.or_),
    *(IndexError, ValueError, KeyError, LookupError, ZeroDivisionError, NotImplementedError),
)
"""Functions and classes of Python and of the language that code may name: what they compute, their arguments decide."""

STATED = (Scope, Setting, Release, Fix, Behaviour, Assumption, Listener, Fault, Index, Timer)
"""Classes of the language whose objects are stated at the top of modules; what is in them is judged as well."""

CONSTANTS = (bool, int, str, float, bytes, range, type(None), type(...), OffsetSet)
"""The classes of constants that have nothing in them; what derives from one of them is no such constant."""

_CHANGEABLE = frozenset({"bounds", "faults", "narrower", "releases", "timers", "keys", "format", "format_map"})
"""Public names of a mapping that could be changed, of a set whose order is not fixed, and of strings of values."""

_OF_LANGUAGE = (Array, Fifo, Bag, OffsetSet, Step, *STATED)
_KINDS = (list, dict, tuple, str, range, Component, *_OF_LANGUAGE)


def attributes_of(owner: object) -> dict[str, object]:
    """What an object or a class has itself, but for what Python keeps there of its own accord, as pickle does."""
    return {name: value for name, value in vars(owner).items() if name not in _KEPT_BY_PYTHON}


_KEPT_BY_PYTHON = frozenset({"__slotnames__", "__annotations_cache__"})

AS_MADE = tuple((kind, attributes_of(kind), kind.__name__) for kind in _OF_LANGUAGE)
"""Classes whose objects code meets, what they have, and their names: a change of one would change all models."""

ATTRIBUTES = frozenset(
    {
        *(name for kind in _KINDS for name in dir(kind) if not name.startswith("_")),
        *(name for kind in (Step, *STATED) for name in kind.__dataclass_fields__),
        *("initially", "rest", "name", "value"),
    }
    - {*_CHANGEABLE, "value_sort"}
)
"""What code may ask of values beside the names that its own classes declare."""

RESERVED = frozenset(
    {"_tree", "_path", "_members", *vars(Model), *_CHANGEABLE} - {"initially", "rest", "keys", *OF_STRINGS}
)
"""Names of what the language keeps, which stay out of reach even where a class of a model declares them, too."""

CONTAINERS: dict[type, tuple[str, str]] = {
    dict: ("which could change", "write MappingProxyType({...})"),
    list: ("which could change", "write a tuple, or array() for a field"),
    set: ("whose order is not fixed", "write a tuple, or offset_set() for a field"),
    frozenset: ("whose order is not fixed", "write a tuple, or offset_set() for a field"),
}
"""Why a value of Python's own containers cannot be used, and what to write instead."""

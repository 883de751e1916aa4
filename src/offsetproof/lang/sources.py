"""The source of functions that are loaded already, as a tree, and the names that their code has from outside."""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import resolve_name
from itertools import takewhile
from types import CodeType, FunctionType, ModuleType

from offsetproof.lang.errors import RefusedError
from offsetproof.lang.source_paths import shown_place

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def definitions_of(function: FunctionType) -> Sequence[Definition]:
    """The definition that a function was made from; of lambdas on one line all.

    RefusedError where the source cannot be read, or has been changed since.
    """
    code = function.__code__
    place = shown_place(code.co_filename, code.co_firstlineno)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise RefusedError(
            f"{function.__qualname__}, whose source cannot be read,", "put it into a file, where it can be", place
        )
    try:
        definitions = _definitions_by_line("".join(lines)).get(code.co_firstlineno, ())
    except (SyntaxError, ValueError):
        definitions = ()
    named = [each for each in definitions if getattr(each, "name", "<lambda>") == code.co_name]
    if not named:
        raise RefusedError(
            f"{function.__qualname__}, whose source has changed since it was loaded,", "start again", place
        )
    return named


@lru_cache(maxsize=256)
def _definitions_by_line(source: str) -> Mapping[int, Sequence[Definition]]:
    """Every definition of a file by the line that it starts on, decorators included."""
    definitions: dict[int, list[Definition]] = defaultdict(list)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Definition):
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            definitions[min([node.lineno, *(each.lineno for each in decorators)])].append(node)
    return definitions


def imports_in(module: ModuleType) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """The import statements of a module, wherever these stand in it, each with the module that one is `from`."""
    for node in _imports_of(tuple(linecache.getlines(getattr(module, "__file__", None) or "", vars(module)))):
        if isinstance(node, ast.Import):
            yield node, ""
        else:
            yield node, resolve_name("." * node.level + (node.module or ""), module.__package__ or "")


@lru_cache(maxsize=256)
def _imports_of(lines: tuple[str, ...]) -> Sequence[ast.Import | ast.ImportFrom]:
    """The import statements of a file: what it imports whole is asked beside all that it imports."""
    try:
        nodes = ast.walk(ast.parse("".join(lines)))
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def modules_imported_whole_by(module: ModuleType) -> Iterator[ModuleType]:
    """The loaded modules of which a module imports all names: `from claims import *`."""
    for node, origin in imports_in(module):
        if any(each.name == "*" for each in node.names) and origin in sys.modules:
            yield sys.modules[origin]


def modules_imported_by(module: ModuleType) -> Iterator[ModuleType]:
    """The loaded modules that import statements of a module name, wherever these stand in it, with their packages."""
    for node, origin in imports_in(module):
        inner = [f"{origin}.{each.name}" for each in node.names]
        names = [origin, *inner] if origin else [each.name for each in node.names]
        for parts in (name.split(".") for name in names):
            prefixes = (".".join(parts[: count + 1]) for count in range(len(parts)))
            yield from (sys.modules[name] for name in prefixes if name in sys.modules)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of all functions and comprehensions in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_in(inner)


def attributes_in(code: CodeType) -> set[str]:
    """The attributes that compiled code asks for or assigns to; what Python has left out is not among them."""
    instructions = (each for inner in codes_in(code) for each in dis.get_instructions(inner))
    return {each.argval for each in instructions if each.opname.endswith(("_ATTR", "_METHOD"))}


def names_from_outside(code: CodeType) -> Iterator[tuple[int, str, list[str]]]:
    """The names that code loads and does not bind, each with its line and the attributes that are asked of it at once.

    Python's compiler has decided which these are.

    >>> def function(self): return len(ast.walk(self))
    >>> [(name, attributes) for _, name, attributes in names_from_outside(function.__code__)]
    [('len', []), ('ast', ['walk'])]
    """
    for each in codes_in(code):
        instructions = list(dis.get_instructions(each))
        line = each.co_firstlineno
        for number, here in enumerate(instructions):
            line = (here.positions and here.positions.lineno) or line
            is_enclosing = here.opname == "LOAD_DEREF" and here.argval in code.co_freevars
            if here.opname in ("LOAD_GLOBAL", "LOAD_NAME") or is_enclosing:
                asked = takewhile(
                    lambda after: after.opname in ("LOAD_ATTR", "LOAD_METHOD"), instructions[number + 1 :]
                )
                yield line, here.argval, [after.argval for after in asked]

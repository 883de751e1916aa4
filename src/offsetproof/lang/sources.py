"""The syntax trees of functions that are loaded already, found by file and line."""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from types import FunctionType
from typing import Any

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


def closed_over(function: FunctionType) -> dict[str, Any]:
    """What a function has from the functions around it, as far as that is there."""
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):
            values[name] = cell.cell_contents
    return values

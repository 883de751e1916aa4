"""What a docstring says, as Markdown: an entry of a reference page, with how the name is called and its members."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property
from typing import Any

_WIDTH = 110

_TIED = "\N{NO-BREAK SPACE}"
"""Stands for a space at which no line of a signature ends: only parameters are apart."""


def own_docstring(value: Callable[..., object]) -> str:
    """The docstring that a function or class has itself; empty where it has none."""
    own = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
    return inspect.cleandoc(own or "")


def entry(name: str, value: Any, said: str) -> Iterator[str]:
    """The lines about a name below its heading: how it is called, what is said of it, its methods and properties."""
    if inspect.isfunction(value) or _is_made_by_calling(value):
        yield from ["```", *_signature(name, value), "```", ""]
    yield from [*_paragraphs(said), ""]
    members = [*_values(value), *_members(value)] if inspect.isclass(value) else []
    yield from [*members, *([""] if members else [])]


def _is_made_by_calling(value: object) -> bool:
    """Is it a class whose objects models make themselves: no error, and not what the language makes of its tree?"""
    if not inspect.isclass(value) or issubclass(value, Exception) or "__init__" not in vars(value):
        return False
    return "tree" not in inspect.signature(value).parameters


def _signature(name: str, value: Callable[..., object]) -> list[str]:
    """How it is called."""
    signature = inspect.signature(value)
    if inspect.isclass(value):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", f"{name}{signature}")
    plain = re.sub(r"<object object at \w+>", "ANYTHING", plain).replace("<factory>", "...")
    whole = re.sub(r"(?<!,) ", _TIED, plain)
    while (inner := re.sub(r"(\[[^][]*), (?=[^][]*\])", rf"\1,{_TIED}", whole)) != whole:
        whole = inner
    lines = textwrap.wrap(whole, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [line.replace(_TIED, " ") for line in lines]


def _values(kind: type) -> list[str]:
    """The members of an enumeration, each with its number or words; none for another class."""
    members = list(kind) if issubclass(kind, Enum) else []
    return [f"- `{each.name}`" + (f": {each.value}" if each.value != each.name else "") for each in members]


def _members(kind: type) -> Iterator[str]:
    """The public methods and properties of the class, with the first paragraph of what they say."""
    ours = [vars(base) for base in reversed(kind.__mro__) if base.__module__.startswith("offsetproof.")]
    for name, value in {name: value for each in ours for name, value in each.items()}.items():
        function = _function(value)
        text = inspect.getdoc(function)
        if name.startswith("_") or function is None or not text:
            continue
        shown = name if isinstance(value, property | cached_property) else f"{name}({', '.join(_parameters(function))})"
        said = " ".join(text.split("\n\n")[0].split())
        yield from textwrap.wrap(f"- `{shown}`: {said}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _function(value: object) -> Callable[..., object] | None:
    """The function of a method or property; None for anything else."""
    if isinstance(value, property):
        return value.fget
    inner = value.func if isinstance(value, cached_property) else getattr(value, "__func__", value)
    return inner if inspect.isfunction(inner) else None


def _parameters(function: Callable[..., object]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def _paragraphs(text: str) -> Iterator[str]:
    """The docstring as Markdown: its examples fenced, and its other paragraphs as they are."""
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        lines = paragraph.splitlines()
        first = next((i for i, line in enumerate(lines) if line.startswith((">>>", "    ", "@"))), len(lines))
        yield from lines[:first]
        if lines[first:]:
            yield from [*([""] if first else []), "```", *textwrap.dedent("\n".join(lines[first:])).splitlines(), "```"]

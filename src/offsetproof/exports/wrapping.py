"""Expressions in brackets, as Promela and Rust write them: without needless ones, and over several lines where long."""

from __future__ import annotations

import re

WIDTH = 100
"""The longest line where there is a place to break it."""

_OPENERS, _CLOSERS = "([{", ")]}"
_OPERATOR = re.compile(r" (?=(?:[-+*/%&|<>=!:]+|else) )|(?<=,) ")
_BRANCH = re.compile(r"(?<!else) (?=\{)")
"""The spaces at which a line may end: before an operator and behind a comma, else before a branch."""


def bare(text: str) -> str:
    """An expression without brackets around all of it, where none are needed.

    >>> bare("(a + (b - c))"), bare("(a) + (b)"), bare("(c -> a : b)")
    ('a + (b - c)', '(a) + (b)', '(c -> a : b)')
    """
    if not text.startswith("(") or _closer(text, 0) != len(text) - 1:
        return text
    inner = text[1:-1]
    return text if " -> " in outside(inner) else inner


def in_brackets(text: str) -> str:
    """An expression with brackets around all of it.

    >>> in_brackets("a + b"), in_brackets("(a + b)"), in_brackets("(a) + (b)")
    ('(a + b)', '(a + b)', '((a) + (b))')
    """
    return text if text.startswith("(") and _closer(text, 0) == len(text) - 1 else f"({text})"


def break_expression(text: str, width: int = WIDTH) -> list[str]:
    """An expression as lines, broken at its outermost operators first.

    >>> break_expression("(alpha && !(beta || gamma))", 16)
    ['(alpha', ' && !(beta', '      || gamma))']
    """
    if len(text) <= width:
        return [text]
    parts = _parts(text)
    if len(parts) > 1:
        return [line for part in parts for line in break_expression(part, width)]
    start = next((i for i, letter in enumerate(text) if letter in _OPENERS), len(text))
    if _closer(text, start) != len(text) - 1:
        return [text]
    space = " " if text[start] == "{" else ""
    before, behind = text[: start + 1] + space, space + text[-1]
    first, *others = break_expression(text[len(before) : -len(behind)], width - len(before) - len(behind))
    lines = [before + first, *(" " * len(before) + line for line in others)]
    return [*lines[:-1], lines[-1] + behind]


def assignment_lines(text: str, indent: str = "", sign: str = " =", end: str = ";", width: int = WIDTH) -> list[str]:
    """A statement `name = value` as lines; a value that is long begins on a line of its own.

    >>> assignment_lines("x = (alpha && (beta || gamma))", "  ")
    ['  x = (alpha && (beta || gamma));']
    """
    if len(indent + text + end) <= width:
        return [indent + text + end]
    name, _, value = text.partition(f"{sign} ")
    lines = [f"{indent}  {line}" for line in break_expression(value, width - len(f"{indent}  {end}"))]
    return [indent + name + sign, *lines[:-1], lines[-1] + end]


def outside(text: str) -> str:
    """The text with all that stands within brackets blotted out, so that what is found is found outside of them.

    >>> outside("(a + b) + f(c)")
    '(.....) + f(.)'
    """
    depth, letters = 0, []
    for letter in text:
        depth -= letter in _CLOSERS
        letters.append("." if depth else letter)
        depth += letter in _OPENERS
    return "".join(letters)


def _parts(text: str) -> list[str]:
    """What stands between the places outside of brackets at which a line may end."""
    shown = outside(text)
    ends = list(_OPERATOR.finditer(shown)) or list(_BRANCH.finditer(shown))
    starts = [0, *(end.end() for end in ends)]
    return [text[a:b] for a, b in zip(starts, [*(end.start() for end in ends), len(text)], strict=True)]


def _closer(text: str, start: int) -> int | None:
    """Where the bracket at a place is closed."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in _OPENERS) - (text[i] in _CLOSERS)
        if depth == 0:
            return i
    return None

"""Comments of a Promela model, which nothing in them can end."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from offsetproof.exports.wrapping import WIDTH


def comment(lines: Iterable[str], indent: str = "") -> str:
    """Lines as one comment, wrapped.

    >>> comment(["x: */ 0 to 3", "", "y"])
    '/* x: * / 0 to 3\\n\\n   y */'
    """
    wrapped = [
        part
        for line in lines
        for part in wrap(_harmless(line), WIDTH - len(indent) - 6, break_on_hyphens=False) or [""]
    ]
    return "\n".join(f"{indent}{'  ' if n else '/*'} {line}".rstrip() for n, line in enumerate(wrapped)) + " */"


def remark(text: str) -> str:
    """A comment within a line."""
    return f"/* {_harmless(text)} */"


def _harmless(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")

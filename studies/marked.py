"""Parts of a page that are written by a program: the text between two markers, with prose on both sides.

<!-- begin: NAME (make pages) -->
<!-- end: NAME -->
"""

from __future__ import annotations

import re
from pathlib import Path


class NoPartError(ValueError):
    """A page has no such part, or has it twice."""


def part_of(page: str, name: str) -> str:
    """The text between the markers of a part.

    >>> part_of(with_part("# T\\n\\n" + markers("sizes") + "\\n\\nEnd.\\n", "sizes", "| a |"), "sizes")
    '| a |'
    """
    return _match(page, name)["text"].strip("\n")


def with_part(page: str, name: str, text: str) -> str:
    """The page with a part made again."""
    found = _match(page, name)
    return page[: found.start("text")] + f"\n{text.strip()}\n\n" + page[found.end("text") :]


def markers(name: str) -> str:
    """The markers of a part that is empty."""
    return f"<!-- begin: {name} (make pages) -->\n<!-- end: {name} -->"


def write_part(page: Path, name: str, text: str) -> bool:
    """Writes a part into a page; was it another one before?"""
    before = page.read_text(encoding="utf-8")
    after = with_part(before, name, text)
    if after != before:
        page.write_text(after, encoding="utf-8")
    return after != before


def _match(page: str, name: str) -> re.Match[str]:
    begin, end = re.escape(f"<!-- begin: {name} (make pages) -->\n"), re.escape(f"<!-- end: {name} -->")
    found = [*re.finditer(f"(?ms)^{begin}(?P<text>.*?)^{end}$", page)]
    if len(found) != 1:
        raise NoPartError(f"the page has {len(found)} parts {name!r}; it needs one, between the lines\n{markers(name)}")
    return found[0]

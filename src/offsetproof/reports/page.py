"""A page of text: tables and lines that are no wider than the reader's terminal, where words allow.

A name in a table that is wider than its column goes on in the next line, behind a hyphen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from textwrap import fill

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment, Segments
from rich.text import Text

from offsetproof.escaping import visible

_PART = re.compile(r"\(\S+\)\s*|[^\s_-]+[\s_-]*|[\s_-]+")
"""What is not divided: up to a hyphen, an underscore, or a blank; an alias in its brackets."""


class Page:
    """What is put on it comes out as plain text; with `colour`, as a terminal shows it."""

    def __init__(self, width: int, *, colour: bool = False) -> None:
        self._out = StringIO()
        self._console = Console(
            file=self._out,
            width=width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def put(self, what: RenderableType) -> None:
        """Adds a table, or a line as it is."""
        drawn = self._console.render(Text(what) if isinstance(what, str) else what)
        shown = (Segment(visible(each.text), each.style, each.control) for each in drawn)
        self._console.print(Segments(shown), end="")

    def put_lines(self, lines: Iterable[str], indent: str = "  ", *, breaks_words: bool = True) -> None:
        """Adds lines; of one that is wider than the page the rest is indented. Without `breaks_words` a command stays
        whole as long as the terminal lets it."""
        for line in lines:
            width = self._console.width
            self.put(fill(line, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=breaks_words))

    @property
    def text(self) -> str:
        """Everything so far, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._out.getvalue().splitlines()) + "\n"


@dataclass(frozen=True)
class Hyphenated:
    """Names, one in a line, each broken behind its hyphens alone: Rich breaks a long word anywhere."""

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        lines = self.text.splitlines()
        parts = [part.rstrip() for line in lines for part in _PART.findall(line)]
        return Measurement(max(map(len, parts), default=0), max(map(len, lines), default=0))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [part for line in self.text.splitlines() for part in _break_name(line, options.max_width)]
        yield Text("\n".join(lines), overflow="fold")


def _break_name(name: str, width: int) -> Iterator[str]:
    """A name in lines of up to `width` columns, where its parts allow.

    >>> [*_break_name("backward-reset-stays (I5)", 15)]
    ['backward-reset-', 'stays (I5)']
    """
    line = ""
    for part in _PART.findall(name):
        if line and len(line + part.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += part
    yield line.rstrip()

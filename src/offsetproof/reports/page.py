"""A page of text: tables and lines that are no wider than the reader's terminal, where words allow."""

from __future__ import annotations

from io import StringIO

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text

from offsetproof.escaping import visible


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

    @property
    def text(self) -> str:
        """Everything so far, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._out.getvalue().splitlines()) + "\n"

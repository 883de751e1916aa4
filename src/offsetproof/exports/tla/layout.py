"""Layout: a text on one line where it fits, else over several, as TLA+ people indent it.

In a list of `/\\` or `\\/` everything right of the bullet belongs to its item, so what follows a prefix is always
indented by the prefix's length.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

WIDTH = 100
"""The longest line where there is a place to break it."""

OPEN, JUNCTION, NOT, RELATION, SETS, SUM, ATOM = range(7)
"""How tightly a text binds: what binds less than its place asks for stands in parentheses there."""


@dataclass(frozen=True)
class Row:
    """One part of a text that is laid out over several lines: what stands before it and behind it."""

    before: str
    text: Text
    behind: str = ""


@dataclass(frozen=True)
class Text:
    """A piece of TLA+: on one line, and as rows for where that is too long (or `stacked`, and always in rows).

    `negated` says the opposite, where there is a shorter way than `~`.
    """

    flat: str
    level: int = ATOM
    rows: tuple[Row, ...] = ()
    negated: Text | None = None
    stacked: bool = False

    def within(self, level: int) -> Text:
        """The text for a place that asks for this level: in parentheses where it binds less."""
        return self if self.level >= level else surround("(", self, ")")

    @cached_property
    def broken(self) -> bool:
        """Is it, or a part of it, stacked?"""
        return self.stacked or any(row.text.broken for row in self.rows)

    def lines(self, width: int = WIDTH) -> list[str]:
        """The text over as many lines as it takes."""
        if not self.rows or (len(self.flat) <= width and not self.broken):
            return [self.flat]
        lines: list[str] = []
        for row in self.rows:
            first, *others = row.text.lines(width - len(row.before) - len(row.behind))
            lines += [row.before + first, *(" " * len(row.before) + line for line in others)]
            lines[-1] += row.behind
        return lines


def surround(before: str, text: Text, behind: str) -> Text:
    """A text with something before and behind it that belongs to it: parentheses, a call."""
    rows = (Row(before, text, behind),) if text.rows else ()
    return Text(before + text.flat + behind, ATOM, rows)


def infix(left: Text, sign: str, right: Text, level: int, opposite: str = "") -> Text:
    """Two texts with an operator between them; `opposite` is the operator that says the contrary."""
    negated = infix(left, opposite, right, level) if opposite else None
    flat = f"{left.flat} {sign} {right.flat}"
    return Text(flat, level, (Row("", left), Row(f"{sign} ", right)), negated)


def stack_rows(rows: Iterable[Row]) -> Text:
    """A text that has no form on one line."""
    return Text("", OPEN, tuple(rows), stacked=True)


def junction(bullet: str, parts: Sequence[Text]) -> Text:
    """A conjunction or disjunction; a list with bullets where it does not fit on a line."""
    if len(parts) == 1:
        return parts[0]
    flat = f" {bullet} ".join(part.within(NOT).flat for part in parts)
    return Text(flat, JUNCTION, tuple(Row(f"{bullet} ", part) for part in parts))


def conditional(test: Text, then: Text, otherwise: Text) -> Text:
    """IF, THEN, ELSE; one below the other where they do not fit on a line."""
    flat = f"IF {test.flat} THEN {then.flat} ELSE {otherwise.flat}"
    return Text(flat, OPEN, (Row("IF ", test), Row("THEN ", then), Row("ELSE ", otherwise)))


def comment(text: str) -> list[str]:
    """A comment, as many lines as it takes."""
    return textwrap.wrap(text, WIDTH, initial_indent="\\* ", subsequent_indent="\\* ")


def fill_lines(start: str, words: Sequence[str], end: str) -> Text:
    """Words with commas between them, as many to a line as fit."""
    flat = start + ", ".join(words) + end
    lines, line = [], ""
    for word in words:
        grown = f"{line}, {word}" if line else word
        if line and len(grown) > WIDTH - len(start) - len(end) - 10:
            lines.append(f"{line},")
            grown = word
        line = grown
    rows = [Row(start if i == 0 else " " * len(start), Text(text)) for i, text in enumerate([*lines, line])]
    rows[-1] = Row(rows[-1].before, rows[-1].text, end)
    return Text(flat, OPEN, tuple(rows))

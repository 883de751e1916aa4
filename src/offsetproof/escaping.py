"""Text from files and models, made safe to print: what a terminal would obey, or hide, is shown as an escape.

Names, docstrings and messages may hold anything that Python or JSON lets them hold: terminal sequences, line ends that
would forge a line of a report, marks that turn the direction of writing, halves of surrogate pairs. Readers see `\\x1b`
instead, and XML can hold it. JSON needs none of this: it has escapes of its own.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x09\x0b-\x1f\x7f-\x9f"
_LINE_ENDS_AND_DIRECTIONS = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_NO_CHARACTERS = "\ud800-\udfff\ufffe\uffff"
_OBEYED = re.compile(f"[{_CONTROLS}{_LINE_ENDS_AND_DIRECTIONS}{_NO_CHARACTERS}]")


def visible(text: str) -> str:
    r"""The text with everything visible; line ends stay.

    >>> print(visible("\x1b[2Jgone"))
    \x1b[2Jgone
    """
    return _OBEYED.sub(_escape, text)


def one_line(text: str) -> str:
    r"""The same for what stands on one line: line ends are shown, too.

    >>> print(one_line("a\nb"))
    a\nb
    """
    return visible(text).replace("\n", "\\n")


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]

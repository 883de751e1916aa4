"""What the option parser says of a value, in this program's words: its libraries' are about their own types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_BOUND = r"(-?\d+(?:\.(?!0$)\d+)?)(?:\.0)?"

_WORDS: Sequence[tuple[str, Callable[[re.Match[str]], str]]] = (
    (r"Value error, (.*?)\.?", lambda found: found[1]),
    (rf"Input should be greater than or equal to {_BOUND}", lambda found: f"give {found[1]} or more"),
    (rf"Input should be greater than {_BOUND}", lambda found: f"give more than {found[1]}"),
    (rf"Input should be less than or equal to {_BOUND}", lambda found: f"give {found[1]} or less"),
    (r"Input should be a valid integer\b.*", lambda _: "give a whole number"),
    (r"Input should be a finite number\b.*", lambda _: "give a number"),
    (r"Input should be a valid number\b.*", lambda _: "give a number"),
)
"""What a library says, whole, and what is said in its place."""


def plain_refusal(message: str) -> str:
    """A message about a value, without the words of the library that has refused it.

    >>> plain_refusal("Input should be greater than or equal to 1")
    'give 1 or more'
    >>> plain_refusal("say where the patched classes are")
    'say where the patched classes are'
    """
    for pattern, words in _WORDS:
        found = re.fullmatch(pattern, message, flags=re.DOTALL)
        if found:
            return words(found)
    return message

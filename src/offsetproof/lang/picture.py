"""How a moment of a model is drawn: queues as rows of offsets, with what is true of each, and who is how far.

Data beside a subject's claims, as its timing is: only the model knows which of its fields is which offset. A subject
without one is drawn without a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from offsetproof.lang.scope import Scope


class Mark(StrEnum):
    """What can be true of a stored message: the last that is true of it is the one that is seen."""

    STORED = "stored"
    PULLED = "pulled"
    CONSUMING = "consuming"
    DONE = "done"
    PASSED = "passed"


ABOUT_MARKS: Mapping[Mark, str] = {
    Mark.STORED: "stored, not pulled",
    Mark.PULLED: "pulled: cached in a client",
    Mark.CONSUMING: "a listener has it",
    Mark.DONE: "done",
    Mark.PASSED: "passed: the committed offset is beyond it, but it is owed and not done",
}
"""What each mark means, for the legend."""


@dataclass(frozen=True)
class QueueRow:
    """One queue at one moment: the offsets from `first` up to `end` hold messages, `marks` says what is true of each.

    `pointers` are those who are somewhere in the queue, in words, each with the offset that comes next for it: a
    pointer at 2 has 0 and 1 behind it.
    """

    name: str
    first: int
    end: int
    marks: Mapping[Mark, frozenset[int]] = field(default_factory=dict)
    pointers: tuple[tuple[str, int], ...] = ()

    def mark_of(self, offset: int) -> Mark:
        """The mark that is seen of a stored message.

        >>> QueueRow("queue", 0, 1, {Mark.PULLED: frozenset({0})}).mark_of(0)
        <Mark.PULLED: 'pulled'>
        """
        return next((mark for mark in reversed(Mark) if offset in self.marks.get(mark, ())), Mark.STORED)


@dataclass(frozen=True, eq=False)
class Picture:
    """How a subject's states are drawn: the queues of a state, which is given by the names of its fields.

    `words` are what a reader of the drawing may not know, each with its meaning.
    """

    queues: Callable[[Scope, Mapping[str, Any]], Sequence[QueueRow]]
    words: Mapping[str, str] = field(default_factory=dict)

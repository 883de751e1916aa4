"""Anchors: the places in the real program that actions stand for, and on which lines they are in each release.

An anchor says class, method and, where it helps, the call within the method. It says no line: lines change from
release to release, so they are data (`AnchorLines`), which a model has as `anchor_lines`. A model without them may give
a line by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from offsetproof.lang.errors import DeclarationError, user_place


@dataclass(frozen=True)
class Anchor:
    """A place in the real program: a class, a method and, where it helps, a call within it.

    `call` names what is called there, or a field that is read or written; `pause=` is a field that is written.
    `Iterator.remove` says whose it is, by the declared type, where the name alone would not do. `nth` counts from 1, in
    the order of the code. `line` is where that is in one release; of a method without a call it is the line of the
    first instruction. It is None where it is not known, or the release has no such place. `others` are where other
    releases have it, in the order in which they are looked for; two anchors are the same without them.
    """

    java_class: str
    method: str
    call: str = ""
    nth: int = 1
    line: int | None = None
    others: tuple[Anchor, ...] = field(default=(), compare=False, repr=False)

    def or_at(self, method: str, call: str = "", nth: int = 1, *, of: str = "") -> Anchor:
        """The anchor, for releases that have moved the same thing as well: it is there where it is not here.

        `of` is the class, where it is another one.

        >>> at("PullMessageProcessor", "processRequest", "commitOffset").or_at("tryCommitOffset", "commitOffset").others
        (Anchor(java_class='PullMessageProcessor', method='tryCommitOffset', call='commitOffset', nth=1, line=None),)
        """
        return replace(self, others=(*self.others, at(of or self.java_class, method, call, nth)))

    @property
    def site(self) -> str:
        """The call as people write it: `isDropped`, `isDropped #2`."""
        return f"{self.call} #{self.nth}" if self.nth > 1 else self.call

    @property
    def unplaced(self) -> Anchor:
        """The anchor without a line, as it is the same in all releases."""
        return replace(self, line=None)

    def __str__(self) -> str:
        name = f"{self.java_class}.{self.method}" + (f":{self.line}" if self.line else "")
        return f"{name} ({self.site})" if self.site else name


def at(java_class: str, method: str, call: str = "", nth: int = 1, *, line: int | None = None) -> Anchor:
    """An anchor, in the order in which people say it. DeclarationError for what is not a name, or no number.

    A class within another is named through it, `Outer.Inner`; one without a name by what it implements,
    `Outer.Runnable`. What a lambda does belongs to the method that it is written in.

    >>> str(at("ProcessQueue", "removeMessage", "remove", line=202))
    'ProcessQueue.removeMessage:202 (remove)'
    """
    for word, name in (("java_class", java_class), ("method", method), ("call", call)):
        if not isinstance(name, str):
            hint = "; a line is given by its name, line=..." if isinstance(name, int) else ""
            raise DeclarationError(f"{user_place()}: {word}={name!r} of at(...) is not a string{hint}")
    for word, number in (("nth", nth), ("line", line)):
        if number is not None and (type(number) is not int or number < 1):
            raise DeclarationError(f"{user_place()}: {word}={number!r} of at(...) is not a number from 1")
    return Anchor(java_class, method, call, nth, line)


@dataclass(frozen=True)
class AnchorLines:
    """The lines of anchors in one release of one role; None where the release has no such place.

    `moved_to` has the place of each that is at another than its first in this release.
    `class_of` has the full name of the class that the compiler put each into: `...DefaultMQPushConsumerImpl$1`;
    `why_of` may say of one that has no line what is missing. `digest_of` has what the methods that anchors name do, as
    digests by `Class.method`; None for one that the release does not have.
    `source_of` has the address of the source file that each is in, for readers.
    """

    release: str
    role: str
    line_of: Mapping[Anchor, int | None] = field(repr=False)
    class_of: Mapping[Anchor, str] = field(default_factory=dict, repr=False)
    why_of: Mapping[Anchor, str] = field(default_factory=dict, repr=False)
    digest_of: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    source_of: Mapping[Anchor, str] = field(default_factory=dict, repr=False)
    moved_to: Mapping[Anchor, Anchor] = field(default_factory=dict, repr=False)

    def here(self, anchor: Anchor) -> Anchor:
        """The anchor as this release has it: moved where that has moved it."""
        return self.moved_to.get(anchor, anchor)


def with_line(anchor: Anchor, tables: Iterable[AnchorLines], releases: Mapping[str, str]) -> Anchor:
    """The anchor with its line in these releases, by role; as it is where it has a line, or they have no tables.

    DeclarationError names one that their tables do not have.
    """
    tables = [table for table in tables if releases.get(table.role) == table.release]
    if anchor.line is not None or not tables:
        return anchor
    for table in tables:
        if anchor in table.line_of:
            return replace(table.here(anchor), line=table.line_of[anchor], others=())
    shown = " and ".join(f"{table.role} {table.release}" for table in tables)
    raise DeclarationError(f"{anchor}, which is not in the lines of {shown}")

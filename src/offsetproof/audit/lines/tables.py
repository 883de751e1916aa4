"""All templates, and how the one of a message is found: by its first bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from offsetproof.audit.lines.broker import BROKER_LINES, EVERY_MINUTE, IN_BROKER_LOG
from offsetproof.audit.lines.client import CLIENT_LINES
from offsetproof.audit.lines.other_clients import OTHER_CLIENT_LINES
from offsetproof.audit.lines.templates import Pattern, Role, Template, pattern_of

TEMPLATES: tuple[Template, ...] = CLIENT_LINES + BROKER_LINES + OTHER_CLIENT_LINES
PATTERNS = tuple(pattern_of(template) for template in TEMPLATES)

KEY_BYTES = 8
"""So many first bytes of a message choose the patterns that are tried."""


def _by_key() -> dict[bytes, tuple[Pattern, ...]]:
    table: dict[bytes, list[Pattern]] = {}
    for pattern in PATTERNS:
        start = pattern.template.start.encode()
        if len(start) >= KEY_BYTES:
            table.setdefault(start[:KEY_BYTES], []).append(pattern)
    return {key: tuple(patterns) for key, patterns in table.items()}


BY_KEY = _by_key()

WITHOUT_KEY = tuple(pattern for pattern in PATTERNS if len(pattern.template.start) < KEY_BYTES)
"""Those that begin with a value, or with too little: tried where a message begins with one of FIRST_BYTES."""

FIRST_BYTES = frozenset(b"0123456789") | {
    pattern.template.start.encode()[0] for pattern in WITHOUT_KEY if pattern.template.start
}
"""Addresses of brokers begin with a number; and the first letters of what is shorter than a key."""

ANCHORS = re.compile(
    rb"(?<![\w/])(?:"
    + b"|".join(
        re.escape(start.encode())
        for start in sorted({each.start for each in TEMPLATES if len(each.start) > KEY_BYTES}, reverse=True)
    )
    + rb")"
)
"""Where a known message may begin, anywhere in a line."""


def patterns_at(line: bytes, begin: int) -> tuple[Pattern, ...]:
    """The patterns that a message that begins there may fit."""
    found = BY_KEY.get(line[begin : begin + KEY_BYTES])
    if found is not None:
        return found
    return WITHOUT_KEY if line[begin : begin + 1] and line[begin] in FIRST_BYTES else ()


_IN_BROKER_LOG = frozenset(number for number, each in enumerate(TEMPLATES) if each in IN_BROKER_LOG)


def is_broker_log(templates: Iterable[int], shapes: Iterable[bytes]) -> bool:
    """Do lines of these templates, by number, and unknown ones of these shapes show that a file is a broker's log?

    >>> is_broker_log([], [b"Slave fall behind master: N bytes"])
    True
    """
    return not _IN_BROKER_LOG.isdisjoint(templates) or any(each.startswith(EVERY_MINUTE) for each in shapes)


def is_of_broker(line: bytes, begin: int) -> bool:
    """Is this message one of a broker?"""
    return any(
        pattern.template.role is Role.BROKER and pattern.exact.match(line, begin)
        for pattern in patterns_at(line, begin)
    )

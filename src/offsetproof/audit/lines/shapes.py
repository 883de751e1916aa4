"""Shapes of unknown messages: what stays of one without its numbers and names, so that they can be counted."""

from __future__ import annotations

import re
from collections import Counter

_DIGITS_AS_N = bytes.maketrans(b"0123456789", b"NNNNNNNNNN")
_SHAPE_BYTES = 64

SHAPES_KEPT = 4000
"""With more different shapes they are made fewer."""

OTHER_SHAPES = b"(others)"


def shape_of(text: bytes, message: int) -> bytes:
    """The first words of a message, with each digit as N: quickly made, `collapse` does the rest."""
    return text[message : message + _SHAPE_BYTES].translate(_DIGITS_AS_N)


_NUMBERS = re.compile(rb"N+")
_NAMES = re.compile(rb"[A-Za-z0-9%_.$@:/#-]*[N%_.$@/#][A-Za-z0-9%_.$@:/#-]*|(?<==)[^\s,\]]+")


def collapse(shapes: Counter[bytes]) -> Counter[bytes]:
    """Shapes with numbers as N and names as *, the rarest of too many as one.

    >>> collapse(Counter({b"close the connection to remote address[NN.N.N.N:NNNNN] result: true": 2}))
    Counter({b'close the connection to remote address[*] result: true': 2})
    """
    fewer: Counter[bytes] = Counter()
    for shape, count in shapes.items():
        fewer[_NAMES.sub(b"*", _NUMBERS.sub(b"N", shape)).strip()] += count
    if len(fewer) > SHAPES_KEPT // 4:
        kept = Counter(dict(fewer.most_common(SHAPES_KEPT // 8)))
        kept[OTHER_SHAPES] += fewer.total() - kept.total()
        return kept
    return fewer

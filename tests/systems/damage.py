"""Damage, the same for the same seed: what disks, copies and editors do to files, and to documents in them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

SEEDS = [
    pytest.param(range(100), id="fast"),
    pytest.param(range(100, 1600), id="slow", marks=pytest.mark.slow),
]
"""How often a reader is tried in the fast suite, and in the slow one."""

NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 1.5, 1 << 31, 1 << 63, 1 << 70, -(1 << 63), 10**400, float("inf"), float("nan"), "",
    "x", "0", "finished", "\x00", "\ud800", "../../etc", [], {}, [[]], [None], [1, 2, 3], {"a": 1}, "9" * 5000,
)  # fmt: skip
"""Values that a reader may not expect."""

Bytes = Callable[[bytearray, random.Random], bytes]


def damaged(data: bytes, seed: int) -> bytes:
    """The bytes, no more the same."""
    rng = random.Random(seed)
    while (found := rng.choice(_WAYS)(bytearray(data), rng)) == data:
        pass
    return found


def flipped(data: bytes, seed: int) -> bytes:
    """The bytes with one bit changed."""
    return _flip(bytearray(data), random.Random(seed))


def edited(document: Any, seed: int) -> Any:
    """A JSON document, no more the same: one to three of its values are others, or gone, or there twice."""
    rng = random.Random(seed)
    while True:
        found = copy.deepcopy(document)
        for _ in range(rng.randint(1, 3)):
            _edit(found, rng)
        if repr(found) != repr(document):
            return found


def _flip(data: bytearray, rng: random.Random) -> bytes:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _overwrite(data: bytearray, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(data)


def _truncate(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data[: rng.randrange(len(data))])


def _append(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data) + rng.randbytes(rng.randint(1, 64))


def _span(data: bytearray, rng: random.Random) -> tuple[int, int]:
    begin = rng.randrange(len(data))
    return begin, min(len(data), begin + rng.randint(1, 64))


def _delete(data: bytearray, rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    return bytes(data[:begin] + data[end:])


def _double(data: bytearray, rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    return bytes(data[:end] + data[begin:])


def _clear(data: bytearray, rng: random.Random) -> bytes:
    begin, end = _span(data, rng)
    data[begin:end] = bytes(end - begin)
    return bytes(data)


def _shuffle(data: bytearray, rng: random.Random) -> bytes:
    middle = rng.randrange(len(data))
    return bytes(data[middle:] + data[:middle])


_WAYS: tuple[Bytes, ...] = (_flip, _flip, _flip, _overwrite, _truncate, _append, _delete, _double, _clear, _shuffle)


def _edit(document: Any, rng: random.Random) -> None:
    holder, key = rng.choice(list(_places(document)))
    way = rng.randrange(8)
    value = holder[key]
    if way == 0 and isinstance(holder, dict):
        holder[rng.choice(("x", "", "states"))] = holder.pop(key)
    elif way == 1:
        del holder[key]
    elif way == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif way in (3, 4) and type(value) is int:
        holder[key] = value + rng.choice((-1, 1))
    elif way == 5 and isinstance(value, str) and value:
        at = rng.randrange(len(value))
        holder[key] = value[:at] + rng.choice("0aZ~\x7f\u2028") + value[at + 1 :]
    elif way == 6:
        holder[key] = copy.deepcopy(rng.choice(list(_places(document)))[0])
    else:
        holder[key] = copy.deepcopy(rng.choice(NASTY))


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a document, as what holds it and where; the document itself is held by nothing."""
    keys = list(document) if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in keys:
        yield document, key
        yield from _places(document[key])

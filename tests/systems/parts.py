"""Which tests belong to a part of a suite: all parts add up to it, and each has its share of every file."""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

Test = TypeVar("Test")


def number_of_part(text: str) -> tuple[int, int]:
    """The number of a part, counted from one, and of how many; ArgumentTypeError for another text than 2/5.

    >>> number_of_part("2/5")
    (2, 5)
    """
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is no part; 2/5 is the second of five")
    return int(number), int(of)


def in_part(tests: Sequence[Test], number: int, of: int, file_of: Callable[[Test], str]) -> list[Test]:
    """The tests of a part, in their order: neighbours in a file stay together, as what they set up is shared.

    A file's tests are dealt from another part on than those of the next file, or the first part would have all small
    files.
    """
    sizes = Counter(map(file_of, tests))
    seen: Counter[str] = Counter()
    chosen = []
    for test in tests:
        file = file_of(test)
        first = int(hashlib.sha256(file.encode()).hexdigest(), 16)
        if (first + seen[file] * of // max(sizes[file], of)) % of == number - 1:
            chosen.append(test)
        seen[file] += 1
    return chosen

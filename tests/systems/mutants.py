"""Damaged JSON files: documents with values, keys and bytes changed, the same ones in each run."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 10**9, 2**62, 2**63 - 1, 2**63, 10**30, 1.5, float("inf"), "", "a", "I5",
    "rocketmq", "\x1b[2J\x1b]0;x\x07", "\0", "\ud800", "\x85\x9b", "\u202e", "<a&b>\"'", "```|", "x" * 300, [], {}, [1],
    [1, 2, 3], {"a": 1}, [[[]]],
)  # fmt: skip
"""What values become."""

KEYS = ("name", "a", "", "\x1b", "\0", "x" * 300, "schema")
"""What keys become."""

BYTES = ("", ",", "[", "{", '"', "9" * 50, "\\ud800", "\\u0000", "}", "NaN", "\\", "\x00", "[" * 5000)
"""What is put between characters."""


def mutants(texts: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """So many damaged versions of these documents."""
    documents = [json.loads(text) for text in texts]
    for number in range(count):
        rnd = random.Random(f"{seed} {number}")
        text = json.dumps(_changed(rnd, rnd.choice(documents)))
        yield _torn(rnd, text) if rnd.random() < 0.15 else text


def _changed(rnd: random.Random, document: Any) -> Any:
    document = copy.deepcopy(document)
    for _ in range(rnd.choice((1, 1, 1, 2, 4))):
        inside, key = rnd.choice(list(_entries(document)))
        chance = rnd.random()
        if chance < 0.1:
            del inside[key]
        elif chance < 0.2 and isinstance(inside, dict):
            inside[rnd.choice(KEYS)] = inside.pop(key)
        elif chance < 0.3 and isinstance(inside, list):
            inside.insert(key, copy.deepcopy(inside[key]))
        else:
            like = [odd for odd in ODD if type(odd) is type(inside[key])]
            inside[key] = copy.deepcopy(rnd.choice(like if like and chance < 0.8 else ODD))
    return document


def _entries(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document, those near its top as often as all others together: they decide more."""
    for depth, found in enumerate(_levels(value)):
        yield from found * (8 if depth < 3 else 1)


def _levels(value: Any) -> Iterator[list[tuple[Any, Any]]]:
    level = [value]
    while level:
        found = [(each, key) for each in level for key in (each if isinstance(each, dict) else range(len(each)))]
        yield found
        level = [each[key] for each, key in found if isinstance(each[key], dict | list)]


def _torn(rnd: random.Random, text: str) -> str:
    at = rnd.randrange(len(text))
    return text[:at] + rnd.choice(BYTES) + text[at + rnd.randrange(3) :]

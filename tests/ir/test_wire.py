"""Systems as bytes: what is read back is the same system, and damage is noticed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest
from systems.damage import SEEDS, damaged, edited

from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.ir.system import System
from offsetproof.ir.wire import from_bytes, to_bytes
from offsetproof.lang.stage import Staged

REFUSED = "^these bytes hold (no )?system"


def system(toy: Toy) -> System:
    return Staged(toy.model, toy.setting).system([toy.prop])


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_system_read_back_is_the_same(toy: Toy) -> None:
    there = system(toy)
    back = from_bytes(to_bytes(there))
    assert back == there
    assert back.digest == there.digest
    assert [x.condition for x in back.lifetimes] == [x.condition for x in there.lifetimes]


def test_bytes_are_the_same_every_time() -> None:
    assert to_bytes(system(TOYS[0])) == to_bytes(system(TOYS[0]))


def resealed(change: Callable[[Any], Any]) -> bytes:
    """A system's bytes, changed by one who seals them again."""
    document = json.loads(unseal(to_bytes(system(TOYS[0]))) or b"")
    return seal(change(document))


def sealed(members: bytes) -> bytes:
    """What follows a seal that fits, JSON or not."""
    return b'{"sum":"' + hashlib.sha256(members).hexdigest().encode() + b'",' + members


def test_another_system_than_the_digest_says_is_refused() -> None:
    def wider(document: Any) -> Any:
        document["variables"][0][3] += 1
        return document

    with pytest.raises(ValueError, match=r"hold system [0-9a-f]{12} but say"):
        from_bytes(resealed(wider))


def test_what_the_digest_leaves_out_is_not_changed_unnoticed() -> None:
    data = to_bytes(system(next(toy for toy in TOYS if toy.prop.id == "no_deadlock")))
    assert data.count(b",true,null]") > 0
    with pytest.raises(ValueError, match="or a damaged one"):
        from_bytes(data.replace(b",true,null]", b",false,null]"))


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"digest": "x", "nodes": [["nothing", [], 1, "int", 1, 1]]}'])
def test_bytes_that_hold_no_system_are_refused(data: bytes) -> None:
    for each in (data, sealed(data), sealed(data[1:])):
        with pytest.raises(ValueError, match="hold no system"):
            from_bytes(each)


def _of_nodes(*nodes: list[Any]) -> bytes:
    return seal({"nodes": list(nodes), "variables": [], "instances": [], "claims": [], "lifetimes": [], "digest": ""})


def _doubled(times: int) -> list[list[Any]]:
    """Each node the sum of the one before with itself: as text it would have 2 ** times variables."""
    span = [(0, 1 << i) for i in range(times + 1)]
    return [["var", [], "x", "int", 0, 1], *(["add", [i, i], None, "int", *span[i + 1]] for i in range(times))]


@pytest.mark.parametrize(
    "data",
    [
        sealed(b'"a":' + b"[" * 200_000),
        sealed(b'"digest":"x","nodes":' + b"9" * 5000 + b"}"),
        _of_nodes(["const", [], 1 << 70, "int", 1 << 70, 1 << 70]),
        _of_nodes(["var", [], "x", "int", 0, 1 << 61], ["single", [0], None, "set", 0, 0]),
        _of_nodes(*_doubled(80)),
        _of_nodes(["var", [], "x", "int", 1, 0]),
        _of_nodes(["var", [], "x", "int", 0, 3], ["not", [0], None, "bool", 0, 5]),
        _of_nodes(["const", [], True, "int", 1, 1]),
        _of_nodes(["const", [], 1, "int", 1, 1], ["add", [-1, 0], None, "int", 2, 2]),
        _of_nodes(["add", [0, 0], None, "int", 0, 0]),
        _of_nodes([["const"], [], 1, "int", 1, 1]),
    ],
    ids=[
        "nested", "digits", "a constant too wide", "a set too wide", "too wide and shared", "no value", "another span",
        "no number", "a place below 0", "itself", "no kind",
    ],
)  # fmt: skip
def test_sealed_bytes_that_are_meant_to_hurt_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        from_bytes(data)


_BYTES = cache(lambda number: to_bytes(system(TOYS[number])))


def _some(seed: int) -> bytes:
    """The bytes of one of the toys."""
    return _BYTES(seed % len(TOYS))


@pytest.mark.parametrize("seeds", SEEDS)
def test_damaged_bytes_are_refused(seeds: Iterable[int]) -> None:
    for seed in seeds:
        with pytest.raises(ValueError, match=REFUSED):
            from_bytes(damaged(_some(seed), seed))


@pytest.mark.parametrize("seeds", SEEDS)
def test_edited_bytes_that_are_sealed_again_hold_a_system_or_are_refused(seeds: Iterable[int]) -> None:
    refused = 0
    for seed in seeds:
        document = json.loads(unseal(_some(seed)) or b"")
        try:
            back = from_bytes(seal(edited(document, seed)))
        except ValueError as error:
            assert re.match(REFUSED, str(error))  # noqa: PT017 - some edited bytes hold a system
            refused += 1
        else:
            assert back.digest == document["digest"]
            assert from_bytes(to_bytes(back)) == back
    assert refused > 0.8 * len(list(seeds))

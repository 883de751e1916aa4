"""Systems as bytes: what is read back is the same system, and damage is noticed."""

from __future__ import annotations

import json

import pytest
from systems.toys import TOYS, Toy

from offsetproof.ir.system import System
from offsetproof.ir.wire import WireError, from_bytes, to_bytes
from offsetproof.lang.stage import Staged


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


def test_another_system_than_the_digest_says_is_refused() -> None:
    document = json.loads(to_bytes(system(TOYS[0])))
    document["variables"][0][3] += 1
    with pytest.raises(WireError, match=r"hold system [0-9a-f]{12} but say"):
        from_bytes(json.dumps(document).encode())


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"digest": "x", "nodes": [["nothing", [], 1, "int", 1, 1]]}'])
def test_bytes_that_hold_no_system_are_refused(data: bytes) -> None:
    with pytest.raises(WireError, match="hold no system"):
        from_bytes(data)

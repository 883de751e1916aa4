"""Readers of a run's files, tried with what they do not expect: they refuse it in one way, and fail in no other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from spark.checkpoints import SMALL, written
from systems.damage import SEEDS, damaged, edited

from offsetproof.engines.spark.manifest import MANIFEST, read_manifest, write_manifest
from offsetproof.engines.spark.states import digest_of, read_states, states_in, write_states
from offsetproof.engines.whole_files import CheckpointError, DamagedError
from offsetproof.ir.sealed_json import seal, unseal

WORDS = 2
ROWS = np.arange(80, dtype=np.uint64).reshape(-1, WORDS)


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The manifest of a run of two passes, with alarms."""
    question, states = SMALL["violated with a fault"]
    return (written(tmp_path_factory.mktemp("run"), question(), states).folder / MANIFEST).read_bytes()


@pytest.mark.parametrize("seeds", SEEDS)
def test_damaged_manifest_is_refused(manifest: bytes, tmp_path: Path, seeds: Iterable[int]) -> None:
    file = tmp_path / MANIFEST
    for seed in seeds:
        file.write_bytes(damaged(manifest, seed))
        with pytest.raises(CheckpointError, match=r"manifest\.json"):
            read_manifest(file)


@pytest.mark.parametrize("seeds", SEEDS)
def test_edited_manifest_that_is_sealed_again_is_one_or_refused(
    manifest: bytes, tmp_path: Path, seeds: Iterable[int]
) -> None:
    file, document = tmp_path / MANIFEST, json.loads(unseal(manifest) or b"")
    refused = 0
    for seed in seeds:
        file.write_bytes(seal(edited(document, seed)))
        try:
            found = read_manifest(file)
        except CheckpointError:
            refused += 1
        else:
            write_manifest(file, found)
            assert read_manifest(file) == found
    assert refused > 0.7 * len(list(seeds))


@pytest.mark.parametrize(
    "members",
    [
        b"", b"}", b'"a":1', b'"schema":3}', b'"schema":' + b"9" * 5000 + b"}", b'"schema":' + b"[" * 100_000,
        b'"schema":' + b'{"a":' * 100_000, b'"schema":3,"schema":3}', b'"schema":NaN}', b'"a":"\xff"}',
        b'"a":"\\ud800"}',
    ],
    ids=range(11),
)  # fmt: skip
def test_what_is_sealed_and_is_no_manifest_is_refused(tmp_path: Path, members: bytes) -> None:
    file = tmp_path / MANIFEST
    file.write_bytes(b'{"sum":"' + hashlib.sha256(members).hexdigest().encode() + b'",' + members)
    with pytest.raises(DamagedError, match=r"manifest\.json.*drop --resume"):
        read_manifest(file)


@pytest.mark.parametrize("seeds", SEEDS)
def test_damaged_file_of_states_is_refused(tmp_path: Path, seeds: Iterable[int]) -> None:
    file = tmp_path / "part.parquet"
    digest = write_states(file, ROWS)
    data = file.read_bytes()
    assert digest == digest_of(data)
    for seed in seeds:
        file.write_bytes(damaged(data, seed))
        with pytest.raises(DamagedError, match="remove the run's folder"):
            read_states(file, WORDS, len(ROWS), digest)


@pytest.mark.parametrize("seeds", SEEDS)
def test_reader_of_states_takes_any_bytes_even_without_a_digest(tmp_path: Path, seeds: Iterable[int]) -> None:
    file = tmp_path / "part.parquet"
    write_states(file, ROWS)
    data = file.read_bytes()
    for seed in seeds:
        try:
            found = states_in(damaged(data, seed), WORDS, file)
        except DamagedError:
            continue
        assert found.dtype == np.uint64
        assert found.shape[1] == WORDS

"""States as files: one Parquet column of packed words, with a digest of the bytes that goes wherever the file is named.

Nothing of a file is looked at before its bytes have the digest that is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.engines.whole_files import DamagedError, whole
from offsetproof.reading.files import read_regular

if TYPE_CHECKING:
    import pyarrow as pa

WAY_OUT = "remove the run's folder, or drop --resume, to start again"

_DIGEST_LETTERS = 32

_BESIDE_STATES = 1 << 16
"""More bytes than Parquet adds to this many states, for each MiB of them."""


def digest_of(data: bytes | pa.Buffer) -> str:
    """What tells these bytes from all others.

    >>> digest_of(b"")
    'e3b0c44298fc1c149afbf4c8996fb924'
    """
    return hashlib.sha256(data).hexdigest()[:_DIGEST_LETTERS]


def write_states(file: Path, rows: Words, allowed: Callable[[], None] = lambda: None) -> str:
    """Writes packed states as a Parquet file, whole or not at all; its digest.

    `allowed` is called just before the file is put in place, and may raise.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    width = 8 * rows.shape[1]
    kind = pa.binary(width)
    column = pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"state": column}), sink, compression="NONE", use_dictionary=False, write_statistics=False)
    data = sink.getvalue()
    with whole(file) as out:
        out.write(data)
        allowed()
    return digest_of(data)


def read_states(file: Path, words: int, rows: int, digest: str) -> Words:
    """The states of a file with `count` of them; DamagedError unless it is, byte for byte, the one with this digest."""
    states = states_in(_read_digested(file, _bytes_most(words, rows), digest), words, file)
    if len(states) != rows:
        _refuse(file, f"holds {len(states):,} states, and {rows:,} were written to it")
    return states


def states_in(data: bytes, words: int, file: Path) -> Words:
    """The states in the bytes of a Parquet file; DamagedError where they are none, or of another width."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        column = pq.ParquetFile(pa.BufferReader(data)).read().column("state").combine_chunks()
        if column.type != pa.binary(8 * words) or column.null_count:
            _refuse(file, f"holds {column.type}, not states of {words} words")
        held = column.buffers()[1]
        begins = 8 * words * column.offset
        size = 8 * words * len(column)
        if not size:
            return np.empty((0, words), np.uint64)
        return np.frombuffer(held, np.uint64, size // 8, begins).reshape(-1, words)
    except (OSError, ValueError, LookupError, OverflowError, MemoryError, pa.ArrowException) as error:
        _refuse(file, f"cannot be read: {str(error).partition(chr(10))[0]}")


def _read_digested(file: Path, most: int, digest: str) -> bytes:
    """The bytes of a file up to a size; DamagedError unless they have this digest."""
    try:
        data = read_regular(file, most)
    except FileNotFoundError:
        _refuse(file, "is missing")
    except OSError as error:
        _refuse(file, f"cannot be read: {error}")
    if digest_of(data) != digest:
        _refuse(file, "is not the file that was written: its digest differs")
    return data


def _bytes_most(words: int, rows: int) -> int:
    """More bytes than a file of that many states can have."""
    states = 8 * words * rows
    return states + (1 + (states >> 20)) * _BESIDE_STATES


def _refuse(file: Path, wrong: str) -> NoReturn:
    raise DamagedError(f"{file} {wrong}; {WAY_OUT}")


def part_of(rows: Words, parts: int) -> npt.NDArray[np.int64]:
    """The part of each state: a hash of its words, another one than the table's, so that parts fill tables evenly."""
    mixed = np.full(len(rows), 0x2545F4914F6CDD1D, np.uint64)
    for word in range(rows.shape[1]):
        mixed ^= rows[:, word]
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(parts)).astype(np.int64)

"""Pieces: byte ranges of logs, and the whole lines that begin in one; a .gz is one piece, read as a stream.

A last line without its end is left out: cut off, its number would be another. What a record's further lines say that
begin in the next piece is read as well, so that its length is told right.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

PIECE_BYTES = 8 << 20
_BLOCK = 1 << 20
_BEFORE = 1 << 10
_BEHIND = 1 << 18
"""How much of the next piece is read for the further lines of a record."""


@dataclass(frozen=True)
class Piece:
    """Part of a file: the lines that begin in `begin` (inclusive) to `end` (exclusive); `lines` begin before it.

    Of a .gz the places are those of what it holds; it is one piece, and `end` is not known before it is read.
    """

    path: str
    begin: int
    end: int
    lines: int


@dataclass(frozen=True)
class Chunk:
    """Whole lines as they were read: `at` bytes and `lines` lines stand before them, `behind` follows them.

    `before` is the end of what stands before them.
    """

    data: bytes
    at: int
    lines: int
    behind: bytes = b""
    before: bytes = b""

    @property
    def line_before(self) -> bytes:
        """The last line in front of these, if it is not longer than what heads a message."""
        return self.before.removesuffix(b"\n").rpartition(b"\n")[2]


class DamagedGzipError(ValueError):
    """A .gz is damaged, or ends early; what came before has been read."""


def is_gzip(path: str | Path) -> bool:
    """Is it a .gz by its first bytes? Where it cannot be read its name says so."""
    try:
        with Path(path).open("rb") as file:
            return file.read(2) == b"\x1f\x8b"
    except OSError:
        return str(path).endswith(".gz")


def chunks_of(piece: Piece) -> Iterator[Chunk]:
    """The lines of a piece; DamagedGzipError, after what is whole, where a .gz is not."""
    if is_gzip(piece.path):
        yield from _chunks_inflated(piece)
        return
    with Path(piece.path).open("rb", buffering=0) as file:
        file.seek(max(0, piece.begin - 1))
        data = _read(file, piece.end - max(0, piece.begin - 1))
        skip = 0
        if piece.begin:
            skip = data.find(b"\n") + 1
            if not skip or piece.begin - 1 + skip >= piece.end:
                return
        if not data.endswith(b"\n"):
            data += _to_line_end(file)
        file.seek(max(0, piece.begin - 1) + len(data))
        behind = _read(file, _BEHIND)
        begin = max(0, piece.begin - 1) + skip
        file.seek(max(0, begin - _BEFORE))
        before = _read(file, min(begin, _BEFORE))
    data = data[skip : data.rfind(b"\n") + 1]
    if data:
        yield Chunk(data, begin, piece.lines + (skip > 1), behind, before)


def _read(file: FileIO, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0 and (part := file.read(min(size, _BLOCK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _to_line_end(file: FileIO) -> bytes:
    parts: list[bytes] = []
    while part := file.read(1 << 16):
        cut = part.find(b"\n")
        if cut >= 0:
            return b"".join([*parts, part[: cut + 1]])
        parts.append(part)
    return b""


def _chunks_inflated(piece: Piece) -> Iterator[Chunk]:
    """What a .gz holds, in chunks of whole lines from `begin` on."""
    rest, last, at, lines = b"", b"", 0, 0
    waiting: list[bytes] = []
    size = 0
    damage: DamagedGzipError | None = None
    blocks = inflate(Path(piece.path))
    while True:
        try:
            block = next(blocks, b"")
        except DamagedGzipError as error:
            damage, block = error, b""
        waiting.append(block)
        size += len(block)
        if block and (size < PIECE_BYTES or b"\n" not in block):
            continue
        data = rest + b"".join(waiting)
        waiting, size = [], 0
        cut = data.rfind(b"\n") + 1
        whole, rest = data[:cut], data[cut:]
        if whole and at + len(whole) > piece.begin:
            skip = max(0, piece.begin - at)
            before = (last + whole[max(0, skip - _BEFORE) : skip])[-_BEFORE:]
            yield Chunk(whole[skip:], at + skip, lines + whole.count(b"\n", 0, skip), before=before)
        last = (last + whole[-_BEFORE:])[-_BEFORE:]
        at, lines = at + len(whole), lines + whole.count(b"\n")
        if not block:
            break
    if damage:
        raise damage


def inflate(path: Path) -> Iterator[bytes]:
    """What a .gz holds, block by block; gzip.open would drop what it has before the damage."""
    with path.open("rb") as file:
        inflater, begun = zlib.decompressobj(31), False
        while raw := file.read(1 << 18):
            while raw:
                begun = True
                try:
                    block = inflater.decompress(raw, _BLOCK)
                except zlib.error as error:
                    raise DamagedGzipError(f"damaged: {error}") from error
                if block:
                    yield block
                raw = inflater.unconsumed_tail
                if inflater.eof:
                    raw = inflater.unused_data.lstrip(b"\0")
                    inflater, begun = zlib.decompressobj(31), False
                elif not raw and not block:
                    break
        if begun:
            raise DamagedGzipError("it ends early")


def pieces_of(path: Path, begin: int, end: int, lines: int, size: int = PIECE_BYTES) -> Iterator[Piece]:
    """The pieces of a file from one byte to another; `lines` begin before the first. It counts the lines of each."""
    if is_gzip(path):
        yield Piece(str(path), begin, end, lines)
        return
    with path.open("rb", buffering=0) as file:
        file.seek(begin)
        while begin < end:
            stop = min(begin + size, end)
            yield Piece(str(path), begin, stop, lines)
            left = stop - begin
            while left > 0 and (block := file.read(min(left, _BLOCK))):
                lines += block.count(b"\n")
                left -= len(block)
            begin = stop

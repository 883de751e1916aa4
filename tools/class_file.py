"""Java class files: what the code of each method calls and touches, and on which line of its source.

Read from the bytes, not from what javap prints: the format is fixed by the JVM specification (chapter 4), javap's text
is not, and the fast tests need no JDK. Left out: everything but names, code and line numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class BadClassError(Exception):
    """These bytes are not a class file, or one that this reader does not know."""


@dataclass(frozen=True)
class Site:
    """A place in the code that calls a method, or reads or writes a field.

    `owner` is the class that the instruction names, which is the declared type of the object, in the JVM's words
    (`java/util/Iterator`). `writes` says that it writes a field. `line` is None where the class was compiled without
    line numbers.
    """

    owner: str
    name: str
    writes: bool
    line: int | None


@dataclass(frozen=True)
class Method:
    """A method with its sites, in the order of the code. `line` is that of the first instruction."""

    name: str
    line: int | None
    sites: tuple[Site, ...]


@dataclass(frozen=True)
class ClassFile:
    """A class: its name (`a/b/Outer$1`), its superclass and interfaces, its source file, and its methods in order."""

    name: str
    parents: tuple[str, ...]
    source: str
    methods: tuple[Method, ...]


def read_class(data: bytes) -> ClassFile:
    """The class in the bytes of a class file; BadClassError where they are not one."""
    try:
        return _read(_Reader(data))
    except (struct.error, IndexError, KeyError, UnicodeDecodeError) as error:
        raise BadClassError(f"not a class file: {error!r}") from error


class _Reader:
    """Big-endian numbers, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> Any:
        """The next number of a struct format."""
        (value,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def bytes(self, size: int) -> bytes:
        """The next so many bytes."""
        self.at += size
        if self.at > len(self.data):
            raise IndexError("it ends too early")
        return self.data[self.at - size : self.at]


_MAGIC = 0xCAFEBABE
_UTF8, _LONG, _DOUBLE = 1, 5, 6
_CONSTANT_SIZES = {
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    15: 3,
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((_LONG, _DOUBLE), 8),
}
"""Bytes of a constant by its tag, the text constant aside."""


class _Constants:
    """The constant pool: names of classes and members by index."""

    def __init__(self, reader: _Reader) -> None:
        self._raw: dict[int, bytes] = {}
        index, count = 1, reader.take("H")
        while index < count:
            tag = reader.take("B")
            self._raw[index] = reader.bytes(reader.take("H") if tag == _UTF8 else _CONSTANT_SIZES[tag])
            index += 2 if tag in (_LONG, _DOUBLE) else 1

    def text(self, index: int) -> str:
        """A text; of a text with NUL or characters beyond 16 bits only an approximation."""
        return self._raw[index].decode("utf-8", "replace")

    def name_of_class(self, index: int) -> str:
        """The name of a class, empty for index 0 (the superclass of Object)."""
        return self.text(struct.unpack(">H", self._raw[index])[0]) if index else ""

    def member(self, index: int) -> tuple[str, str]:
        """Class and name of a field or method."""
        owner, name_and_type = struct.unpack(">HH", self._raw[index])
        return self.name_of_class(owner), self.text(struct.unpack(">HH", self._raw[name_and_type])[0])


def _read(reader: _Reader) -> ClassFile:
    if reader.take("I") != _MAGIC:
        raise BadClassError("not a class file: it does not begin with CAFEBABE")
    reader.take("I")  # the version
    constants = _Constants(reader)
    reader.take("H")  # the access flags
    name = constants.name_of_class(reader.take("H"))
    parents = [constants.name_of_class(reader.take("H"))]
    parents += [constants.name_of_class(reader.take("H")) for _ in range(reader.take("H"))]
    for _ in range(reader.take("H")):
        _member(reader, constants)
    methods = [_method(constants, *_member(reader, constants)) for _ in range(reader.take("H"))]
    source = _attributes(reader, constants).get("SourceFile")
    return ClassFile(
        name,
        tuple(filter(None, parents)),
        constants.text(struct.unpack(">H", source)[0]) if source else "",
        tuple(methods),
    )


def _member(reader: _Reader, constants: _Constants) -> tuple[str, dict[str, bytes]]:
    """Name and attributes of a field or method."""
    reader.take("H")  # the access flags
    name = constants.text(reader.take("H"))
    reader.take("H")  # the descriptor
    return name, _attributes(reader, constants)


def _attributes(reader: _Reader, constants: _Constants) -> dict[str, bytes]:
    named = {}
    for _ in range(reader.take("H")):
        name = constants.text(reader.take("H"))
        named[name] = reader.bytes(reader.take("I"))
    return named


def _method(constants: _Constants, name: str, attributes: dict[str, bytes]) -> Method:
    if "Code" not in attributes:
        return Method(name, None, ())
    reader = _Reader(attributes["Code"])
    reader.take("I")  # the sizes of stack and locals
    code = reader.bytes(reader.take("I"))
    reader.bytes(8 * reader.take("H"))  # the exception table
    lines = _line_numbers(_attributes(reader, constants).get("LineNumberTable"))
    sites = (Site(*constants.member(index), code[pc] in _WRITES, _line_at(lines, pc)) for pc, index in _touches(code))
    return Method(name, _line_at(lines, 0), tuple(sites))


def _line_numbers(table: bytes | None) -> list[tuple[int, int]]:
    """Where each run of instructions begins, and its line, in the order of the code."""
    return sorted(struct.iter_unpack(">HH", table[2:])) if table else []


def _line_at(lines: list[tuple[int, int]], pc: int) -> int | None:
    return next((line for begin, line in reversed(lines) if begin <= pc), None)


_TOUCHES = range(0xB2, 0xBA)
"""getstatic, putstatic, getfield, putfield, and the four instructions that invoke a named method."""

_WRITES = (0xB3, 0xB5)
"""putstatic and putfield."""

_WIDE, _TABLESWITCH, _LOOKUPSWITCH, _IINC = 0xC4, 0xAA, 0xAB, 0x84
_OPERANDS = {
    **dict.fromkeys((0x10, 0x12, *range(0x15, 0x1A), *range(0x36, 0x3B), 0xA9, 0xBC), 1),
    **dict.fromkeys((0x11, 0x13, 0x14, _IINC, *range(0x99, 0xA9), *range(0xB2, 0xB9)), 2),
    **dict.fromkeys((0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7), 2),
    **dict.fromkeys((0xB9, 0xBA, 0xC8, 0xC9), 4),
    0xC5: 3,
}
"""Bytes of operands by opcode, where there are any."""


def _touches(code: bytes) -> Iterator[tuple[int, int]]:
    """Where each instruction that names a member is, and the member's index."""
    pc = 0
    while pc < len(code):
        if code[pc] in _TOUCHES:
            yield pc, struct.unpack_from(">H", code, pc + 1)[0]
        pc += 1 + _operands(code, pc)


def _operands(code: bytes, pc: int) -> int:
    """How many bytes of operands the instruction there has."""
    opcode = code[pc]
    if opcode == _WIDE:
        return 5 if code[pc + 1] == _IINC else 3
    if opcode not in (_TABLESWITCH, _LOOKUPSWITCH):
        return _OPERANDS.get(opcode, 0)
    padding = -(pc + 1) % 4
    if opcode == _LOOKUPSWITCH:
        pairs: int = struct.unpack_from(">i", code, pc + 1 + padding + 4)[0]
        return padding + 8 + 8 * pairs
    low, high = struct.unpack_from(">ii", code, pc + 1 + padding + 4)
    cases: int = high - low + 1
    return padding + 12 + 4 * cases

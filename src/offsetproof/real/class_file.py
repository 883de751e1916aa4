"""Java class files: what the code of each method calls and touches, and on which line of its source.

Read from the bytes, not from what javap prints: the format is fixed by the JVM specification (chapter 4), javap's text
is not, and the fast tests need no JDK. Left out: everything but names, code and line numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from offsetproof.real.bytecode import Instruction, instructions


@dataclass(frozen=True)
class CodeSite:
    """A place in the code that calls a method, or reads or writes a field.

    `owner` is the class that the instruction names, which is the declared type of the object, in the JVM's words
    (`java/util/Iterator`). `writes` says that it writes a field. `line` is None where the class was compiled without
    line numbers. `descriptor` is the member's type in the JVM's words.
    """

    owner: str
    name: str
    writes: bool
    line: int | None
    descriptor: str


@dataclass(frozen=True)
class Code:
    """A method's instructions, what each names by its place, and the handlers: begin, end, and where they are.

    `names` has by place, as text, the constant that an instruction names; `caught` what each handler catches, which is
    nothing in particular where it is empty. `lines` has where each run of instructions begins, and its line.
    """

    instructions: tuple[Instruction, ...]
    sites: Mapping[int, CodeSite]
    classes: Mapping[int, str]
    handlers: tuple[tuple[int, int, int], ...]
    names: Mapping[int, str] = field(default_factory=dict)
    caught: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()

    def line_at(self, place: int) -> int | None:
        """The line of the instruction at a place; None where the class was compiled without line numbers."""
        return _line_at(self.lines, place)


@dataclass(frozen=True)
class Method:
    """A method with its sites, in the order of the code. `line` is that of the first instruction.

    What a method reference (`Queue::clear`) refers to, and the body of a lambda, is a site as well: of the method that
    makes it. `access` has its flags as the JVM's specification numbers them.
    """

    name: str
    line: int | None
    sites: tuple[CodeSite, ...]
    descriptor: str = "()V"
    code: Code | None = field(default=None, compare=False, repr=False)
    access: int = field(default=0, compare=False, repr=False)

    @property
    def is_private(self) -> bool:
        """Can nobody but its own class call it?"""
        return bool(self.access & _PRIVATE)


@dataclass(frozen=True)
class ClassFile:
    """A class: its name (`a/b/Outer$1`), its superclass and interfaces, its source file, and its methods in order.

    `surface` is what other classes may be compiled against: a string for the class and each member that is not private.
    `fields` has a string for each field, with its type, flags and constant, by its name, and one for the class itself.
    """

    name: str
    parents: tuple[str, ...]
    source: str
    methods: tuple[Method, ...]
    surface: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    fields: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)


def read_class(data: bytes) -> ClassFile:
    """The class in the bytes of a class file; ValueError where they are none, or one that this reader does not know."""
    try:
        return _read(_Reader(data))
    except (struct.error, IndexError, KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"not a class file: {error!r}") from error


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
        """The next `size` bytes."""
        self.at += size
        if self.at > len(self.data):
            raise IndexError("it ends too early")
        return self.data[self.at - size : self.at]


_PRIVATE = 0x2
_HIDDEN = _PRIVATE | 0x1000
"""Private members, and those that the compiler makes for itself."""
_MAGIC = 0xCAFEBABE
_UTF8, _LONG, _DOUBLE, _HANDLE = 1, 5, 6, 15
_CONSTANT_SIZES = {
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    _HANDLE: 3,
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((_LONG, _DOUBLE), 8),
}
"""Bytes of a constant by its tag, the text constant aside."""

_OF_TEXT = {7: "class", 8: "text", 16: "type"}
_MEMBERS, _MADE_AT_RUN_TIME = (9, 10, 11), (17, 18)
"""Tags of constants that are a text, a member of a class, and what a bootstrap method makes."""


class _Constants:
    """The constant pool: names of classes and members by index."""

    def __init__(self, reader: _Reader) -> None:
        self._raw: dict[int, bytes] = {}
        self._tags: dict[int, int] = {}
        index, count = 1, reader.take("H")
        while index < count:
            tag = self._tags[index] = reader.take("B")
            self._raw[index] = reader.bytes(reader.take("H") if tag == _UTF8 else _CONSTANT_SIZES[tag])
            index += 2 if tag in (_LONG, _DOUBLE) else 1

    def text(self, index: int) -> str:
        """A text; of a text with NUL or characters beyond 16 bits only an approximation."""
        return self._raw[index].decode("utf-8", "replace")

    def name_of_class(self, index: int) -> str:
        """The name of a class, empty for index 0 (the superclass of Object)."""
        return self.text(struct.unpack(">H", self._raw[index])[0]) if index else ""

    def member(self, index: int) -> tuple[str, str, str]:
        """Class, name and descriptor of a field or method."""
        owner, name_and_type = struct.unpack(">HH", self._raw[index])
        return self.name_of_class(owner), *self._name_and_type(name_and_type)

    def made_at_run_time(self, index: int) -> tuple[int, str, str]:
        """Of what an invokedynamic names: the number of its bootstrap method, name and descriptor."""
        number, name_and_type = struct.unpack(">HH", self._raw[index])
        return number, *self._name_and_type(name_and_type)

    def handles(self, indices: Iterator[int]) -> Iterator[tuple[str, str, str]]:
        """The methods that those of the constants refer to that are handles of methods."""
        for index in indices:
            if self._tags[index] == _HANDLE:
                yield self.member(struct.unpack(">xH", self._raw[index])[0])

    def text_with_parts(self, index: int, bootstraps: list[list[int]]) -> str:
        """A constant as text, with what it is made of in place of numbers."""
        tag, raw = self._tags[index], self._raw[index]
        if tag == _UTF8:
            return raw.decode("utf-8", "replace")
        if tag in _OF_TEXT:
            return f"{_OF_TEXT[tag]} {self.text(struct.unpack('>H', raw)[0])}"
        if tag in _MEMBERS:
            return " ".join(self.member(index))
        if tag == _HANDLE:
            kind, member = struct.unpack(">BH", raw)
            return f"handle {kind} {' '.join(self.member(member))}"
        if tag in _MADE_AT_RUN_TIME:
            number, name, descriptor = self.made_at_run_time(index)
            return " | ".join(
                [f"{name} {descriptor}", *(self.text_with_parts(each, bootstraps) for each in bootstraps[number])]
            )
        return f"{tag} {raw.hex()}"

    def _name_and_type(self, index: int) -> tuple[str, str]:
        name, descriptor = struct.unpack(">HH", self._raw[index])
        return self.text(name), self.text(descriptor)


def _read(reader: _Reader) -> ClassFile:
    if reader.take("I") != _MAGIC:
        raise ValueError("not a class file: it does not begin with CAFEBABE")
    reader.take("I")  # the version
    constants = _Constants(reader)
    access = reader.take("H")
    name = constants.name_of_class(reader.take("H"))
    parents = [constants.name_of_class(reader.take("H"))]
    parents += [constants.name_of_class(reader.take("H")) for _ in range(reader.take("H"))]
    fields = [_member(reader, constants) for _ in range(reader.take("H"))]
    methods = [_member(reader, constants) for _ in range(reader.take("H"))]
    members = [_surface(constants, *each) for each in (*fields, *methods) if not each[0] & _HIDDEN]
    attributes = _attributes(reader, constants)
    source = attributes.get("SourceFile")
    bootstraps = _bootstraps(attributes.get("BootstrapMethods"))
    return ClassFile(
        name,
        tuple(filter(None, parents)),
        constants.text(struct.unpack(">H", source)[0]) if source else "",
        tuple(_method(constants, bootstraps, *method) for method in methods),
        frozenset((f"{access:#x} {name} {parents}", *members)),
        {"": f"{access:#x} {parents}", **{each[1]: _surface(constants, *each) for each in fields}},
    )


def _surface(constants: _Constants, access: int, name: str, descriptor: str, attributes: Mapping[str, bytes]) -> str:
    """A member as others see it; compilers copy the value of a constant into the classes that use it."""
    value = attributes.get("ConstantValue")
    constant = constants.text_with_parts(struct.unpack(">H", value)[0], []) if value else ""
    return f"{access:#x} {name} {descriptor} {constant}"


def _member(reader: _Reader, constants: _Constants) -> tuple[int, str, str, dict[str, bytes]]:
    """Access flags, name, descriptor and attributes of a field or method."""
    access, name, descriptor = reader.take("H"), constants.text(reader.take("H")), constants.text(reader.take("H"))
    return access, name, descriptor, _attributes(reader, constants)


def _attributes(reader: _Reader, constants: _Constants) -> dict[str, bytes]:
    named = {}
    for _ in range(reader.take("H")):
        name = constants.text(reader.take("H"))
        named[name] = reader.bytes(reader.take("I"))
    return named


def _bootstraps(table: bytes | None) -> list[list[int]]:
    """The constants that each bootstrap method is given."""
    if table is None:
        return []
    reader, found = _Reader(table), []
    for _ in range(reader.take("H")):
        reader.take("H")  # the bootstrap method itself
        found.append([reader.take("H") for _ in range(reader.take("H"))])
    return found


def _method(
    constants: _Constants,
    bootstraps: list[list[int]],
    access: int,
    name: str,
    descriptor: str,
    attributes: dict[str, bytes],
) -> Method:
    if "Code" not in attributes:
        return Method(name, None, (), descriptor, access=access)
    reader = _Reader(attributes["Code"])
    reader.take("I")  # the sizes of stack and locals
    listed = tuple(instructions(reader.bytes(reader.take("I"))))
    handlers = [struct.unpack(">HHHH", reader.bytes(8)) for _ in range(reader.take("H"))]
    lines = _line_numbers(_attributes(reader, constants).get("LineNumberTable"))
    sites: list[CodeSite] = []
    at: dict[int, CodeSite] = {}
    for each in listed:
        line = _line_at(lines, each.at)
        if each.opcode in _TOUCHES:
            owner, called, kind = constants.member(each.operand)
            at[each.at] = CodeSite(owner, called, each.opcode in _WRITES, line, kind)
            sites.append(at[each.at])
        elif each.opcode == _INVOKEDYNAMIC:
            number, called, kind = constants.made_at_run_time(each.operand)
            at[each.at] = CodeSite("", called, False, line, kind)
            referred = constants.handles(iter(bootstraps[number]))
            sites += [CodeSite(owner, named, False, line, of) for owner, named, of in referred]
    classes = {each.at: constants.name_of_class(each.operand) for each in listed if each.opcode == _CHECKCAST}
    code = Code(
        listed,
        at,
        classes,
        tuple(each[:3] for each in handlers),
        {each.at: constants.text_with_parts(each.operand, bootstraps) for each in listed if each.opcode in _NAMES},
        tuple(constants.name_of_class(each[3]) for each in handlers),
        lines,
    )
    return Method(name, _line_at(lines, 0), tuple(sites), descriptor, code, access)


def _line_numbers(table: bytes | None) -> tuple[tuple[int, int], ...]:
    """Where each run of instructions begins, and its line, in the order of the code."""
    return tuple(sorted(struct.iter_unpack(">HH", table[2:]))) if table else ()


def _line_at(lines: tuple[tuple[int, int], ...], place: int) -> int | None:
    return next((line for begin, line in reversed(lines) if begin <= place), None)


_TOUCHES = range(0xB2, 0xBA)
"""getstatic, putstatic, getfield, putfield, and the four instructions that invoke a named method."""

_WRITES = (0xB3, 0xB5)
"""putstatic and putfield."""

_INVOKEDYNAMIC, _CHECKCAST = 0xBA, 0xC0
_NAMES = frozenset((*range(0x12, 0x15), *range(0xB2, 0xBC), 0xBD, 0xC0, 0xC1, 0xC5))
"""Every instruction that names a constant."""

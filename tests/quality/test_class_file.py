"""The reader of class files: on a class put together here byte by byte, and on damaged ones."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.lang import Anchor, at
from offsetproof.real.bytecode import instructions
from offsetproof.real.class_file import ClassFile, CodeSite, Method, read_class
from offsetproof.real.program import AbsentError, JavaProgram, line_of
from tools.jars import Jar


class Assembler:
    """Class files with one method `go`, from code and line numbers."""

    def __init__(self) -> None:
        self.pool = [b"\x05" + bytes(8), b""]  # a long, which takes two places
        self.bootstraps: list[bytes] = []

    def add(self, constant: bytes) -> int:
        """The index of a constant."""
        if constant not in self.pool:
            self.pool.append(constant)
        return self.pool.index(constant) + 1

    def text(self, text: str) -> int:
        return self.add(b"\x01" + struct.pack(">H", len(text)) + text.encode())

    def name(self, name: str) -> int:
        return self.add(b"\x07" + struct.pack(">H", self.text(name)))

    def kind(self, name: str, descriptor: str = "()V") -> int:
        """The index of a name with its descriptor."""
        return self.add(b"\x0c" + struct.pack(">HH", self.text(name), self.text(descriptor)))

    def member(self, owner: str, name: str) -> bytes:
        """The two bytes that name a method in an instruction."""
        return struct.pack(">H", self.add(b"\x0a" + struct.pack(">HH", self.name(owner), self.kind(name))))

    def reference(self, owner: str, name: str) -> bytes:
        """The four bytes of an invokedynamic that makes a reference to a method, by the first bootstrap method."""
        handle = self.add(b"\x0f\x05" + self.member(owner, name))
        self.bootstraps.append(struct.pack(">HHHH", handle, 2, self.text("not a handle"), handle))
        number = len(self.bootstraps) - 1
        return struct.pack(">HH", self.add(b"\x12" + struct.pack(">HH", number, self.kind("run", "()La/Runs;"))), 0)

    def attribute(self, name: str, data: bytes) -> bytes:
        return struct.pack(">HI", self.text(name), len(data)) + data

    def assemble(self, code: bytes, lines: list[tuple[int, int]]) -> bytes:
        """The class `a/Outer`, which is a `b/Runs`."""
        table = struct.pack(">H", len(lines)) + b"".join(struct.pack(">HH", *line) for line in lines)
        body = struct.pack(">HHI", 2, 2, len(code)) + code + struct.pack(">H8xH", 1, 1)
        method = struct.pack(">HHHH", 1, self.text("go"), self.text("()V"), 1)
        method += self.attribute("Code", body + self.attribute("LineNumberTable", table))
        rest = struct.pack(">HHHHH", 1, self.name("a/Outer"), self.name("java/lang/Object"), 1, self.name("b/Runs"))
        rest += struct.pack(">HH", 0, 1) + method + struct.pack(">H", 2)
        rest += self.attribute("SourceFile", struct.pack(">H", self.text("Outer.java")))
        bootstraps = struct.pack(">H", len(self.bootstraps)) + b"".join(self.bootstraps)
        rest += self.attribute("BootstrapMethods", bootstraps)
        pool = b"".join(self.pool)
        return struct.pack(">IIH", 0xCAFEBABE, 52, len(self.pool) + 1) + pool + rest


def example() -> bytes:
    """Calls and fields among instructions of every length, the two switches at odd places included."""
    made = Assembler()
    code = b"\x03\x10\xb6\x11\xb6\xb6"  # iconst_0, bipush, sipush: operands that look like calls
    code += b"\xb6" + made.member("c/Queue", "clear")
    code += b"\xaa" + bytes(-(len(code) + 1) % 4) + struct.pack(">iiiii", 0, 7, 8, 0xB6, 0xB7)
    code += b"\x01\xab" + bytes(-(len(code) + 2) % 4) + struct.pack(">iiii", 0, 1, 0xB6, 0xB7)
    code += b"\xb9" + made.member("java/util/Iterator", "remove") + b"\xb6\x00"
    code += b"\xc4\x15\x00\xb6\xc4\x84\x00\xb6\x00\xb6\x84\x01\xb6\xc5\x00\x01\xb6"
    write = len(code)
    code += b"\xb5" + made.member("a/Outer", "pause") + b"\xb4" + made.member("a/Outer", "pause") + b"\xb1"
    return made.assemble(code, [(write, 30), (0, 10), (9, 20)])


SITES = (
    CodeSite("c/Queue", "clear", False, 10, "()V"),
    CodeSite("java/util/Iterator", "remove", False, 20, "()V"),
    CodeSite("a/Outer", "pause", True, 30, "()V"),
    CodeSite("a/Outer", "pause", False, 30, "()V"),
)


def test_class_is_read_with_its_calls_and_lines() -> None:
    assert read_class(example()) == ClassFile(
        "a/Outer", ("java/lang/Object", "b/Runs"), "Outer.java", (Method("go", 10, SITES),)
    )


def test_method_reference_is_a_site_of_the_method_that_makes_it() -> None:
    made = Assembler()
    code = (
        b"\xba"
        + made.reference("c/Queue", "clear")
        + b"\x57\xba"
        + made.reference("a/Outer", "lambda$go$0")
        + b"\x57\xb1"
    )
    (method,) = read_class(made.assemble(code, [(0, 10), (6, 20)])).methods
    assert method.sites == (
        CodeSite("c/Queue", "clear", False, 10, "()V"),
        CodeSite("a/Outer", "lambda$go$0", False, 20, "()V"),
    )


@pytest.mark.parametrize("opcode", ["\xaa", "\xab"])
@pytest.mark.parametrize("count", [2**31 - 1, -(2**31), -3, 1000])
def test_switch_with_more_cases_than_there_is_code_is_refused_at_once(opcode: str, count: int) -> None:
    """Not by making room for them: one flipped bit of the count took 20 GiB."""
    low = struct.pack(">i", 0) if opcode == "\xaa" else b""
    code = opcode.encode("latin-1") + b"\0\0\0" + struct.pack(">i", 4) + low + struct.pack(">i", count) + b"\0" * 64
    with pytest.raises(IndexError, match=r"the switch at 0 has .* cases, which the code has no room for"):
        list(instructions(code))


@reproducible(200)
@given(st.data())
def test_damaged_class_is_refused_or_read(data: st.DataObject) -> None:
    whole = example()
    at = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.booleans())
    damaged = whole[:at] if cut else whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
    try:
        assert isinstance(read_class(damaged), ClassFile)
    except ValueError as error:
        assert str(error).startswith("not a class file: ")  # noqa: PT017 - some damaged classes can be read


class Held(Jar):
    """Classes that are in no file."""

    entries = ("a/Outer", "a/Outer$Named", "a/Outer$1", "a/Outer$2", "a/Outer$1$1")  # type: ignore[assignment]  # it is a property there

    def read(self, name: str) -> ClassFile:
        methods = {
            "a/Outer": (
                Method(
                    "go",
                    1,
                    (CodeSite("a/Outer", "close", False, 2, "()V"), CodeSite("b/Lock", "close", False, 3, "()V")),
                ),
                Method("go", 5, (CodeSite("b/Lock", "close", False, 6, "()V"),)),
                Method("lambda$go$0", 7, (CodeSite("b/Queue", "put", False, 8, "()V"),)),
                Method("access$000", 1, (CodeSite("a/Outer", "hidden", True, 1, "()V"),)),
            ),
            "a/Outer$1": (Method("run", 9, (CodeSite("a/Outer", "access$000", False, 11, "()V"),)),),
        }
        parents = {"a/Outer$1": ("java/lang/Runnable",), "a/Outer$1$1": ("b/Task",)}
        return ClassFile(name, parents.get(name, ("java/lang/Object",)), "Outer.java", methods.get(name, ()))


PROGRAM = JavaProgram([Held("it", None, "1")])  # type: ignore[arg-type]  # it reads no file


@pytest.mark.parametrize(("anchor", "line"), [
    (at("Outer", "go", "close"), 2),
    (at("Outer", "go", "close", 3), 6),
    (at("Outer", "go", "Lock.close"), 3),
    (at("Outer", "go", "Lock.close", 2), 6),
    (at("Outer", "go", "put"), 8),
    (at("Outer.Runnable", "run"), 9),
    (at("Outer.Runnable", "run", "hidden"), 11),
    (at("Outer.Runnable", "run", "Outer.hidden="), 11),
])  # fmt: skip
def test_place_of_an_anchor_is_found(anchor: Anchor, line: int) -> None:
    assert line_of(anchor, PROGRAM)[1] == line


@pytest.mark.parametrize(("anchor", "why"), [
    (at("Inner", "go"), "no classes Inner in it"),
    (at("Outer.Callable", "call"), "Outer has no classes without a name that are Callable"),
    (at("Outer.Named", "go"), "Outer.Named has no method go"),
    (at("Outer", "go"), "Outer.go has 2 overloads; name a call within one"),
    (at("Outer", "go", "open"), "Outer.go has no open"),
    (at("Outer", "go", "close="), "Outer.go has no close="),
    (at("Outer", "go", "close", 4), "Outer.go has only 3 close"),
])  # fmt: skip
def test_place_that_is_not_there_says_why(anchor: Anchor, why: str) -> None:
    with pytest.raises(AbsentError) as absent:
        line_of(anchor, PROGRAM)
    assert absent.value.why == why

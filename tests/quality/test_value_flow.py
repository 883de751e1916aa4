"""What came from a field is followed through the stack, local variables, collections, branches and handlers."""

from __future__ import annotations

import struct

import pytest

from offsetproof.real.bytecode import instructions
from offsetproof.real.class_file import Code, CodeSite
from tools import value_flow
from tools.value_flow import touches

TABLE = CodeSite("a/Owner", "table", False, 1, "Ljava/util/Map;")
OTHER = CodeSite("a/Owner", "other", False, 1, "Ljava/util/Map;")
GETTER = CodeSite("a/Owner", "getTable", False, 1, "()Ljava/util/Map;")
ENTRIES = CodeSite("java/util/Map", "entrySet", False, 2, "()Ljava/util/Set;")
ITERATOR = CodeSite("java/util/Set", "iterator", False, 3, "()Ljava/util/Iterator;")
NEXT = CodeSite("java/util/Iterator", "next", False, 4, "()Ljava/lang/Object;")
REMOVE = CodeSite("java/util/Iterator", "remove", False, 5, "()V")
SIZE = CodeSite("java/util/Map", "size", False, 6, "()I")
CLEAR = CodeSite("a/Queue", "clear", False, 7, "()V")
RAISE = CodeSite("a/Tool", "raise", False, 8, "(JLjava/lang/Object;)Z")
KEPT = CodeSite("a/Other", "kept", True, 9, "Ljava/util/Map;")

GETFIELD, PUTFIELD, VIRTUAL, STATIC, INTERFACE = b"\xb4\0\0", b"\xb5\0\0", b"\xb6\0\0", b"\xb8\0\0", b"\xb9\0\0\0\0"
CAST, RETURN, THIS, POP, POP2 = b"\xc0\0\0", b"\xb1", b"\x2a", b"\x57", b"\x58"
Part = bytes | tuple[bytes, CodeSite] | tuple[bytes, str]


def assembled(*parts: Part, handlers: tuple[tuple[int, int, int], ...] = ()) -> Code:
    """Code of these instructions, with what each names."""
    code, sites, classes = b"", {}, {}
    for part in parts:
        raw, named = part if isinstance(part, tuple) else (part, None)
        if isinstance(named, CodeSite):
            sites[len(code)] = named
        elif named:
            classes[len(code)] = named
        code += raw
    return Code(tuple(instructions(code)), sites, classes, handlers)


def touched(code: Code) -> list[tuple[str, tuple[str, ...]]]:
    """The names of what touches, and of the fields whose values it gets."""
    names = {"table": "table", "getTable": "table", "other": "other"}
    return [(touch.site.name, tuple(sorted(touch.names))) for touch in touches(code, lambda site: names.get(site.name))]


def test_iterator_of_a_field_is_known_through_a_local_variable() -> None:
    code = assembled(
        THIS, (GETFIELD, TABLE), (INTERFACE, ENTRIES), (INTERFACE, ITERATOR), b"\x4c",
        b"\x2b", (INTERFACE, NEXT), POP, b"\x2b", (INTERFACE, REMOVE), RETURN,
    )  # fmt: skip
    assert touched(code) == [(name, ("table",)) for name in ("entrySet", "iterator", "next", "remove")]


def test_variable_that_holds_something_else_by_now_is_nobodys() -> None:
    code = assembled(
        THIS, (GETFIELD, TABLE), b"\x4c", THIS, b"\x4c", b"\x2b", (INTERFACE, SIZE), POP,
        THIS, (VIRTUAL, GETTER), b"\x4d", b"\x2c", (INTERFACE, SIZE), POP, RETURN,
    )  # fmt: skip
    assert touched(code) == [("size", ("table",))]


def test_element_has_a_type_of_its_own_and_is_not_followed() -> None:
    element = (THIS, (GETFIELD, TABLE), (INTERFACE, NEXT))
    code = assembled(*element, (CAST, "a/Queue"), (VIRTUAL, CLEAR), *element, (CAST, "java/util/Set"), POP, RETURN)
    assert touched(code) == [("next", ("table",)), ("next", ("table",))]
    cell = assembled(*element, (CAST, "java/util/concurrent/atomic/AtomicLong"), (VIRTUAL, REMOVE), RETURN)
    assert touched(cell) == [("next", ("table",)), ("remove", ("table",))]


def test_value_that_is_given_away_is_told_where() -> None:
    code = assembled(
        b"\x09", THIS, (GETFIELD, TABLE), (STATIC, RAISE), POP, THIS, THIS, (GETFIELD, OTHER), (PUTFIELD, KEPT), RETURN
    )
    assert touched(code) == [("raise", ("table",)), ("kept", ("other",))]


def test_branches_and_loops_meet() -> None:
    code = assembled(
        b"\x03", b"\x99" + struct.pack(">h", 10),
        THIS, (GETFIELD, TABLE), b"\xa7" + struct.pack(">h", 7),
        THIS, (GETFIELD, OTHER),
        b"\x4c", b"\x2b", (INTERFACE, SIZE), b"\x9a" + struct.pack(">h", -6), RETURN,
    )  # fmt: skip
    assert [(each.at, each.targets) for each in code.instructions if each.targets] == [
        (1, (11,)),
        (8, (15,)),
        (22, (16,)),
    ]
    assert touched(code) == [("size", ("other", "table"))]


def test_handler_knows_the_variables_of_what_it_guards() -> None:
    code = assembled(
        THIS, (GETFIELD, TABLE), b"\x4c", b"\x2b", (INTERFACE, SIZE), POP, RETURN,
        POP, b"\x2b", (INTERFACE, SIZE), POP, RETURN, handlers=((5, 11, 13),),
    )  # fmt: skip
    assert [instruction.at for instruction in code.instructions if instruction.opcode == 0x57] == [11, 13, 20]
    assert touched(code) == [("size", ("table",)), ("size", ("table",))]


@pytest.mark.parametrize("shuffle", [b"\x59\x57", b"\x5f\x5f", b"\x5a\x5f\x57\x5f\x5f", b"\x5c\x58"])
def test_shuffled_stack_keeps_its_values(shuffle: bytes) -> None:
    parts = [bytes([byte]) for byte in shuffle]
    code = assembled(b"\x01", THIS, (GETFIELD, TABLE), *parts, (INTERFACE, SIZE), POP2, RETURN)
    assert touched(code) == [("size", ("table",))]


def test_every_instruction_of_the_jvm_has_its_effect() -> None:
    effects, moved = set(value_flow._EFFECTS), set(value_flow._LOADS) | set(value_flow._STORES)
    shuffles, named = set(value_flow._SHUFFLES), {0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC0, 0xC5}
    kinds = [effects, moved, shuffles, named]
    missing = set(range(0xCA)) - set().union(*kinds)
    assert missing == {0xA8, 0xA9, 0xC4, 0xC9}, "jsr and ret are not made any more, wide is read with what it widens"
    assert sum(map(len, kinds)) == len(set().union(*kinds))


def test_switches_jump_to_their_cases() -> None:
    table = b"\x03\xaa" + bytes(2) + struct.pack(">iiiii", 30, 7, 8, 31, 32) + b"\xb1" * 12
    (switch,) = [each for each in instructions(table) if each.opcode == 0xAA]
    assert (switch.targets, switch.next) == ((31, 32, 33), 24)
    lookup = b"\x03\xab" + bytes(2) + struct.pack(">iiii", 23, 1, 99, 24) + b"\xb1" * 12
    (switch,) = [each for each in instructions(lookup) if each.opcode == 0xAB]
    assert (switch.targets, switch.next) == ((24, 25), 20)

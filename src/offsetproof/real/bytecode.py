"""The instructions of a method's code: where each is, what it names, and where it may jump to."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    """One instruction: its place, its opcode, its operand, and the places that it may jump to.

    `operand` is the index of the local variable or of the constant that it names, 0 where it names none; of a new array
    of several dimensions, `dimensions` says how many. `next` is the place behind it. `rest` has what else
    the operand says, as bytes: how much is added, what a switch is taken by.
    """

    at: int
    opcode: int
    operand: int
    targets: tuple[int, ...]
    next: int
    dimensions: int = 0
    rest: bytes = b""


_WIDE, _TABLESWITCH, _LOOKUPSWITCH, _IINC, _MULTIANEWARRAY = 0xC4, 0xAA, 0xAB, 0x84, 0xC5
_WIDE_JUMPS = (0xC8, 0xC9)
_JUMPS = (*range(0x99, 0xA9), 0xC6, 0xC7)
_SMALL = (0x10, 0x12, *range(0x15, 0x1A), *range(0x36, 0x3B), 0xA9, 0xBC)
"""Those with one byte: a number, a constant's index, or a local variable's."""

_SIZES = {
    **dict.fromkeys(_SMALL, 1),
    **dict.fromkeys((0x11, 0x13, 0x14, _IINC, *_JUMPS, *range(0xB2, 0xB9)), 2),
    **dict.fromkeys((0xBB, 0xBD, 0xC0, 0xC1), 2),
    **dict.fromkeys((0xB9, 0xBA, *_WIDE_JUMPS), 4),
    _MULTIANEWARRAY: 3,
}
"""Bytes of operands by opcode, where there are any."""


def instructions(code: bytes) -> Iterator[Instruction]:
    """The instructions of a method's code, in order; IndexError or struct.error where it ends within one."""
    at = 0
    while at < len(code):
        instruction = _decode(code, at)
        yield instruction
        at = instruction.next


def _decode(code: bytes, at: int) -> Instruction:
    opcode = code[at]
    if opcode == _WIDE:
        size = 5 if code[at + 1] == _IINC else 3
        rest = code[at + 4 : at + 1 + size]
        return Instruction(at, code[at + 1], _number(code, "H", at + 2), (), at + 1 + size, rest=rest)
    if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
        return _switch(code, at)
    after = at + 1 + _SIZES.get(opcode, 0)
    if opcode in _JUMPS:
        return Instruction(at, opcode, 0, (at + _number(code, "h", at + 1),), after)
    if opcode in _WIDE_JUMPS:
        return Instruction(at, opcode, 0, (at + _number(code, "i", at + 1),), after)
    operand = 0
    if after > at + 1:
        operand = code[at + 1] if opcode in _SMALL or opcode == _IINC else _number(code, "H", at + 1)
    dimensions = code[at + 3] if opcode == _MULTIANEWARRAY else 0
    return Instruction(at, opcode, operand, (), after, dimensions, code[at + 2 : after] if opcode == _IINC else b"")


def _switch(code: bytes, at: int) -> Instruction:
    begin = at + 1 + -(at + 1) % 4
    otherwise, low = _number(code, "i", begin), _number(code, "i", begin + 4)
    is_lookup = code[at] == _LOOKUPSWITCH
    size, first = (8, begin + 8) if is_lookup else (4, begin + 12)
    cases = low if is_lookup else _number(code, "i", begin + 8) - low + 1
    after = first + size * cases
    if cases < 0 or after > len(code):
        raise IndexError(f"the switch at {at} has {cases} cases, which the code has no room for")
    places = [first + size * case + size - 4 for case in range(cases)]
    keys = b"".join(code[place - 4 : place] for place in places) if is_lookup else code[begin + 4 : begin + 8]
    jumps = [otherwise, *(_number(code, "i", place) for place in places)]
    return Instruction(at, code[at], 0, tuple(at + jump for jump in jumps), after, rest=keys)


def _number(code: bytes, form: str, at: int) -> int:
    number: int = struct.unpack_from(f">{form}", code, at)[0]
    return number

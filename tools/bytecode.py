"""The instructions of a method's code: where each is, what it names, and where it may jump to."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    """One instruction: its place, its opcode, its operand, and the places that it may jump to.

    `operand` is the index of the local variable or of the constant that it names, 0 where it names none; of a new array
    of several dimensions, `dimensions` says how many. `next` is the place behind it.
    """

    at: int
    opcode: int
    operand: int
    targets: tuple[int, ...]
    next: int
    dimensions: int = 0


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
    """The instructions of a method's code, in order."""
    at = 0
    while at < len(code):
        instruction = _decoded(code, at)
        yield instruction
        at = instruction.next


def _decoded(code: bytes, at: int) -> Instruction:
    opcode = code[at]
    if opcode == _WIDE:
        size = 5 if code[at + 1] == _IINC else 3
        return Instruction(at, code[at + 1], _number(code, "H", at + 2), (), at + 1 + size)
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
    return Instruction(at, opcode, operand, (), after, code[at + 3] if opcode == _MULTIANEWARRAY else 0)


def _switch(code: bytes, at: int) -> Instruction:
    begin = at + 1 + -(at + 1) % 4
    otherwise, low = _number(code, "i", begin), _number(code, "i", begin + 4)
    if code[at] == _LOOKUPSWITCH:
        places = [begin + 12 + 8 * pair for pair in range(low)]
        after = begin + 8 + 8 * low
    else:
        cases = _number(code, "i", begin + 8) - low + 1
        places = [begin + 12 + 4 * case for case in range(cases)]
        after = begin + 12 + 4 * cases
    jumps = [otherwise, *(_number(code, "i", place) for place in places)]
    return Instruction(at, code[at], 0, tuple(at + jump for jump in jumps), after)


def _number(code: bytes, form: str, at: int) -> int:
    number: int = struct.unpack_from(f">{form}", code, at)[0]
    return number

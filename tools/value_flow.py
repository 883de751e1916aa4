"""Which calls in a method are on a value that came from a given field: a map, a view of it, its iterator, a cell in it.

The code is run on sets of names instead of values, every way that it can take, until nothing changes. A value has the
name of the field that it was read from, or that of the value that some collection's method gave it from. Left out: what
is stored in another field, or given to another method, is not followed there; but the call that gives it away is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from offsetproof.real.bytecode import Instruction
from offsetproof.real.class_file import Code, CodeSite

Names = frozenset[str]
_NONE: Names = frozenset()
_FOLLOWED = re.compile(r"L(java/util/.*|java/lang/Object);|\[.*")
"""Types of values that are still part of the field's: collections, iterators, atomics, and what a type variable is."""


@dataclass(frozen=True)
class Touch:
    """A site that is given a value of the named fields: `site.owner` says what it is declared to be."""

    site: CodeSite
    names: Names


@dataclass(frozen=True)
class _State:
    """The names on the stack, a place for each slot, and in the local variables."""

    stack: tuple[Names, ...] = ()
    locals: tuple[Names, ...] = ()

    def pop(self, count: int) -> _State:
        return _State(self.stack[: len(self.stack) - count], self.locals)

    def push(self, *names: Names) -> _State:
        return _State((*self.stack, *names), self.locals)

    def store(self, local: int, names: Iterable[Names]) -> _State:
        held = {**dict(enumerate(self.locals)), **dict(enumerate(names, local))}
        return _State(self.stack, tuple(held.get(place, _NONE) for place in range(max(held) + 1)))

    def join(self, other: _State) -> _State:
        return _State(_join(self.stack, other.stack), _join(self.locals, other.locals))


def _join(one: tuple[Names, ...], other: tuple[Names, ...]) -> tuple[Names, ...]:
    return tuple(a | b for a, b in zip_longest(one, other, fillvalue=_NONE))


def touches(code: Code, name_of: Callable[[CodeSite], str | None]) -> list[Touch]:
    """The calls and writes that get a value of the fields, or what their getters give, that `name_of` names."""
    flow = _Flow(code, name_of)
    return [Touch(code.sites[at], names) for at, names in sorted(flow.found.items())]


class _Flow:
    """One method's code, run to the end; `found` has the names that each site is given."""

    def __init__(self, code: Code, name_of: Callable[[CodeSite], str | None]) -> None:
        self._code, self._name_of = code, name_of
        self._at = {each.at: each for each in code.instructions}
        self.found: dict[int, Names] = {}
        self._before: dict[int, _State] = {}
        self._waiting = [0]
        self._before[0] = _State()
        while self._waiting:
            self._run(self._at[self._waiting.pop()])

    def _run(self, instruction: Instruction) -> None:
        before = self._before[instruction.at]
        after = self._after(instruction, before)
        for begin, end, handler in self._code.handlers:
            if begin <= instruction.at < end:
                self._reach(handler, _State((_NONE,), before.locals))
        for target in instruction.targets:
            self._reach(target, after)
        if instruction.opcode not in _LAST:
            self._reach(instruction.next, after)

    def _reach(self, at: int, state: _State) -> None:
        known = self._before.get(at)
        joined = state if known is None else known.join(state)
        if joined != known:
            self._before[at] = joined
            self._waiting.append(at)

    def _after(self, instruction: Instruction, state: _State) -> _State:
        opcode = instruction.opcode
        if instruction.at in self._code.sites:
            return self._after_site(instruction.at, opcode, state)
        if opcode in _LOADS or opcode in _STORES:
            return _move(instruction, state)
        if opcode in _SHUFFLES:
            taken, order = _SHUFFLES[opcode]
            top = state.stack[len(state.stack) - taken :]
            return state.pop(taken).push(*(top[place] for place in order))
        if opcode == _CHECKCAST:
            kept = _FOLLOWED.fullmatch(f"L{self._code.classes[instruction.at]};")
            return state if kept else state.pop(1).push(_NONE)
        taken, given = (instruction.dimensions, 1) if instruction.dimensions else _EFFECTS[opcode]
        return state.pop(taken).push(*[_NONE] * given)

    def _after_site(self, at: int, opcode: int, state: _State) -> _State:
        site = self._code.sites[at]
        taken, given = _slots_of(site, opcode)
        got = state.stack[len(state.stack) - taken :]
        names = _NONE.union(*got)
        if names and opcode != _GETFIELD:
            self.found[at] = self.found.get(at, _NONE) | names
        result = _NONE
        named = self._name_of(site)
        if named is not None and not site.writes:
            result = frozenset({named})
        elif got and opcode in (_INVOKEVIRTUAL, _INVOKEINTERFACE) and _FOLLOWED.fullmatch(_result(site)):
            result = got[0]
        return state.pop(taken).push(*[result] * given)


def _move(instruction: Instruction, state: _State) -> _State:
    """Between the stack and a local variable."""
    loads = instruction.opcode in _LOADS
    size, implied = (_LOADS if loads else _STORES)[instruction.opcode]
    local = instruction.operand if implied is None else implied
    if loads:
        return state.push(*(state.locals[at] if at < len(state.locals) else _NONE for at in range(local, local + size)))
    return state.pop(size).store(local, state.stack[len(state.stack) - size :])


def _slots_of(site: CodeSite, opcode: int) -> tuple[int, int]:
    """How many slots an instruction that names a member takes from the stack, and gives."""
    if opcode in _FIELDS:
        taken, given = _FIELDS[opcode]
        size = _size(site.descriptor)
        return taken + size * (opcode in _WRITES), given * size
    arguments, result = site.descriptor[1:].split(")")
    own = 0 if opcode in (_INVOKESTATIC, _INVOKEDYNAMIC) else 1
    return own + sum(map(_size, _types(arguments))), _size(result)


def _types(descriptor: str) -> Iterator[str]:
    return (found[0] for found in re.finditer(r"\[*(?:L[^;]*;|.)", descriptor))


def _size(descriptor: str) -> int:
    """How many slots a type takes."""
    return {"V": 0, "J": 2, "D": 2}.get(descriptor, 1)


def _result(site: CodeSite) -> str:
    return site.descriptor.partition(")")[2]


_GETFIELD, _CHECKCAST, _WRITES = 0xB4, 0xC0, (0xB3, 0xB5)
_INVOKEVIRTUAL, _INVOKESTATIC, _INVOKEINTERFACE, _INVOKEDYNAMIC = 0xB6, 0xB8, 0xB9, 0xBA
_FIELDS = {0xB2: (0, 1), 0xB3: (0, 0), _GETFIELD: (1, 1), 0xB5: (1, 0)}
"""getstatic, putstatic, getfield, putfield: slots taken for the object, and values given."""

_LAST = {0xA7, 0xC8, 0xAA, 0xAB, *range(0xAC, 0xB2), 0xBF}
"""Those that never go on to the next instruction: goto, switches, returns, athrow."""


def _locals(first: int, short: int) -> dict[int, tuple[int, int | None]]:
    """Loads or stores by opcode: the size of the value, and the variable where the opcode implies it."""
    sizes = (1, 2, 1, 2, 1)
    named: dict[int, tuple[int, int | None]] = {first + kind: (size, None) for kind, size in enumerate(sizes)}
    return named | {short + 4 * kind + local: (size, local) for kind, size in enumerate(sizes) for local in range(4)}


_LOADS, _STORES = _locals(0x15, 0x1A), _locals(0x36, 0x3B)
_SHUFFLES = {
    0x59: (1, (0, 0)),
    0x5A: (2, (1, 0, 1)),
    0x5B: (3, (2, 0, 1, 2)),
    0x5C: (2, (0, 1, 0, 1)),
    0x5D: (3, (1, 2, 0, 1, 2)),
    0x5E: (4, (2, 3, 0, 1, 2, 3)),
    0x5F: (2, (1, 0)),
}
"""dup and its kin: slots taken, and which of them are put back, in order."""


def _effects() -> dict[int, tuple[int, int]]:
    """Slots taken and given, by opcode, of all that only computes."""
    table = {
        (0, 0): [0x00, 0x84, 0xA7, 0xC8, 0xB1],
        (0, 1): [*range(0x01, 0x09), 0x0B, 0x0C, 0x0D, 0x10, 0x11, 0x12, 0x13, 0xBB],
        (0, 2): [0x09, 0x0A, 0x0E, 0x0F, 0x14],
        (1, 0): [0x57, *range(0x99, 0x9F), 0xAA, 0xAB, 0xAC, 0xAE, 0xB0, 0xBF, 0xC2, 0xC3, 0xC6, 0xC7],
        (1, 1): [0x74, 0x76, 0x86, 0x8B, 0x91, 0x92, 0x93, 0xBC, 0xBD, 0xBE, 0xC1],
        (1, 2): [0x85, 0x87, 0x8C, 0x8D],
        (2, 0): [0x58, *range(0x9F, 0xA7), 0xAD, 0xAF],
        (2, 1): [0x2E, 0x30, 0x32, 0x33, 0x34, 0x35, *range(0x60, 0x74, 2), *range(0x78, 0x84, 2)],
        (2, 2): [0x2F, 0x31, 0x75, 0x77, 0x8A, 0x8F],
        (3, 0): [0x4F, 0x51, *range(0x53, 0x57)],
        (3, 2): [0x79, 0x7B, 0x7D],
        (4, 0): [0x50, 0x52],
        (4, 1): [0x94, 0x97, 0x98],
        (4, 2): [*range(0x61, 0x74, 2), 0x7F, 0x81, 0x83],
    }
    table[2, 1] += [0x88, 0x89, 0x8E, 0x90, 0x95, 0x96]
    return {opcode: effect for effect, opcodes in table.items() for opcode in opcodes}


_EFFECTS = _effects()

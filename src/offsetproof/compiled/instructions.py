"""Writing expressions as LLVM instructions: one rule per node kind, and the block of lines that they go to.

Every value is an i64, whatever its sort; intervals have been checked when the nodes were built, so nothing wraps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from offsetproof.compiled.layout import Layout
from offsetproof.ir.build import is_const
from offsetproof.ir.kind import Kind, complete
from offsetproof.ir.node import Node


@dataclass
class Block:
    """Lines of LLVM IR under construction. Values known here are known in every block that this one dominates."""

    layout: Layout
    counter: list[int]
    lines: list[str] = field(default_factory=list)
    known: dict[Node, str] = field(default_factory=dict)

    def line(self, text: str) -> str:
        """Adds an instruction; the name of its value."""
        self.counter[0] += 1
        name = f"%t{self.counter[0]}"
        self.lines.append(f"  {name} = {text}")
        return name

    def widen(self, bit: str) -> str:
        """An i1 as i64."""
        return self.line(f"zext i1 {bit} to i64")

    def truth(self, value: str) -> str:
        """An i64 truth value as i1."""
        return self.line(f"trunc i64 {value} to i1")

    def value(self, root: Node) -> str:
        """The name of a node's value, with the instructions that compute it where they are not there yet."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [] if node in self.known else [a for a in node.args if a not in self.known]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if node not in self.known:
                self.known[node] = self._write(node)
        return self.known[root]

    def _write(self, node: Node) -> str:
        if is_const(node):
            return str(node.value)
        if node.kind is Kind.VAR:
            return self._load(node)
        return WRITERS[node.kind](self, node, [self.known[a] for a in node.args])

    def _load(self, node: Node) -> str:
        field = self.layout.places[node.name]
        if field.bits == 0:
            return str(field.lo)
        raw = self.line(f"and i64 {self.line(f'lshr i64 %w{field.word}, {field.shift}')}, {field.mask}")
        return self.line(f"add i64 {raw}, {field.lo}") if field.lo else raw

    def inner(self) -> Block:
        """A block that this one dominates."""
        return Block(self.layout, self.counter, [], dict(self.known))

    def add_to(self, array: str, index: str, amount: str) -> None:
        """array[index] += amount, of i64."""
        pointer = self.line(f"getelementptr i64, ptr {array}, i64 {index}")
        total = self.line(f"add i64 {self.line(f'load i64, ptr {pointer}')}, {amount}")
        self.lines.append(f"  store i64 {total}, ptr {pointer}")


Writer = Callable[["Block", Node, list[str]], str]


def _binary(op: str) -> Writer:
    return lambda block, node, a: block.line(f"{op} i64 {a[0]}, {a[1]}")


def _compare(condition: str) -> Writer:
    return lambda block, node, a: block.widen(block.line(f"icmp {condition} i64 {a[0]}, {a[1]}"))


def _select(block: Block, _node: Node, a: list[str]) -> str:
    return block.line(f"select i1 {block.truth(a[0])}, i64 {a[1]}, i64 {a[2]}")


def _division(block: Block, node: Node, a: list[str]) -> tuple[str, str, str]:
    """The divisor, 1 in place of 0, and quotient and remainder of a division that rounds towards 0."""
    divisor = node.args[1]
    by = a[1] if divisor.lo > 0 or divisor.hi < 0 else _select_i64(block, f"icmp eq i64 {a[1]}, 0", "1", a[1])
    return by, block.line(f"sdiv i64 {a[0]}, {by}"), block.line(f"srem i64 {a[0]}, {by}")


def _select_i64(block: Block, condition: str, yes: str, no: str) -> str:
    return block.line(f"select i1 {block.line(condition)}, i64 {yes}, i64 {no}")


def _rounded_down(node: Node) -> bool:
    """Does rounding towards 0 round down?"""
    dividend, divisor = node.args
    return dividend.lo >= 0 and divisor.lo >= 0


def _unless_by_zero(block: Block, node: Node, divisor: str, value: str) -> str:
    if node.args[1].lo > 0 or node.args[1].hi < 0:
        return value
    return _select_i64(block, f"icmp eq i64 {divisor}, 0", "0", value)


def _off(block: Block, by: str, rest: str) -> str:
    """Whether rounding towards 0 has rounded up: there is a remainder, and its sign is not the divisor's."""
    signs = block.line(f"icmp slt i64 {block.line(f'xor i64 {rest}, {by}')}, 0")
    return block.line(f"and i1 {block.line(f'icmp ne i64 {rest}, 0')}, {signs}")


def _div(block: Block, node: Node, a: list[str]) -> str:
    by, quotient, rest = _division(block, node, a)
    if not _rounded_down(node):
        quotient = block.line(f"sub i64 {quotient}, {block.widen(_off(block, by, rest))}")
    return _unless_by_zero(block, node, a[1], quotient)


def _mod(block: Block, node: Node, a: list[str]) -> str:
    by, _, rest = _division(block, node, a)
    if not _rounded_down(node):
        more = block.line(f"select i1 {_off(block, by, rest)}, i64 {by}, i64 0")
        rest = block.line(f"add i64 {rest}, {more}")
    return _unless_by_zero(block, node, a[1], rest)


def _minus(block: Block, _node: Node, a: list[str]) -> str:
    return block.line(f"and i64 {a[0]}, {block.line(f'xor i64 {a[1]}, -1')}")


def _has(block: Block, _node: Node, a: list[str]) -> str:
    inside = block.line(f"icmp ult i64 {a[1]}, 63")
    shifted = block.line(f"lshr i64 {a[0]}, {block.line(f'and i64 {a[1]}, 63')}")
    return block.line(f"select i1 {inside}, i64 {block.line(f'and i64 {shifted}, 1')}, i64 0")


def _lowest(block: Block, node: Node, a: list[str]) -> str:
    guarded = block.line(f"or i64 {a[0]}, {1 << node.hi}")
    return block.line(f"call i64 @llvm.cttz.i64(i64 {guarded}, i1 true)")


def _highest(block: Block, _node: Node, a: list[str]) -> str:
    zeros = block.line(f"call i64 @llvm.ctlz.i64(i64 {block.line(f'or i64 {a[0]}, 1')}, i1 true)")
    return block.line(f"sub i64 63, {zeros}")


WRITERS: dict[Kind, Writer] = complete(
    "the LLVM lowering",
    {
        Kind.ADD: _binary("add"),
        Kind.SUB: _binary("sub"),
        Kind.MUL: _binary("mul"),
        Kind.DIV: _div,
        Kind.MOD: _mod,
        Kind.EQ: _compare("eq"),
        Kind.LE: _compare("sle"),
        Kind.NOT: lambda block, node, a: block.line(f"xor i64 {a[0]}, 1"),
        Kind.AND: _binary("and"),
        Kind.OR: _binary("or"),
        Kind.ITE: _select,
        Kind.UNION: _binary("or"),
        Kind.MEET: _binary("and"),
        Kind.MINUS: _minus,
        Kind.SINGLE: lambda block, node, a: block.line(f"shl i64 1, {a[0]}"),
        Kind.HAS: _has,
        Kind.LOWEST: _lowest,
        Kind.HIGHEST: _highest,
        Kind.COUNT: lambda block, node, a: block.line(f"call i64 @llvm.ctpop.i64(i64 {a[0]})"),
    },
)
"""How each node kind is written; all values are i64."""

"""From a system to LLVM IR: functions that expand states, judge them and measure them.

    i64 expand(front, n, out, ends, fired, cuts, flags, which, broken, each)   successors of n states; how many
    void judge(front, n, flags)              which claims raise an alarm in each state
    void measure(front, n, out)              the values of some nodes in each state
    void truths(front, n, out)               the truth of some conditions in each state, 64 in a word
    i64 expand_chosen(chosen, front, ...)    as `expand`, of the instances alone that are chosen in each state

`expand` writes successors in instance order to `out`, the running count after each state to `ends`, adds to
`fired[i]` and `cuts[i]` per instance, and sets bits of `flags[state]`: FAILED, DEAD, and one per claim from CLAIMS on
where a step claim is broken. `judge` sets the claims' bits for claims about states. With `each` -1, `expand` also tells
of each successor the number of the instance that led to it, in `which`, and the bits of the step claims that this step
breaks, in `broken`. With `each` 0 all of that goes to the first place of either array, which costs next to nothing.

`truths` and `expand_chosen` are there where conditions are given, even if none. A row of `chosen` has a bit for each
instance, 64 to a word; those that are chosen must be enabled. DEAD says nothing then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offsetproof.compiled.instructions import Block
from offsetproof.compiled.layout import Layout
from offsetproof.ir.build import FALSE, TRUE, disjunction
from offsetproof.ir.node import Node
from offsetproof.ir.system import System

FAILED, DEAD, CLAIMS = 1, 2, 2
"""Flag values: a model error, no step and no cut and no model error; CLAIMS is the number of the first claim's bit."""

CLAIMS_MAX = 60
"""So many claims fit beside the other flags into one word."""

BITS = 64
"""The bits of a word."""


def words_for(bits: int) -> int:
    """How many words have so many bits; one at least."""
    return max(1, -(-bits // BITS))


def lower(
    system: System,
    layout: Layout,
    alarms: Sequence[Node | None],
    *,
    measured: Sequence[Node] = (),
    conditions: Sequence[Node] | None = None,
) -> str:
    """The LLVM module of a system.

    `alarms[j]` is true in the states that claim j reports; None for step claims. `measured` are the nodes whose values
    `measure` writes, one row of them per state, `conditions` those whose truth `truths` writes. ValueError for more
    than CLAIMS_MAX claims.
    """
    if len(system.claims) > CLAIMS_MAX:
        raise ValueError(f"{len(system.claims)} claims at once are more than {CLAIMS_MAX}; ask for them in parts")
    counter = [0]
    expand = "\n".join(_expand(system, layout, counter))
    judge = "\n".join([*_judge(layout, alarms, counter), *_measure(layout, measured, counter)])
    if conditions is not None:
        chosen = _expand(system, layout, counter, of_chosen=True)
        judge = "\n".join([judge, *_truths(layout, conditions, counter), *chosen])
    declared = "\n".join(
        f"declare i64 @llvm.{op}.i64(i64{flag})" for op, flag in (("cttz", ", i1"), ("ctlz", ", i1"), ("ctpop", ""))
    )
    return f"{declared}\n{expand}\n{judge}\n"


def _head(layout: Layout, arguments: str, result: str, name: str) -> list[str]:
    nothing = "i64 0" if result == "i64" else "void"
    lines = [
        f"define {result} @{name}({arguments}) {{",
        "entry:",
        "  %none = icmp eq i64 %n, 0",
        "  br i1 %none, label %nothing, label %loop",
        "nothing:",
        f"  ret {nothing}",
        "loop:",
        "  %i = phi i64 [0, %entry], [%i1, %latch]",
    ]
    if result == "i64":
        lines.append("  %k = phi i64 [0, %entry], [%klast, %latch]")
    lines.append(f"  %row = mul i64 %i, {layout.words}")
    for word in range(layout.words):
        lines += [
            f"  %at{word} = add i64 %row, {word}",
            f"  %p{word} = getelementptr i64, ptr %front, i64 %at{word}",
            f"  %w{word} = load i64, ptr %p{word}",
        ]
    return lines


def _tail(result: str) -> list[str]:
    return [
        "  br label %latch",
        "latch:",
        "  %i1 = add i64 %i, 1",
        "  %more = icmp ult i64 %i1, %n",
        "  br i1 %more, label %loop, label %end",
        "end:",
        f"  ret {result}",
        "}",
    ]


def _judge(layout: Layout, alarms: Sequence[Node | None], counter: list[int]) -> list[str]:
    block = Block(layout, counter)
    flags = "0"
    for j, alarm in enumerate(alarms):
        if alarm is not None and alarm is not FALSE:
            bit = block.line(f"shl i64 {block.value(alarm)}, {CLAIMS + j}")
            flags = block.line(f"or i64 {flags}, {bit}")
    pointer = block.line("getelementptr i64, ptr %flags, i64 %i")
    block.lines.append(f"  store i64 {flags}, ptr {pointer}")
    head = _head(layout, "ptr noalias %front, i64 %n, ptr noalias %flags", "void", "judge")
    return [*head, *block.lines, *_tail("void")]


def _measure(layout: Layout, measured: Sequence[Node], counter: list[int]) -> list[str]:
    block = Block(layout, counter)
    first = block.line(f"mul i64 %i, {len(measured)}")
    for j, node in enumerate(measured):
        pointer = block.line(f"getelementptr i64, ptr %out, i64 {block.line(f'add i64 {first}, {j}')}")
        block.lines.append(f"  store i64 {block.value(node)}, ptr {pointer}")
    head = _head(layout, "ptr noalias %front, i64 %n, ptr noalias %out", "void", "measure")
    return [*head, *block.lines, *_tail("void")]


def _truths(layout: Layout, conditions: Sequence[Node], counter: list[int]) -> list[str]:
    block = Block(layout, counter)
    words = ["0"] * words_for(len(conditions))
    for j, condition in enumerate(conditions):
        bit = block.line(f"shl i64 {block.value(condition)}, {j % BITS}")
        words[j // BITS] = block.line(f"or i64 {words[j // BITS]}, {bit}")
    first = block.line(f"mul i64 %i, {len(words)}")
    for j, word in enumerate(words):
        pointer = block.line(f"getelementptr i64, ptr %out, i64 {block.line(f'add i64 {first}, {j}')}")
        block.lines.append(f"  store i64 {word}, ptr {pointer}")
    head = _head(layout, "ptr noalias %front, i64 %n, ptr noalias %out", "void", "truths")
    return [*head, *block.lines, *_tail("void")]


def _load_chosen(instances: int, counter: list[int]) -> list[str]:
    """The words of a state's row of `chosen`, as %pick0, %pick1..."""
    words = words_for(instances)
    counter[0] += 1
    first = f"%t{counter[0]}"
    lines = [f"  {first} = mul i64 %i, {words}"]
    for word in range(words):
        lines += [
            f"  %pickat{word} = add i64 {first}, {word}",
            f"  %pickp{word} = getelementptr i64, ptr %chosen, i64 %pickat{word}",
            f"  %pick{word} = load i64, ptr %pickp{word}",
        ]
    return lines


def _expand(system: System, layout: Layout, counter: list[int], *, of_chosen: bool = False) -> list[str]:
    names = ("out", "ends", "fired", "cuts", "flags", "which", "broken")
    arguments = ", ".join(f"ptr noalias %{name}" for name in names)
    first, name = ("ptr noalias %chosen, ", "expand_chosen") if of_chosen else ("", "expand")
    lines = _head(layout, f"{first}ptr noalias %front, i64 %n, {arguments}, i64 %each", "i64", name)
    if of_chosen:
        lines += _load_chosen(len(system.instances), counter)
    outer = Block(layout, counter)
    state = _Running("%k", "0", "0")
    lines.append("  br label %a0")
    for i in range(len(system.instances)):
        part = _InstancePart(system, layout, outer, i, is_chosen=of_chosen)
        state = part.write(lines, state)
        outer = part.outer
    final = Block(layout, counter)
    final.lines.append(f"a{len(system.instances)}:")
    moved = final.line(f"icmp eq i64 {state.count}, %k")
    quiet = final.line(f"icmp eq i64 {state.cut}, 0")
    sound = final.line(f"icmp eq i64 {final.line(f'and i64 {state.flags}, {FAILED}')}, 0")
    dead = final.widen(final.line(f"and i1 {final.line(f'and i1 {moved}, {quiet}')}, {sound}"))
    flags = final.line(f"or i64 {state.flags}, {final.line(f'shl i64 {dead}, 1')}")
    for array, value in (("flags", flags), ("ends", state.count)):
        pointer = final.line(f"getelementptr i64, ptr %{array}, i64 %i")
        final.lines.append(f"  store i64 {value}, ptr {pointer}")
    final.lines.append(f"  %klast = add i64 {state.count}, 0")
    return [*lines, *final.lines, *_tail("i64 %klast")]


@dataclass(frozen=True)
class _Running:
    """Names of what is carried from instance to instance: successors so far, cuts seen, flags."""

    count: str
    cut: str
    flags: str


class _InstancePart:
    """The blocks of one instance: `a` tests its guard, `b` writes the successor, then comes the next `a`."""

    def __init__(self, system: System, layout: Layout, outer: Block, number: int, *, is_chosen: bool) -> None:
        self.system, self.layout, self.number, self.is_chosen = system, layout, number, is_chosen
        self.inst = system.instances[number]
        self.outer = Block(layout, outer.counter, [], dict(outer.known))

    def write(self, lines: list[str], state: _Running) -> _Running:
        """Appends the instance's blocks; what the next instance starts from."""
        i, outer = self.number, self.outer
        lines.append(f"a{i}:")
        cut = self._cut(state.cut)
        flags = self._failure_flag(state.flags)
        enabled = self._choice() if self.is_chosen else outer.truth(outer.value(self.inst.enabled))
        lines += [*outer.lines, f"  br i1 {enabled}, label %b{i}, label %c{i}", f"b{i}:"]
        inner = outer.inner()
        broken = inner.line(f"or i64 {flags}, {self._successor(inner, state.count)}")
        lines += [
            *inner.lines,
            f"  %grown{i} = add i64 {state.count}, 1",
            f"  br label %c{i}",
            f"c{i}:",
            f"  %count{i} = phi i64 [{state.count}, %a{i}], [%grown{i}, %b{i}]",
            f"  %flags{i} = phi i64 [{flags}, %a{i}], [{broken}, %b{i}]",
            f"  br label %a{i + 1}",
        ]
        return _Running(f"%count{i}", cut, f"%flags{i}")

    def _choice(self) -> str:
        word, bit = divmod(self.number, BITS)
        return self.outer.line(f"icmp ne i64 {self.outer.line(f'and i64 %pick{word}, {1 << bit}')}, 0")

    def _cut(self, before: str) -> str:
        if self.inst.cut is FALSE:
            return before
        value = self.outer.value(self.inst.cut)
        self.outer.add_to("%cuts", str(self.number), value)
        return self.outer.line(f"or i64 {before}, {value}")

    def _failure_flag(self, flags: str) -> str:
        failing = disjunction([failure.condition for failure in self.inst.failures])
        return flags if failing is FALSE else self.outer.line(f"or i64 {flags}, {self.outer.value(failing)}")

    def _successor(self, block: Block, count: str) -> str:
        """Writes the successor and what it is told by; the bits of the step claims that the step breaks."""
        row = block.line(f"mul i64 {count}, {self.layout.words}")
        for word, value in enumerate(self._pack(block)):
            pointer = block.line(f"getelementptr i64, ptr %out, i64 {block.line(f'add i64 {row}, {word}')}")
            block.lines.append(f"  store i64 {value}, ptr {pointer}")
        block.add_to("%fired", str(self.number), "1")
        bits = "0"
        for j, claim in enumerate(self.system.claims):
            if claim.per_step and claim.per_step[self.number] is not TRUE:
                broken = block.line(f"xor i64 {block.value(claim.per_step[self.number])}, 1")
                bits = block.line(f"or i64 {bits}, {block.line(f'shl i64 {broken}, {CLAIMS + j}')}")
        index = block.line(f"and i64 {count}, %each")
        for array, value in (("which", str(self.number)), ("broken", bits)):
            pointer = block.line(f"getelementptr i64, ptr %{array}, i64 {index}")
            block.lines.append(f"  store i64 {value}, ptr {pointer}")
        return bits

    def _pack(self, block: Block) -> list[str]:
        words = [f"%w{word}" for word in range(self.layout.words)]
        cleared = [0] * self.layout.words
        fresh: list[list[str]] = [[] for _ in words]
        for name, node in self.inst.updates.items():
            field = self.layout.places[name]
            if field.bits:
                raw = block.value(node)
                raw = block.line(f"sub i64 {raw}, {field.lo}") if field.lo else raw
                fresh[field.word].append(block.line(f"shl i64 {raw}, {field.shift}"))
                cleared[field.word] |= field.mask << field.shift
        for word, parts in enumerate(fresh):
            if parts:
                words[word] = block.line(f"and i64 {words[word]}, {~cleared[word] & (1 << 64) - 1}")
            for part in parts:
                words[word] = block.line(f"or i64 {words[word]}, {part}")
        return words

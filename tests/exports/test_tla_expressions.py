"""Every kind of expression in TLA+: its text, and its value as TLC computes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from exports.judging import told
from exports.samples import FAR, ROUNDS, WIDE, Awkward, at_round, one_of_each, sampled
from ir.expressions import VARIABLES

from offsetproof.exports.exported import Exported
from offsetproof.exports.tla.declarations import own_operators
from offsetproof.exports.tla.expressions import TLA, Writer, with_lets
from offsetproof.exports.tla.layout import Text
from offsetproof.exports.tla.unify import Unifier
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir import build
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node, evaluate, intern, topological
from offsetproof.ir.system import System
from offsetproof.lang.setting import Setting

EVERYTHING = (*VARIABLES, *WIDE, FAR)
P, Q, I, J, S, T = (variable.node for variable in VARIABLES)
TWO = build.const(2)


def vocabulary() -> Vocabulary:
    """The names of a module whose variables are those that expressions are sampled over."""
    export = Exported("sampled", Awkward, Setting(Awkward.scopes[0]), System(EVERYTHING, ()), (), {}, {})
    found = Vocabulary(export)
    found.kinds = frozenset(Kind)
    return found


VOCABULARY = vocabulary()


def text(node: Node) -> Text:
    """A node as TLA+."""
    return Writer(VOCABULARY.words).text(Unifier(VOCABULARY.families).term([node]))


TEXTS = {
    "~p": build.negate(P),
    "p /\\ q": build.both(P, Q),
    "p \\/ q": build.either(P, Q),
    "p = q": build.eq(P, Q),
    "i = j": build.eq(I, J),
    "i # j": build.negate(build.eq(I, J)),
    "i <= j": build.le(I, J),
    "i > j": build.negate(build.le(I, J)),
    "i + j": build.add(I, J),
    "i - 1": build.add(I, build.const(-1)),
    "i - j": build.sub(I, J),
    "i - (j - i)": intern(Kind.SUB, (I, intern(Kind.SUB, (J, I)))),
    "i - j - i": intern(Kind.SUB, (intern(Kind.SUB, (I, J)), I)),
    "i * j": build.mul(I, J),
    "i * j + i": build.add(build.mul(I, J), I),
    "i * (i + j)": build.mul(I, build.add(I, J)),
    "Quotient(i, j)": build.div(I, J),
    "(i + j) % 2": build.mod(build.add(I, J), TWO),
    "i + j <= 2": build.le(build.add(I, J), TWO),
    "IF p THEN i ELSE j": build.ite(P, I, J),
    "(IF p THEN i ELSE j) + i": intern(Kind.ADD, (intern(Kind.ITE, (P, I, J)), I)),
    "s \\cup t": build.union(S, T),
    "s \\cap t": build.meet(S, T),
    "s \\ t": build.minus(S, T),
    "(s \\cup t) \\ {0, 2}": build.minus(build.union(S, T), build.const(5, Sort.SET)),
    "s = {}": build.eq(S, build.EMPTY),
    "s = 0..2": build.eq(S, build.const(7, Sort.SET)),
    "{i}": build.single(I),
    "j \\in s": build.has(S, J),
    "j \\notin s \\cup t": build.negate(build.has(build.union(S, T), J)),
    "Lowest(s, 3)": build.lowest(S),
    "Highest(s)": build.highest(S),
    "Cardinality(s)": build.count(S),
    "p /\\ (q \\/ i = 2)": build.both(P, build.either(Q, build.eq(I, TWO))),
    "~(p /\\ q)": build.negate(build.both(P, Q)),
    "(p /\\ q) = (i = 2)": intern(Kind.EQ, (intern(Kind.AND, (P, Q)), build.eq(I, TWO))),
}


@pytest.mark.parametrize("expected", TEXTS)
def test_expressions_read_as_people_write_them(expected: str) -> None:
    assert text(TEXTS[expected]).flat == expected


@pytest.mark.parametrize("node", one_of_each(), ids=lambda node: node.kind.label)
def test_each_rule_decides_the_text_of_its_kind(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(node).flat
    monkeypatch.setitem(TLA, node.kind, lambda writer, term, flavour: Text("changed"))
    assert text(node).flat == "changed" != before


def test_what_is_used_twice_and_long_is_defined_once() -> None:
    number = build.ite(P, build.add(I, J), build.sub(J, I))
    unifier = Unifier(VOCABULARY.families)
    term = unifier.term([build.both(build.le(number, TWO), build.negate(build.eq(number, I)))])
    lines = with_lets(VOCABULARY, [term], {}, lambda writer: writer.text(term)).lines()
    assert lines == ["LET number == IF p THEN i + j ELSE j - i", "IN  number <= 2 /\\ number # i"]
    short = unifier.term([build.both(build.le(build.add(I, J), TWO), build.le(J, build.add(I, J)))])
    lines = with_lets(VOCABULARY, [short], {}, lambda writer: writer.text(short)).lines()
    assert lines == ["i + j <= 2 /\\ j <= i + j"]


def value(number: int, sort: Sort) -> str:
    """A value of the IR as a TLA+ constant."""
    if sort is Sort.BOOL:
        return "TRUE" if number else "FALSE"
    if sort is Sort.SET:
        return "{" + ", ".join(str(i) for i in range(number.bit_length()) if number >> i & 1) + "}"
    return str(number)


def judge(nodes: Sequence[Node], rounds: Sequence[dict[str, int]]) -> str:
    """A module that assumes of each expression that it has the values that it should have, state by state."""
    records = [", ".join(f"{v.name} |-> {value(values[v.name], v.sort)}" for v in EVERYTHING) for values in rounds]
    states = ",\n".join(f"[{record}]" for record in records)
    lets = "\n".join(f"    {v.name} == r.{v.name}" for v in EVERYTHING)
    found = zip(*(evaluate(nodes, values) for values in rounds), strict=True)
    lines = [
        "---- MODULE Judge ----",
        "EXTENDS Integers, FiniteSets",
        *own_operators(VOCABULARY),
        f"States == <<{states}>>",
    ]
    for at, (node, numbers) in enumerate(zip(nodes, found, strict=True)):
        body = "\n".join(f"      {line}" for line in text(node).lines())
        expected = ", ".join(value(number, node.sort) for number in numbers)
        lines.append(f"E{at}(r) ==\n  LET\n{lets}\n  IN\n{body}")
        lines.append(f"ASSUME \\A k \\in 1..{len(rounds)} : E{at}(States[k]) = <<{expected}>>[k]")
    return "\n".join([*lines, "====", ""])


def test_tlc_computes_every_kind_as_the_ir_means_it(tmp_path: Path) -> None:
    nodes = [node for node in sampled() if node.lo >= -(2**31) and node.hi < 2**31]
    assert {node.kind for node in topological(nodes)} | {Kind.SINGLE} == set(Kind)
    rounds = [at_round(number) for number in range(0, ROUNDS, 29)]
    out = told(judge([*nodes, build.single(I)], rounds), tmp_path)
    assert "Model checking completed. No error has been found." in out


def test_judge_notices_a_wrong_value(tmp_path: Path) -> None:
    module = judge([build.add(I, J)], [at_round(0), at_round(5)])
    assert "No error has been found" in told(module, tmp_path)
    assert "is false" in told(module.replace("i + j", "i - j"), tmp_path)

"""Promela and Rust as people lay them out: few brackets, no long lines, and nothing lost where a line ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from exports.rocketmq_cases import SMALL, Case
from exports.samples import NAMES, sampled
from ir.expressions import VARIABLES

from offsetproof.exports.exported import Exported
from offsetproof.exports.promela import expressions as promela_expressions
from offsetproof.exports.promela.model import promela
from offsetproof.exports.stateright import expressions as rust_expressions
from offsetproof.exports.stateright.crate import stateright
from offsetproof.exports.tla.module import tla
from offsetproof.exports.wrapping import WIDTH, assignment_lines, bare, break_expression, in_brackets, outside
from offsetproof.ir import build
from offsetproof.ir.kind import Kind
from offsetproof.ir.node import intern

P, Q, I, J, _, _ = (variable.node for variable in VARIABLES)
SOME = SMALL[::4]


def rust(node: build.Node) -> str:
    """A node as Rust."""
    return rust_expressions.expressions([node], NAMES)[1][0]


@pytest.mark.parametrize(("node", "in_promela", "in_rust"), [
    (build.negate(build.eq(I, J)), "(i != j)", "(i != j)"),
    (build.negate(build.le(I, J)), "(i > j)", "(i > j)"),
    (build.negate(build.eq(P, build.eq(I, J))), "(p != (i == j))", "(p != (i == j))"),
    (build.negate(build.both(P, Q)), "!(p && q)", "!(p && q)"),
    (intern(Kind.AND, (P, intern(Kind.AND, (Q, build.eq(I, J))))), "(p && q && (i == j))", "(p && q && (i == j))"),
    (intern(Kind.OR, (intern(Kind.AND, (P, Q)), Q)), "((p && q) || q)", "((p && q) || q)"),
    (build.add(I, build.const(-2)), "(i - 2)", "(i - 2)"),
    (
        build.ite(P, I, build.ite(Q, J, build.const(0))),
        "(p -> i : (q -> j : 0))",
        "(if p { i } else if q { j } else { 0 })",
    ),
])  # fmt: skip
def test_both_languages_read_as_people_write_them(node: build.Node, in_promela: str, in_rust: str) -> None:
    assert (promela_expressions.expression(node, NAMES), rust(node)) == (in_promela, in_rust)


@pytest.mark.parametrize("write", [lambda node: promela_expressions.expression(node, NAMES), rust])
@pytest.mark.parametrize("width", [20, 60])
def test_lines_of_an_expression_are_all_of_it(write: Callable[[build.Node], str], width: int) -> None:
    split = 0
    for node in sampled():
        text = write(node)
        lines = break_expression(text, width)
        split += len(lines) > 1
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert len(lines) > 1 or len(text) <= width or "(" not in text.strip("!()")
    assert split > 20


def test_branches_stand_under_each_other() -> None:
    text = "if first_condition { first_value } else if second { second_value } else { third }"
    assert break_expression(text, 40) == [
        "if first_condition { first_value }",
        "else if second { second_value }",
        "else { third }",
    ]
    assert break_expression(text, 25)[:2] == ["if first_condition", "{ first_value }"]
    assert assignment_lines(f"field: {text}", "    ", ":", ",", 50) == [
        "    field:",
        "      if first_condition { first_value }",
        "      else if second { second_value }",
        "      else { third },",
    ]


def test_brackets_are_told_from_those_of_parts() -> None:
    assert (bare("(a) + (b)"), in_brackets("(a) + (b)")) == ("(a) + (b)", "((a) + (b))")
    assert (bare("((a) + (b))"), in_brackets("((a) + (b))")) == ("(a) + (b)", "((a) + (b))")
    assert bare("(c -> a : b)") == "(c -> a : b)"
    assert bare("(x && (c -> a : b))") == "x && (c -> a : b)"
    assert outside("f(a, [b]) { c }") == "f(......) {...}"


@pytest.mark.parametrize("write", [tla, promela, stateright], ids=["tla", "promela", "stateright"])
@pytest.mark.parametrize("case", SOME, ids=lambda case: case.name)
def test_no_line_of_an_export_is_long(case: Case, write: Callable[[Exported], dict[str, str]]) -> None:
    for name, text in write(case.export).items():
        assert [line for line in text.splitlines() if len(line) > WIDTH] == [], name

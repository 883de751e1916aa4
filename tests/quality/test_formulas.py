"""*And*, *or* and *not* in the RocketMQ model and its claims follow the rule that `lang/__init__.py` states.

Only what the syntax tree shows is asked: a truth value is a comparison, a formula, a field that is a flag, a method
that answers a question, or a local name for one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    str(file.relative_to(ROOT))
    for folder in ("model", "properties")
    for file in (ROOT / folder).rglob("*.py")
    if file.name != "rigging.py"  # on plain values: it is never staged
)

FORMULAS = {"every", "some", "negation", "implies", "among", "holds"}
DECIDES = "# splits:"

Function = ast.FunctionDef


@cache
def truths() -> frozenset[str]:
    """The names of flags and of functions that answer a question."""
    nodes = [node for file in FILES for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))]
    questions = {node.name for node in nodes if isinstance(node, Function) and _is_named(node.returns, "bool")}
    flags = {
        node.target.id
        for node in nodes
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_named(node.annotation, "bool")
    }
    return frozenset(questions | flags | FORMULAS)


def _is_named(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _name(node: ast.expr) -> str:
    """The last name of a reference, or of what is called."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_truth(node: ast.expr, local: frozenset[str]) -> bool:
    """Does the tree show that this is a truth value?"""
    if isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return True
    return _name(node) in truths() or (isinstance(node, ast.Name) and node.id in local)


def local_truths(function: Function) -> frozenset[str]:
    """Local names that a truth value is assigned to."""
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    return frozenset(
        target.id
        for node in assigned
        for target in node.targets
        if isinstance(target, ast.Name) and is_truth(node.value, frozenset())
    )


def deciding(function: Function) -> set[ast.AST]:
    """What stands where Python has to know: tests, and what `require` and `bound` are given."""
    places: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            places.append(node.test)
        elif isinstance(node, ast.comprehension):
            places += node.ifs
        elif isinstance(node, ast.Call) and _name(node) in ("require", "bound"):
            places += node.args
    return {inner for place in places for inner in ast.walk(place)}


def is_after_none(node: ast.expr) -> bool:
    """`x is None or ...`: what comes last has no value otherwise."""
    return isinstance(node, ast.BoolOp) and all(
        isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Is | ast.IsNot) for each in node.values[:-1]
    )


def formulas(function: Function) -> Iterator[ast.expr]:
    """What has to be a formula: all expressions of a question, and what an action assigns to fields."""
    if _is_named(function.returns, "bool"):
        statements: list[ast.AST] = [*function.body]
    else:
        assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
        statements = [node.value for node in assigned if isinstance(node.targets[0], ast.Attribute)]
    known = deciding(function)
    for statement in statements:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.expr) and node not in known)


def offences(text: str) -> list[tuple[int, str]]:
    """What breaks the rule: line and expression."""
    lines, found = text.splitlines(), []
    for function in (node for node in ast.walk(ast.parse(text)) if isinstance(node, Function)):
        local = local_truths(function)
        for node in ast.walk(function):
            sets_of_truths = (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.BitAnd | ast.BitOr)
                and (is_truth(node.left, local) or is_truth(node.right, local))
            )
            compared_with_truth = isinstance(node, ast.Compare) and any(
                isinstance(each, ast.Constant) and (each.value is None or isinstance(each.value, bool))
                for each, op in zip(node.comparators, node.ops, strict=True)
                if isinstance(op, ast.Eq | ast.NotEq)
            )
            field_by_text = (
                isinstance(node, ast.Call)
                and _name(node) in ("number_of", "holds")
                and any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in node.args)
            )
            if sets_of_truths or compared_with_truth or field_by_text:
                found.append(node)
        found += [
            node
            for node in formulas(function)
            if (isinstance(node, ast.BoolOp) and not is_after_none(node))
            or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        ]
    said = {(node.lineno, ast.unparse(node)) for node in found if DECIDES not in lines[node.lineno - 1]}
    return sorted(said)


@pytest.mark.parametrize("file", FILES)
def test_formulas_and_decisions_are_written_as_the_rule_says(file: str) -> None:
    assert offences((ROOT / file).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("body", "offence"),
    [
        ("def quiet(self) -> bool:\n    return a and b", "a and b"),
        ("def quiet(self) -> bool:\n    return some(not pq.swept for pq in self.all)", "not pq.swept"),
        ("def quiet(self) -> bool:\n    return (a == 1) | b", "(a == 1) | b"),
        ("def quiet(self) -> bool:\n    here = a == 1\n    return here & there", "here & there"),
        ("def quiet(self) -> bool:\n    return self.dropped & b", "self.dropped & b"),
        ("def quiet(self) -> bool:\n    return changed == False", "changed == False"),
        ("def quiet(self) -> bool:\n    return self.number_of('cell') == 0", "self.number_of('cell')"),
        ("def act(self) -> None:\n    self.x = a or b", "a or b"),
    ],
)
def test_offence_is_found(body: str, offence: str) -> None:
    assert [said for _, said in offences(body)] == [offence]


@pytest.mark.parametrize(
    "body",
    [
        "def quiet(self) -> bool:\n    return x is None or x > 1",
        "def quiet(self) -> bool:\n    if a and not b:\n        return True\n    return every([a, b])",
        "def quiet(self) -> bool:\n    return not a  # splits: for a reason",
        "def quiet(self) -> bool:\n    return (self.offsets & self.others).count() == 0",
        "def act(self) -> None:\n    require(not a, b or c)\n    late = a and b\n    self.y = self.y | self.z",
    ],
)
def test_what_the_rule_allows_is_no_offence(body: str) -> None:
    assert offences(body) == []

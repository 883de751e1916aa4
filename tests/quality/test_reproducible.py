"""A test that draws examples draws the same ones in every run, and no slow machine makes it fail."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_test_that_draws_examples_is_reproducible() -> None:
    drawing = {}
    for file in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
                if "given" in names:
                    drawing[f"{file.relative_to(TESTS)}: {node.name}"] = names
    assert len(drawing) > 50
    assert {name for name, names in drawing.items() if not names & {"reproducible", "reproducible_always"}} == set()

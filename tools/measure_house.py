"""Measures the size of a checkout and some habits of its code: `python -m tools.measure_house [--json] [FOLDER]`.

It reads files as text and as syntax trees and runs none of them, so that any earlier checkout can be measured.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

Measures = dict[str, int]

ROOT = Path(__file__).parents[1]
MODELS = "model"
PROGRAM = ("src", MODELS, "properties", "traces", "examples")
ROOMS = (*PROGRAM, "tests", "studies", "tools", "bench")
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_NO_STEPS = {"property", "cached_property", "staticmethod", "classmethod", "override"}
"""Decorators that make something else of a method of a model than an action."""


def measure(root: Path) -> Measures:
    """The measures of a checkout, by their names for people."""
    trees = {room: _trees(root / room) for room in ROOMS}
    measures = {}
    for room in ROOMS:
        measures[f"{room}: files"] = len(trees[room])
        measures[f"{room}: lines of code"] = sum(map(code_lines, _sources(root / room)))
    program = [tree for room in PROGRAM for tree in trees[room]]
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("tests/*.md")]
    schemas = [path for room in PROGRAM for path in (root / room).rglob("*.schema.json")]
    return measures | {
        "pages": len(pages),
        "pages: records of decisions among them": sum(page.parent.name == "decisions" for page in pages),
        "pages: kB": round(sum(page.stat().st_size for page in pages) / 1000),
        "error classes": sum(_is_error(node) for tree in program for node in ast.walk(tree)),
        "private functions": sum(len(_private(tree)) for tree in program),
        "private functions used once in their file": sum(map(_used_once, program)),
        **_about_actions(trees[MODELS]),
        "commands of make": len(re.findall(r"(?m)^[a-z][a-z-]*:(?!=)", _text(root / "Makefile"))),
        "schemas": len(schemas),
        "schemas: lines": sum(len(_text(path).splitlines()) for path in schemas),
    }


def code_lines(source: str) -> int:
    """The lines of a source that have code: no docstring, import or comment, and not blank.

    >>> code_lines("'''About.'''\\nimport os\\n\\n# Why.\\nx = (\\n    1\\n)\\ny = '''a\\n\\nb'''\\n")
    5
    """
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    spans = ((token.start[0], token.end[0]) for token in tokens if token.type not in _LAYOUT)
    found = {line for first, last in spans for line in range(first, last + 1)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and _is_no_code(node):
            found -= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = source.splitlines()
    return sum(bool(lines[number - 1].strip()) for number in found)


def _is_no_code(node: ast.stmt) -> bool:
    """Is it an import, or a string by itself: the docstring of a module, class, function or variable?"""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom)


def _sources(folder: Path) -> Iterator[str]:
    """The Python files below a folder. Links are not followed: the rooms that they lead to are measured themselves."""
    for path in sorted(folder.rglob("*.py")):
        if not any(part.is_symlink() for part in path.parents if part.is_relative_to(folder)):
            yield _text(path)


def _trees(folder: Path) -> list[ast.Module]:
    return [ast.parse(source) for source in _sources(folder)]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _is_error(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and node.name.endswith("Error")


def _private(tree: ast.Module) -> list[str]:
    functions = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [name for name in functions if name.startswith("_") and not name.startswith("__")]


def _used_once(tree: ast.Module) -> int:
    """How many of its private functions a file mentions in a single place."""
    mentions = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    return sum(mentions[name] == 1 for name in _private(tree))


def _about_actions(models: Sequence[ast.Module]) -> Measures:
    """How many actions the models declare, in how many files, and where their names stand as text."""
    files = Counter(name for tree in models for name in _actions(tree))
    texts = [node.value for tree in models for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {
        "names of actions": len(files),
        "names of actions declared in several files": sum(count > 1 for count in files.values()),
        "inherited actions taken away": sum(map(_taken_away, models)),
        "places that name an action by a string": sum(isinstance(text, str) and text in files for text in texts),
    }


def _actions(tree: ast.Module) -> set[str]:
    """The decorated methods of a file of a model: each is an action."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = [node for each in classes for node in each.body if isinstance(node, ast.FunctionDef)]
    return {method.name for method in methods if any(_makes_action(each) for each in method.decorator_list)}


def _makes_action(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).rpartition(".")[2] not in _NO_STEPS


def _taken_away(tree: ast.Module) -> int:
    """How many names the `without` of a file's models has; it is written as tuples of this file, joined by stars."""
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    values = {target.id: node.value for node in assigned for target in node.targets if isinstance(target, ast.Name)}

    def names(value: ast.AST) -> int:
        if isinstance(value, ast.Constant):
            return 1
        inside = values[value.id] if isinstance(value, ast.Name) else value
        return sum(names(each) for each in ast.iter_child_nodes(inside) if not isinstance(each, ast.expr_context))

    return names(values["without"]) if "without" in values else 0


def table(measured: dict[str, Measures]) -> str:
    """The measures of several checkouts beside each other, as Markdown.

    >>> print(table({"before": {"pages": 1200}, "after": {"pages": 15}}))
    | measure | before | after |
    |---|---:|---:|
    | pages | 1,200 | 15 |
    """
    columns = [*measured.values()]
    rows = [f"| {name} | {' | '.join(f'{column[name]:,}' for column in columns)} |" for name in columns[0]]
    return "\n".join([f"| measure | {' | '.join(measured)} |", f"|---|{'---:|' * len(columns)}", *rows])


def main() -> int:
    """Prints the measures of a checkout; 1 where the folder is none."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure_house", description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT, help="a checkout; this one, if none is named")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.folder / "pyproject.toml").is_file():
        print(f"{options.folder} has no pyproject.toml: name the root of a checkout", file=sys.stderr)
        return 1
    measures = measure(options.folder)
    print(json.dumps(measures, indent=1) if options.json else table({options.folder.resolve().name: measures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

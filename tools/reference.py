"""The reference in docs/language.md: every name of `offsetproof.lang`, by theme, from the docstrings."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from itertools import pairwise

from offsetproof import lang
from tools.docstrings import entry, own_docstring

THEMES = {
    "Models and their parts": "model component array scope",
    "Fields": "fields offsets transit",
    "Actions": "action anchor fairness",
    "Claims": "claim cases subject",
    "Conditions and choices that do not split": "expression",
    "Releases, fixes and what is taken for granted": "setting changes",
    "How bad, and how long": "damage timing",
    "How it is drawn": "picture",
    "Errors": "errors",
}
"""The modules of the language, in the order in which a reader needs them."""


def reference() -> str:
    """The text of the reference."""
    lines: list[str] = []
    for theme, modules in THEMES.items():
        lines += [f"### Reference: {theme.lower()}", ""]
        for module in modules.split():
            for name in names_of(module):
                lines += [f"#### `{name}`", "", *entry(name, getattr(lang, name), about(name, module))]
    return "\n".join(lines).rstrip("\n") + "\n"


def names_of(module: str) -> list[str]:
    """The exported names that a module of the language declares, in its order."""
    declared = [name for statement in _tree(module).body for name in _names(statement)]
    return [name for name in dict.fromkeys(declared) if name in lang.__all__]


def about(name: str, module: str) -> str:
    """What a name's docstring says, that of a value being the text that follows it; empty where it has none."""
    value = getattr(lang, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        return own_docstring(value)
    body = _tree(module).body
    for statement, after in pairwise(body):
        text = after.value if isinstance(after, ast.Expr) else None
        if name in _names(statement) and isinstance(text, ast.Constant) and isinstance(text.value, str):
            return inspect.cleandoc(text.value)
    return ""


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(import_module(f"offsetproof.lang.{module}")))


def _names(statement: ast.stmt) -> list[str]:
    """The names that a statement at the top of a module declares."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]

"""The page docs/reference.md: every name of `offsetproof.lang` with its signature and its docstring, by theme."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from offsetproof import lang

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"

THEMES = {
    "Models and their parts": "model component array scope",
    "Fields": "fields offsets transit",
    "Actions": "action anchor",
    "Claims": "claim cases subject",
    "Conditions and choices that do not split": "expression",
    "Releases, fixes and what is taken for granted": "setting",
    "How bad, and how long": "damage timing",
    "Errors": "errors",
}
"""The modules of the language, in the order in which a reader needs them."""

_HEAD = """# Reference of `offsetproof.lang`

Written by `make reference` from the docstrings. [docs/language.md](language.md) teaches the language with one model;
this page says what each name is for.
"""

_WIDTH = 110


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}: {len(lang.__all__)} names")


def page() -> str:
    """The text of the page."""
    lines = [_HEAD]
    for theme, modules in THEMES.items():
        lines += [f"## {theme}", ""]
        for module in modules.split():
            for name in names_of(module):
                lines += [f"### `{name}`", "", *_entry(name, module)]
    return "\n".join(lines).rstrip("\n") + "\n"


def names_of(module: str) -> list[str]:
    """The exported names that a module of the language declares, in its order."""
    declared = [name for statement in _tree(module).body for name in _names(statement)]
    return [name for name in dict.fromkeys(declared) if name in lang.__all__]


def about(name: str, module: str) -> str:
    """What a name's docstring says, that of a value being the text that follows it; empty where it has none."""
    value = getattr(lang, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        own = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
        return inspect.cleandoc(own or "")
    body = _tree(module).body
    for statement, after in pairwise(body):
        text = after.value if isinstance(after, ast.Expr) else None
        if name in _names(statement) and isinstance(text, ast.Constant) and isinstance(text.value, str):
            return inspect.cleandoc(text.value)
    return ""


def _entry(name: str, module: str) -> Iterator[str]:
    value = getattr(lang, name)
    if inspect.isfunction(value) or _is_made_by_calling(value):
        yield from ["```", *_signature(name, value), "```", ""]
    yield from [*_paragraphs(about(name, module)), ""]
    members = [*_members(value)] if inspect.isclass(value) else []
    yield from [*members, *([""] if members else [])]


def _is_made_by_calling(value: object) -> bool:
    """Is it a class whose objects models make themselves: no error, and not what the language makes of its tree?"""
    if not inspect.isclass(value) or issubclass(value, Exception) or "__init__" not in vars(value):
        return False
    return "tree" not in inspect.signature(value).parameters


def _signature(name: str, value: Callable[..., object]) -> list[str]:
    """How it is called."""
    signature = inspect.signature(value)
    if inspect.isclass(value):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", f"{name}{signature}")
    plain = re.sub(r"<object object at \w+>", "ANYTHING", plain).replace("<factory>", "...")
    return textwrap.wrap(plain, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _members(kind: type) -> Iterator[str]:
    """The public methods and properties that the class declares, with the first paragraph of what they say."""
    for name, value in vars(kind).items():
        function = _function(value)
        text = inspect.getdoc(function)
        if name.startswith("_") or function is None or not text:
            continue
        shown = name if isinstance(value, property | cached_property) else f"{name}({', '.join(_parameters(function))})"
        said = " ".join(text.split("\n\n")[0].split())
        yield from textwrap.wrap(f"- `{shown}`: {said}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _function(value: object) -> Callable[..., object] | None:
    """The function of a method or property; None for anything else."""
    if isinstance(value, property):
        return value.fget
    inner = value.func if isinstance(value, cached_property) else getattr(value, "__func__", value)
    return inner if inspect.isfunction(inner) else None


def _parameters(function: Callable[..., object]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def _paragraphs(text: str) -> Iterator[str]:
    """The docstring as Markdown: its examples fenced, and its other paragraphs as they are."""
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        lines = paragraph.splitlines()
        first = next((i for i, line in enumerate(lines) if line.startswith((">>>", "    ", "@"))), len(lines))
        yield from lines[:first]
        if lines[first:]:
            yield from [*([""] if first else []), "```", *textwrap.dedent("\n".join(lines[first:])).splitlines(), "```"]


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


if __name__ == "__main__":
    main()

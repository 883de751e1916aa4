"""The page docs/python-reference.md: what `offsetproof` offers to scripts, tests and notebooks, from the docstrings."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from offsetproof import lang
from tools.docstrings import entry, own_docstring

PAGE = Path(__file__).parents[1] / "docs" / "python-reference.md"

THEMES = {
    "To ask": {"offsetproof": "check", "offsetproof.engines.stateful.machine": "machine"},
    "Answers": {
        "offsetproof": "Results Answer Verdict",
        "offsetproof.verdict.result": "Result Counts Reason",
        "offsetproof.verdict.exits": "Exit",
    },
    "Traces": {"offsetproof": "Trace", "offsetproof.traces.trace": "TraceStep World Effect Schedule"},
    "Errors": {"offsetproof": "CheckInterruptedError DisagreementError NoSubjectError PrerequisiteError"},
}
"""What is on the page: by theme, the modules that a program imports from, and the names there."""

_HEAD = """# Reference of `offsetproof`

Written by `make reference` from the docstrings. [python.md](python.md) shows how it is used; the errors
`DeclarationError`, `RefusedError` and `UnknownNameError` are in [reference.md](reference.md#errors), with all else that
a model file imports. A name that names no module is imported from `offsetproof`.
"""


def page() -> str:
    """The text of the page."""
    lines = [_HEAD]
    for theme, modules in THEMES.items():
        lines += [f"## {theme}", ""]
        for module, names in modules.items():
            for name in names.split():
                home = [] if module == "offsetproof" else [f"From `{module}`.", ""]
                lines += [f"### `{name}`", "", *home, *_about(module, name)]
    return "\n".join(lines).rstrip("\n") + "\n"


def names() -> set[str]:
    """The names of the package that the page, or that of the language, has."""
    return {name for modules in THEMES.values() for name in modules.get("offsetproof", "").split()} | set(lang.__all__)


def _about(module: str, name: str) -> list[str]:
    value = getattr(import_module(module), name)
    return [*entry(name, value, own_docstring(value))]


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()

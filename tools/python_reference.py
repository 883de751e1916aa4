"""The reference in docs/python.md: what `offsetproof` offers to scripts, tests and notebooks, from the docstrings."""

from __future__ import annotations

from importlib import import_module

from offsetproof import lang
from tools.docstrings import entry, own_docstring

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
"""What the reference has: by theme, the modules that a program imports from, and the names there."""


def reference() -> str:
    """The text of the reference."""
    lines: list[str] = []
    for theme, modules in THEMES.items():
        lines += [f"### {theme}", ""]
        for module, names in modules.items():
            for name in names.split():
                home = [] if module == "offsetproof" else [f"From `{module}`.", ""]
                lines += [f"#### `{name}`", "", *home, *_about(module, name)]
    return "\n".join(lines).rstrip("\n") + "\n"


def names() -> set[str]:
    """The names of the package that this reference, or that of the language, has."""
    return {name for modules in THEMES.values() for name in modules.get("offsetproof", "").split()} | set(lang.__all__)


def _about(module: str, name: str) -> list[str]:
    value = getattr(import_module(module), name)
    return [*entry(name, value, own_docstring(value))]

"""`python -m studies.X --help`: what a study does, from its docstring, before anything of it runs."""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec
from pathlib import Path


def stop_where_help_is_asked() -> None:
    """Prints the docstring of the study that is asked for help, and ends; one with options tells them itself."""
    if sys.argv[0] != "-m" or not {"-h", "--help"} & {*sys.argv[1:]}:
        return
    name = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    spec = find_spec(name) if name.startswith("studies.") else None
    text = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    if text and "import argparse" not in text:
        print(f"python -m {name}\n\n{ast.get_docstring(ast.parse(text)) or 'It says nothing of itself.'}")
        sys.exit(0)

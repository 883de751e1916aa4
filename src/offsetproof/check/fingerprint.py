"""What the rows of a sweep depend on beside their cells, in one word: sources and limits."""

from __future__ import annotations

import hashlib
import sys
from importlib import resources
from pathlib import Path

from offsetproof import __version__
from offsetproof.lang.subject import Subject
from offsetproof.verdict.question import Limits


def fingerprint(subject: Subject, limits: Limits) -> str:
    """The model's and the claims' packages (for a file: all of its folder), the limits, and this program's version."""
    found = hashlib.sha256(f"{__version__} {limits}".encode())
    own = {kind.__module__ for kind in subject.model.__mro__} | {p.function.__module__ for p in subject.properties}
    for package in sorted({name.rpartition(".")[0] or name for name in own if name != "builtins"}):
        for name, source in _sources(package):
            found.update(f"{name} {len(source)} ".encode() + source)
    return found.hexdigest()


def _sources(package: str) -> list[tuple[str, bytes]]:
    """The Python files of a package, or of the folder that a single module's file is in."""
    module = sys.modules[package]
    file = getattr(module, "__file__", None)
    if not hasattr(module, "__path__") and file is None:
        return []
    folder = resources.files(package) if hasattr(module, "__path__") else Path(str(file)).parent
    files = sorted((each for each in folder.iterdir() if each.name.endswith(".py")), key=lambda each: each.name)
    return [(each.name, each.read_bytes()) for each in files]

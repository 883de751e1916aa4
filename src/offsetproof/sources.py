"""Which program this is, down to its sources: what answers that are kept or resumed may rest on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from offsetproof.version import LOADED_AT, __version__


@cache
def program() -> str:
    """Which program this is: its version, and a digest of its sources, the built-in models' among them."""
    digest = hashlib.sha256()
    for name, file in sorted(_sources(resources.files("offsetproof"), ""), key=lambda each: each[0]):
        data = file.read_bytes()
        digest.update(f"{name} {len(data)} ".encode() + data)
    return f"{__version__} ({digest.hexdigest()[:12]})"


def is_as_loaded() -> bool:
    """Are the sources those that this process has loaded, or will load? No where one is of the last second before it
    began, or later; nor where nobody can tell, because they are in an archive."""
    root = resources.files("offsetproof")
    return isinstance(root, Path) and all(changed < LOADED_AT - 1 for changed in _changes(str(root)))


def _changes(folder: str) -> Iterator[float]:
    """When each Python file below a folder was changed last; this is asked for every answer, and so takes little."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.stat().st_ctime
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _changes(entry.path)


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The Python files below a folder, in an archive or not, each with its path from there."""
    for each in folder.iterdir():
        name = f"{path}/{each.name}"
        if each.is_dir():
            yield from _sources(each, name)
        elif name.endswith(".py"):
            yield name, each

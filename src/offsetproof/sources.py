"""Which program this is, down to its sources: what answers that are kept or resumed may rest on."""

from __future__ import annotations

import hashlib
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
    files = [file for _, file in _sources(resources.files("offsetproof"), "")]
    return all(isinstance(file, Path) and file.stat().st_ctime < LOADED_AT - 1 for file in files)


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The Python files below a folder, in an archive or not, each with its path from there."""
    for each in folder.iterdir():
        name = f"{path}/{each.name}"
        if each.is_dir():
            yield from _sources(each, name)
        elif name.endswith(".py"):
            yield name, each

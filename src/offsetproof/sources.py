"""Which program this is, down to its sources: what a run that is resumed may rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from offsetproof.version import __version__

_SOURCES = (".py", ".json")
"""Code, and the data that it reads: the lines of anchors, for one."""


@cache
def program() -> str:
    """Which program this is: its version, and a digest of its sources, the built-in models' among them."""
    digest = hashlib.sha256()
    for name, file in sorted(_sources(resources.files("offsetproof"), ""), key=lambda each: each[0]):
        data = file.read_bytes()
        digest.update(f"{name} {len(data)} ".encode() + data)
    return f"{__version__} ({digest.hexdigest()[:12]})"


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The Python and data files below a folder, in an archive or not, each with its path from there."""
    for each in folder.iterdir():
        name = f"{path}/{each.name}"
        if each.is_dir():
            yield from _sources(each, name)
        elif name.endswith(_SOURCES):
            yield name, each

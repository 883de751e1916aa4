"""Which program this is, down to its sources: what answers that are kept or resumed may rest on."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import cache_from_source
from pathlib import Path

from offsetproof.version import LOADED_AT, __version__

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


def is_as_loaded() -> bool:
    """Are the sources those that this process has loaded, or will load?

    No where one is of the last second before it began, or later, or another file than at the first look; where Python
    has byte code of one that is older than it, which it may take all the same; and where nobody can tell, because they
    are in an archive.
    """
    root = resources.files("offsetproof")
    if not isinstance(root, Path) or _have_old_byte_code(str(root)):
        return False
    now = _files(str(root))
    return now == _first_look(str(root)) and all(changed < LOADED_AT - 1 for _, changed in now.values())


@cache
def _first_look(root: str) -> dict[str, tuple[int, float]]:
    return _files(root)


def _files(folder: str) -> dict[str, tuple[int, float]]:
    """Which file each source below a folder is, and when it was changed last; quick, as each answer asks for it."""
    found: dict[str, tuple[int, float]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SOURCES):
                status = entry.stat()
                found[entry.path] = status.st_ino, status.st_ctime
            elif entry.name != "__pycache__" and entry.is_dir():
                found |= _files(entry.path)
    return found


@cache
def _have_old_byte_code(root: str) -> bool:
    """Is there byte code that was written before its source was last changed, and that Python takes all the same?

    Python takes it for that of a source with the same size and whole second of change, whatever is in it.
    """
    return any(
        file.endswith(".py") and _is_taken_though_older(Path(file), changed)
        for file, (_, changed) in _first_look(root).items()
    )


def _is_taken_though_older(file: Path, changed: float) -> bool:
    compiled = Path(cache_from_source(file))
    try:
        if compiled.stat().st_mtime >= changed:
            return False
        with compiled.open("rb") as code:
            how, second, size = struct.unpack("<4x3I", code.read(16))
    except (OSError, struct.error):
        return False
    source = file.stat()
    is_its = (second, size) == (int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF)
    return bool(how) or is_its  # where `how` is not 0, Python looks at something else, or at nothing


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The Python and data files below a folder, in an archive or not, each with its path from there."""
    for each in folder.iterdir():
        name = f"{path}/{each.name}"
        if each.is_dir():
            yield from _sources(each, name)
        elif name.endswith(_SOURCES):
            yield name, each

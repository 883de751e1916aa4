"""Which path of a file people and tools are told: the same on every machine, and one that an annotation lands on.

Relative to the root of the repository that the program is run in (the nearest folder upwards that has `.git`), or else
to the working directory. What is installed is told as it is imported: `offsetproof/model/releases.py`. In a checkout of
this project its own files are told relative to it: `model/releases.py`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_OWN_ROOT = (_PACKAGE / "traces").resolve().parent
"""The root of this project's checkout, from which a link leads into the package; where it is installed, the package."""

_INSTALLED = ("site-packages", "dist-packages")
_STANDARD = Path(os.__file__).parent


def shown_file(file: str) -> str:
    """A file as reports tell it; only its name where it is in neither repository nor working directory.

    >>> shown_file("/somewhere/else/lock.py")
    'lock.py'
    """
    return _within(file, _working_directory()) or Path(file).name


def shown_place(file: str, line: int) -> str:
    """`file:line` as errors tell it; the whole path where there is no shorter one."""
    return f"{_within(file, _working_directory()) or file}:{line}"


def is_installed(file: Path) -> bool:
    """Does a file belong to what is installed, so that it is not the user's to write?"""
    path = file.resolve()
    own = _OWN_ROOT == _PACKAGE and path.is_relative_to(_PACKAGE)
    return own or any(part in _INSTALLED for part in path.parts)


def is_library(file: str) -> bool:
    """Is it code that neither the model's author nor this project has written?"""
    path = Path(file)
    return file.startswith("<") or path.is_relative_to(_STANDARD) or any(part in _INSTALLED for part in path.parts)


def _working_directory() -> str | None:
    """None where it has been removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return None


@lru_cache(maxsize=4096)
def _within(file: str, working_directory: str | None) -> str | None:
    path = Path(file).resolve()
    roots = [folder for folder in path.parents if folder.name in _INSTALLED]
    if path.is_relative_to(_OWN_ROOT):
        roots.append(_PACKAGE.parent if _OWN_ROOT == _PACKAGE else _OWN_ROOT)
    if working_directory is not None and path.is_relative_to(root := _root(working_directory)):
        roots.append(root)
    return path.relative_to(roots[0]).as_posix() if roots else None


@lru_cache(maxsize=64)
def _root(working_directory: str) -> Path:
    """The nearest folder upwards that is a repository; the working directory where there is none."""
    here = Path(working_directory).resolve()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)

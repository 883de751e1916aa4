"""The program as one file that Spark sends to executors on other machines.

Executors need Python and the libraries of `offsetproof[spark]`; the program itself comes with the job.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from offsetproof.version import __version__

PACKAGE = Path(__file__).parents[2]


def is_elsewhere(master: str) -> bool:
    """May executors of this master run on other machines?

    >>> [is_elsewhere(master) for master in ("local[2]", "local-cluster[2,1,1024]", "spark://host:7077", "yarn")]
    [False, False, True, True]
    """
    return not master.startswith("local")


def pack_program(folder: Path) -> Path:
    """The program as a zip file; links in the source tree are followed, because archives of other makers drop them."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "offsetproof.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for directory, _, names in sorted(os.walk(PACKAGE, followlinks=True)):
            for name in sorted(names):
                if not name.endswith((".pyc", ".pyo")):
                    path = Path(directory) / name
                    archive.write(path, Path(PACKAGE.name) / path.relative_to(PACKAGE))
    return file


@cache
def program() -> str:
    """Which program this is: its version, and a digest of its sources, the built-in model's among them."""
    digest = hashlib.sha256()
    for name, file in sorted(_sources(resources.files(__package__.partition(".")[0]), ""), key=lambda each: each[0]):
        data = file.read_bytes()
        digest.update(f"{name} {len(data)} ".encode() + data)
    return f"{__version__} ({digest.hexdigest()[:12]})"


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The Python files below a folder, in an archive or not, each with its path from there."""
    for each in folder.iterdir():
        name = f"{path}/{each.name}"
        if each.is_dir():
            yield from _sources(each, name)
        elif name.endswith(".py"):
            yield name, each

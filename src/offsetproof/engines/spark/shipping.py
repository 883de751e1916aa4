"""The program as one file that Spark sends to executors on other machines.

Executors need Python and the libraries of `offsetproof[spark]`; the program itself comes with the job.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

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

"""Where the program keeps what it can make or fetch again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(what: str) -> Path:
    """This user's folder for things of one kind; RuntimeError where nobody knows of a home.

    It is in OFFSETPROOF_CACHE, else in the folder `offsetproof` of XDG_CACHE_HOME or of `~/.cache`.
    """
    if own := os.environ.get("OFFSETPROOF_CACHE"):
        return Path(own).absolute() / what
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base).absolute() if base else Path.home() / ".cache") / "offsetproof" / what

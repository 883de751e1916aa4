"""Where the program keeps what it can make or fetch again, and how: whole files, each behind a digest of all of it.

What does not fit its digest is never read: it is deleted and made again. So no damage has to be survived, and none
costs more than making it once more. A file is written under a name of its own and renamed, so processes may share a
folder.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from pathlib import Path

_DIGEST_BYTES = 32


def cache_folder(what: str) -> Path:
    """This user's folder for things of one kind; RuntimeError where nobody knows of a home.

    It is in OFFSETPROOF_CACHE, else in the folder `offsetproof` of XDG_CACHE_HOME or of `~/.cache`.
    """
    if own := os.environ.get("OFFSETPROOF_CACHE"):
        return Path(own).absolute() / what
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base).absolute() if base else Path.home() / ".cache") / "offsetproof" / what


def read_kept(file: Path, made_of: bytes) -> bytes | None:
    """What `write_kept` has put into a file; None where there is none, or one that was not made of this very thing."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return None
    if data[:_DIGEST_BYTES] != _digest(made_of, data[_DIGEST_BYTES:]):
        file.unlink(missing_ok=True)
        return None
    return data[_DIGEST_BYTES:]


def write_kept(file: Path, made_of: bytes, content: bytes) -> None:
    """Puts a file in place, whole or not at all; `made_of` is all that its content follows from. May raise OSError."""
    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with temporary.open("xb") as out:
            out.write(_digest(made_of, content) + content)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _digest(made_of: bytes, content: bytes) -> bytes:
    return hashlib.sha256(made_of + content).digest()

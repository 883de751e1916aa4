"""Functions on arrays as machine code, kept between runs; the only file of the project that imports numba.

Numba keeps code as well, but believes what it finds: after a flipped bit or a cut-off write every later run fails, or
runs into nowhere. Here one file holds the code of one function for one choice of types, behind a digest of all of it
(see `cache`).
"""

from __future__ import annotations

import hashlib
import logging
import mmap
import os
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

from offsetproof.cache import cache_folder, read_kept, write_kept

_LOG = logging.getLogger("offsetproof")
_COMPLAINED = mmap.mmap(-1, 1)
"""Whether it has been said why nothing is kept: one byte that forked processes share."""

_NONE_YET = "no compiled object yet"
"""What numba says where an interrupt came while it was told of the code."""

Function = TypeVar("Function", bound=Callable[..., Any])

inlined = njit(inline="always")
"""Makes a function part of those that call it."""


def kept_machine_code(function: Function) -> Function:
    """The function as machine code; where numba is told to compile nothing (NUMBA_DISABLE_JIT), as it is."""
    made = njit(function)
    if hasattr(made, "_cache"):
        made._cache = KeptCode(function)
    return made  # type: ignore[no-any-return]  # numba has no types


class KeptCode:
    """What numba asks for the code of one function, by types. It never raises: without it everything is compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.cache_path = ""

    def load_overload(self, types: Any, target: Any) -> Any:
        """The compiled function that is kept for these types, or None."""
        target.refresh()
        try:
            made_of = self._made_of(types, target.codegen())
            file = self._file(made_of)
            code = read_kept(file, made_of)
            return None if code is None else _rebuilt(target, pickle.loads(code), file)
        except Exception as error:
            _complain(error)
            return None

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Keeps a compiled function, if an interrupt has left anything of it to keep."""
        from numba.core.serialize import dumps

        try:
            made_of = self._made_of(types, compiled.codegen)
            write_kept(self._file(made_of), made_of, dumps(compiled._reduce()))  # type: ignore[no-untyped-call]  # numba has no types
        except Exception as error:
            if _NONE_YET not in str(error):
                _complain(error)

    def _made_of(self, types: Any, codegen: Any) -> bytes:
        """Everything that decides what the code is: sources, types, the processor, and who compiles."""
        switches = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
        name, versions = self.function.__qualname__, (version("numba"), version("llvmlite"), sys.version)
        ingredients = (
            name,
            source_digest(self.function.__module__),
            str(types),
            codegen.magic_tuple(),
            versions,
            switches,
        )
        return repr(ingredients).encode()

    def _file(self, made_of: bytes) -> Path:
        name = self.function.__qualname__.strip("_")
        return cache_folder("machine-code") / f"{name}-{hashlib.sha256(made_of).hexdigest()[:32]}"


@cache
def source_digest(module: str) -> str:
    """A digest of a module's source, wherever it was loaded from."""
    loaded = sys.modules[module]
    assert loaded.__spec__ is not None
    loader: Any = loaded.__spec__.loader
    return hashlib.sha256(loader.get_data(loaded.__spec__.origin)).hexdigest()


def _rebuilt(target: Any, reduced: Any, file: Path) -> Any:
    """The function that was kept; a file that numba can make nothing of goes."""
    from numba.core.compiler import CompileResult

    try:
        return CompileResult._rebuild(target, *reduced)  # type: ignore[no-untyped-call]  # numba has no types
    except Exception:
        file.unlink(missing_ok=True)
        raise


def _complain(error: Exception) -> None:
    """Says once why nothing is kept; on stderr, where logging puts what nobody else takes."""
    if not _COMPLAINED[0]:
        _COMPLAINED[0] = 1
        _LOG.warning(
            "offsetproof: machine code cannot be kept, so every run compiles it first: %s; "
            "make room there, or set OFFSETPROOF_CACHE to a folder that can be written",
            error,
        )

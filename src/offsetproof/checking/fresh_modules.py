"""A user's modules are imported from their source, never from the byte code that Python keeps of it.

Python believes that what it keeps is of a source with the same size and the same whole second of change. A program that
changes a model twice within a second would get answers about the model before.
"""

from __future__ import annotations

import linecache
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import decode_source, spec_from_loader
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

from offsetproof.lang.errors import is_own

_INSTALLED = tuple(
    {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
"""Folders of the standard library and of installed packages: nobody edits those between two runs."""


class FreshLoader(SourceFileLoader):
    """Reads a module's source, and neither reads nor writes what Python keeps of it."""

    def get_data(self, path: str) -> bytes:
        """What is in the file. Whoever reads a source later gets it as it is now: the file may have been changed."""
        data = super().get_data(path)
        if path == self.path:
            with suppress(SyntaxError, UnicodeDecodeError):  # to compile it says more of that
                linecache.cache[path] = (len(data), None, StringIO(decode_source(data)).readlines(), path)
        return data

    def source_to_code(self, data: Any, path: Any, **_options: Any) -> Any:  # type: ignore[override]  # typeshed has another class's
        """The code with its `assert`s, which a model may mean, even where Python was told to leave them out."""
        try:
            return super().source_to_code(data, path, _optimize=0)
        except ValueError as error:  # of null bytes, in Python before 3.11.4; a SyntaxError since
            raise SyntaxError(str(error), (str(path), 1, None, None)) from None

    def path_stats(self, path: str) -> Any:
        """None are told: what is kept is not looked for without (importlib.abc.SourceLoader.path_stats)."""
        raise OSError(path)


class _FreshFinder(PathFinder):
    """Finds what Python's own finder does."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python's own finding, with the loader that reads the source."""
        spec = super().find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or spec.origin is None:
            return spec
        origin = Path(spec.origin).resolve()
        if is_own(spec.origin) or any(origin.is_relative_to(folder) for folder in _INSTALLED):
            return spec
        return fresh_spec(FreshLoader(fullname, spec.origin))


def fresh_spec(loader: FreshLoader) -> ModuleSpec:
    """How the module of a loader is loaded."""
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    return spec


def install_source_loader() -> None:
    """From now on what is imported for the first time, also while a model is staged, comes from its source."""
    if _FreshFinder not in sys.meta_path:
        place = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(place, _FreshFinder)

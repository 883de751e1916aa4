"""What a sweep's rows depend on beside their questions, in one word: the model's sources, this program's, and limits.

A model's sources are those of the modules that it imports, and that they import, as far as they are nobody's library:
not Python's own, and not installed from elsewhere. A file that nothing imports changes nothing, wherever it is.
"""

from __future__ import annotations

import ast
import hashlib
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from offsetproof.checking.subject import load_subject
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.component import classes_in
from offsetproof.lang.subject import Subject
from offsetproof.sources import program
from offsetproof.verdict.limits import Limits

_PROGRAM = __name__.partition(".")[0]


class Imports:
    """Which modules were imported since this was made, in whatever way that was done."""

    def __init__(self) -> None:
        self._before = frozenset(sys.modules)

    @property
    def so_far(self) -> frozenset[str]:
        """Their names."""
        return frozenset(sys.modules) - self._before


def load_noting_imports(name: str) -> tuple[Subject, Imports]:
    """A subject, and what was imported for it, and will be."""
    imports = Imports()
    return load_subject(name), imports


def fingerprint(subject: Subject, limits: Limits, imported: Iterable[str] = ()) -> str:
    """The sources of all that the subject imports, as they are now, the limits, and which program this is.

    `imported` are modules that are known to belong to it.
    """
    digest = hashlib.sha256(f"{program()} {limits}".encode())
    own = {subject.model.__module__, *(claim.function.__module__ for claim in subject.properties)}
    bases = {base.__module__ for base in classes_in(with_all_changes(subject.model))}
    for name in sorted(_modules_that_count(own, {*bases, *imported})):
        source = _source(sys.modules[name])
        digest.update(f"{name} {len(source)} ".encode() + source)
    return digest.hexdigest()


def _modules_that_count(own: set[str], imported: Iterable[str]) -> set[str]:
    """The modules that count, from those of the subject itself (which do even where they are installed)."""
    packages = {name.partition(".")[0] for name in own}
    needed: set[str] = set()
    left = [*own, *imported]
    while left:
        for name in _with_packages(left.pop()):
            module = sys.modules.get(name)
            if name not in needed and module is not None and _counts(name, module, packages):
                needed.add(name)
                left.extend(_imported_by(module))
    return needed


def _with_packages(name: str) -> Iterator[str]:
    """A module's name, and those of the packages that it is in.

    >>> list(_with_packages("a.b.c"))
    ['a.b.c', 'a.b', 'a']
    """
    while name:
        yield name
        name = name.rpartition(".")[0]


def _counts(name: str, module: ModuleType, packages: set[str]) -> bool:
    """Is a module somebody's own, and read from a file? This program is told by its version and sources."""
    top = name.partition(".")[0]
    origin = _origin(module)
    if origin is None or top in (_PROGRAM, "__main__"):
        return False
    return top in packages or not any(Path(origin).resolve().is_relative_to(folder) for folder in _environment())


def _origin(module: ModuleType) -> str | None:
    """Where a module was read from; None for what is built in, and for folders without a file."""
    spec = module.__spec__
    return spec.origin if spec is not None and spec.has_location else None


@cache
def _environment() -> frozenset[Path]:
    """Where Python and what is installed for it are."""
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages()]
    return frozenset(Path(folder).resolve() for folder in folders)


def _source(module: ModuleType) -> bytes:
    """What a module's file holds now, also in an archive; nothing where it is gone."""
    spec, origin = module.__spec__, _origin(module)
    assert spec is not None
    assert origin is not None
    try:
        get_data = getattr(spec.loader, "get_data", None)
        source: bytes = Path(origin).read_bytes() if get_data is None else get_data(origin)
    except OSError:
        return b""
    return source


def _imported_by(module: ModuleType) -> set[str]:
    """What a module names in its imports, wherever in it they are; a name of a package's may be a module or a value."""
    try:
        tree = ast.parse(_source(module))
    except (SyntaxError, ValueError, RecursionError):  # it may be machine code
        return set()
    package = module.__spec__.parent or "" if module.__spec__ is not None else ""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _base(package, node)
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return names


def _base(package: str, node: ast.ImportFrom) -> str:
    """The package or module that names are imported from."""
    parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    return ".".join([*parts, *([node.module] if node.module else [])])

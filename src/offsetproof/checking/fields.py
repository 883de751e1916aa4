"""Fields as people name them: by path, or by a part of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from offsetproof.lang.scope import UnknownNameError

_INDEX = re.compile(r"\[[^\]]*\]")


def fields_named(names: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """The fields that are named, in the order of `known`; without any name all of them.

    A name is a path, or the first or last names on it, with the indices or without. UnknownNameError for another.

    >>> fields_named(["cell", "log"], ["log.next", "log.first", "consumer[0].cell", "consumer[1].cell"])
    ('log.next', 'log.first', 'consumer[0].cell', 'consumer[1].cell')
    """
    wanted = [*names]
    for name in wanted:
        if not any(_is_named(path, name) for path in known):
            parts = dict.fromkeys(part for path in known for part in (_INDEX.sub("", path).split(".")[-1], path))
            raise UnknownNameError("field", name, [*parts])
    return tuple(path for path in known if not wanted or any(_is_named(path, name) for name in wanted))


def _is_named(path: str, name: str) -> bool:
    """Does a name stand at the beginning or the end of a path, with its indices or without?"""
    return any(
        form == name or form.startswith((f"{name}.", f"{name}[")) or form.endswith(f".{name}")
        for form in (path, _INDEX.sub("", path))
    )

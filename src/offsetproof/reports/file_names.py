"""Names of files that are written beside each other: such as every folder may have, and no two the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Set

_NAME_MAX = 100
"""How long a name may be; folders allow 255 bytes, its suffix included."""


def free_name(name: str, taken: Set[str]) -> str:
    """The name, or with a number where it is taken (by case, too: not every folder tells letters apart)."""
    lower = {each.lower() for each in taken}
    number, free = 1, name
    while free.lower() in lower:
        number += 1
        free = f"{name}-{number}"
    return free


def file_name(meant: str, reserved: Collection[str] = ()) -> str:
    """A name that a file may have everywhere: letters, digits and a few signs, not too long, and none that is reserved.

    It does not hide the file, and ends no folder. One that had to be changed or shortened ends with a digest.

    >>> file_name("I5-reset"), file_name("../x")[:5]
    ('I5-reset', '_._x-')
    """
    name = re.sub(r"^\.|[^\w.=,-]", "_", meant, flags=re.ASCII)
    if name == meant and len(name) <= _NAME_MAX and name not in reserved:
        return name
    return f"{name[:_NAME_MAX]}-{hashlib.sha256(meant.encode(errors='replace')).hexdigest()[:12]}"

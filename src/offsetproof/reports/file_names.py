"""Names of files that are written beside each other."""

from __future__ import annotations

from collections.abc import Set


def free_name(name: str, taken: Set[str]) -> str:
    """The name, or with a number where it is taken (by case, too: not every folder tells letters apart)."""
    lower = {each.lower() for each in taken}
    number, free = 1, name
    while free.lower() in lower:
        number += 1
        free = f"{name}-{number}"
    return free

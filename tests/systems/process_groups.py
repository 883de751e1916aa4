"""Which programs of a process group still run."""

from __future__ import annotations

import time
from pathlib import Path


def is_gone(group: int, seconds: float = 5.0) -> bool:
    """Does no program of the group run any more, after that time at the latest? Zombies run no more."""
    until = time.monotonic() + seconds
    while _alive(group) and time.monotonic() < until:
        time.sleep(0.01)
    return not _alive(group)


def _alive(group: int) -> list[str]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = status.read_text().partition(") ")
        except OSError:
            continue
        state, _, own_group = rest.split()[:3]
        if int(own_group) == group and state not in "ZX":
            found.append(name)
    return found

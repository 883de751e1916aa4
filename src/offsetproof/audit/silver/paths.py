"""Paths: the files that a user names, and what their names say: the host, the process, the time of a snapshot."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from offsetproof.audit.event import SECOND


@dataclass(frozen=True)
class LeftOut:
    """A file that is not read, and why."""

    path: str
    reason: str


def files_of(paths: Iterable[str]) -> tuple[list[tuple[str, Path]], list[LeftOut]]:
    """The files that paths, patterns and folders name, each with its host; and those that are left out.

    `HOST=PATH` says the host; else it is the name of the folder.
    """
    found: dict[Path, str] = {}
    left: list[LeftOut] = []
    for text in paths:
        host, path = _host_and_path(text)
        for each in _files_below(path, left):
            found.setdefault(each, host or host_of(each))
    return [(host, path) for path, host in found.items()], left


def _host_and_path(text: str) -> tuple[str, str]:
    host, equals, path = text.partition("=")
    if equals and host and os.sep not in host and not os.path.lexists(text):
        return host, path
    return "", text


def _files_below(path: str, left: list[LeftOut]) -> Iterator[Path]:
    if Path(path).is_dir():
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                each = Path(folder) / name
                if _NAMES.search(name):
                    yield from _regular(each, left)
                else:
                    why = "its name is not that of a log or a snapshot; name it to have it read"
                    left.append(LeftOut(str(each), why))
    elif os.path.lexists(path):
        yield from _regular(Path(path), left)
    else:
        matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  # a pattern may begin anywhere
        if not matches:
            left.append(LeftOut(path, "there is no such file"))
        for match in matches:
            yield from _files_below(match, left)


_NAMES = re.compile(
    r"\.(log|out|gz)\b|\.log\.|^(consumerOffset|offsets)\.json|^consumerProgress|^watch-\d+\.jsonl", re.IGNORECASE
)


def _regular(path: Path, left: list[LeftOut]) -> Iterator[Path]:
    try:
        if stat.S_ISREG(path.stat().st_mode):
            yield path
        else:
            left.append(LeftOut(str(path), "it is not a regular file"))
    except OSError as error:
        left.append(LeftOut(str(path), f"it cannot be read: {error.strerror}"))


_NO_HOSTS = frozenset({"other_days", "logs", "log", "rocketmqlogs", "config", "store", "otherdays", ""})


def host_of(path: Path) -> str:
    """The host of a file: the name of its folder, or of the one that holds it if the name is a usual one.

    >>> host_of(Path("/collected/app-7/logs/rocketmqlogs/other_days/rocketmq_client-1.log.gz"))
    'app-7'
    """
    return next((name for name in reversed(path.absolute().parts[1:-1]) if name not in _NO_HOSTS), "")


_ROTATED = (
    (re.compile(r"\.gz$"), ""),
    (re.compile(r"(?<=[.\w])[._-]\d{4}-?\d\d-?\d\d(?:[._-]\d+)?"), ""),
    (re.compile(r"\.\d{1,4}$"), ""),
)

_ADDRESS = re.compile(r"(?<!\d)(?<!\d\.)\d{1,3}(?:\.\d{1,3}){3}$")
"""A name that ends with a host's address is not one of a rotated log."""


def process_of(path: Path) -> str:
    """A log's path without what rotation has made of its name.

    >>> process_of(Path("/logs/other_days/rocketmq_client-1.log.gz")), process_of(Path("/logs/broker.log.2024-06-01.3"))
    ('/logs/rocketmq_client.log', '/logs/broker.log')
    """
    name = path.name
    for pattern, instead in _ROTATED if not _ADDRESS.search(name) else ():
        name = pattern.sub(instead, name)
    if path.parent.name in ("other_days", "otherdays"):
        return str(path.parent.parent / re.sub(r"[-.]\d+(?=\.log$)", "", name))
    return str(path.parent / name)


_NAMED_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d):?(\d\d):?(\d\d)Z")


def time_in_name(file: str) -> int | None:
    """The time in a file's name, in microseconds; None where there is none."""
    found = _NAMED_TIME.search(Path(file).name)
    try:
        return (
            round(datetime.fromisoformat(f"{found[1]}T{':'.join(found.groups()[1:])}+00:00").timestamp()) * SECOND
            if found
            else None
        )
    except ValueError:
        return None


def group_in_path(file: str) -> str | None:
    """The group of a client's file, which is CLIENT_ID/GROUP/offsets.json; None where it lies elsewhere.

    >>> group_in_path("10.0.0.1@DEFAULT/shop/offsets.json"), group_in_path("app1/offsets.json")
    ('shop', None)
    """
    group = Path(file).parent
    return group.name if "@" in group.parent.name else None

"""The published jars of a RocketMQ release: which there must be, and whether they are there.

A lock file per release (`locks/`) names every jar by its coordinates, its SHA-256 and its size. The jars themselves are
in the cache, where `fetching.py` puts them. They are run as code, so each use checks all of them against the lock.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from offsetproof.cache import cache_folder
from offsetproof.lang.scope import UnknownNameError
from offsetproof.reading.typed_json import read_json
from offsetproof.verdict.phrases import first_few
from offsetproof.verdict.prerequisite import PrerequisiteError

LOCKS = Path(__file__).parent / "locks"


@dataclass(frozen=True)
class LockedJar:
    """A jar as it was published; `coordinates` are group:artifact:version, and a classifier where it has one."""

    coordinates: str
    file: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Lock:
    """All jars of a release.

    Maven was asked for the artifacts in `asked` and gave them with what they need at run time. It did not find those
    in `lacking` when the lock was written.
    """

    release: str
    asked: tuple[str, ...]
    lacking: tuple[str, ...]
    jars: tuple[LockedJar, ...]

    @cached_property
    def digest(self) -> str:
        """One SHA-256 for the whole set: of the names and digests of all jars."""
        lines = "".join(f"{jar.sha256}  {jar.file}\n" for jar in self.jars)
        return hashlib.sha256(lines.encode()).hexdigest()

    @property
    def bytes(self) -> int:
        """The size of all jars together."""
        return sum(jar.bytes for jar in self.jars)


@dataclass(frozen=True)
class JarSet:
    """The jars of a release on this machine. Only `jars_of` makes one, and has looked at all of them."""

    lock: Lock
    folder: Path

    @property
    def release(self) -> str:
        """The release that they are of."""
        return self.lock.release

    @property
    def digest(self) -> str:
        """One SHA-256 for the whole set; what is compiled against it can be kept under it."""
        return self.lock.digest

    @property
    def class_path(self) -> str:
        """All jars as Java wants them, in the order of their names."""
        return os.pathsep.join(str(self.folder / jar.file) for jar in self.lock.jars)


def releases() -> tuple[str, ...]:
    """The releases whose jars are locked."""
    return tuple(sorted(file.stem for file in LOCKS.glob("*.json")))


def read_lock(release: str) -> Lock:
    """The lock of a release; UnknownNameError, with the nearest that there is, where it has none."""
    if release not in releases():
        raise UnknownNameError("release", release, releases())
    file = LOCKS / f"{release}.json"
    return read_json(file.read_text(encoding="utf-8"), Lock, str(file), "write it again with `make jars`")


def folder_of(release: str) -> Path:
    """Where the jars of a release are kept."""
    return cache_folder("rocketmq") / release


def jars_of(release: str) -> JarSet:
    """The jars of a release, each as it was published; PrerequisiteError where they are not.

    UnknownNameError where there is no such release. Nothing is fetched here.
    """
    lock, folder = read_lock(release), folder_of(release)
    command = f"offsetproof rocketmq fetch {release}"
    if not folder.is_dir():
        raise PrerequisiteError(f"the jars of RocketMQ {release} have not been fetched; run: {command}")
    if faults := [*faults_of(folder, lock)]:
        raise PrerequisiteError(
            f"the jars of RocketMQ {release} in {folder} are not what was published: {first_few(faults)}; "
            f"to fetch them again run: {command}"
        )
    return JarSet(lock, folder)


def faults_of(folder: Path, lock: Lock) -> Iterator[str]:
    """What is wrong with the jars in a folder, in words: what is missing or damaged, and what does not belong there."""
    there = {path.name for path in folder.iterdir()}
    for jar in lock.jars:
        if jar.file not in there:
            yield f"{jar.file} is missing"
        elif not _is_as_published(folder / jar.file, jar):
            yield f"{jar.file} is damaged"
    for name in sorted(there - {jar.file for jar in lock.jars}):
        yield f"{name} does not belong there"


def _is_as_published(file: Path, jar: LockedJar) -> bool:
    if not file.is_file() or file.stat().st_size != jar.bytes:
        return False
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == jar.sha256

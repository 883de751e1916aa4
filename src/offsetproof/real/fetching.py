"""Fetching the jars of a release into the cache: all of them, as they were published, or nothing.

Maven copies into a folder beside the release's, which takes its place by being renamed once every jar in it is as the
lock says. Whoever fetches holds the release's lock on a file that stays; others wait for it and then find the jars. So
what lies beside under a temporary name, while one holds the lock, was left by a process that was killed.
"""

from __future__ import annotations

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from offsetproof.real.jars import JarSet, Lock, faults_of, folder_of, jars_of, read_lock
from offsetproof.real.maven import Tell, copy_artifacts
from offsetproof.verdict.phrases import first_few
from offsetproof.verdict.prerequisite import PrerequisiteError

SECONDS = 600.0
_LOOK_EVERY = 0.1


@dataclass(frozen=True)
class Fetched:
    """The jars of a release, and how they came to be there: fetched just now, or there already (`seconds` is None)."""

    jars: JarSet
    seconds: float | None


def fetch(release: str, *, seconds: float = SECONDS, tell: Tell = lambda said: None) -> Fetched:
    """Sees to it that the jars of a release are in the cache; if they are, nothing else is needed for it.

    UnknownNameError where there is no such release, PrerequisiteError where Maven or a JDK is missing, where Maven
    fails, takes too long or gives other jars, OSError where the cache cannot be written.
    """
    there = _already(release)
    if there:
        return there
    begun, folder = time.monotonic(), folder_of(release)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder, seconds, tell):
        there = _already(release)
        if there:
            return there
        for left in folder.parent.glob(f".{folder.name}-*"):
            shutil.rmtree(left, ignore_errors=True)
        beside = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            whole = _fetch_beside(beside, read_lock(release), begun + seconds - time.monotonic(), tell)
            if folder.exists():
                folder.rename(beside / "damaged")
            whole.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return Fetched(jars_of(release), time.monotonic() - begun)


def _already(release: str) -> Fetched | None:
    try:
        return Fetched(jars_of(release), None)
    except PrerequisiteError:
        return None


def _fetch_beside(beside: Path, lock: Lock, seconds: float, tell: Tell) -> Path:
    """A folder with all jars of the lock and nothing else."""
    copied = copy_artifacts(lock.asked, beside / "maven", seconds=seconds, tell=tell)
    whole = beside / "jars"
    whole.mkdir()
    for file in copied.values():
        file.rename(whole / file.name)
    if faults := [*faults_of(whole, lock)]:
        raise PrerequisiteError(
            f"Maven gave other jars of RocketMQ {lock.release} than were published: {first_few(faults)}; "
            "delete them from Maven's local repository, or look at the mirror that it uses, and fetch again"
        )
    return whole


@contextmanager
def _alone(folder: Path, seconds: float, tell: Tell) -> Iterator[None]:
    """Holds the lock on a release's folder, which is free again however its holder ends.

    PrerequisiteError where another process has not let go of it in time.
    """
    begun = time.monotonic()
    with folder.with_name(f".{folder.name}.lock").open("w") as opened:
        while not _lock(opened.fileno()):
            if time.monotonic() - begun > seconds:
                raise PrerequisiteError(f"another process fetches {folder}, and has not ended after {seconds:g} s")
            tell("another process fetches it")
            time.sleep(_LOOK_EVERY)
        yield


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

"""RocketMQ's own jars of a release, as they are named at Maven Central."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from offsetproof.real.fetching import fetch
from offsetproof.real.program import GROUP, ClassJar, released_jars


@dataclass(frozen=True)
class Jar(ClassJar):
    """A jar on this machine, with the artifact and the release that it is."""

    release: str

    @property
    def coordinates(self) -> str:
        """Its name at Maven Central."""
        return f"{GROUP}:{self.artifact}:{self.release}"

    @cached_property
    def sha256(self) -> str:
        """The digest of its bytes."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def published_jars(release: str) -> dict[str, Jar]:
    """RocketMQ's own jars of a release by artifact, fetched if they are not there; PrerequisiteError says why not."""
    jars = released_jars(fetch(release).jars)
    return {artifact: Jar(artifact, jar.file, release) for artifact, jar in jars.items()}

"""A small release with jars of a few bytes, and programs in Maven's place that give them, or fail to."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from offsetproof.real.jars import LockedJar

RELEASE = "1.0"
JARS = {f"org.apache.rocketmq:rocketmq-{part}:{RELEASE}": f"the {part}".encode() for part in ("client", "tools")}
ASKED = (f"org.apache.rocketmq:rocketmq-tools:{RELEASE}",)

_MAVEN = """#!{python}
import os, pathlib, sys, time
with open({calls!r}, "a") as calls:
    calls.write(str(os.getpid()) + "\\n")
(folder,) = [each.partition("=")[2] for each in sys.argv if each.startswith("-DoutputDirectory=")]
time.sleep({first})
for name, data in {files!r}.items():
    file = pathlib.Path(folder, name)
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    time.sleep({then})
print({said!r})
sys.exit({code})
"""


def put_programs(folder: Path, programs: dict[str, str]) -> None:
    """A folder of programs that say one line each."""
    folder.mkdir()
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\necho '{line}'\n")
        (folder / name).chmod(0o755)


def in_repository(coordinates: str) -> str:
    """Where a repository has a jar."""
    group, artifact, version = coordinates.split(":")
    return f"{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar"


def locked() -> list[LockedJar]:
    """The release's jars as its lock has them."""
    named = [(each, Path(in_repository(each)).name, data) for each, data in JARS.items()]
    return [LockedJar(each, name, hashlib.sha256(data).hexdigest(), len(data)) for each, name, data in named]


@dataclass(frozen=True)
class Machine:
    """A folder with a cache, the lock of the small release, and programs that come first on the path."""

    folder: Path

    @property
    def cache(self) -> Path:
        """Where the releases' folders are."""
        return self.folder / "cache" / "rocketmq"

    @property
    def locks(self) -> Path:
        """The folder of the lock."""
        return self.folder / "locks"

    @property
    def programs(self) -> Path:
        """What comes first on the path."""
        return self.folder / "bin"

    @property
    def environment(self) -> dict[str, str]:
        """What a process has to have in its environment."""
        return {
            "OFFSETPROOF_CACHE": str(self.cache.parent),
            "PATH": os.pathsep.join([str(self.programs), os.environ["PATH"]]),
        }

    @property
    def calls(self) -> list[int]:
        """The processes that were Maven."""
        file = self.folder / "calls"
        return [*map(int, file.read_text().split())] if file.exists() else []

    @property
    def there(self) -> dict[str, bytes]:
        """The jars of the release in the cache."""
        return {file.name: file.read_bytes() for file in (self.cache / RELEASE).iterdir()}

    @property
    def left(self) -> list[str]:
        """What is beside the releases and their locks."""
        return [path.name for path in self.cache.glob(".*") if path.suffix != ".lock"]

    def set_up(self) -> None:
        """Writes the lock, what is taken for a JDK, and a Maven that gives what the lock says."""
        self.locks.mkdir()
        put_programs(self.programs, {"java": "jdk.jdi@17.0.1", "javac": "javac 17.0.1"})
        lock = {"release": RELEASE, "asked": ASKED, "lacking": [], "jars": [asdict(jar) for jar in locked()]}
        (self.locks / f"{RELEASE}.json").write_text(json.dumps(lock))
        self.put_maven(JARS)

    def put_maven(
        self,
        jars: dict[str, bytes] | Iterable[tuple[str, bytes]] = (),
        *,
        said: str = "",
        code: int = 0,
        first: float = 0,
        then: float = 0,
    ) -> None:
        """A Maven that gives these jars, with waits before the first and after each one, then says this and ends so."""
        files = {in_repository(coordinates): data for coordinates, data in dict(jars).items()}
        text = _MAVEN.format(
            python=sys.executable,
            calls=str(self.folder / "calls"),
            files=files,
            said=said,
            code=code,
            first=first,
            then=then,
        )
        (self.programs / "mvn").write_text(text)
        (self.programs / "mvn").chmod(0o755)

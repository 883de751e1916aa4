"""Locks the published jars of RocketMQ's releases: writes src/offsetproof/real/locks/*.json (`make jars`).

Maven resolves what a release's artifacts need at run time. What it gives is believed here, once, and compared with the
lock from then on; a jar that differs from the committed lock shows in the diff.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from offsetproof.real.fetching import SECONDS
from offsetproof.real.jars import LOCKS, Lock, LockedJar
from offsetproof.real.maven import copy_artifacts
from offsetproof.verdict.prerequisite import PrerequisiteError

_GROUP = "org.apache.rocketmq"
_PARTS = ("namesrv", "broker", "client", "tools")
_LACKING = {"4.9.8": ("namesrv", "broker")}
"""Parts that Maven does not find; what a broker needs of RocketMQ's own is asked for instead, as far as it is there."""

_WEAVER = "org.ow2.asm:asm-tree:9.7.1"
"""What the rig weaves gates into classes with; with the jars, because it runs in the same JVM."""

RELEASES = ("4.9.4", "4.9.8", "5.3.3", "5.5.0")


def lock_of(release: str) -> Lock:
    """The lock of a release as Maven resolves it now; PrerequisiteError where it cannot."""
    lacking = _LACKING.get(release, ())
    parts = [part for part in _PARTS if part not in lacking] + (["store"] if "broker" in lacking else [])
    asked = (*(_coordinates(part, release) for part in parts), _WEAVER)
    with TemporaryDirectory() as folder:
        copied = copy_artifacts(asked, Path(folder, "maven"), seconds=SECONDS, tell=lambda said: None)
        jars = [_lock(coordinates, file) for coordinates, file in copied.items()]
    missing = tuple(_coordinates(part, release) for part in lacking)
    return Lock(release, asked, missing, tuple(sorted(jars, key=lambda jar: jar.file)))


def _coordinates(part: str, release: str) -> str:
    return f"{_GROUP}:rocketmq-{part}:{release}"


def _lock(coordinates: str, file: Path) -> LockedJar:
    data = file.read_bytes()
    return LockedJar(coordinates, file.name, hashlib.sha256(data).hexdigest(), len(data))


def text_of(lock: Lock) -> str:
    """A lock as the text of its file, one jar a line."""
    rows = ",\n".join(f"    {json.dumps(asdict(jar))}" for jar in lock.jars)
    head = (f'  "{name}": {json.dumps(getattr(lock, name))}' for name in ("release", "asked", "lacking"))
    return "{\n" + ",\n".join(head) + f',\n  "jars": [\n{rows}\n  ]\n}}\n'


def main() -> None:
    """Writes the locks of all releases."""
    for release in RELEASES:
        try:
            lock = lock_of(release)
        except PrerequisiteError as error:
            sys.exit(str(error))
        (LOCKS / f"{release}.json").write_text(text_of(lock), encoding="utf-8")
        print(f"{release}: {len(lock.jars)} jars, {lock.bytes / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

"""The rig compiled against a release's jars: at first use, and kept in the cache by what went into it.

The sources are a few Java files beside this one: what all releases share, and folders with what each spells in its own
way. What comes of them is one jar, which is also the agent that weaves gates into classes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from offsetproof.cache import cache_folder
from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import QUICK_START, Jdk, find_jdk
from offsetproof.real.own_classes import OwnClasses, classes_of
from offsetproof.verdict.prerequisite import PrerequisiteError

SOURCES = Path(__file__).parent / "java"
PARTS = {
    "4.9.4": ("by_topic", "client4", "broker", "broker4", "broker_files", "no_markers"),
    "4.9.8": ("by_queue", "client4", "brokerless", "no_broker_files", "no_markers"),
    "5.3.3": ("by_queue", "client5", "broker", "broker5", "broker_files", "markers"),
    "5.5.0": ("by_queue", "client5", "broker", "broker5", "broker_files", "markers"),
}
"""The folders that the rig of a release has beside the shared files.

4.9.8's broker is not published: it is played, and has no offset file.
"""
COMMANDS = ("commands",)
"""What the other folders share."""
_PROTOCOL = ("org.apache.rocketmq.common.protocol", "org.apache.rocketmq.remoting.protocol")
MOVED = {"5.3.3": _PROTOCOL, "5.5.0": _PROTOCOL}
"""A package that a release has elsewhere; the files name it as the others do."""
_MANIFEST = "Manifest-Version: 1.0\nPremain-Class: offsetproof.Weaver\nCan-Retransform-Classes: true\n\n"
_JAVAC_SECONDS = 120


@dataclass(frozen=True)
class CompiledRig:
    """The rig of a release: its own jar, the class path that it runs with, and the Java that runs it.

    `own` are somebody's own classes, which stand in front of the release's.
    """

    release: str
    jar: Path
    class_path: str
    java: str
    own: OwnClasses | None = None


def compile_rig(jars: JarSet, own: OwnClasses | None = None, *, folder: Path = SOURCES) -> CompiledRig:
    """The rig for a release's jars, with these classes in front, from the sources in a folder; from the cache if there.

    For classes that look to others as the release's do it is the release's own rig.
    Several processes may compile at once: each writes a file of its own, and the last one stays. Raises
    PrerequisiteError where there is no JDK, and with what javac says where the rig does not compile.
    """
    jdk = find_jdk()
    sources = sources_of(jars.release, folder)
    class_path = os.pathsep.join([*([own.class_path] if own else []), jars.class_path])
    which = jars.digest + (own.digest if own and own.has_other_surface else "")
    parts = [which.encode(), _MANIFEST.encode(), *(text.encode() for text in sources.values())]
    name = hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]
    jar = cache_folder("rig") / f"{name}.jar"
    if not jar.exists():
        jar.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=jar.parent) as beside:
            _compile(jdk, sources, class_path, classes_of(jars.release, own), Path(beside)).replace(jar)
    return CompiledRig(jars.release, jar, os.pathsep.join([str(jar), class_path]), jdk.java, own)


def sources_of(release: str, folder: Path = SOURCES) -> dict[str, str]:
    """The Java files of a release's rig, by their names, as they are compiled; `folder` has what releases share."""
    parts = PARTS.get(release, ()) if folder == SOURCES else COMMANDS
    files = sorted(file for each in (folder, *(SOURCES / part for part in parts)) for file in each.glob("*.java"))
    before, now = MOVED.get(release, ("", ""))
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    return {name: text.replace(before, now) if before else text for name, text in texts.items()}


def _compile(jdk: Jdk, sources: Mapping[str, str], class_path: str, which: str, folder: Path) -> Path:
    classes, files = folder / "classes", [folder / name for name in sources]
    for file, text in zip(files, sources.values(), strict=True):
        file.write_text(text, encoding="utf-8")
    command = [
        jdk.javac,
        f"-J{QUICK_START}",
        "-nowarn",
        "-proc:none",
        "-d",
        str(classes),
        "-cp",
        class_path,
        *map(str, files),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_JAVAC_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise PrerequisiteError(f"javac has not compiled the rig in {_JAVAC_SECONDS} s") from None
    if done.returncode:
        raise PrerequisiteError(f"the rig does not compile against {which}:\n{done.stderr[:2000]}")
    return _jar_of(classes, folder / "rig.jar")


def _jar_of(classes: Path, jar: Path) -> Path:
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", _MANIFEST)
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, file.relative_to(classes).as_posix())
    return jar

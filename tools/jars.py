"""The published jars of a release, fetched with Maven, and the classes in them."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zipfile import ZipFile

from tools.class_file import ClassFile, read_class

_GROUP = "org.apache.rocketmq"


class FetchError(Exception):
    """A jar could not be fetched; the message says which, and why."""


@dataclass(frozen=True)
class Jar:
    """A jar on this machine, with the artifact that it is."""

    artifact: str
    release: str
    file: Path

    @property
    def coordinates(self) -> str:
        """Its name at Maven Central."""
        return f"{_GROUP}:{self.artifact}:{self.release}"

    @cached_property
    def sha256(self) -> str:
        """The digest of its bytes."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The names of its classes (`a/b/Outer$1`)."""
        with ZipFile(self.file) as opened:
            return tuple(name.removesuffix(".class") for name in opened.namelist() if name.endswith(".class"))

    def read(self, name: str) -> ClassFile:
        """One of its classes."""
        with ZipFile(self.file) as opened:
            return read_class(opened.read(f"{name}.class"))


def fetch(artifact: str, release: str, folder: Path) -> Jar:
    """The jar of an artifact, from the folder or else by Maven; FetchError says why not."""
    file = folder / f"{artifact}-{release}.jar"
    if not file.exists():
        _copy(f"{_GROUP}:{artifact}:{release}", folder)
    return Jar(artifact, release, file)


def _copy(coordinates: str, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise FetchError(f"{coordinates} cannot be fetched: there is no mvn on the path; install Maven")
    command = [maven, "-B", "-q", "dependency:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        errors = [line for line in (ran.stdout + ran.stderr).splitlines() if "ERROR" in line]
        why = errors[0] if errors else f"mvn ended with {ran.returncode}"
        raise FetchError(f"{coordinates} cannot be fetched: {why}")

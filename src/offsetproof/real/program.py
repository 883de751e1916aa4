"""The classes of a program, from jars and folders, and where in them an anchor is: its class, and the line there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol
from zipfile import ZipFile
from zlib import crc32

from offsetproof.lang.anchor import Anchor
from offsetproof.real.class_file import ClassFile, CodeSite, Method, read_class
from offsetproof.real.jars import JarSet

GROUP = "org.apache.rocketmq"
"""Whose jars, and the package that all of RocketMQ's classes are in."""

ROLES = {
    "rocketmq-client": "client",
    "rocketmq-broker": "broker",
    "rocketmq-store": "broker",
    "rocketmq-common": "broker",
    "rocketmq-tools": "broker",
}
"""The artifacts in which anchors are looked for, and whose release each belongs to: the tools come with the broker.

What a release's lock lacks is not looked at, and the classes in it are absent from the release's table."""


class Container(Protocol):
    """What classes are in; `artifact` is how messages call it."""

    @property
    def artifact(self) -> str:
        """Its name."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of its classes (`a/b/Outer$1`)."""

    def read(self, name: str) -> ClassFile:
        """One of them."""


@dataclass(frozen=True)
class ClassJar:
    """A jar on this machine."""

    artifact: str
    file: Path

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The names of its classes (`a/b/Outer$1`)."""
        with ZipFile(self.file) as opened:
            return tuple(name.removesuffix(".class") for name in opened.namelist() if name.endswith(".class"))

    @cached_property
    def stamps(self) -> dict[str, tuple[int, int]]:
        """Checksum and size of each class file."""
        with ZipFile(self.file) as opened:
            found = {each.filename: (each.CRC, each.file_size) for each in opened.infolist()}
        return {name: found[f"{name}.class"] for name in self.entries}

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def data(self, name: str) -> bytes:
        """The class file of one of them."""
        with ZipFile(self.file) as opened:
            return opened.read(f"{name}.class")

    def read(self, name: str) -> ClassFile:
        """One of its classes."""
        return read_class(self.data(name))


@dataclass(frozen=True)
class ClassFolder:
    """A folder with class files, as compilers write them."""

    artifact: str
    folder: Path

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The names of its classes (`a/b/Outer$1`)."""
        found = (file.relative_to(self.folder).as_posix() for file in sorted(self.folder.rglob("*.class")))
        return tuple(name.removesuffix(".class") for name in found)

    @cached_property
    def stamps(self) -> dict[str, tuple[int, int]]:
        """Checksum and size of each class file."""
        return {name: (crc32(data := self.data(name)), len(data)) for name in self.entries}

    @cached_property
    def digest(self) -> str:
        """One SHA-256 of all classes with their names."""
        found = hashlib.sha256()
        for name in self.entries:
            data = self.data(name)
            found.update(f"{name} {len(data)}\n".encode() + data)
        return found.hexdigest()

    def data(self, name: str) -> bytes:
        """The class file of one of them."""
        return (self.folder / f"{name}.class").read_bytes()

    def read(self, name: str) -> ClassFile:
        """One of its classes."""
        return read_class(self.data(name))


def released_jars(jars: JarSet) -> dict[str, ClassJar]:
    """RocketMQ's own jars among those of a release, by artifact."""
    named = {jar.coordinates.split(":")[1]: jar for jar in jars.lock.jars if jar.coordinates.startswith(f"{GROUP}:")}
    return {artifact: ClassJar(artifact, jars.folder / jar.file) for artifact, jar in named.items()}


def anchored_jars(jars: JarSet) -> list[ClassJar]:
    """The jars of a release in which anchors are looked for."""
    there = released_jars(jars)
    return [there[artifact] for artifact in ROLES if artifact in there]


@dataclass(frozen=True)
class JavaLine:
    """A line of a class of the release, as the debugger names it."""

    java_class: str
    line: int

    def __str__(self) -> str:
        return f"{self.java_class}:{self.line}"


@dataclass(eq=False)
class AbsentError(Exception):
    """The program has no such place, and why. Whoever asked does without it, or says that it cannot."""

    why: str


class NoLinesError(AbsentError):
    """The place is there, but its class was compiled without line numbers."""


class JavaProgram:
    """The classes of some containers, by name; of several with one name the first counts, as on a class path."""

    def __init__(self, containers: Sequence[Container]) -> None:
        self.containers = containers
        self._container_of = {name: each for each in reversed(containers) for name in each.entries}
        self._read: dict[str, ClassFile] = {}

    def class_named(self, name: str) -> ClassFile:
        """A class by its full name."""
        if name not in self._read:
            self._read[name] = self._container_of[name].read(name)
        return self._read[name]

    def has(self, name: str) -> bool:
        """Is there a class of this full name?"""
        return name in self._container_of

    def has_method(self, name: str, method: Method) -> bool:
        """Has the class of this full name such a method, whatever it does?"""
        found = self.class_named(name).methods if self.has(name) else ()
        return any((each.name, each.descriptor) == (method.name, method.descriptor) for each in found)

    def container_of(self, class_file: ClassFile) -> Container:
        """What a class is in."""
        return self._container_of[class_file.name]

    def find(self, words: str) -> ClassFile:
        """The class that an anchor names: `Outer`, `Outer.Inner`, or `Outer.Runnable` for one without a name."""
        outer, *inner = words.split(".")
        names = [name for name in self._container_of if name.rpartition("/")[2] == outer]
        if len(names) != 1:
            artifacts = ", ".join(each.artifact for each in self.containers)
            raise AbsentError(f"{len(names) or 'no'} classes {outer} in {artifacts}")
        class_file = self.class_named(names[0])
        for word in inner:
            class_file = self._within(class_file, word)
        return class_file

    def _within(self, outer: ClassFile, word: str) -> ClassFile:
        if f"{outer.name}${word}" in self._container_of:
            return self.class_named(f"{outer.name}${word}")
        unnamed = re.compile(re.escape(outer.name) + r"\$\d+")
        inside = [self.class_named(name) for name in self._container_of if unnamed.fullmatch(name)]
        fitting = [each for each in inside if word in map(_short, each.parents)]
        if len(fitting) != 1:
            raise AbsentError(f"{_short(outer.name)} has {len(fitting) or 'no'} classes without a name that are {word}")
        return fitting[0]

    def target_of(self, site: CodeSite) -> CodeSite:
        """What a site touches: where it goes through an accessor of another class, what that touches."""
        if not re.fullmatch(r"access\$\d+", site.name) or site.owner not in self._container_of:
            return site
        accessor = next(method for method in self.class_named(site.owner).methods if method.name == site.name)
        return replace(accessor.sites[-1], line=site.line)


def _short(name: str) -> str:
    """The name of a class without its package and the classes around it."""
    return re.split(r"[/$]", name)[-1]


def methods_of(anchor: Anchor, program: JavaProgram) -> tuple[ClassFile, list[Method]]:
    """The class that an anchor names, and its methods of that name; AbsentError where there is none."""
    class_file = program.find(anchor.java_class)
    named = [method for method in class_file.methods if method.name == anchor.method]
    if not named:
        raise AbsentError(f"{anchor.java_class} has no method {anchor.method}")
    return class_file, named


def line_of(anchor: Anchor, program: JavaProgram, release: JavaProgram | None = None) -> tuple[ClassFile, int]:
    """The class file and the line that an anchor means; AbsentError where there is none.

    Methods that the `release` does not have are looked at as parts of those that call them.
    """
    class_file, named = methods_of(anchor, program)
    method_name = f"{anchor.java_class}.{anchor.method}"
    if anchor.call:
        fitting = _fitting(anchor, class_file, named, program, release)
        if len(fitting) < anchor.nth:
            raise AbsentError(f"{method_name} has {f'only {len(fitting)}' if fitting else 'no'} {anchor.call}")
        class_file, site, _ = fitting[anchor.nth - 1]
        line = site.line
    elif len(named) > 1:
        raise AbsentError(f"{method_name} has {len(named)} overloads; name a call within one")
    else:
        line = named[0].line
    if line is None:
        raise NoLinesError(f"{method_name} has no code with line numbers")
    return class_file, line


def lambdas_in(class_file: ClassFile, method: str) -> list[Method]:
    """The bodies of the lambdas that are written in a method."""
    return [each for each in class_file.methods if re.fullmatch(rf"lambda\${re.escape(method)}\$\d+", each.name)]


def calls_that_fit(anchor: Anchor, program: JavaProgram, release: JavaProgram | None = None) -> list[tuple[str, str]]:
    """The calls among which an anchor means one, in their order: in which overload each is, and what is called.

    None are where the program has no such method.
    """
    try:
        class_file, named = methods_of(anchor, program)
    except AbsentError:
        return []
    return [(within, site.descriptor) for _, site, within in _fitting(anchor, class_file, named, program, release)]


_MADE_BY_COMPILER = re.compile(r"(lambda|access)\$")
_Fitting = list[tuple[ClassFile, CodeSite, str]]
"""Sites, each with the class that it is written in, and the descriptor of the overload that it is part of."""


def _fitting(
    anchor: Anchor, class_file: ClassFile, named: Sequence[Method], program: JavaProgram, release: JavaProgram | None
) -> _Fitting:
    """The sites that have an anchor's call, in the order of the code; those of lambdas last."""
    owner, _, name = anchor.call.removesuffix("=").rpartition(".")
    found: _Fitting = []
    for method in (*named, *lambdas_in(class_file, anchor.method)):
        within = "" if _MADE_BY_COMPILER.match(method.name) else method.descriptor
        for where, site in _sites_of(class_file, method, program, release):
            fits = site.name == name and owner in ("", _short(site.owner))
            if fits and (site.writes or not anchor.call.endswith("=")):
                found.append((where, site, within))
    return found


def _sites_of(
    class_file: ClassFile,
    method: Method,
    program: JavaProgram,
    release: JavaProgram | None,
    within: tuple[Method, ...] = (),
) -> Iterator[tuple[ClassFile, CodeSite]]:
    """What a method touches, and what the methods do that it calls and that the release does not have."""
    for site in method.sites:
        yield class_file, program.target_of(site)
        if release is None or not program.has(site.owner) or _MADE_BY_COMPILER.match(site.name):
            continue
        home = program.class_named(site.owner)
        for called in home.methods:
            is_called = (called.name, called.descriptor) == (site.name, site.descriptor) and called not in within
            if is_called and not release.has_method(home.name, called):
                for part in (called, *lambdas_in(home, called.name)):
                    yield from _sites_of(home, part, program, release, (*within, method))

"""Somebody's own classes in front of a release's jars: a fork, a pull request, one patched class.

They are read when they are named: what they are is digested, and the lines of anchors are looked up in those that
stand for a class of the release. The other lines are the release's.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from zipfile import BadZipFile, is_zipfile

from offsetproof.lang.anchor import Anchor, AnchorLines
from offsetproof.reading.files import UnusableFileError
from offsetproof.real.class_file import ClassFile
from offsetproof.real.jars import JarSet
from offsetproof.real.method_digests import AnchoredMethod, Body, changed_bodies
from offsetproof.real.program import (
    GROUP,
    AbsentError,
    ClassFolder,
    ClassJar,
    JavaLine,
    JavaProgram,
    NoLinesError,
    anchored_jars,
    calls_that_fit,
    line_of,
    methods_of,
    released_jars,
)

_PACKAGE = GROUP.replace(".", "/") + "/"


@dataclass(frozen=True)
class _RocketMQs:
    """The classes of a container that are in RocketMQ's packages: no other can be meant by an anchor."""

    inside: ClassFolder | ClassJar

    @property
    def artifact(self) -> str:
        return self.inside.artifact

    @cached_property
    def entries(self) -> tuple[str, ...]:
        return tuple(name for name in self.inside.entries if name.startswith(_PACKAGE))

    def read(self, name: str) -> ClassFile:
        try:
            return self.inside.read(name)
        except (ValueError, OSError, BadZipFile) as error:
            raise UnusableFileError(f"--classpath: {name}.class in {self.artifact} cannot be read: {error}") from None


@dataclass(frozen=True)
class OwnClasses:
    """The classes on a class path that stands in front of a release's jars. `read_class_path` makes one."""

    jars: JarSet
    containers: tuple[ClassFolder | ClassJar, ...]
    _lines: dict[int, tuple[AnchorLines, AnchorLines]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """The parts of the class path, as they were given."""
        return tuple(each.artifact for each in self.containers)

    @property
    def class_path(self) -> str:
        """The same as Java wants it, as absolute paths."""
        return os.pathsep.join(str(Path(each.artifact).absolute()) for each in self.containers)

    @cached_property
    def digest(self) -> str:
        """One SHA-256 of all that is on the class path, in its order."""
        return hashlib.sha256(" ".join(each.digest for each in self.containers).encode()).hexdigest()

    @cached_property
    def replaced(self) -> tuple[str, ...]:
        """The classes of the release in whose place others stand, in order."""
        release = {name for jar in released_jars(self.jars).values() for name in jar.entries}
        return tuple(sorted(release & {name for each in self.containers for name in each.entries}))

    @cached_property
    def others(self) -> tuple[str, ...]:
        """Those of them that are not, byte for byte, what was published."""
        release = {name: stamp for jar in released_jars(self.jars).values() for name, stamp in jar.stamps.items()}
        here = {name: stamp for each in reversed(self.containers) for name, stamp in each.stamps.items()}
        return tuple(name for name in self.replaced if here[name] != release[name])

    @cached_property
    def _outer(self) -> frozenset[str]:
        """The names of the outermost classes of these."""
        return frozenset(name.rpartition("/")[2].partition("$")[0] for each in self._own for name in each.entries)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Classes that the release does not have and that those which differ from it use, or one of these does."""
        own = {name for each in self._own for name in each.entries if not self.release.has(name)}
        found: dict[str, None] = {}
        waiting = [*self.others]
        while waiting:
            class_file = self.whole.class_named(waiting.pop())
            used = {site.owner for method in class_file.methods for site in method.sites}
            for name in sorted(own & used - found.keys()):
                found[name] = None
                waiting.append(name)
        return tuple(found)

    @cached_property
    def program(self) -> JavaProgram:
        """The classes as the JVM sees them: these first, then those of the release in which anchors are looked for."""
        return JavaProgram([*self._own, *anchored_jars(self.jars)])

    @cached_property
    def release(self) -> JavaProgram:
        """The classes of the release."""
        return JavaProgram([*released_jars(self.jars).values()])

    @cached_property
    def whole(self) -> JavaProgram:
        """The classes as the JVM sees them: these first, then all of the release."""
        return JavaProgram([*self._own, *released_jars(self.jars).values()])

    @cached_property
    def has_other_surface(self) -> bool:
        """Do they look otherwise to classes that are compiled against the release?"""
        return any(
            self.whole.class_named(name).surface != self.release.class_named(name).surface for name in self.others
        )

    @cached_property
    def _own(self) -> tuple[_RocketMQs, ...]:
        return tuple(map(_RocketMQs, self.containers))

    def has(self, class_file: ClassFile) -> bool:
        """Is a class of the program one of these?"""
        return self.program.container_of(class_file) in self._own

    def beginning(self, anchor: Anchor) -> JavaLine | None:
        """Where the method of an anchor begins; None where there is no such method."""
        try:
            class_file, (method, *_) = methods_of(anchor, self.program)
        except AbsentError:
            return None
        return None if method.line is None else JavaLine(class_file.name.replace("/", "."), method.line)

    def changed_beginnings(self, method: AnchoredMethod) -> list[JavaLine]:
        """Where those overloads of a method begin, and those lambdas in it, that do not do what the release's do."""
        return _lines_in((body, body.method.line) for body, _ in changed_bodies(method, self.whole, self.release))

    def changed_lines(self, method: AnchoredMethod) -> list[JavaLine]:
        """Where in them the first operation is that is not the release's; where they begin if no line has changed."""
        return _lines_in(changed_bodies(method, self.whole, self.release)) or self.changed_beginnings(method)

    def doubt(self, anchor: Anchor) -> str:
        """Why it is not known which call an anchor means here: the calls that it may mean are not the release's."""
        if anchor.java_class.partition(".")[0] not in self._outer or not anchor.call:
            return ""
        here, before = calls_that_fit(anchor, self.program, self.release), calls_that_fit(anchor, self.release)
        if here == before or not here:
            return ""
        counts = (
            f"{len(here)} where the release has {len(before)}" if len(here) != len(before) else "others, or elsewhere"
        )
        return f"of the calls {anchor.java_class}.{anchor.method} ({anchor.call}) there are {counts}"

    def lines(self, table: AnchorLines) -> AnchorLines:
        """The release's lines of anchors, with those that are elsewhere in these classes.

        UnusableFileError where a class that is asked for was compiled without line numbers.
        """
        if id(table) not in self._lines:
            self._lines[id(table)] = table, self._lines_here(table)
        return self._lines[id(table)][1]

    def _lines_here(self, table: AnchorLines) -> AnchorLines:
        line_here, class_here, why_here = dict(table.line_of), dict(table.class_of), dict(table.why_of)
        for anchor in [each for each in table.line_of if each.java_class.partition(".")[0] in self._outer]:
            try:
                class_file, line = line_of(table.here(anchor), self.program, self.release)
            except NoLinesError as error:
                raise self._no_lines(anchor, error) from None
            except AbsentError as error:
                line_here[anchor], why_here[anchor] = None, error.why
            else:
                line_here[anchor], class_here[anchor] = line, class_file.name.replace("/", ".")
        return replace(table, line_of=line_here, class_of=class_here, why_of=why_here)

    def _no_lines(self, anchor: Anchor, error: NoLinesError) -> UnusableFileError:
        where = self.program.container_of(self.program.find(anchor.java_class)).artifact
        return UnusableFileError(
            f"--classpath: {where}: {error.why}, so no thread can be held there; compile it with line numbers "
            "(javac -g, or -g:lines)"
        )


def read_class_path(given: str, jars: JarSet) -> OwnClasses:
    """The classes on a class path in front of these jars; UnusableFileError for what is not there or has no class."""
    containers = tuple(_container(part) for part in dict.fromkeys(given.split(os.pathsep)) if part)
    if not containers:
        raise UnusableFileError("--classpath: it is empty; name folders with classes, or jars")
    own = OwnClasses(jars, containers)
    if not own.replaced:
        count = len({name for each in own.containers for name in each.entries})
        raise UnusableFileError(
            f"--classpath: none of the {count} classes in {', '.join(own.paths)} has the name of a class of "
            f"RocketMQ {jars.release}, so nothing would be replaced; name the folder that has org/ in it"
        )
    return own


def _container(part: str) -> ClassFolder | ClassJar:
    path = Path(part)
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError as error:
        raise UnusableFileError(f"--classpath: {part}: {error.strerror}") from None
    if not is_folder and not is_file:
        raise UnusableFileError(f"--classpath: there is no folder or jar {part}")
    if is_file and not is_zipfile(path):
        raise UnusableFileError(f"--classpath: {part} is neither a folder nor a jar")
    container = ClassFolder(part, path) if is_folder else ClassJar(part, path)
    try:
        if not container.entries:
            raise UnusableFileError(f"--classpath: {part} has no classes")
    except (OSError, BadZipFile) as error:
        raise UnusableFileError(f"--classpath: {part} cannot be read: {error}") from None
    return container


def classes_of(release: str, own: OwnClasses | None) -> str:
    """Which classes they are: `RocketMQ 4.9.4`, `RocketMQ 4.9.4 with 1 class of target/classes in front`."""
    if own is None:
        return f"RocketMQ {release}"
    if not own.others:
        return f"RocketMQ {release} with the same classes in front"
    where = [each.artifact.rstrip("/") for each in own.containers if not each.stamps.keys().isdisjoint(own.others)]
    how_many = "1 class" if len(own.others) == 1 else f"{len(own.others)} classes"
    return f"RocketMQ {release} with {how_many} of {', '.join(where)} in front"


def _lines_in(bodies: Iterable[tuple[Body, int | None]]) -> list[JavaLine]:
    return [JavaLine(body.class_file.name.replace("/", "."), line) for body, line in bodies if line is not None]

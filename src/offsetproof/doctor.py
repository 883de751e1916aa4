"""Which optional parts are there, what each is for, and what brings those that are not."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from textwrap import fill
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.reading.typed_json import JsonObject, Name, write_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.verdict import prerequisite
from offsetproof.verdict.prerequisite import PARTS, Part, PrerequisiteError
from offsetproof.version import __version__


@dataclass(frozen=True)
class Examined:
    """A part, and where or what it is; or why it cannot be used."""

    part: Part
    found: str = ""
    lacks: str = ""


class PartJson(JsonObject):
    """An optional part."""

    name: Name
    needed_by: str
    found: Annotated[str | None, Meta(description="Where or what it is; null: it cannot be used.")]
    lacks: Annotated[str | None, Meta(description="Why it cannot be used.")]
    command: Annotated[str, Meta(description="What brings it.")]


class DoctorJson(DocumentJson):
    """Version 1 of the optional parts that are there."""

    python: str
    parts: tuple[PartJson, ...]


def examine(parts: Sequence[Part] = PARTS) -> Iterator[Examined]:
    """Looks for each part as those look for it that need it."""
    for part in parts:
        try:
            yield Examined(part, found=_FINDERS[part]())
        except PrerequisiteError as error:
            yield Examined(part, lacks=str(error))


def doctor_text(examined: Sequence[Examined], width: int) -> str:
    """Two lines for each part: what needs it, and where it is or why it cannot be used."""
    head = f"offsetproof {__version__} on Python {platform.python_version()}, which is all that checking needs"
    lines = [fill(head, width), ""]
    for each in examined:
        mark = "there  " if each.found else "missing"
        lines += [fill(f"{mark}  {each.part.name:<8}  for {each.part.needed_by}", width, subsequent_indent=" " * 19)]
        lines += [fill(each.found or each.lacks, width, initial_indent=" " * 19, subsequent_indent=" " * 19)]
    return "\n".join(lines) + "\n"


def doctor_json(examined: Sequence[Examined]) -> str:
    """One document."""
    parts = tuple(
        PartJson(
            name=each.part.name,
            needed_by=each.part.needed_by,
            found=each.found or None,
            lacks=each.lacks or None,
            command=each.part.command,
        )
        for each in examined
    )
    return write_json(DoctorJson(**envelope(DEFAULT), python=platform.python_version(), parts=parts))


def _jdk() -> str:
    from offsetproof.real.jdk import find_jdk

    return find_jdk().javac


def _maven() -> str:
    found = shutil.which("mvn")
    if found is None:
        raise PrerequisiteError(f"there is no mvn on the path; {prerequisite.MAVEN.how_to_get}")
    return found


def _jars() -> str:
    """The releases whose jars are all as they were published."""
    from offsetproof.real.jars import jars_of, releases

    there = []
    for release in releases():
        try:
            there.append(jars_of(release).lock.release)
        except PrerequisiteError:
            continue
    if not there:
        raise PrerequisiteError(f"none has been fetched; run: {prerequisite.JARS.command}")
    return f"of {', '.join(there)}"


def _audit() -> str:
    from offsetproof.engines.spark.session import require_library

    require_library("pyarrow", part=prerequisite.AUDIT)
    return f"PyArrow {version('pyarrow')}"


def _spark() -> str:
    from offsetproof.engines.spark.session import require_library, require_spark

    require_spark()
    require_library("matplotlib")
    return f"PySpark {version('pyspark')}"


def _pytest() -> str:
    try:
        return f"pytest {version('pytest')}"
    except PackageNotFoundError:
        raise PrerequisiteError(f"it is not installed; {prerequisite.PYTEST.how_to_get}") from None


def _mcp() -> str:
    from offsetproof.engines.spark.session import require_library

    require_library("mcp.server", part=prerequisite.MCP)
    return f"mcp {version('mcp')}"


def _tlc() -> str:
    from offsetproof.exports.tla.tlc import find_jar, find_java

    find_java()
    return str(find_jar())


def _tools(part: Part, *names: str) -> Callable[[], str]:
    """Finds programs on the path, all of them."""

    def find() -> str:
        from offsetproof.exports.other_tool import path_of_tool

        return ", ".join(path_of_tool(name, part) for name in names)

    return find


_FINDERS: Mapping[Part, Callable[[], str]] = {
    prerequisite.JDK: _jdk,
    prerequisite.MAVEN: _maven,
    prerequisite.JARS: _jars,
    prerequisite.AUDIT: _audit,
    prerequisite.SPARK: _spark,
    prerequisite.PYTEST: _pytest,
    prerequisite.MCP: _mcp,
    prerequisite.TLC: _tlc,
    prerequisite.SPIN: _tools(prerequisite.SPIN, "spin", "gcc"),
    prerequisite.CARGO: _tools(prerequisite.CARGO, "cargo"),
    prerequisite.CHROMIUM: _tools(prerequisite.CHROMIUM, "chromium"),
}

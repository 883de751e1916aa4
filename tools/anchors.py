"""The lines of the RocketMQ models' anchors in each release, from the published jars: writes model/lines/*.json.

For each anchor it looks for the class, the method and the call in the jars' bytecode (`class_file.py`), and takes the
line from the method's line table. What a release does not have is written down as null, with the reason. A release that
the model offers must have all of them.

`make anchors` fetches the jars with Maven into out/jars, or takes them from there.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from offsetproof.checking.catalogue import SINGLES
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.model import Model
from tools.class_file import ClassFile, Method, Site
from tools.jars import FetchError, Jar, fetch

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "model" / "lines"
CACHE = ROOT / "out" / "jars"

_ROLES = {
    "rocketmq-client": "client",
    "rocketmq-broker": "broker",
    "rocketmq-store": "broker",
    "rocketmq-common": "broker",
    "rocketmq-tools": "broker",
}
"""The artifacts that are looked at, and whose release each belongs to: the tools come with the broker."""

_NOT_FETCHED = {("rocketmq-broker", "4.9.8")}
"""Artifacts that could not be had when the tables were written: their classes are absent from the release's table."""

RELEASES = ("4.9.4", "4.9.8", "5.3.3")
Row = dict[str, Any]


@dataclass(eq=False)
class AbsentError(Exception):
    """The release has no such place, and why."""

    why: str


class Program:
    """The classes of some jars, by name."""

    def __init__(self, jars: Sequence[Jar]) -> None:
        self.jars = jars
        self._jar_of = {name: jar for jar in jars for name in jar.entries}
        self._read: dict[str, ClassFile] = {}

    def named(self, name: str) -> ClassFile:
        """A class by its full name."""
        if name not in self._read:
            self._read[name] = self._jar_of[name].read(name)
        return self._read[name]

    def has(self, name: str) -> bool:
        """Is there a class of this full name?"""
        return name in self._jar_of

    def jar_of(self, class_file: ClassFile) -> Jar:
        """The jar that a class is in."""
        return self._jar_of[class_file.name]

    def find(self, words: str) -> ClassFile:
        """The class that an anchor names: `Outer`, `Outer.Inner`, or `Outer.Runnable` for one without a name."""
        outer, *inner = words.split(".")
        names = [name for name in self._jar_of if name.rpartition("/")[2] == outer]
        if len(names) != 1:
            artifacts = ", ".join(jar.artifact for jar in self.jars)
            raise AbsentError(f"{len(names) or 'no'} classes {outer} in {artifacts}")
        class_file = self.named(names[0])
        for word in inner:
            class_file = self._within(class_file, word)
        return class_file

    def _within(self, outer: ClassFile, word: str) -> ClassFile:
        if f"{outer.name}${word}" in self._jar_of:
            return self.named(f"{outer.name}${word}")
        unnamed = re.compile(re.escape(outer.name) + r"\$\d+")
        inside = [self.named(name) for name in self._jar_of if unnamed.fullmatch(name)]
        fitting = [each for each in inside if word in map(_short, each.parents)]
        if len(fitting) != 1:
            raise AbsentError(f"{_short(outer.name)} has {len(fitting) or 'no'} classes without a name that are {word}")
        return fitting[0]

    def touched(self, site: Site) -> Site:
        """What a site touches: where it goes through an accessor of another class, what that touches."""
        if not re.fullmatch(r"access\$\d+", site.name) or site.owner not in self._jar_of:
            return site
        accessor = next(method for method in self.named(site.owner).methods if method.name == site.name)
        return replace(accessor.sites[-1], line=site.line)


def _short(name: str) -> str:
    """The name of a class without its package and the classes around it."""
    return re.split(r"[/$]", name)[-1]


def line_of(anchor: Anchor, program: Program) -> tuple[ClassFile, int]:
    """The class file and the line that an anchor means; AbsentError where there is none."""
    class_file = program.find(anchor.java_class)
    named = [method for method in class_file.methods if method.name == anchor.method]
    method_name = f"{anchor.java_class}.{anchor.method}"
    if not named:
        raise AbsentError(f"{anchor.java_class} has no method {anchor.method}")
    if anchor.call:
        line = _line_of_call(anchor, method_name, [*named, *_lambdas(class_file, anchor.method)], program)
    elif len(named) > 1:
        raise AbsentError(f"{method_name} has {len(named)} overloads; name a call within one")
    else:
        line = named[0].line
    if line is None:
        raise AbsentError(f"{method_name} has no code with line numbers")
    return class_file, line


def _lambdas(class_file: ClassFile, method: str) -> list[Method]:
    """The bodies of the lambdas that are written in a method."""
    return [each for each in class_file.methods if re.fullmatch(rf"lambda\${re.escape(method)}\$\d+", each.name)]


def _line_of_call(anchor: Anchor, method_name: str, methods: Iterable[Method], program: Program) -> int | None:
    owner, _, name = anchor.call.removesuffix("=").rpartition(".")
    touched = (program.touched(site) for method in methods for site in method.sites)
    fitting = [site for site in touched if site.name == name and owner in ("", _short(site.owner))]
    if anchor.call.endswith("="):
        fitting = [site for site in fitting if site.writes]
    if len(fitting) < anchor.nth:
        raise AbsentError(f"{method_name} has {f'only {len(fitting)}' if fitting else 'no'} {anchor.call}")
    return fitting[anchor.nth - 1].line


MODELS = tuple(entry.subjects[0].model for entry in SINGLES.values())
"""The models whose anchors are in the tables."""


def anchors(models: Iterable[type[Model]] = MODELS) -> list[Anchor]:
    """The anchors of the models, each once, in order."""
    actions = [action for model in models for action in model.actions.values()]
    distinct = {anchor for action in actions for anchor in action.stands_for if anchor.line is None}
    return sorted(distinct, key=lambda anchor: (anchor.java_class, anchor.method, anchor.call, anchor.nth))


def derive_lines(release: str, cache: Path = CACHE) -> dict[str, Any]:
    """The table of a release, from its jars; FetchError where one cannot be had."""
    wanted = [artifact for artifact in _ROLES if (artifact, release) not in _NOT_FETCHED]
    program = Program([fetch(artifact, release, cache) for artifact in wanted])
    rows = [_row(anchor, program) for anchor in anchors()]
    jars = [{"artifact": jar.coordinates, "role": _ROLES[jar.artifact], "sha256": jar.sha256} for jar in program.jars]
    return {"release": release, "jars": jars, "anchors": rows}


def _row(anchor: Anchor, program: Program) -> Row:
    key = {"class": anchor.java_class, "method": anchor.method, "call": anchor.call, "nth": anchor.nth}
    try:
        class_file, line = line_of(anchor, program)
    except AbsentError as absent:
        return {**key, "line": None, "why": absent.why}
    row = {
        "jar": program.jar_of(class_file).artifact,
        "in": class_file.name.replace("/", "."),
        "file": class_file.source,
    }
    return {**key, **row, "line": line}


def written(table: Mapping[str, Any]) -> str:
    """A table as the text of its file, one anchor a line."""
    return f'{{\n  "release": {json.dumps(table["release"])},\n' + ",\n".join(_lists(table)) + "\n}\n"


def _lists(table: Mapping[str, Any]) -> Iterator[str]:
    for name in ("jars", "anchors"):
        rows = ",\n".join(f"    {json.dumps(row)}" for row in table[name])
        yield f'  "{name}": [\n{rows}\n  ]'


def main() -> None:
    """Writes all tables; ends with 1 where a jar cannot be had, or a release that the model offers lacks an anchor."""
    offered = {release.name for model in MODELS for release in model.releases}
    lacking = []
    for release in RELEASES:
        try:
            table = derive_lines(release)
        except FetchError as error:
            sys.exit(str(error))
        (FOLDER / f"{release}.json").write_text(written(table), encoding="utf-8")
        absent = [row for row in table["anchors"] if row["line"] is None]
        print(f"{release}: {len(table['anchors']) - len(absent)} anchors have a line, {len(absent)} have none")
        lacking += [f"{release}: {row['why']}" for row in absent if release in offered]
    if lacking:
        sys.exit("\n".join(lacking))


if __name__ == "__main__":
    main()

"""Every place in the published client's bytecode that touches an offset store, a process queue or the table of them.

`make callers` writes it to studies/data/callers.json, where a person has said of each place which actions of which
subjects it is, or why it is left out. A place that an anchor names needs no word (`tools/anchored_places.py`). What is
new is written without one, and the run ends with 1. `python -m tools.callers 5.3.3` says what
another release has that the list does not, and writes nothing.

What counts as a place: a call of any method of the stores and of ProcessQueue, through the interface or not; a write to
one of ProcessQueue's fields; a call on the value of the tables, of the caches and of the counters, or on what came from
it (`value_flow.py`), but for the steps of an iteration that only go on; and, so that what begins it is found, a call
of a method that has a place itself, up to methods that nothing in the jar calls: a thread's, or the application's. A
line that does the same twice, as the compiler's copies of a finally block do, is one place.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offsetproof.real.class_file import ClassFile, CodeSite, Method
from offsetproof.real.program import JavaProgram
from offsetproof.verdict.prerequisite import PrerequisiteError
from tools.anchored_places import actions_at, touch_of
from tools.jars import Jar, published_jars
from tools.value_flow import touches

RELEASE = "4.9.4"
DATA = Path(__file__).parents[1] / "studies" / "data" / "callers.json"
_PACKAGE = "org/apache/rocketmq/client/"

WATCHED = {
    f"{_PACKAGE}consumer/store/OffsetStore",
    f"{_PACKAGE}consumer/store/RemoteBrokerOffsetStore",
    f"{_PACKAGE}consumer/store/LocalFileOffsetStore",
    f"{_PACKAGE}impl/consumer/ProcessQueue",
}
"""The classes any call of whose methods is a place."""

_FOLLOWED = {
    **dict.fromkeys(("processQueueTable", "getProcessQueueTable"), "processQueueTable"),
    **dict.fromkeys(("msgTreeMap", "getMsgTreeMap"), "msgTreeMap"),
    **dict.fromkeys(("msgCount", "getMsgCount"), "msgCount"),
    **dict.fromkeys(("msgSize", "getMsgSize"), "msgSize"),
    **{name: name for name in ("offsetTable", "consumingMsgOrderlyTreeMap", "tryUnlockTimes")},
}
"""Fields whose values are followed, by their own names and their getters'."""

_HOLDERS = {*WATCHED, *(f"{_PACKAGE}impl/consumer/Rebalance{kind}Impl" for kind in ("", "Push", "Pull", "LitePull"))}
_GOES_ON = re.compile(r"(Set|Collection)\.iterator|Iterator\.(hasNext|next)|Map\$Entry\.get(Key|Value)")

Key = tuple[str, str, str, int]
Row = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A line of a method that touches something; `nth` counts those of the method that touch the same, in its order."""

    java_class: str
    method: str
    touches: str
    nth: int
    line: int | None

    @property
    def key(self) -> Key:
        """What stays the same when only lines move."""
        return self.java_class, self.method, self.touches, self.nth


_Found = tuple[ClassFile, Method, str, int | None]


def places(jar: Jar) -> list[Place]:
    """All places of a jar, by class and line."""
    program = JavaProgram([jar])
    classes = [program.class_named(name) for name in jar.entries]
    found = [each for class_file in classes for each in _touches_in(class_file, program)]
    found += _leading_to(found, classes, program)
    seen = {(each.name, _written_in(method.name), text, line or 0) for each, method, text, line in found}
    return _number_places(each for each in seen if not each[1].startswith("access$"))


def _written_in(method: str) -> str:
    """The method that code is written in: of a lambda's body, the one around it."""
    return re.sub(r"^lambda\$(.+)\$\d+$", r"\1", method)


def _number_places(found: Iterable[tuple[str, str, str, int]]) -> list[Place]:
    seen: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for name, method, text, line in sorted(found, key=lambda each: (each[0], each[3], each[2])):
        short = name.removeprefix(_PACKAGE).replace("/", ".")
        seen[short, method, text] += 1
        numbered.append(Place(short, method, text, seen[short, method, text], line))
    return numbered


def _touches_in(each: ClassFile, program: JavaProgram) -> Iterator[_Found]:
    """What each method of a class touches, in words, and where."""
    for method in each.methods:
        for site in map(program.target_of, method.sites):
            writes = site.writes and method.name not in ("<init>", "<clinit>")
            if site.owner in WATCHED and (writes or is_call(site)) and not _is_lambda(site):
                yield each, method, f"{_short(site.owner)}.{site.name}{' =' if site.writes else ''}", site.line
        for touch in touches(method.code, _follow) if method.code else ():
            called = f"{_short(touch.site.owner)}.{touch.site.name}"
            if touch.site.owner not in WATCHED and not _GOES_ON.fullmatch(called):
                yield each, method, f"{', '.join(sorted(touch.names))}: {called}", touch.site.line


def is_call(site: CodeSite) -> bool:
    """Does the site call a method, and not touch a field?"""
    return site.descriptor.startswith("(")


def _is_lambda(site: CodeSite) -> bool:
    """Is it the body of a lambda, which belongs to the method around it and is no method that anybody calls?"""
    return site.name.startswith("lambda$")


def _follow(site: CodeSite) -> str | None:
    return _FOLLOWED.get(site.name) if site.owner in _HOLDERS else None


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _leading_to(found: Iterable[_Found], classes: Sequence[ClassFile], program: JavaProgram) -> list[_Found]:
    """The calls of the methods of these places, of the methods with such a call, and so on."""
    calls: defaultdict[tuple[str, str], list[tuple[ClassFile, Method, CodeSite]]] = defaultdict(list)
    for each in classes:
        for method in each.methods:
            for site in map(program.target_of, method.sites):
                calls[site.name, site.descriptor].append((each, method, site))
    doors = list(dict.fromkeys((each, method) for each, method, _, _ in found if each.name not in WATCHED))
    leading: list[_Found] = []
    for door_class, door in doors:  # it grows while it is read
        if door.name in ("<init>", "<clinit>"):
            continue
        for each, method, site in calls[door.name, door.descriptor]:
            if site.owner in WATCHED or not _are_related(site.owner, door_class.name, program):
                continue
            if not _is_lambda(site):
                leading.append((each, method, f"{_short(site.owner)}.{site.name}", site.line))
            if (each, method) not in doors:
                doors.append((each, method))
    return leading


def _are_related(one: str, other: str, program: JavaProgram) -> bool:
    return one in _ancestors(other, program) or other in _ancestors(one, program)


def _ancestors(name: str, program: JavaProgram) -> set[str]:
    """A class and all that it inherits from, as far as the jar has it."""
    if not program.has(name):
        return {name}
    return {name}.union(*(_ancestors(parent, program) for parent in program.class_named(name).parents))


def derive(release: str) -> list[Place]:
    """The places of a release, from its jar; PrerequisiteError where it cannot be had."""
    return places(published_jars(release)["rocketmq-client"])


def key_of(row: Mapping[str, Any]) -> Key:
    """The key of a row of the data."""
    return row["in"], row["method"], row["touches"], row["nth"]


def read() -> dict[str, Any]:
    """The data as it is in the repository."""
    table: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return table


def merge(table: Mapping[str, Any], found: Iterable[Place]) -> dict[str, Any]:
    """The data with these places: what was said of a place stays, one that is gone is gone."""
    kept = ("modelled", "left out")
    said = {key_of(row): {name: row[name] for name in kept if name in row} for row in table["places"]}
    rows = [
        {"in": place.java_class, "method": place.method, "touches": place.touches, "nth": place.nth, "line": place.line}
        | said.get(place.key, {})
        for place in found
    ]
    return {**table, "places": rows}


def text_of(table: Mapping[str, Any]) -> str:
    """The data as the text of its file, one reason and one place a line."""
    reasons = ",\n".join(f"    {json.dumps(key)}: {json.dumps(text)}" for key, text in table["reasons"].items())
    rows = ",\n".join(f"    {json.dumps(row)}" for row in table["places"])
    head = f'  "release": {json.dumps(table["release"])},\n  "reasons": {{\n{reasons}\n  }},\n'
    return f'{{\n{head}  "places": [\n{rows}\n  ]\n}}\n'


def unsaid(table: Mapping[str, Any]) -> list[str]:
    """The places that no anchor names, and of which nobody has said anything."""
    anchored = actions_at(table["release"])
    silent = (row for row in table["places"] if "modelled" not in row and "left out" not in row)
    return [_in_words(row) for row in silent if touch_of(row) not in anchored]


def _in_words(row: Row) -> str:
    return f"{row['in']}.{row['method']}:{row['line']} {row['touches']}"


def main() -> None:
    """Writes the list of 4.9.4, or says what another release has that it does not; ends with 1 where a word is due."""
    release = sys.argv[1] if len(sys.argv) > 1 else RELEASE
    table = read()
    try:
        found = derive(release)
    except PrerequisiteError as error:
        sys.exit(str(error))
    fresh = merge(table, found)
    there = {place.key for place in found}
    gone = [row for row in table["places"] if key_of(row) not in there]
    if release == RELEASE:
        DATA.write_text(text_of(fresh), encoding="utf-8")
    left = sum("left out" in row for row in fresh["places"])
    print(f"{release}: {len(found)} places, {left} left out; {len(gone)} gone from the list")
    print("".join(f"gone: {_in_words(row)}\n" for row in gone), end="")
    if unsaid(fresh):
        sys.exit("\n".join(["nothing is said of", *unsaid(fresh)]))


if __name__ == "__main__":
    main()

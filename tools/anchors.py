"""The RocketMQ models' anchors in each release, from the published jars: writes model/lines/*.json and its `methods`.

For each anchor it looks for the class, the method and the call in the jars' bytecode (`real/program.py`), and takes the
line from the method's line table. What a release does not have is written down as null, with the reason. A release that
the model offers must have all of them. Of the methods that anchors name it writes down digests.

`make anchors` takes the jars from the cache, and fetches them with Maven where they are not there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from offsetproof.checking.catalogue import SINGLES
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.changes import every_action, model_in, with_all_changes
from offsetproof.lang.setting import Setting
from offsetproof.lang.step import rigging_of
from offsetproof.lang.subject import Subject
from offsetproof.model.lines import anchor_of
from offsetproof.real.jars import read_lock
from offsetproof.real.method_digests import anchored_methods, digests
from offsetproof.real.program import ROLES, AbsentError, JavaProgram, line_of
from offsetproof.verdict.prerequisite import PrerequisiteError
from tools.jars import published_jars
from tools.lock_jars import RELEASES

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "model" / "lines"
METHODS = FOLDER / "methods"

Row = dict[str, Any]


SUBJECTS = tuple(entry.subjects[0] for entry in SINGLES.values())
"""The subjects whose anchors are in the tables."""


def anchors(subjects: Iterable[Subject] = SUBJECTS) -> list[Anchor]:
    """The anchors of the models' actions, and those at which a rig stops besides, each once, in order."""
    actions = [action for subject in subjects for action in every_action(subject.model)]
    found = [anchor for action in actions for anchor in action.stands_for if anchor.line is None]
    for subject in subjects:
        models = dict.fromkeys([subject.model, with_all_changes(subject.model)])
        found += [a for m in models if subject.rigging for a in rigging_of(subject.rigging, m.actions).anchors]
    distinct = {anchor: anchor for anchor in sorted(found, key=lambda anchor: len(anchor.others))}
    return sorted(distinct.values(), key=lambda anchor: (anchor.java_class, anchor.method, anchor.call, anchor.nth))


def anchors_in(release: str) -> set[Anchor]:
    """What the steps stand for that the models have in a release; nothing where none offers it."""
    found: set[Anchor] = set()
    for model in (subject.model for subject in SUBJECTS):
        for each in (each for each in model.releases if each.jars == release):
            setting = Setting(model.scopes[0], dict.fromkeys(model.roles, each))
            actions = model_in(setting, model).actions.values()
            found.update(anchor for action in actions for anchor in action.stands_for)
    return found


def derive_lines(release: str) -> dict[str, Any]:
    """The table of a release, from its jars; PrerequisiteError where they cannot be had."""
    there = published_jars(release)
    looked_at = [there[artifact] for artifact in ROLES if artifact in there]
    program = JavaProgram(looked_at)
    rows = [_row(anchor, program) for anchor in anchors()]
    jars = [{"artifact": jar.coordinates, "role": ROLES[jar.artifact], "sha256": jar.sha256} for jar in looked_at]
    return {"release": release, "jars": jars, "anchors": rows}


def derive_digests(release: str) -> dict[str, Any]:
    """What the methods that anchors name do in a release, as digests; PrerequisiteError where it cannot be had."""
    there = published_jars(release)
    program = JavaProgram([there[artifact] for artifact in ROLES if artifact in there])
    found = digests(anchored_methods(anchors()), program)
    return {"release": release, "methods": {str(method): digest for method, digest in found.items()}}


def _row(anchor: Anchor, program: JavaProgram) -> Row:
    whys = []
    for place in (anchor, *anchor.others):
        try:
            class_file, line = line_of(place, program)
        except AbsentError as absent:
            whys.append(absent.why)
        else:
            row = {
                "jar": program.container_of(class_file).artifact,
                "in": class_file.name.replace("/", "."),
                "file": class_file.source,
            }
            moved = {} if place is anchor else {"moved_to": _key(place)}
            return {**_key(anchor), **moved, **row, "line": line}
    return {**_key(anchor), "line": None, "why": "; ".join(dict.fromkeys(whys))}


def _key(anchor: Anchor) -> Row:
    return {"class": anchor.java_class, "method": anchor.method, "call": anchor.call, "nth": anchor.nth}


def text_of(table: Mapping[str, Any]) -> str:
    """A table as the text of its file, one anchor a line."""
    return f'{{\n  "release": {json.dumps(table["release"])},\n' + ",\n".join(_lists(table)) + "\n}\n"


def _lists(table: Mapping[str, Any]) -> Iterator[str]:
    for name in ("jars", "anchors"):
        rows = ",\n".join(f"    {json.dumps(row)}" for row in table[name])
        yield f'  "{name}": [\n{rows}\n  ]'


def main() -> None:
    """Writes all tables; ends with 1 where a jar cannot be had, or a release that the model offers lacks an anchor.

    Places in jars that a release was not published with are not lacking.
    """
    lacking = []
    for release in RELEASES:
        try:
            table, methods = derive_lines(release), derive_digests(release)
        except PrerequisiteError as error:
            sys.exit(str(error))
        (FOLDER / f"{release}.json").write_text(text_of(table), encoding="utf-8")
        (METHODS / f"{release}.json").write_text(json.dumps(methods, indent=2) + "\n", encoding="utf-8")
        absent = [row for row in table["anchors"] if row["line"] is None]
        print(f"{release}: {len(table['anchors']) - len(absent)} anchors have a line, {len(absent)} have none")
        unpublished = [row for row in absent if row["why"].startswith("no classes ") and read_lock(release).lacking]
        needed = anchors_in(release)
        lacking += [f"{release}: {r['why']}" for r in absent if anchor_of(r) in needed and r not in unpublished]
    if lacking:
        sys.exit("\n".join(lacking))


if __name__ == "__main__":
    main()

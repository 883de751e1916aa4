"""Where the model's anchors are in each release: the line of each call, derived from the published jars.

`make anchors` writes a file per release; it has the jars with their digests, and for each anchor the class file, the
source file and the line, or why that release has no such place. A file in `methods` has the digests of the methods that
anchors name, by which a class that does something else is told (`real/method_digests.py`). The model offers only some
of these releases. For the others the files say where the same class, method and call are, not that they mean the same
there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from offsetproof.lang import Anchor, AnchorLines

METHODS = Path(__file__).parent / "methods"
_SOURCES = "https://github.com/apache/rocketmq/blob"

FILES = tuple(sorted(Path(__file__).parent.glob("*.json")))


def anchor_of(row: dict[str, Any]) -> Anchor:
    """The anchor that a row of a file is about."""
    return Anchor(row["class"], row["method"], row["call"], row["nth"])


def moved_to(row: dict[str, Any]) -> Anchor:
    """Where a release has moved the anchor of a row."""
    return anchor_of({**row, **row["moved_to"]})


def source_of(release: str, row: dict[str, Any]) -> str:
    """The address of the source file that a row's class was compiled from, at the tag of the release."""
    folder = row["in"].rpartition(".")[0].replace(".", "/")
    module = row["jar"].removeprefix("rocketmq-")
    return f"{_SOURCES}/rocketmq-all-{release}/{module}/src/main/java/{folder}/{row['file']}"


def read_lines(file: Path) -> tuple[AnchorLines, ...]:
    """The lines of one release, for each role that its jars belong to.

    An anchor whose class is in no jar of the release belongs to all roles.
    """
    table = json.loads(file.read_text(encoding="utf-8"))
    role_of = {jar["artifact"].split(":")[1]: jar["role"] for jar in table["jars"]}
    roles = sorted(set(role_of.values()))
    lines: dict[str, dict[Anchor, int | None]] = {role: {} for role in roles}
    classes = {anchor_of(row): row["in"] for row in table["anchors"] if "in" in row}
    sources = {anchor_of(row): source_of(table["release"], row) for row in table["anchors"] if "in" in row}
    for row in table["anchors"]:
        for role in [role_of[row["jar"]]] if "jar" in row else roles:
            lines[role][anchor_of(row)] = row["line"]
    moved = {anchor_of(row): moved_to(row) for row in table["anchors"] if "moved_to" in row}
    sources |= {moved[anchor]: sources[anchor] for anchor in moved}
    release = table["release"]
    digests = json.loads((METHODS / f"{release}.json").read_text(encoding="utf-8"))["methods"]
    return tuple(
        AnchorLines(release, role, lines[role], classes, source_of=sources, digest_of=digests, moved_to=moved)
        for role in roles
    )


ANCHOR_LINES = tuple(lines for file in FILES for lines in read_lines(file))
"""The tables of all releases."""

"""The actions of all models by the places that their anchors name: what is modelled there, without anybody's word.

An anchor gives a class, a method and a call; the table of lines has the class file and the line. A place of
tools/callers.py on that line that touches what is called is the anchor's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from offsetproof.lang.anchor import Anchor
from tools.anchors import FOLDER, SUBJECTS

Actions = Mapping[str, tuple[str, ...]]
"""Names of actions, by the name of their subject."""

_CLIENT = "org.apache.rocketmq.client."
_Touch = tuple[str, int, str]


def actions_at(release: str) -> Mapping[_Touch, Actions]:
    """The actions of all subjects by class, line and called method, as the table of a release has their anchors."""
    table = json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))["anchors"]
    rows = {(row["class"], row["method"], row["call"], row["nth"]): row for row in table}
    found: defaultdict[_Touch, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for subject, action, anchor in anchors_of_actions():
        row = rows[anchor.java_class, anchor.method, anchor.call, anchor.nth]
        if anchor.call and row["jar"] == "rocketmq-client":
            place = row["in"].removeprefix(_CLIENT), row["line"], name_of_call(anchor.call)
            found[place][subject] = tuple(dict.fromkeys((*found[place].get(subject, ()), action)))
    return found


def anchors_of_actions() -> Iterator[tuple[str, str, Anchor]]:
    """Every anchor of an action, with the names of its subject and its action."""
    for subject in SUBJECTS:
        for action in subject.model.actions.values():
            for anchor in action.stands_for:
                yield subject.name, action.name, anchor


def touch_of(row: Mapping[str, Any]) -> _Touch:
    """The key of a place in `actions_at`."""
    return row["in"], row["line"], name_of_call(row["touches"])


def name_of_call(text: str) -> str:
    """The method or field of a call or of a write, as anchors and places spell it: `OffsetStore.load` is `load`."""
    return text.removesuffix("=").strip().rpartition(".")[2]

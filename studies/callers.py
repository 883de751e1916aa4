"""The page docs/callers.md: who touches the offset stores, the process queues and their table, and what the model says.

`make callers` finds the places in the published jar (tools/callers.py) and writes this page from what was said of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, starmap
from pathlib import Path
from typing import Any

from offsetproof.checking.catalogue import DEFAULT
from studies.subjects import ABOUT_ROCKETMQ
from tools.anchored_places import Actions, actions_at, touch_of
from tools.callers import read

PAGE = Path(__file__).parents[1] / "docs" / "callers.md"
Row = Mapping[str, Any]

_SUBJECTS = tuple(subject.name for subject in ABOUT_ROCKETMQ)

_WRITING = re.compile(
    r"=$"
    r"|OffsetStore\.(load|persist|persistAll|readOffset|removeOffset|updateConsumeOffsetToBroker|updateOffset)$"
    r"|ProcessQueue\.(clear|commit|incTryUnlockTimes|makeMessageToConsumeAgain|putMessage|removeMessage|rollback)$"
    r"|ProcessQueue\.(cleanExpiredMsg|set\w+|takeMessages)$"
    r"|: \w+\.(addAndGet|clear|compareAndIncreaseOnly|incrementAndGet|pollFirstEntry|put\w*|remove|set)$"
)
"""What touches in a way that writes, or that writes where it has to: readOffset, by what the broker answers."""

_HEAD = """# Who touches offsets, caches and the table of queues in the client of RocketMQ {release}

Written by `make callers` from `studies/data/callers.json`. The places are found in the bytecode of the published jar
(`tools/callers.py`): every call of a method of the offset stores and of `ProcessQueue`, every write to one of its
fields, what is done with the tables and caches (`processQueueTable: Iterator.remove` is a call on an iterator of that
table), and what leads to such places, up to a thread or the application. A place that an action of a
model of RocketMQ has an anchor on is modelled by that action. Of every other place a person has said which actions pass
there, or why it is left out; `tests/quality/test_callers.py` holds each word against the anchors, and a slow test finds
the places again. What an application does itself, with the store that `getOffsetStore()` gives it or with one of its
own, is in no jar.

**{all} places: {modelled} modelled, {left} left out.**
{by_subject}
An action is named wherever its steps pass, so many places have several; a read is named with the action that decides by
it. Actions without a subject are those of `rocketmq`, and [times.md](times.md) has what each stands for. Bold is what
may write: a cell, the file, the table, `dropped`, a cache, a lock's times, or the broker's offset.

| left out: | because | places | may write |
|---|---|---|---|
"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")


def page() -> str:
    """The text of the page."""
    table = read()
    rows: Sequence[Row] = table["places"]
    left = [row for row in rows if "left out" in row]
    counts = Counter(row["left out"] for row in left)
    writing = Counter(row["left out"] for row in left if may_write(row))
    anchored = actions_at(table["release"])
    modelled = [{**row, "modelled": modelled_by(row, anchored)} for row in rows if "left out" not in row]
    head = _HEAD.format(
        release=table["release"],
        all=len(rows),
        modelled=len(modelled),
        left=len(left),
        by_subject=_by_subject(modelled),
    )
    lines = [f"| {key} | {why} | {counts[key]} | {writing[key]} |" for key, why in table["reasons"].items()]
    lines += ["", "## Modelled", "", *_listed(modelled, "modelled as")]
    for key, why in table["reasons"].items():
        lines += ["", f"## Left out: {key}", "", f"{_sentence(why)}", ""]
        lines += _listed([row for row in left if row["left out"] == key])
    return head + "\n".join(lines) + "\n"


def modelled_by(row: Row, anchored: Mapping[Any, Actions]) -> dict[str, tuple[str, ...]]:
    """The actions that a place is, by subject: those that are anchored there, then those that a person has named."""
    there, named = anchored.get(touch_of(row), {}), row.get("modelled", {})
    both = {name: dict.fromkeys((*there.get(name, ()), *named.get(name, ()))) for name in _SUBJECTS}
    return {name: tuple(actions) for name, actions in both.items() if actions}


def _by_subject(modelled: Sequence[Row]) -> str:
    counts = {name: sum(name in row["modelled"] for row in modelled) for name in _SUBJECTS}
    return f"By subject: {', '.join(f'{count} in `{name}`' for name, count in counts.items() if count)}."


def may_write(row: Row) -> bool:
    """Does the place itself write something, or may it by what it is given?"""
    return _WRITING.search(row["touches"]) is not None


def _place(row: Row) -> str:
    text = f"{row['line']} `{row['touches']}`"
    return f"**{text}**" if may_write(row) else text


def _sentence(why: str) -> str:
    return f"{why[0].upper()}{why[1:]}."


def _listed(rows: Sequence[Row], verdict: str | None = None) -> Iterator[str]:
    """A table with a line for each method, or for each that is said of some of its places."""
    columns = ["method", "line and what is touched", *([verdict] if verdict else [])]
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for (name, method, actions), group in groupby(
        rows, key=lambda row: (row["in"], row["method"], tuple(row.get("modelled", {}).items()))
    ):
        places = ", ".join(map(_place, group))
        cells = [f"`{name.rpartition('.')[2]}.{method}`", places]
        cells += ["; ".join(starmap(_in_subject, actions))] if verdict else []
        yield f"| {' | '.join(cells)} |"


def _in_subject(subject: str, actions: Sequence[str]) -> str:
    names = ", ".join(f"`{action}`" for action in actions)
    return names if subject == DEFAULT else f"{subject}: {names}"


if __name__ == "__main__":
    main()

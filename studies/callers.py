"""The tables in docs/studies/callers.md: who touches offset stores, process queues and their table.

`make callers` finds the places in the published jar (tools/callers.py); what is said of each is in its data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, starmap
from typing import Any

from offsetproof.checking.catalogue import DEFAULT
from studies.subjects import ABOUT_ROCKETMQ
from tools.anchored_places import Actions, actions_at, touch_of
from tools.callers import read

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


def counts() -> str:
    """How many places there are, how many are modelled, and by which subject."""
    rows = read()["places"]
    modelled = _modelled()
    return (
        f"**{len(rows)} places: {len(modelled)} modelled, {len(rows) - len(modelled)} left out.**\n"
        f"{_by_subject(modelled)}"
    )


def reasons() -> str:
    """The reasons why places are left out, with their numbers."""
    table = read()
    left = [row for row in table["places"] if "left out" in row]
    counts = Counter(row["left out"] for row in left)
    writing = Counter(row["left out"] for row in left if may_write(row))
    lines = ["| left out: | because | places | may write |", "|---|---|---|---|"]
    lines += [f"| {key} | {why} | {counts[key]} | {writing[key]} |" for key, why in table["reasons"].items()]
    return "\n".join(lines)


def places() -> str:
    """A table of the places that are modelled, and one for each reason why places are left out."""
    table = read()
    lines = ["## Modelled", "", *_listed(_modelled(), "modelled as")]
    for key, why in table["reasons"].items():
        lines += ["", f"## Left out: {key}", "", f"{_sentence(why)}", ""]
        lines += _listed([row for row in table["places"] if row.get("left out") == key])
    return "\n".join(lines)


def _modelled() -> list[Row]:
    """The places that are modelled, each with its actions."""
    table = read()
    anchored = actions_at(table["release"])
    rows = [row for row in table["places"] if "left out" not in row]
    return [{**row, "modelled": modelled_by(row, anchored)} for row in rows]


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

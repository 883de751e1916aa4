"""The tables in docs/studies/callers.md: who touches offset stores, process queues and their table.

`make callers` finds the places in the published jar (tools/callers.py); what is said of each is in its data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
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


def stores() -> str:
    """The places in the two offset stores that are modelled and may write."""
    rows = [row for row in _modelled() if may_write(row) and row["in"].startswith("consumer.store.")]
    return _table(rows, "modelled as")


def writing() -> str:
    """The places that may write, and are left out."""
    rows = [row for row in read()["places"] if "left out" in row and may_write(row)]
    return _table(rows, "left out")


def rows() -> str:
    """A line for each place, with what is said of it."""
    lines = ["| method | line | touches | may write | modelled as, or left out |", "|---|---|---|---|---|"]
    actions = iter(_modelled())
    for row in read()["places"]:
        word = f"left out: {row['left out']}" if "left out" in row else _said(next(actions))
        cells = [_method(row), str(row["line"]), f"`{row['touches']}`", "yes" if may_write(row) else "", word]
        lines.append(f"| {' | '.join(cells)} |")
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


def _table(rows: Sequence[Row], verdict: str) -> str:
    """A table with a line for each method, or for each that is said of some of its places."""
    lines = [f"| method | line and what is touched | {verdict} |", "|---|---|---|"]
    for (method, said), group in groupby(rows, key=lambda row: (_method(row), _said(row))):
        places = ", ".join(f"{row['line']} `{row['touches']}`" for row in group)
        lines.append(f"| {method} | {places} | {said} |")
    return "\n".join(lines)


def _method(row: Row) -> str:
    return f"`{row['in'].rpartition('.')[2]}.{row['method']}`"


def _said(row: Row) -> str:
    """The actions that a place is, or the key of the reason why it is left out."""
    if "left out" in row:
        return str(row["left out"])
    return "; ".join(starmap(_in_subject, row["modelled"].items()))


def _in_subject(subject: str, actions: Sequence[str]) -> str:
    names = ", ".join(f"`{action}`" for action in actions)
    return names if subject == DEFAULT else f"{subject}: {names}"

"""The model beside the classes of other releases, as of one that it knows or else of 4.9.4: what differs, and why.

The data is written by `studies.conforming`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from studies import ROOT

DATA = ROOT / "studies" / "data" / "other_releases.json"

_PLAYED = "says nothing of the release: its broker is not published, and the one that is played makes a row at once"
WHY: dict[tuple[str, str | None], str] = {
    ("broker_publishes_row", None): _PLAYED,
    ("neighbour_publishes_row", None): _PLAYED,
    ("broker_executes_commit", "broker.committed"): _PLAYED,
}
"""Why a release differs after an action, in a field, or (None) in where its thread is."""


def other_releases() -> str:
    """A section for each other release, with its differences by the reason."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    first = next(iter(data.values()))
    text = f"{first['components']} components walked, {first['steps']} steps at a time."
    return "\n".join([text, "", *(line for release, each in data.items() for line in _release(release, each))]).rstrip()


def rows() -> str:
    """A line for each difference."""
    lines = ["| release | after | in the field | Java | classes, and model | components | why |", "|---" * 7 + "|"]
    for release, each in json.loads(DATA.read_text(encoding="utf-8")).items():
        for row in each["found"]:
            field = f"`{row['field']}`" if row["field"] else _ELSEWHERE
            cells = [release, f"`{row['action']}`", field, f"`{row['place']}`", _shown(row), str(row["components"])]
            lines.append(f"| {' | '.join([*cells, WHY[row['action'], row['field']]])} |")
    return "\n".join(lines)


_ELSEWHERE = "none: the thread is elsewhere"


def _release(release: str, each: Mapping[str, Any]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for row in each["found"]:
        field = f" in `{row['field']}`" if row["field"] else ""
        difference = f"`{row['action']}`{field}: {_shown(row)} ({row['components']})"
        by_reason.setdefault(WHY[row["action"], row["field"]], []).append(difference)
    yield f"### {release}"
    yield ""
    yield f"{len(each['found'])} differences; {each['agree']} of {each['components']} components agree."
    yield ""
    if not by_reason:
        return
    yield "| why | after the step, in the field: classes, and model (components) |"
    yield "|---|---|"
    yield from (f"| {why} | {'; '.join(differences)} |" for why, differences in by_reason.items())
    yield ""


def _shown(row: Mapping[str, Any]) -> str:
    return str(row["reason"]) if row["field"] else _where(row["reason"])


def _where(reason: str) -> str:
    """Where the thread is, without the packages."""
    if "has no line" in reason:
        return "no such place"
    words = reason.replace("org.apache.rocketmq.client.", "").replace("java.lang.", "")
    for package in ("impl.consumer.", "impl.factory.", "consumer.store."):
        words = words.replace(package, "")
    return words.partition(", where")[0]

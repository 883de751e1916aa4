"""The tables about TLC in docs/measurements.md, made of studies/data/tlc.json."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

Record = dict[str, Any]


def by_hand(measured: Record) -> str:
    """The export beside a specification by hand, with the machine."""
    lamport = measured["lamport"]
    first = lamport["rounds"][0]["after"]
    head = (
        f"All have {first['states']:,} distinct states and depth {first['depth']}. Measured on {measured['machine']}, "
        f"shared with other work, in {len(lamport['rounds'])} rounds; *before* is the export as commit "
        f"`{measured['before']}` writes it."
    )
    return "\n".join([head, "", *_by_hand(lamport)])


def profile(measured: Record) -> str:
    """What TLC spends its processor time on."""
    return "\n".join(_profiles(measured["lamport"]))


def others(measured: Record) -> str:
    """Other systems, before and after."""
    rows = [_other(record) for record in (*measured["rocketmq"], measured["toys"])]
    head = "| system | states | depth | before, s | after, s | after / before: median (least to most) |"
    return "\n".join([head, "|---|---:|---:|---:|---:|---:|", *rows])


def ratios(record: Record, one: str, other: str) -> list[float]:
    """How much longer one takes than the other, round by round, ascending."""
    return sorted(run[one]["seconds"] / run[other]["seconds"] for run in record["rounds"])


def _by_hand(record: Record) -> Iterator[str]:
    yield "| specification | lines | seconds in each round | times that by hand: median (least to most) |"
    yield "|---|---:|---:|---:|"
    for name in ("by hand", "before", "after"):
        seconds = ", ".join(f"{run[name]['seconds']:.1f}" for run in record["rounds"])
        times = "" if name == "by hand" else _spread_in_words(ratios(record, name, "by hand"))
        yield f"| {name if name == 'by hand' else f'export, {name}'} | {record['lines'][name]} | {seconds} | {times} |"


def _profiles(record: Record) -> Iterator[str]:
    names = ("by hand", "before", "after")
    yield f"| TLC is | {' | '.join(names)} |"
    yield f"|---|{'---:|' * len(names)}"
    seconds = {name: _median(record, name) for name in names}
    profiles = record["profiles"]
    for doing in profiles["before"] | profiles["after"] | profiles["by hand"]:
        cells = [f"{seconds[name] * profiles[name].get(doing, 0) / sum(profiles[name].values()):.1f}" for name in names]
        yield f"| {doing} | {' | '.join(cells)} |"


def _other(record: Record) -> str:
    first = record["rounds"][0]["after"]
    return (
        f"| {record['name']} | {first['states']:,} | {first['depth']} | {_median(record, 'before'):.1f} "
        f"| {_median(record, 'after'):.1f} | {_spread_in_words(ratios(record, 'after', 'before'))} |"
    )


def _median(record: Record, name: str) -> float:
    seconds: list[float] = [run[name]["seconds"] for run in record["rounds"]]
    return median(seconds)


def _spread_in_words(values: list[float]) -> str:
    return f"{median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"

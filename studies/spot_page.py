"""The tables about spot checks in docs/measurements.md, made of studies/data/spot.json."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from statistics import median
from typing import Any

Record = dict[str, Any]

_WHEN = ("before", "after", "brief")


def defects(measured: Record) -> str:
    """How many seeded defects are noticed, by kind, and which are not."""
    seeded = measured["seeded"]
    states = [record["states"] for record in seeded]
    instances = max(record["instances"] for record in seeded)
    kinds = [_row(kind, list(records)) for kind, records in groupby(seeded, key=lambda record: record["kind"])]
    missed = list(_missed_defects(seeded))
    return "\n".join([
        f"The {len(seeded)} models have from {min(states):,} to {max(states):,} states after slicing, and up to "
        f"{instances} action instances.",
        "",
        "| defect | models | noticed before | now | now, brief | seconds before: median, most | now | now, brief |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *kinds,
        _row("all", seeded),
        *(["", "These are not noticed now:", "", *missed] if missed else []),
    ])  # fmt: skip


def costs(measured: Record) -> str:
    """What the check takes for claims about RocketMQ."""
    return "\n".join([
        "| claim, scope | states | instances | seconds before | seconds now |",
        "|---|---:|---:|---:|---:|",
        *map(_cost, measured["rocketmq"]),
    ])  # fmt: skip


def count_noticed(records: list[Record], when: str) -> int:
    """In how many models the check noticed something, `before`, `after` or `brief`."""
    return sum(record[when]["noticed"] for record in records)


def _row(kind: str, records: list[Record]) -> str:
    seconds = []
    for when in _WHEN:
        taken = [record[when]["seconds"] for record in records]
        seconds.append(f"{median(taken):.3f}, {max(taken):.3f}")
    counts = [str(len(records)), *(str(count_noticed(records, when)) for when in _WHEN)]
    return f"| {kind} | {' | '.join(counts)} | {' | '.join(seconds)} |"


def _missed_defects(records: list[Record]) -> Iterator[str]:
    for record in records:
        if not record["after"]["noticed"]:
            bounds = ", ".join(f"{name}={value}" for name, value in record["bounds"].items())
            yield f"- {record['kind']}: `{record['shape']}` with {bounds} ({record['states']:,} states)"


def _cost(record: Record) -> str:
    return (
        f"| {record['claim']}, {record['scope']} | {record['states']:,} | {record['instances']} "
        f"| {record['before']:.2f} | {record['seconds']:.2f} |"
    )

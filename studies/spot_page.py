"""The page docs/spot.md, made of studies/data/spot.json and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from statistics import median
from typing import Any

Record = dict[str, Any]

_HEAD = """# What spot checks notice

Written by `make spot`. `tests/engines/test_seeded_defects.py` asks that the counts are what a run finds now.

Before a scope counts as exhausted, some of what was explored is compared with the model's own Python: the second line
of defence, behind the reading of a model's source. For this page reading is switched off. `tests/systems/seeded.py` has
{count} models in each of which what is searched is not what the model's Python does, by a defect in a rare place; the
claim is told to hold in all of them, whatever the defect does, so that nothing else can notice. They have from
{least:,} to {most:,} states after slicing, and up to {instances} action instances.

*Before* are eight states, evenly spread over the visited set, on each of which all instances were stepped. *Now* what
may be told apart is looked for in the visited set: each instance where it is taken, where it is cut and where it cannot
be taken, each path of its code and of the claims, each condition within an expression, comparisons whose sides are
less, equal and greater; after these a state for each value of each field. Seconds are processor time of the check
alone, on a shared machine; checks that notice something end there.

| defect | models | noticed before | noticed now | seconds before: median, most | seconds now: median, most |
|---|---:|---:|---:|---:|---:|"""

_MISSED = """
What is not noticed now:
"""

_WHY = """
These have a branch of which staging has seen nothing, so that no expression tells its states from others, and a
situation that no field's value gives away: finding one of a few states among so many is luck. The same defect where one
field gives it away is noticed."""

_COST = """
## What it costs

For claims about RocketMQ that hold: seconds of processor time that the check took, and how many times
as long the search takes that notes where each instance was taken, as the same search without that, in turns within one
process: median (least to most) of {rounds} rounds. The check ends after half a second of processor time in any case.
What it looks at is bounded by counts before that, so that two runs look at the same.

| claim, scope | states | instances | seconds before | seconds now | with notes / without |
|---|---:|---:|---:|---:|---:|"""


def page(measured: Record) -> str:
    """The text of the page."""
    seeded = measured["seeded"]
    states = [record["states"] for record in seeded]
    head = _HEAD.format(
        count=len(seeded), least=min(states), most=max(states), instances=max(record["instances"] for record in seeded)
    )
    kinds = [_row(kind, list(records)) for kind, records in groupby(seeded, key=lambda record: record["kind"])]
    cost = _COST.format(rounds=len(measured["rocketmq"][0]["noting"]))
    missed = list(_missed_defects(seeded))
    parts = [head, *kinds, _row("all", seeded), *([_MISSED, *missed, _WHY] if missed else []), cost]
    return "\n".join([*parts, *map(_cost, measured["rocketmq"])]) + "\n"


def count_noticed(records: list[Record], when: str) -> int:
    """In how many models the check noticed something, `before` or `after`."""
    return sum(record[when]["noticed"] for record in records)


def _row(kind: str, records: list[Record]) -> str:
    seconds = []
    for when in ("before", "after"):
        taken = [record[when]["seconds"] for record in records]
        seconds.append(f"{median(taken):.3f}, {max(taken):.3f}")
    counts = f"{len(records)} | {count_noticed(records, 'before')} | {count_noticed(records, 'after')}"
    return f"| {kind} | {counts} | {' | '.join(seconds)} |"


def _missed_defects(records: list[Record]) -> Iterator[str]:
    for record in records:
        if not record["after"]["noticed"]:
            bounds = ", ".join(f"{name}={value}" for name, value in record["bounds"].items())
            yield f"- {record['kind']}: `{record['shape']}` with {bounds} ({record['states']:,} states)"


def _cost(record: Record) -> str:
    ratios = record["noting"]
    return (
        f"| {record['claim']}, {record['scope']} | {record['states']:,} | {record['instances']} "
        f"| {record['before']:.2f} | {record['seconds']:.2f} "
        f"| {median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}) |"
    )

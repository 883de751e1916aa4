"""The engine beside SPIN, Stateright and TLC, made of studies/data/beside.json (`make bench` measures it)."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

from studies import RECORDS

DATA = RECORDS / "beside.json"

Record = dict[str, Any]

ALONE = "offsetproof, 1"
"""What the others are compared with."""


def read() -> list[Record]:
    """What was measured, a record for each system."""
    records: list[Record] = json.loads(DATA.read_text(encoding="utf-8"))
    return records


def beside() -> str:
    """Whole processes: median seconds, how many times those of one thread here, and the most memory."""
    records = read()
    tools = list(dict.fromkeys(tool for record in records for tool in record["runs"]))
    return "\n".join([
        f"| system | states | turns | {' | '.join(tools)} |",
        f"|---|---:|---:|{'---:|' * len(tools)}",
        *(_row(record, tools) for record in records),
    ])  # fmt: skip


def _row(record: Record, tools: list[str]) -> str:
    cells = [_cell(record["runs"], tool) for tool in tools]
    for number, tool in enumerate(tools):
        if tool in record["compiled"]:
            cells[number] += f", compiled in {record['compiled'][tool]:.0f} s"
    return f"| {record['name']} | {record['states']:,} | {len(record['runs'][ALONE])} | {' | '.join(cells)} |"


def _search_of(runs: list[Record]) -> str:
    if runs[0]["search_seconds"] is None:
        return ""
    seconds, size = (median(run[key] for run in runs) for key in ("search_seconds", "bytes_per_state"))
    return f" (search {seconds:.2f}, {runs[0]['states']:,} states of {size:.0f} bytes)"


def _cell(runs: dict[str, list[Record]], tool: str) -> str:
    if tool not in runs:
        return ""
    seconds = [run["seconds"] for run in runs[tool]]
    memory = f"{median(run['bytes'] for run in runs[tool]) / (1 << 20):.0f} MiB"
    search = _search_of(runs[tool])
    if tool == ALONE:
        return f"{median(seconds):.2f} s{search}, {memory}"
    ratios = sorted(run["seconds"] / alone["seconds"] for run, alone in zip(runs[tool], runs[ALONE], strict=True))
    return (
        f"{median(seconds):.2f} s{search}, {median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}) times, {memory}"
    )

"""The engine beside SPIN, Stateright and TLC, made of studies/data/beside.json (`make bench` measures it)."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

from offsetproof.verdict.phrases import quantity
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
    """Whole processes: median seconds, how many times those of one thread here (least to most), and the most memory."""
    records = read()
    tools = list(dict.fromkeys(tool for record in records for tool in record["runs"]))
    compiling = [_compiling(records, tool) for tool in tools if _is_compiled(records, tool)]
    return "\n".join([
        f"| system | states | turns | {' | '.join(tools)} |",
        f"|---|---:|---:|{'---:|' * len(tools)}",
        *(_row(record, tools) for record in records),
        "",
        f"Compiling a system beforehand took {' and '.join(compiling)}.",
    ])  # fmt: skip


def _is_compiled(records: list[Record], tool: str) -> bool:
    return any(tool in record["compiled"] for record in records)


def _compiling(records: list[Record], tool: str) -> str:
    seconds = sorted(record["compiled"][tool] for record in records)
    return f"{tool.partition(',')[0]} {seconds[0]:.1f} to {seconds[-1]:.1f} s"


def _row(record: Record, tools: list[str]) -> str:
    cells = [_cell(record, tool) for tool in tools]
    return f"| {record['name']} | {record['states']:,} | {len(record['runs'][ALONE])} | {' | '.join(cells)} |"


def _cell(record: Record, tool: str) -> str:
    runs = record["runs"].get(tool)
    if runs is None:
        return ""
    cell = f"{_median(runs, 'seconds'):.2f}{_search_of(record, runs)}"
    if tool != ALONE:
        alone = record["runs"][ALONE]
        ratios = sorted(run["seconds"] / one["seconds"] for run, one in zip(runs, alone, strict=True))
        cell += f", {median(ratios):.1f}x ({ratios[0]:.1f}-{ratios[-1]:.1f})"
    return f"{cell}, {_median(runs, 'bytes') / (1 << 20):.0f}"


def _search_of(record: Record, runs: list[Record]) -> str:
    """What is known of the engine's own search: its seconds, and how large it was."""
    states, size = runs[0]["states"], runs[0]["bytes_per_state"]
    if size is None:
        return ""
    what = f"{size:.0f} B" if states == record["states"] else quantity(states, "state")
    return f" (search {_median(runs, 'search_seconds'):.2f}, {what})"


def _median(runs: list[Record], key: str) -> float:
    return float(median(run[key] for run in runs))

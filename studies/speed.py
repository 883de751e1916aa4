"""The tables about speed in docs/measurements.md, made of studies/data/speed.json (`make bench` measures it)."""

from __future__ import annotations

import json
from typing import Any

from studies import RECORDS

DATA = RECORDS / "speed.json"

Record = dict[str, Any]


def read() -> Record:
    """What was measured."""
    record: Record = json.loads(DATA.read_text(encoding="utf-8"))
    return record


def explored() -> str:
    """Whole explorations, with the day and the machine."""
    record = read()
    return "\n".join([
        f"Measured on {record['day']}, all of it in one run, on {record['machine']}.",
        "",
        "| system | instances | words | states | transitions | s | million states/s | million transitions/s "
        "| bytes/state |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *map(_row, record["explored"]),
    ])  # fmt: skip


def _row(each: Record) -> str:
    rates = [f"{each[what] / each['seconds'] / 1e6:.1f}" for what in ("states", "transitions")]
    cells = [each["name"], each["instances"], each["words"], f"{each['states']:,}", f"{each['transitions']:,}"]
    cells += [f"{each['seconds']:.2f}", *rates, f"{each['bytes_per_state']:.0f}"]
    return f"| {' | '.join(map(str, cells))} |"


def compiling() -> str:
    """How long the widest system takes to compile."""
    each = read()["compiling"]
    return (
        f"{each['name']}: {each['instances']} action instances, {each['bits']} bits; staged in {each['staged']:.2f} s, "
        f"compiled in {each['plain']:.2f} s as plain code, in {each['optimised']:.2f} s as better code, which a "
        f"search gets after {each['after']:,} states."
    )


def savings() -> str:
    """The states that the reductions save."""
    lines = ["| claim, scope | neither | slicing | dead fields | both |", "|---|---:|---:|---:|---:|"]
    for name, counts in read()["savings"].items():
        lines.append(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |")
    return "\n".join(lines)

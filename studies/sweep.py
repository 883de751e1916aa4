"""Runs the built-in sweep and writes its rows and its plots (`make sweep`); docs/measurements.md has them."""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sweep.grid import read_grid
from offsetproof.sweep.report import letters_of, matrix, write_plots
from offsetproof.sweep.run import Swept, rows_of, run_sweep
from studies import DOCS, RECORDS

DATA, PLOTS = RECORDS / "sweep.json", DOCS / "pictures"
NAME, CORES = "resets", 2

Record = dict[str, Any]


def main() -> None:
    """Decides every question, and writes data and plots."""
    grid = read_grid(NAME, ROCKETMQ)
    with tempfile.TemporaryDirectory() as folder:
        out, started = Path(folder), time.monotonic()
        run_sweep(
            ROCKETMQ, ROCKETMQ.name, grid, out, master=f"local[{CORES}]", resume=False, tell=print, begun=print
        )  # fmt: skip
        seconds = time.monotonic() - started
        result = rows_of(grid, out)
    failed = [row for row in result.rows if row["reason"] == "error"]
    if failed:
        raise SystemExit(f"{len(failed)} questions failed, so nothing is written; the first: {failed[0]['detail']}")
    write_plots(result, PLOTS)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    rows = [{**row, "wall": round(row["wall"], 3), "seconds": round(row["seconds"], 3)} for row in result.rows]
    record = {"machine": machine, "seconds": round(seconds, 1), "cells": len(grid.questions), "rows": rows}
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def swept() -> str:
    """The matrix of verdicts, with the machine and the limits."""
    record: Record = json.loads(DATA.read_text(encoding="utf-8"))
    columns, lines = matrix(record["rows"])
    wall = sum(row["wall"] for row in record["rows"])
    overhead = (record["seconds"] * CORES - wall) / record["cells"]
    head = ["claim", "scope", *(str(number) for number in range(1, len(columns) + 1))]
    table = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for (claim, scope), cells in lines.items():
        row = [claim, scope, *(letters_of(cells[name]) if name in cells else "" for name in columns)]
        table.append(f"| {' | '.join(row)} |")
    return "\n".join([
        f"`offsetproof sweep {NAME}` on local[{CORES}] of {record['machine']}: {record['cells']} questions in "
        f"{record['seconds']:.0f} s, the start of Spark included. Beside the questions' own processes Spark took "
        f"{overhead:.2f} s of a core per question.",
        "",
        *table,
        "",
        *(f"{number}. {name}" for number, name in enumerate(columns, 1)),
    ])  # fmt: skip


def recorded_sweep() -> Swept:
    """What was decided."""
    record = json.loads(DATA.read_text(encoding="utf-8"))
    return Swept(read_grid(NAME, ROCKETMQ), tuple(record["rows"]))


if __name__ == "__main__":
    main()

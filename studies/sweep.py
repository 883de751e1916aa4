"""Runs the built-in sweep and writes docs/sweep.md, its rows and its plots (`make sweep`)."""

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

DATA, PAGE, PLOTS = RECORDS / "sweep.json", DOCS / "sweep.md", DOCS / "sweep"
NAME, CORES = "resets", 2

Record = dict[str, Any]

_COLUMNS = """\
| column | what it is |
|---|---|
| `cell` | the question's id: the same for the same question, in every run |
| `property`, `release`, `scope`, `listener` | names, as `offsetproof list` has them |
| `fixes`, `assumptions` | lists of names |
| `bounds` | the bounds that the grid changes, as JSON |
| `verdict`, `expected` | HOLDS, REFUTED, UNKNOWN; what the catalogue expects where the bounds are its own |
| `reason`, `detail` | why a question is UNKNOWN; `detail` also of a trace, if fewer faults may suffice |
| `vacuous` | why a HOLDS means nothing: nothing could have broken the claim; else empty |
| `states`, `transitions`, `depth` | what was visited, as in `check` |
| `faults`, `steps` | of the smallest trace, or of one where `detail` says so |
| `seconds`, `wall` | of the engine, and of the question's process with loading and staging |
| `digest` | which system was explored |
| `checksum` | of the row and what it was decided on: a row that was changed is not believed |
| `died` | did the question's process end without an answer? Then it was tried once more, alone |
"""


def main() -> None:
    """Decides every question, and writes the page with its data and plots."""
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
    PAGE.write_text(page(record), encoding="utf-8")


def page(record: Record) -> str:
    """The page, from the rows."""
    columns, lines = matrix(record["rows"])
    wall = sum(row["wall"] for row in record["rows"])
    overhead = (record["seconds"] * CORES - wall) / record["cells"]
    head = ["claim", "scope", *(str(number) for number in range(1, len(columns) + 1))]
    table = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for (claim, scope), cells in lines.items():
        row = [claim, scope, *(letters_of(cells[name]) if name in cells else "" for name in columns)]
        table.append(f"| {' | '.join(row)} |")
    return "\n".join(
        [
            f"# A sweep: {NAME}",
            "",
            f"Written by `make sweep` on {record['machine']}: `offsetproof sweep {NAME}` on local[{CORES}],",
            f"{record['cells']} questions in {record['seconds']:.0f} s, the start of Spark included. Beside the",
            f"questions' own processes Spark took {overhead:.2f} s of a core per question.",
            "",
            "H: holds. R: refuted, with faults and steps of the smallest trace, and with a ? where fewer faults may",
            "suffice. ?: not decided within 1,500,000 states or 60 s.",
            "",
            *table,
            "",
            *(f"{number}. {name}" for number, name in enumerate(columns, 1)),
            "",
            "![states and seconds by messages](sweep/messages-sizes.svg)",
            "",
            "![which claim breaks at which number of messages](sweep/messages-verdicts.svg)",
            "",
            "## The table",
            "",
            "A sweep's results are a Parquet table in `--out-dir`, `results/run=NAME/`, one file per question.",
            "",
            _COLUMNS,
        ]
    )


def recorded_sweep() -> Swept:
    """What the page is made of."""
    record = json.loads(DATA.read_text(encoding="utf-8"))
    return Swept(read_grid(NAME, ROCKETMQ), tuple(record["rows"]))


if __name__ == "__main__":
    main()

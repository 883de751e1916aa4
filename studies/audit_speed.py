"""Measures the audit from files to silver (`make audit-speed`), for docs/measurements.md, in processor time as well.

Generated logs are read by one process without Spark, by a new process with Spark (its start-up in it), and by a session
that has read them before. Then one of lines, files, queues and groups is ten times as many.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from offsetproof.audit.piece_work import Runner, in_this_process
from offsetproof.audit.silver import make_silver
from offsetproof.audit.silver_on_spark import audit_session, on_spark
from offsetproof.audit.sources import ReadingOptions
from studies import RECORDS
from studies.audit_volume import Truth, Volume, write_volume

DATA = RECORDS / "audit_speed.json"

LARGE, SMALL = Volume(200), Volume(10)
TENFOLD = {
    "files": replace(SMALL, files=80),
    "queues of a topic": replace(SMALL, queues=80),
    "groups": replace(SMALL, groups=300),
    "lines": replace(SMALL, megabytes=100),
}

Record = dict[str, Any]


def main() -> None:
    """Measures everything and writes data; `--one WAY FOLDER` measures some in this process, and prints it."""
    if sys.argv[1:2] == ["--one"]:
        way, given, begun = sys.argv[2:]
        print(json.dumps(_without_spark(Path(given)) if way == "plain" else _with_spark(Path(given), float(begun))))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = write_volume(folder / "logs", LARGE)
        grown = {
            what: _size(write_volume(folder / f"grown {what}", volume))
            for what, volume in {"": SMALL, **TENFOLD}.items()
        }
        plain, spark = _ask("plain", folder), _ask("spark", folder)
    record = {
        "day": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[1], 1),
        **_size(truth),
        "ways": {"plain": plain, "new": spark["new"], "session": spark["session"]},
        "grows": {what: {**size, **spark["grown"][what]} for what, size in grown.items()},
    }
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _ask(way: str, folder: Path) -> Record:
    """What a process of its own says of a way."""
    command = [sys.executable, "-m", "studies.audit_speed", "--one", way, str(folder), str(time.time())]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found: Record = json.loads(run.stdout)
    return found


def _without_spark(folder: Path) -> Record:
    return _timed(folder / "logs", folder, in_this_process)


def _with_spark(folder: Path, begun: float) -> Record:
    """The first reading with all that comes before it, from `begun` on, and others in the same session."""
    with audit_session("local[2]", folder / "spark") as driver:
        first = _timed(folder / "logs", folder, on_spark(driver))
        first |= {"seconds": round(time.time() - begun, 2), "cpu": round(_cpu_of_all(), 2)}
        return {
            "new": first,
            "session": _timed(folder / "logs", folder, on_spark(driver)),
            "grown": {what: _timed(folder / f"grown {what}", folder, on_spark(driver)) for what in ("", *TENFOLD)},
        }


def _timed(logs: Path, folder: Path, run: Runner) -> Record:
    """A reading, with its time and the processor time of this process and its children."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    before, begun = _cpu_of_all(), time.monotonic()
    made = make_silver([str(logs)], folder / "out", ReadingOptions(zones={"": "GMT+8"}), run)
    seconds, cpu = time.monotonic() - begun, _cpu_of_all() - before
    read = {"read_lines": made.new_lines, "read_events": made.new_events}
    return {"seconds": round(seconds, 2), "cpu": round(cpu, 2), **read}


def _size(truth: Truth) -> Record:
    return {"lines": truth.lines, "bytes": truth.bytes, "events": truth.kinds.total()}


def _cpu_of_all() -> float:
    """Processor seconds of this process and of all that it has started, the ended ones too."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text(encoding="utf-8").rpartition(") ")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid], spent[pid] = int(words[1]), sum(map(int, words[11:15]))
    own, fresh = {os.getpid()}, {os.getpid()}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - own
        own |= fresh
    return sum(spent[pid] for pid in own) / os.sysconf("SC_CLK_TCK")


def _data() -> Record:
    record: Record = json.loads(DATA.read_text(encoding="utf-8"))
    return record


_WAYS = {
    "plain": "one process without Spark",
    "new": "a new process, Spark's start in it, `local[2]`",
    "session": "a session that has read them before, `local[2]`",
}


def ways() -> str:
    """The table of ways to read the same logs."""
    record = _data()
    rows = [
        f"| {_WAYS[way]} | {each['seconds']:.1f} | {each['cpu']:.1f} | {record['lines'] / each['seconds']:,.0f} "
        f"| {record['lines'] / each['cpu']:,.0f} |"
        for way, each in record["ways"].items()
    ]
    return "\n".join([
        f"Measured on {record['day']}, on {record['machine']}, shared with other work (load {record['load']:g}): "
        f"{record['bytes'] / 1e6:,.0f} MB, {record['lines']:,} lines, {record['events']:,} events, Parquet written.",
        "",
        "| read by | s | CPU s | lines/s | lines per CPU s |",
        "|---|---:|---:|---:|---:|",
        *rows,
    ])  # fmt: skip


def growth() -> str:
    """The table of what costs how much when it is ten times as much."""
    grows = _data()["grows"]
    least = grows[""]
    rows = [
        f"| {f'ten times the {what}' if what else 'as a start'} | {each['lines']:,} | {each['events']:,} "
        f"| {each['seconds']:.1f} | {each['cpu']:.1f} "
        f"| {each['cpu'] / each['lines'] / (least['cpu'] / least['lines']):.2f} |"
        for what, each in grows.items()
    ]
    head = "| read in a session | lines | events | s | CPU s | CPU per line, against the start |"
    return "\n".join([head, "|---|---:|---:|---:|---:|---:|", *rows])


if __name__ == "__main__":
    main()

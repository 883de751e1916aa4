"""Measures the audit (`make audit-speed`), for docs/measurements.md, in processor time as well.

Generated logs are read to silver by one process without Spark, by a new process with Spark (its start-up in it), and by
a session that has read them before. Then one of lines, files, queues and groups is ten times as many. From files to
findings, before these are explained, new processes go without Spark and with it.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from offsetproof.audit.gold.run import GoldRunner, make_gold
from offsetproof.audit.gold.run import by_pool as gold_by_pool
from offsetproof.audit.gold.run import on_spark as gold_on_spark
from offsetproof.audit.silver.on_spark import audit_session, on_spark
from offsetproof.audit.silver.piece_work import Runner, by_pool
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.sources import ReadingOptions
from offsetproof.audit.worker_pool import worker_pool
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

LOGS = {
    "usual": replace(LARGE, has_owners=True),
    "much": replace(LARGE, megabytes=2000, has_owners=True),
    "findings": LARGE,
}
"""What is read to findings."""

Record = dict[str, Any]


def main() -> None:
    """Measures everything and writes data; `--one WAY FOLDER BEGUN` measures some in this process, and prints it.

    `--findings` measures the way from files to findings only, and leaves the other data as they are.
    """
    if sys.argv[1:2] == ["--one"]:
        way, given, begun = sys.argv[2:]
        print(json.dumps(_ONE[way](Path(given), float(begun))))
        return
    record = _data() if sys.argv[1:2] == ["--findings"] else _to_silver()
    record["findings"] = _to_findings()
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _to_silver() -> Record:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = write_volume(folder / "logs", LARGE)
        grown = {
            what: _size(write_volume(folder / f"grown {what}", volume))
            for what, volume in {"": SMALL, **TENFOLD}.items()
        }
        plain, spark = _ask("plain", folder), _ask("spark", folder)
    return {
        "day": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[1], 1),
        **_size(truth),
        "ways": {"plain": plain, "new": spark["new"], "session": spark["session"]},
        "grows": {what: {**size, **spark["grown"][what]} for what, size in grown.items()},
    }


def _to_findings() -> Record:
    """Each of LOGS is written, and read by a new process without Spark, and by one with it."""
    found: Record = {"day": datetime.now(UTC).date().isoformat(), "logs": {}}
    for name, volume in LOGS.items():
        with tempfile.TemporaryDirectory() as place:
            size = _size(write_volume(Path(place) / "logs", volume))
            ways = {way: _ask(way, Path(place)) for way in ("workers", "spark to findings")}
            found["logs"][name] = {**size, "load": round(os.getloadavg()[1], 1), "ways": ways}
    return found


def _ask(way: str, folder: Path) -> Record:
    """What a process of its own says of a way."""
    command = [sys.executable, "-m", "studies.audit_speed", "--one", way, str(folder), str(time.time())]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found: Record = json.loads(run.stdout)
    return found


def _without_spark(folder: Path, _begun: float) -> Record:
    return _timed(folder / "logs", folder, by_pool())


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


def _workers_to_findings(folder: Path, begun: float) -> Record:
    with worker_pool(2) as pool:
        return _timed_to_findings(folder, by_pool(pool), gold_by_pool(pool), begun)


def _spark_to_findings(folder: Path, begun: float) -> Record:
    with audit_session("local[2]", folder / "spark") as driver:
        return _timed_to_findings(folder, on_spark(driver), gold_on_spark(driver), begun)


_ONE = {
    "plain": _without_spark,
    "spark": _with_spark,
    "workers": _workers_to_findings,
    "spark to findings": _spark_to_findings,
}


def _timed_to_findings(folder: Path, silver: Runner, gold: GoldRunner, begun: float) -> Record:
    """All from `begun` on, to silver and to findings, and the most memory that this process has had, in MB."""
    read = _timed(folder / "logs", folder, silver)
    to_silver = time.time() - begun
    made = make_gold(folder / "out", gold)
    return {
        **read,
        "to_silver": round(to_silver, 2),
        "seconds": round(time.time() - begun, 2),
        "cpu": round(_cpu_of_all(), 2),
        "findings": len(made.findings),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
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


_LOGS = {
    "usual": "200 MB",
    "much": "2 GB",
    "findings": "200 MB of commits at random",
}


def to_findings() -> str:
    """The table of what it takes from files to findings."""
    told = _data()["findings"]
    rows = [
        f"| {_LOGS[name]} | {_READERS[way]} | {of['load']:g} "
        f"| {each['findings']:,} | {each['seconds']:.1f} | {each['cpu']:.1f} "
        f"| {of['lines'] / each['to_silver']:,.0f} | {of['lines'] / each['seconds']:,.0f} "
        f"| {of['lines'] / each['cpu']:,.0f} | {each['megabytes']:,} |"
        for name, of in told["logs"].items()
        for way, each in of["ways"].items()
    ]
    return "\n".join([
        f"Measured on {told['day']}, on the same machine, shared with other work; *load* is how many processes wanted "
        "its two CPUs.",
        "",
        "| logs | by | load | findings | s | CPU s | lines/s to silver | to findings | lines per CPU s "
        "| MB of that process |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *rows,
    ])  # fmt: skip


_READERS = {"workers": "two workers", "spark to findings": "Spark, `local[2]`"}


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

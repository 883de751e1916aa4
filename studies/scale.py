"""Measures exploration on Spark (`make scale`): rates, bytes sent, and a model of cost; docs/measurements.md has it."""

from __future__ import annotations

import json
import os
import platform
import tempfile
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from offsetproof.checking.exporting import export_of
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.spark.engine import Spark
from offsetproof.engines.spark.manifest import MANIFEST, read_manifest
from offsetproof.engines.spark.site import PARTS_LEAST
from offsetproof.engines.spark.states import read_states, write_states
from offsetproof.exports.tla.tlc import run_tlc
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result
from studies import RECORDS

DATA = RECORDS / "scale.json"

MIDDLE, LARGE = ("I3-monotone", "come-back"), ("I7-no-stalled-task", "reset")
"""A system of about 1.5 million states, and one of more than ten million."""

LITTLE = 40 << 20
"""The bytes of a task that explores the large one, a tenth of its visited set."""

EXECUTORS = (16, 256)

Record = dict[str, Any]


def question_of_claim(id: str, scope: str) -> Question:
    """The question."""
    (question,) = questions_of(Request(ROCKETMQ, (id,), scope=scope))
    return question


def main() -> None:
    """Measures everything and writes data."""
    record: Record = {"machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"}
    record["explicit"] = {name: _explicit(question_of_claim(*name)) for name in (MIDDLE, LARGE)}
    record["explicit"] = {" ".join(name): row for name, row in record["explicit"].items()}
    for cores in (1, 2):
        record[f"spark {cores}"] = {" ".join(name): _spark(question_of_claim(*name), cores) for name in (MIDDLE, LARGE)}
    record["little"] = _spark(replace(question_of_claim(*LARGE), limits=Limits(bytes=LITTLE)), 2)
    record["tlc"] = _tlc(question_of_claim(*MIDDLE))
    record["cost"] = _cost(record)
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _row(result: Result, seconds: float) -> Record:
    counts = result.counts
    return {
        "verdict": str(result.verdict),
        "states": counts.states,
        "transitions": counts.transitions,
        "depth": counts.depth,
        "seconds": round(seconds, 2),
        "bytes": counts.peak_bytes,
    }


def _explicit(question: Question) -> Record:
    models = StagedModels()
    engine = Explicit(models)
    models.of(question)
    started = time.monotonic()
    result = engine.decide(question)
    return {
        **_row(result, time.monotonic() - started),
        "held": int(result.counts.bytes_per_state * (result.counts.states or 0)),
    }


def _spark(question: Question, cores: int) -> Record:
    models = StagedModels()
    with tempfile.TemporaryDirectory() as folder, Spark(f"local[{cores}]", Path(folder), models=models) as engine:
        engine.decide(question_of_claim("I11", "first-commits"))
        models.of(question)
        started = time.monotonic()
        result = engine.decide(question)
        seconds = time.monotonic() - started
        (done,) = read_manifest(engine.sites.of(question).folder / MANIFEST).passes
        ends = [level.seconds for level in done.levels]
        levels = [
            [level.states, level.transitions, level.sent, round(end - before, 4)]
            for level, end, before in zip(done.levels, ends, [0.0, *ends], strict=False)
        ]
    return {**_row(result, seconds), "sent": sum(level[2] for level in levels), "levels": levels}


def _tlc(question: Question) -> Record:
    export = export_of(ROCKETMQ.name, [question], StagedModels().of(question))
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_tlc(export, folder=Path(folder), claims=[question.prop.id], timeout=1500, workers=2)
    return {"states": outcome.states, "depth": outcome.depth, "seconds": round(outcome.seconds, 1)}


def _cost(record: Record) -> Record:
    """The parameters of the model of cost, by least squares over the levels of the large system alone.

    One task gives `fixed` and `step`; what two take beyond that is `meet` and `byte`, after the measured `file`.
    """
    one, two = (record[f"spark {cores}"][" ".join(LARGE)] for cores in (1, 2))
    fixed, step = _least_squares([[1.0, level[1]] for level in one["levels"]], [level[3] for level in one["levels"]])
    file = _seconds_per_file()
    rest = [level[3] - fixed - step * level[1] / 2 - file * files(2) for level in two["levels"]]
    meet, byte = _least_squares([[1.0, level[2] / 2] for level in two["levels"]], rest)
    start = np.mean([run["seconds"] - sum(level[3] for level in run["levels"]) for run in (one, two)])
    return {"start": float(start), "fixed": fixed, "step": step, "meet": meet, "byte": byte, "file": file}


def _least_squares(left: list[list[float]], right: list[float]) -> list[float]:
    """Least squares; what comes out below zero is nothing."""
    solution, *_ = np.linalg.lstsq(np.array(left), np.array(right), rcond=None)
    return [max(0.0, float(value)) for value in solution]


def _seconds_per_file(count: int = 300) -> float:
    """What it takes to write a small file of states, or to read one, on the average."""
    rows = np.arange(200, dtype=np.uint64).reshape(-1, 2)
    with tempfile.TemporaryDirectory() as folder:
        started = 0.0
        for number in range(count + 1):
            started = started if number > 1 else time.monotonic()  # the first one loads libraries
            file = Path(folder) / f"{number}.parquet"
            read_states(file, 2, len(rows), write_states(file, rows))
        return (time.monotonic() - started) / (2 * count)


def files(tasks: int) -> int:
    """How many files a task writes and reads in a level: one for each part of every other task, and as many back."""
    return 2 * (tasks - 1) * PARTS_LEAST


def predicted_seconds(record: Record, name: str, tasks: int) -> float:
    """What the model of cost says of a measured system on so many tasks, in seconds."""
    cost = record["cost"]
    exchange = cost["meet"] + cost["file"] * files(tasks) if tasks > 1 else 0.0
    seconds = cost["start"]
    for _, transitions, sent, _ in record["spark 2"][name]["levels"]:
        sent_by_all = sent * 2 * (tasks - 1) / tasks
        seconds += cost["fixed"] + exchange + (cost["step"] * transitions + cost["byte"] * sent_by_all) / tasks
    return float(seconds)


def measured() -> str:
    """What was measured, by engine."""
    record = read()
    return "\n".join(_measured_table(record, " ".join(MIDDLE), " ".join(LARGE))).strip()


def cost() -> str:
    """The parameters of the model of cost, and what it predicts."""
    record = read()
    return "\n".join(_model(record, " ".join(MIDDLE), " ".join(LARGE))).strip()


def read() -> Record:
    """What was measured."""
    record: Record = json.loads(DATA.read_text(encoding="utf-8"))
    return record


def _measured_table(record: Record, middle: str, large: str) -> list[str]:
    rows = [
        (middle, "explicit engine", record["explicit"][middle]),
        (middle, "Spark, local[1]", record["spark 1"][middle]),
        (middle, "Spark, local[2]", record["spark 2"][middle]),
        (middle, "TLC, 2 workers", record["tlc"]),
        (large, "explicit engine", record["explicit"][large]),
        (large, "Spark, local[1]", record["spark 1"][large]),
        (large, "Spark, local[2]", record["spark 2"][large]),
        (large, f"Spark, local[2], {LITTLE >> 20} MiB per task", record["little"]),
    ]
    lines = ["| system | by | states | depth | seconds | states/s |", "|---|---|---:|---:|---:|---:|"]
    for name, who, row in rows:
        rate = row["states"] / row["seconds"]
        lines.append(f"| {name} | {who} | {row['states']:,} | {row['depth']} | {row['seconds']:.1f} | {rate:,.0f} |")
    held = record["explicit"][large]["held"]
    sent = record["spark 2"][large]["sent"] / record["spark 2"][large]["states"]
    per_level = record["spark 2"][middle]["seconds"] / len(record["spark 2"][middle]["levels"])
    return [
        f"Measured on {record['machine']}, a machine that others use as well.",
        "",
        *lines,
        "",
        *_fill_lines(
            f"The visited set of {large} takes {held / 2**20:,.0f} MiB in the explicit engine, {held / LITTLE:.1f}"
            f" times what a task of the last row may hold. Two tasks exchange {sent:.1f} bytes per state. A level of"
            f" {middle} takes {per_level:.2f} s on the average."
        ),
    ]


def _model(record: Record, middle: str, large: str) -> list[str]:
    cost = record["cost"]
    gained = 1 - record["spark 2"][large]["seconds"] / record["spark 1"][large]["seconds"]
    lines = ["| system | tasks | predicted | measured |", "|---|---:|---:|---:|"]
    for name, tasks in ((large, 1), (large, 2), (middle, 1), (middle, 2)):
        seconds = record[f"spark {tasks}"][name]["seconds"]
        lines.append(f"| {name} | {tasks} | {predicted_seconds(record, name, tasks):.1f} s | {seconds:.1f} s |")
    for name in (large, middle):
        lines += [f"| {name} | {tasks} | {predicted_seconds(record, name, tasks):.1f} s | |" for tasks in EXECUTORS]
    values = [f"{cost['start']:.1f} s", f"{cost['fixed'] * 1e3:.1f} ms", f"{cost['step'] * 1e9:.0f} ns"]
    values += [f"{cost['byte'] * 1e9:.1f} ns", f"{cost['meet'] * 1e3:.1f} ms", f"{cost['file'] * 1e3:.2f} ms"]
    return [
        "| start | fixed | step | byte | meet | file | parts of a task |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        f"| {' | '.join(values)} | {PARTS_LEAST} |",
        "",
        *lines,
        "",
        f"A second task gained {gained:.0%} here.",
    ]


def _fill_lines(text: str) -> list[str]:
    return [*textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False), ""]


if __name__ == "__main__":
    main()

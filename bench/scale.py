"""Measures exploration on Spark and writes docs/scale.md (`make scale`): rates, bytes sent, and a model of cost."""

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

from offsetproof.check.exporting import export_of
from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.exports.tlc import run_tlc
from offsetproof.pipeline.engine import Spark
from offsetproof.pipeline.run_folder import MANIFEST, read_manifest
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Limits, Question
from offsetproof.verdict.result import Result

DOCS = Path(__file__).parents[1] / "docs"
DATA, PAGE = DOCS / "scale.json", DOCS / "scale.md"

MIDDLE, LARGE = ("I3-monotone", "come-back"), ("I7-no-stalled-task", "reset")
"""A system of about 1.5 million states, and one of more than ten million."""

LITTLE = 40 << 20
"""The bytes of a task that explores the large one, a tenth of its visited set."""

EXECUTORS = (16, 256)

Record = dict[str, Any]


def asked(id: str, scope: str) -> Question:
    """The question."""
    (question,) = questions(Request(ROCKETMQ, (id,), scope=scope))
    return question


def main() -> None:
    """Measures everything and writes the page."""
    told: Record = {"machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"}
    told["explicit"] = {name: _explicit(asked(*name)) for name in (MIDDLE, LARGE)}
    told["explicit"] = {" ".join(name): row for name, row in told["explicit"].items()}
    for cores in (1, 2):
        told[f"spark {cores}"] = {" ".join(name): _spark(asked(*name), cores) for name in (MIDDLE, LARGE)}
    told["little"] = _spark(replace(asked(*LARGE), limits=Limits(bytes=LITTLE)), 2)
    told["tlc"] = _tlc(asked(*MIDDLE))
    told["cost"] = _cost(told)
    DATA.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(told), encoding="utf-8")


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
    engine = Explicit()
    engine.staged(question)
    started = time.monotonic()
    result = engine.decide(question)
    return {
        **_row(result, time.monotonic() - started),
        "held": int(result.counts.bytes_per_state * result.counts.states),
    }


def _spark(question: Question, cores: int) -> Record:
    with tempfile.TemporaryDirectory() as folder, Spark(f"local[{cores}]", Path(folder)) as engine:
        engine.decide(asked("I11", "first-commits"))
        engine.staged(question)
        started = time.monotonic()
        result = engine.decide(question)
        seconds = time.monotonic() - started
        (done,) = read_manifest(engine.place_of(question).folder / MANIFEST).passes
        ends = [level.seconds for level in done.levels]
        levels = [
            [level.states, level.transitions, level.sent, round(end - before, 4)]
            for level, end, before in zip(done.levels, ends, [0.0, *ends], strict=False)
        ]
    return {**_row(result, seconds), "sent": sum(level[2] for level in levels), "levels": levels}


def _tlc(question: Question) -> Record:
    export = export_of(ROCKETMQ.name, [question], None)
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_tlc(export, folder=Path(folder), invariants=[question.prop.id], timeout=1500, workers=2)
    return {"states": outcome.states, "depth": outcome.depth, "seconds": round(outcome.seconds, 1)}


def _cost(told: Record) -> Record:
    """The parameters of the model of cost, by least squares over the levels of all runs; `start` is what is left."""
    runs = [(run, cores) for cores in (1, 2) for run in told[f"spark {cores}"].values()]
    levels = [(level, cores) for run, cores in runs for level in run["levels"]]
    left = np.array([[1.0, level[1] / cores] for level, cores in levels])
    right = np.array([level[3] for level, _ in levels])
    (fixed, per_step), *_ = np.linalg.lstsq(left, right, rcond=None)
    start = np.mean([run["seconds"] - sum(level[3] for level in run["levels"]) for run, _ in runs])
    return {"start": float(start), "fixed": max(0.0, float(fixed)), "per_step": float(per_step)}


def predicted(told: Record, name: str, tasks: int) -> float:
    """What the model of cost says of a measured system on so many tasks, in seconds."""
    cost, levels = told["cost"], told["spark 2"][name]["levels"]
    return float(cost["start"] + sum(cost["fixed"] + cost["per_step"] * level[1] / tasks for level in levels))


def page(told: Record) -> str:
    """The page, from the measurements."""
    middle, large = " ".join(MIDDLE), " ".join(LARGE)
    return "\n".join(
        ["# Exploration on Spark, measured", "", *_measured(told, middle, large), *_model(told, middle, large)]
    )


def _measured(told: Record, middle: str, large: str) -> list[str]:
    rows = [
        (middle, "explicit engine", told["explicit"][middle]),
        (middle, "Spark, local[1]", told["spark 1"][middle]),
        (middle, "Spark, local[2]", told["spark 2"][middle]),
        (middle, "TLC, 2 workers", told["tlc"]),
        (large, "explicit engine", told["explicit"][large]),
        (large, "Spark, local[1]", told["spark 1"][large]),
        (large, "Spark, local[2]", told["spark 2"][large]),
        (large, f"Spark, local[2], {LITTLE >> 20} MiB per task", told["little"]),
    ]
    lines = ["| system | by | states | depth | seconds | states/s |", "|---|---|---:|---:|---:|---:|"]
    for name, who, row in rows:
        rate = row["states"] / row["seconds"]
        lines.append(f"| {name} | {who} | {row['states']:,} | {row['depth']} | {row['seconds']:.1f} | {rate:,.0f} |")
    held = told["explicit"][large]["held"]
    sent = told["spark 2"][large]["sent"] / told["spark 2"][large]["states"]
    per_level = told["spark 2"][middle]["seconds"] / len(told["spark 2"][middle]["levels"])
    return [
        *_filled(
            f"Written by `make scale` on {told['machine']}, a machine that others use as well. Spark's time is that"
            " of a second question to a session that is there already, staging left out; TLC's is what it tells."
        ),
        *lines,
        "",
        *_filled(
            f"The visited set of {large} takes {held / 2**20:,.0f} MiB in the explicit engine, {held / LITTLE:.1f}"
            f" times what a task of the last row may hold. Two tasks exchange {sent:.1f} bytes per state. A level of"
            f" {middle} takes {per_level:.2f} s on the average."
        ),
    ]


def _model(told: Record, middle: str, large: str) -> list[str]:
    cost = told["cost"]
    gained = 1 - told["spark 2"][large]["seconds"] / told["spark 1"][large]["seconds"]
    lines = ["| system | tasks | predicted | measured |", "|---|---:|---:|---:|"]
    for name, tasks in ((middle, 1), (middle, 2), (large, 1), (large, 2)):
        seconds = told[f"spark {tasks}"][name]["seconds"]
        lines.append(f"| {name} | {tasks} | {predicted(told, name, tasks):.1f} s | {seconds:.1f} s |")
    for name in (middle, large):
        lines += [f"| {name} | {tasks} | {predicted(told, name, tasks):.1f} s | |" for tasks in EXECUTORS]
    return [
        "## A model of cost",
        "",
        "    seconds = start + sum over levels of (fixed + step * transitions / tasks)",
        "",
        *_filled(
            "Fitted by least squares to the levels of both systems on one and on two cores:"
            f" start {cost['start']:.1f} s, fixed {cost['fixed']:.3f} s, step {cost['per_step'] * 1e9:.0f} ns."
            " It assumes that the states of a level are spread evenly over the"
            " parts, that a shared file system carries what is exchanged as fast as this machine's page cache, and that"
            " one more task costs no more at the end of a level. What it says of the points that can be measured, and"
            " beyond:"
        ),
        *lines,
        "",
        *_filled(
            f"A second task gained {gained:.0%} here: half of what it finds has to be exchanged, and the cores of this"
            " machine share more than memory; the model promises more than that, so it is an upper bound for few tasks."
            " Small systems gain nothing: a level costs what a level costs. More executors are for systems whose"
            " visited set one machine cannot hold."
        ),
    ]


def _filled(text: str) -> list[str]:
    return [*textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False), ""]


if __name__ == "__main__":
    main()

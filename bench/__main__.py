"""Runs the benchmarks and writes docs/speed.md. Nothing here asserts a time; compare by ratio within one run."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from bench.measure import Explored, bare_inserts, compiled, explore, touch_memory
from bench.subjects import reset_slice, toy_queue, widest
from offsetproof.checking.request import Request, questions_of
from offsetproof.compiled.native import OPTIMISE_AFTER
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Reductions

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"

REDUCED = (("I1", "come-back"), ("I5-forward-calm", "calm-reset"))
"""Claims that hold, with the scopes in which the reductions' savings are measured."""


def main() -> None:
    touch_memory()
    explore(toy_queue())
    toy = min((explore(toy_queue()) for _ in range(3)), key=lambda e: e.seconds)
    reset, fresh, mixed = _against_each_other()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    lines = [_HEAD.format(day=datetime.now(UTC).date(), machine=machine)]
    lines += [_row(toy), _row(reset), "", *_bare_table(reset, fresh, mixed), "", *_compiling(), "", *_savings()]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


def _against_each_other() -> tuple[Explored, float, float]:
    """The best of three explorations and of three bare runs each, taken in turns."""
    runs = []
    for _ in range(3):
        explored = explore(reset_slice())
        fresh = bare_inserts(explored.words, explored.states, explored.states)
        mixed = bare_inserts(explored.words, explored.states, explored.transitions)
        runs.append((explored, fresh, mixed))
    return min((run[0] for run in runs), key=lambda e: e.seconds), min(r[1] for r in runs), min(r[2] for r in runs)


_HEAD = """# Speed

Written by `make bench` on {day}, all of it in one run, on {machine}.
Seconds are processor time of one thread. The machine was shared with other work, which takes caches and memory away:
ratios within this page mean more than its numbers. Each row is the best of three whole explorations; the counts of the
systems and of the last column are kept true by `tests/`.

| system | instances | words | states | transitions | s | million states/s | million transitions/s | bytes/state |
|---|---:|---:|---:|---:|---:|---:|---:|---:|"""


def _row(e: Explored) -> str:
    rates = f"{e.states / e.seconds / 1e6:.1f} | {e.transitions / e.seconds / 1e6:.1f}"
    return (
        f"| {e.name} | {e.instances} | {e.words} | {e.states:,} | {e.transitions:,} | {e.seconds:.2f} "
        f"| {rates} | {e.bytes_per_state:.0f} |"
    )


def _bare_table(e: Explored, fresh: float, mixed: float) -> list[str]:
    rate = e.transitions / e.seconds
    return [
        "## Against the bare table",
        "",
        f"The engine inserts one key per transition: {rate / 1e6:.1f} million/s in the last row above. Random keys of",
        f"{e.words} words into the same table without any model, taken in turns with it, best of three:",
        "",
        "| what | s | million inserts/s | the engine reaches |",
        "|---|---:|---:|---:|",
        _bare_row(f"as many different keys as states, {e.states:,}", e.states, fresh, rate),
        _bare_row(f"as many inserts of them as transitions, {e.transitions:,}", e.transitions, mixed, rate),
    ]


def _bare_row(what: str, inserts: int, seconds: float, rate: float) -> str:
    bare = inserts / seconds
    return f"| {what} | {seconds:.2f} | {bare / 1e6:.1f} | {rate / bare:.0%} |"


def _compiling() -> list[str]:
    timed = widest()
    (_, plain), (_, optimised) = (compiled(timed, optimise_after) for optimise_after in (OPTIMISE_AFTER, 0))
    return [
        "## Compiling",
        "",
        f"{timed.name}: {len(timed.system.instances)} action instances, {timed.system.bits} bits; "
        f"staged in {timed.stage_seconds:.2f} s, compiled in {plain:.2f} s as plain code, in {optimised:.2f} s with",
        f"optimisations, which a search gets after {OPTIMISE_AFTER:,} states.",
    ]


def _savings() -> list[str]:
    lines = [
        "## What the reductions save",
        "",
        "| claim, scope | neither | slicing | dead fields | both |",
        "|---|---:|---:|---:|---:|",
    ]
    for id, scope in REDUCED:
        counts = []
        for reductions in (Reductions(False, False), Reductions(True, False), Reductions(False, True), Reductions()):
            asked = questions_of(Request(ROCKETMQ, properties=(id,), scope=scope, reductions=reductions))[0]
            counts.append(f"{Explicit().decide(asked).counts.states:,}")
        lines.append(f"| {id}, {scope} | {' | '.join(counts)} |")
    return lines


if __name__ == "__main__":
    main()

"""Runs the benchmarks and writes studies/data/speed.json. Nothing asserts a time; compare by ratio within one run."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bench.measure import Explored, compiled, explore, touch_memory
from bench.subjects import Timed, reset_slice, toy_queue, widest
from offsetproof.checking.request import Request, questions_of
from offsetproof.compiled.native import OPTIMISE_AFTER
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Reductions
from studies.speed import DATA

REDUCED = (("I1", "come-back"), ("I5-forward-calm", "calm-reset"))
"""Claims that hold, with the scopes in which the reductions' savings are measured."""


def main() -> None:
    touch_memory()
    explore(toy_queue())
    toy, reset = (
        min((explore(make()) for _ in range(3)), key=lambda e: e.seconds) for make in (toy_queue, reset_slice)
    )
    record = {
        "day": str(datetime.now(UTC).date()),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "explored": [asdict(toy), asdict(reset)],
        "compiling": _compiling(),
        "savings": {f"{id}, {scope}": _savings(id, scope) for id, scope in REDUCED},
    }
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _best_of_three(make: Callable[[], Timed]) -> Explored:
    return min((explore(make()) for _ in range(3)), key=lambda explored: explored.seconds)


def _compiling() -> dict[str, Any]:
    timed = widest()
    (_, plain), (_, optimised) = (compiled(timed, optimise_after) for optimise_after in (OPTIMISE_AFTER, 0))
    return {
        "name": timed.name,
        "instances": len(timed.system.instances),
        "bits": timed.system.bits,
        "staged": timed.stage_seconds,
        "plain": plain,
        "optimised": optimised,
        "after": OPTIMISE_AFTER,
    }


def _savings(id: str, scope: str) -> list[int | None]:
    """The states with neither reduction, with each, and with both."""
    counts: list[int | None] = []
    for reductions in (Reductions(False, False), Reductions(True, False), Reductions(False, True), Reductions()):
        asked = questions_of(Request(ROCKETMQ, properties=(id,), scope=scope, reductions=reductions))[0]
        counts.append(Explicit().decide(asked).counts.states)
    return counts


if __name__ == "__main__":
    main()

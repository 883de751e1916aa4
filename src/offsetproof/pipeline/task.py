"""What runs inside a Spark task: the whole exploration of its share, in step with the other tasks.

All tasks run at once (a barrier stage). After each level every task writes what it found and waits for the others'
numbers, from which all draw the same conclusion. Task 0 then writes the manifest. Waiting goes by files in the run's
folder, because Spark's own barrier looks only once a second.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.lower import CLAIMS, DEAD, lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.layers import alarm_node
from offsetproof.engines.explicit.search import Program
from offsetproof.ir.wire import from_bytes
from offsetproof.lang.claim import ClaimKind
from offsetproof.pipeline.exchange import Order, must_be_current, wait_for
from offsetproof.pipeline.run_folder import (
    Level,
    Manifest,
    alarm_file,
    read_manifest,
    write_manifest,
    write_states,
    write_whole,
)
from offsetproof.pipeline.share import LimitError, Share
from offsetproof.verdict.result import Reason


@cache
def compiled(system: bytes, kinds: tuple[str, ...]) -> Program:
    """A shipped system with its functions, compiled once in this Python worker, however many tasks it gets.

    WireError where the bytes are damaged.
    """
    read = from_bytes(system)
    layout = Layout(read)
    alarms = [alarm_node(read, i, ClaimKind(kind)) for i, kind in enumerate(kinds)]
    return Program(read, layout, Native(lower(read, layout, alarms)))


def explore(batches: Iterator[Any], system: bytes, order: Order) -> Iterator[Any]:
    """The body of one task, for `mapInArrow`; gives one row, how the exploration ended."""
    import pyarrow as pa
    from pyspark import BarrierTaskContext

    for _ in batches:
        pass
    context = BarrierTaskContext.get()
    assert context is not None
    exploring = Exploring(compiled(system, order.kinds), order, context.partitionId())
    yield pa.RecordBatch.from_pydict({"task": [exploring.task], "outcome": [exploring.run()]})


class Exploring:
    """One task's way through the levels."""

    def __init__(self, program: Program, order: Order, task: int) -> None:
        self.order, self.task = order, task
        self.folder = Path(order.folder)
        self.share = Share(program, order, task)
        self.deadlock = program.system.claims[0].deadlock
        self.started = time.monotonic()

    def run(self) -> str:
        """Explores to the end; what ended it."""
        manifest = read_manifest(self.order.start)
        levels = manifest.with_faults(self.order.cap).levels
        self.share.take_up(levels)
        outcome = self._together(len(levels) - 1, again=True)[1] if levels else ""
        self._write(manifest, outcome)
        while not outcome:
            level, over = self._together(len(levels), again=False)
            outcome = self._outcome(levels, level, over)
            self._write(manifest, outcome)
        return outcome

    def _together(self, depth: int, *, again: bool) -> tuple[Level, str]:
        """One level of all tasks, and the limit that one of them met within it."""
        over = ""
        try:
            mine = self.share.level(depth, again=again)
        except LimitError as met:
            mine, over = Level(0, 0, [], [], 0, 0), met.reason.name
        else:
            self._write_alarms({} if again else self.share.alarmed, depth)
        mine.seconds = time.monotonic() - self.started
        name = f"{'again' if again else 'level'}-{depth:04d}"
        counts = self.share.exchange.counts()
        write_whole(self.order.scratch / f"{name}-{self.task}.json", json.dumps([asdict(mine), over, counts]).encode())
        told = [self._told(self.order.scratch / f"{name}-{task}.json") for task in range(self.order.tasks)]
        self.share.exchange.expect([counts for _, _, counts in told])
        met_by = {over for _, over, _ in told if over}
        over = Reason.MEMORY.name if Reason.MEMORY.name in met_by else next(iter(met_by), "")
        return _sum([Level(**level) for level, _, _ in told]), over

    def _write_alarms(self, alarmed: Mapping[str, list[Words]], depth: int) -> None:
        for kind, rows in alarmed.items():
            if rows:
                file = alarm_file(self.folder, self.order.cap, kind, depth, self.task)
                write_states(file, np.concatenate(rows))

    def _told(self, file: Path) -> Any:
        wait_for(file, self.order)
        return json.loads(file.read_bytes())

    def _outcome(self, levels: list[Level], level: Level, over: str) -> str:
        """What all tasks conclude from a level; "" to go on. One in which a limit was met does not count."""
        if over:
            return over
        if level.judged >> CLAIMS & 1:
            levels.append(level)
            return "state"
        if self.deadlock and level.expanded & DEAD:
            levels.append(level)
            return "dead"
        if not level.states:
            return "finished"
        levels.append(level)
        if level.expanded >> CLAIMS & 1 and not self.deadlock:
            return "step"
        if self.order.states is not None and sum(each.states for each in levels) > self.order.states:
            return Reason.STATES.name
        return ""

    def _write(self, manifest: Manifest, outcome: str) -> None:
        """Task 0 writes down how far all have come."""
        if self.task:
            return
        must_be_current(self.order)
        manifest.with_faults(self.order.cap).outcome = outcome
        write_manifest(self.folder, manifest)


def _sum(levels: list[Level]) -> Level:
    """The totals over all tasks; the time is the longest."""

    def summed(lists: list[list[int]]) -> list[int]:
        return [sum(column) for column in zip(*(each for each in lists if each), strict=True)]

    total = Level(0, 0, summed([each.fired for each in levels]), summed([each.cuts for each in levels]), 0, 0)
    total.rows = summed([each.rows for each in levels])
    for each in levels:
        total.states += each.states
        total.transitions += each.transitions
        total.judged |= each.judged
        total.expanded |= each.expanded
        total.failed |= each.failed
        total.bytes += each.bytes
        total.sent += each.sent
        total.seconds = max(total.seconds, each.seconds)
    return total

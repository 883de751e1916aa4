"""What runs inside a Spark task: the whole exploration of its share, in step with the other tasks.

All tasks run at once (a barrier stage). After each level every task writes what it found and waits for the others'
numbers, from which all draw the same conclusion. Task 0 then writes the manifest. Waiting goes by files in the run's
folder, because Spark's own barrier looks only once a second.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, to_builtins

from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS, DEAD
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.spark.exchange import Order, Sent, must_be_current, wait_for
from offsetproof.engines.spark.manifest import (
    BYTES_MOST,
    MANIFEST,
    AlarmFile,
    Level,
    Manifest,
    read_manifest,
    write_manifest,
)
from offsetproof.engines.spark.run_folder import alarm_file
from offsetproof.engines.spark.share import Share
from offsetproof.engines.spark.states import WAY_OUT, write_states
from offsetproof.engines.whole_files import DamagedError, write_whole
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.ir.wire import from_bytes
from offsetproof.lang.claim import ClaimKind
from offsetproof.reading.files import read_regular
from offsetproof.reading.typed_json import read_json
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Reason


@cache
def compile_system(system: bytes, kinds: tuple[str, ...]) -> Program:
    """A shipped system with its functions, compiled once in this Python worker, however many tasks it gets.

    Claims beyond the kinds are none: they are the conditions that stubborn sets are chosen by. ValueError where the
    bytes are damaged.
    """
    shipped, asked = from_bytes(system), list(map(ClaimKind, kinds))
    if len(shipped.claims) == len(kinds):
        return Program.of(shipped, asked, with_premise=True)
    conditions = [claim.on_state for claim in shipped.claims[len(kinds) :] if claim.on_state is not None]
    return Program.of(replace(shipped, claims=shipped.claims[: len(kinds)]), asked, conditions=conditions)


def explore(batches: Iterator[Any], system: bytes, order: Order) -> Iterator[Any]:
    """The body of one task, for `mapInArrow`; gives one row, how the exploration ended."""
    import pyarrow as pa
    from pyspark import BarrierTaskContext

    for _ in batches:
        pass
    context = BarrierTaskContext.get()
    assert context is not None
    exploring = Exploring(compile_system(system, order.kinds), order, context.partitionId())
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
        """Explores to the end; what ended it. DamagedError where what was explored before is not as it was written."""
        manifest = read_manifest(self.order.start)
        mine = manifest.with_faults(self.order.cap)
        self.share.take_up(mine.levels)
        if mine.levels:
            mine.outcome = self._taken_up(mine.levels)
        self._write(manifest)
        while not mine.outcome:
            level, over = self._together(len(mine.levels), again=False)
            mine.outcome = self._outcome(mine.levels, level, over)
            mine.end = level.digests if mine.outcome == "finished" else []
            self._write(manifest)
        return mine.outcome

    def _taken_up(self, levels: list[Level]) -> str:
        """Expands the last complete level once more; the limit that was met meanwhile, if one was."""
        level, over = self._together(len(levels) - 1, again=True)
        if not over and level.expansion != levels[-1].expansion:
            file = self.folder / MANIFEST
            raise DamagedError(f"{file} has another level {len(levels) - 1} than its states give; {WAY_OUT}")
        return over

    def _together(self, depth: int, *, again: bool) -> tuple[Level, str]:
        """One level of all tasks, and the limit that one of them met within it."""
        over = ""
        try:
            mine = self.share.level(depth, again=again)
        except LimitMetError as met:
            mine, over = Level(0, 0, [], [], 0, 0), met.reason.name
        else:
            mine.alarms = self._write_alarms({} if again else self.share.alarmed, depth)
        mine.seconds = time.monotonic() - self.started
        name = f"{'again' if again else 'level'}-{depth:04d}"
        _TaskReport(mine, over, self.share.exchange.take_sent_files()).write(
            self.order.scratch / f"{name}-{self.task}.json"
        )
        reports = [
            _TaskReport.read(self.order.scratch / f"{name}-{task}.json", self.order) for task in range(self.order.tasks)
        ]
        self.share.exchange.expect([each.sent for each in reports])
        met_by = {each.over for each in reports if each.over}
        over = Reason.MEMORY.name if Reason.MEMORY.name in met_by else next(iter(met_by), "")
        return _sum([each.level for each in reports]), over

    def _write_alarms(self, alarmed: Mapping[str, list[Words]], depth: int) -> list[AlarmFile]:
        """Writes down the states that raised alarms; one without steps is none where steps are not asked for."""
        files = []
        for kind, blocks in alarmed.items():
            if blocks and (kind != "dead" or self.deadlock):
                rows = np.concatenate(blocks)
                file = alarm_file(self.folder, self.order.cap, kind, depth, self.task)
                digest = write_states(file, rows, allowed=partial(must_be_current, self.order))
                files.append(AlarmFile(kind, self.task, len(rows), digest))
        return files

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

    def _write(self, manifest: Manifest) -> None:
        """Task 0 writes down how far all have come."""
        if self.task:
            return
        must_be_current(self.order)
        write_manifest(self.folder / MANIFEST, manifest)


class _TaskReport(Struct, frozen=True, forbid_unknown_fields=True):
    """What one task tells the others of a level: its part of it, the limit that it met, and what it sent where."""

    level: Level
    over: str
    sent: list[list[Sent]]

    def write(self, file: Path) -> None:
        """Tells the others."""
        write_whole(file, seal(to_builtins(self)))

    @classmethod
    def read(cls, file: Path, order: Order) -> _TaskReport:
        """What a task has told, as soon as it has."""
        wait_for(file, order)
        sealed = unseal(read_regular(file, BYTES_MOST))
        if sealed is None:
            raise DamagedError(f"{file} is not what was written; use --resume")
        return read_json(sealed.decode(), cls, str(file), "use --resume")


def _sum(levels: list[Level]) -> Level:
    """The totals over all tasks; the time is the longest."""

    def sum_columns(lists: list[list[int]]) -> list[int]:
        return [sum(column) for column in zip(*(each for each in lists if each), strict=True)]

    total = Level(0, 0, sum_columns([each.fired for each in levels]), sum_columns([each.cuts for each in levels]), 0, 0)
    total.rows = sum_columns([each.rows for each in levels])
    total.digests = [
        "".join(digests) for digests in zip(*(each.digests for each in levels if each.digests), strict=True)
    ]
    total.alarms = [file for each in levels for file in each.alarms]
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

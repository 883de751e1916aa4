"""Exploration on Spark, seen from the driver: one barrier job per search, and what it wrote down read as a search."""

from __future__ import annotations

import hashlib
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from offsetproof.compiled.expander import CHUNK
from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit.search import Alarm, Program, Snapshot
from offsetproof.engines.explicit.stubborn import Reduction
from offsetproof.engines.spark.exchange import Order
from offsetproof.engines.spark.manifest import MANIFEST, Level, Manifest, Pass, read_manifest
from offsetproof.engines.spark.run_folder import open_run, read_alarms, read_part
from offsetproof.engines.spark.site import Site
from offsetproof.engines.spark.states import WAY_OUT
from offsetproof.engines.spark.task import explore
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole
from offsetproof.ir.system import StagedClaim, State, System
from offsetproof.ir.wire import to_bytes
from offsetproof.programs import ProgramFailedError
from offsetproof.sources import program
from offsetproof.verdict.limits import LimitMetError, Limits
from offsetproof.verdict.progress import Layer
from offsetproof.verdict.result import Reason

_GRACE = 5.0
"""Seconds beyond its limit after which a job is ended whose tasks have not ended it: they may not have begun."""

_BLOCKS = 64
"""In how many blocks of states spot checks look for the instances that were taken."""

_LOOK_SHARE = 20
"""How many times as long as reading a manifest takes the next one is left alone: it grows with the levels."""

ATTEMPTS = 4
"""How often tasks that died are started again."""


class _Complete(Layer):
    """A level that is complete. How much of the next one is done is known when it is, too."""

    def __str__(self) -> str:
        return (
            f"layer {self.depth} complete, {self.states:,} states, {self.rate / 1e6:.1f}M/s, "
            f"{self.duplicates:.0%} known, {self.bytes / 2**20:,.0f} MiB"
        )


class SparkSearch:
    """One exploration of one system; everything that it established is in its folder."""

    def __init__(
        self,
        site: Site,
        program: Program,
        kinds: tuple[str, ...],
        initial: Sequence[State],
        cap: int | None,
        limits: Limits,
        progress: Callable[[object], None],
        reduction: Reduction | None = None,
    ) -> None:
        self.site, self.kinds, self.cap, self.limits, self.progress = site, kinds, cap, limits, progress
        self.system, self.layout, self.native = program.system, program.layout, program.native
        self.premise, self.initial = program.premise, tuple(sorted(initial))
        self.instances = max(1, len(self.system.instances))
        self.stopped: Reason | None = None
        self.watched: Callable[[], None] = lambda: None
        self.reduction, self.passed = reduction, Pass(cap)
        self._looks_again = 0.0

    def run(self, claim: int | None) -> Alarm | None:  # noqa: ARG002 - it is the first one
        """Explores, or reads what was explored before; raises KeyboardInterrupt after setting `stopped`."""
        site = self.site
        new = Manifest(self.key, program(), site.parts, self.layout.words)
        manifest = open_run(new, self.shipped, site.folder, self.cap, resume=site.resume)
        self.passed = manifest.with_faults(self.cap)
        self._must_fit()
        if not self.passed.outcome:
            try:
                self._run_tasks(manifest)
            except LimitMetError as met:
                self.stopped = met.reason
            except KeyboardInterrupt:
                self.stopped = Reason.INTERRUPTED
                raise
            finally:
                self.passed = read_manifest(site.folder / MANIFEST).with_faults(self.cap)
        if not self.passed.outcome and self.stopped is None:
            raise CheckpointError(f"{site.folder}: its tasks have ended, its levels have not; use --resume")
        if self.passed.outcome in Reason.__members__:
            self.stopped = Reason[self.passed.outcome]
        self.watched()
        return self._alarm()

    def layers(self) -> Iterator[int]:
        """Explores all layers, unless the first claim raises an alarm; yields the depth reached."""
        self.run(None)
        yield self.depth

    def initial_rows(self) -> Words:
        """The initial states, packed, in ascending order."""
        return np.array([self.layout.pack(state) for state in self.initial], dtype=np.uint64)

    def remember_levels(self, depth: int, on_the_way: Callable[[], None]) -> None:
        """They are written down."""

    def fronts(self, depth: int) -> Iterator[Words]:
        """The states of one level, in chunks of up to `CHUNK`."""
        level = self.passed.levels[depth]
        for part in range(len(level.rows)):
            rows = read_part(self.site.folder, self.cap, depth, part, self.layout.words, level)
            for start in range(0, len(rows), CHUNK):
                yield rows[start : start + CHUNK]

    def samples(self, most: int) -> Words:
        """Some states, of levels evenly spread."""
        depths = np.unique(np.linspace(0, self.depth, most).astype(np.int64))
        chunks, chosen, left = sorted((next(self.fronts(int(depth))) for depth in depths), key=len), list[Words](), most
        for number, rows in enumerate(chunks):
            chosen.append(_spread(rows, min(len(rows), -(-left // (len(chunks) - number)))))
            left -= len(chosen[-1])
        return np.concatenate(chosen)

    def blocks(self) -> Iterator[Words]:
        """Some of the visited set, of levels evenly spread: nobody has noted where instances were taken."""
        yield from self._some_blocks

    @cached_property
    def _some_blocks(self) -> list[Words]:
        depths = np.unique(np.linspace(0, self.depth, _BLOCKS).astype(np.int64))
        return [next(self.fronts(int(depth))) for depth in depths]

    @property
    def judged(self) -> int | None:
        """0 where no state meets the claim's premise; else None, as tasks do not count those that do."""
        return 0 if self.premise is not None and not self.seen_claims >> self.premise & 1 else None

    @property
    def has_failed(self) -> bool:
        """Has a state gone wrong?"""
        return any(level.failed for level in self.passed.levels)

    def failure(self) -> Alarm | None:
        """A first state that goes wrong: of the lowest depth, the smallest."""
        failed = [depth for depth, level in enumerate(self.passed.levels) if level.failed]
        if not failed:
            return None
        return Alarm(failed[0], np.array([min(self._alarmed_states("failed", failed[0]).tolist())], np.uint64))

    @property
    def key(self) -> str:
        """What a run's folder is about: the system, what its claims are asked, and how states are packed."""
        deadlocks = [claim.deadlock for claim in self.system.claims]
        places = sorted(self.layout.places.items())
        labels = [inst.label for inst in self.system.instances]
        about: tuple[object, ...] = self.shipped.digest, self.kinds, deadlocks, places, labels
        if self.reduction is not None:
            about = (*about, self.reduction.tables.digest)
        return hashlib.sha256(repr(about).encode()).hexdigest()

    @cached_property
    def shipped(self) -> System:
        """The system; where stubborn sets are used, what is sought and their conditions come after its claims."""
        if self.reduction is None:
            return self.system
        beside = (*self.reduction.sought, *self.reduction.conditions)
        return replace(self.system, claims=(*self.system.claims, *(StagedClaim("", on_state=node) for node in beside)))

    @property
    def snapshot(self) -> Snapshot:
        """Totals over the complete levels; one in which a state is violated does not count."""
        levels = self._counted_levels
        states = sum(level.states for level in levels)
        if self.passed.outcome == "dead" and levels:
            return self._totals(levels[:-1], states - levels[-1].states)
        return self._totals(levels, states)

    @property
    def seen_claims(self) -> int:
        """Which claims have raised an alarm."""
        seen = 0
        for level in self._counted_levels:
            seen |= level.judged | level.expanded
        return (seen | (self.passed.levels[-1].judged if self.passed.levels else 0)) >> CLAIMS

    @property
    def depth(self) -> int:
        """The depth of the deepest states that are known."""
        return max(0, len(self.passed.levels) - 1)

    @property
    def level_states(self) -> list[int]:
        """How many states each level has; the last may not be complete."""
        return [level.states for level in self.passed.levels]

    @property
    def count(self) -> int:
        """How many states were found."""
        return sum(level.states for level in self.passed.levels)

    @property
    def peak_bytes(self) -> int:
        """The most that all tasks held in memory."""
        return max((level.bytes for level in self.passed.levels), default=0)

    @property
    def held_bytes(self) -> int:
        """What was written down."""
        return 8 * self.layout.words * self.count

    @property
    def _counted_levels(self) -> list[Level]:
        return self.passed.levels[:-1] if self.passed.outcome == "state" else self.passed.levels

    def _totals(self, levels: list[Level], states: int) -> Snapshot:
        def sum_columns(lists: list[list[int]]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
            return (
                np.sum([each for each in lists if each], axis=0, dtype=np.int64)
                if any(lists)
                else np.zeros(self.instances, np.int64)
            )

        fired, cuts = sum_columns([level.fired for level in levels]), sum_columns([level.cuts for level in levels])
        return Snapshot(states, sum(level.transitions for level in levels), fired, cuts)

    def _alarm(self) -> Alarm | None:
        if self.passed.outcome not in ("state", "step", "dead"):
            return None
        last = len(self.passed.levels) - 1
        return Alarm(last + (self.passed.outcome == "step"), self._alarmed_states(self.passed.outcome, last))

    def _alarmed_states(self, kind: str, depth: int) -> Words:
        """The states of a level that raised an alarm."""
        files = self.passed.levels[depth].alarms_of(kind)
        return read_alarms(self.site.folder, self.cap, depth, self.layout.words, files)

    def _must_fit(self) -> None:
        """DamagedError where the levels that are there count the steps of other actions."""
        if any(len(each) != self.instances for level in self.passed.levels for each in (level.fired, level.cuts)):
            file = self.site.folder / MANIFEST
            raise DamagedError(f"{file} counts the steps of another number of actions; {WAY_OUT}")

    def _run_tasks(self, manifest: Manifest) -> None:
        """Runs the tasks until they come to an end; where some die, all go on from the last level that is complete."""
        seconds, started = self.limits.seconds, time.monotonic()
        until = None if seconds is None else time.time() + seconds
        for attempt in range(ATTEMPTS):
            try:
                tasks = self.site.tasks if not attempt else min(self.site.tasks, self.site.driver.slots())
                self._job(manifest, tasks, until, started)
                return
            except ProgramFailedError as error:
                self._give_up(error, until, last=attempt == ATTEMPTS - 1)

    def _give_up(self, error: ProgramFailedError, until: float | None, *, last: bool) -> None:
        """Ends the search with the reason for which trying again is of no use, if there is one."""
        folder = self.site.folder
        if until is not None and time.time() > until:
            raise LimitMetError(Reason.TIME) from error
        if last or not self.site.driver.alive():
            log = folder.parent / "session" / "spark.log"
            raise ProgramFailedError(
                f"{error}; all is in {log}; what is complete is in {folder}: continue with --resume"
            ) from error

    def _job(self, manifest: Manifest, tasks: int, until: float | None, started: float) -> None:
        """Runs the tasks once; they stop when the file is gone that tells them to start."""
        site = self.site
        order = Order(
            str(site.folder),
            self.kinds,
            tuple(tuple(map(int, row)) for row in self.initial_rows()),
            manifest.parts,
            tasks,
            self.cap,
            uuid.uuid4().hex[:8],
            site.bytes,
            self.limits.states,
            until,
            None if self.reduction is None else self.reduction.tables,
        )
        shutil.rmtree(order.scratch.parent, ignore_errors=True)  # so tasks of a driver that was killed end
        write_whole(order.start, (site.folder / MANIFEST).read_bytes())
        body = partial(explore, system=to_bytes(self.shipped), order=order)
        try:
            site.driver.collect(
                lambda spark: spark.range(0, tasks, 1, tasks).mapInArrow(
                    body, "task long, outcome string", barrier=True
                ),
                partial(self._tell, started, until),
            )
        finally:
            order.start.unlink(missing_ok=True)
            shutil.rmtree(order.scratch.parent, ignore_errors=True)  # tasks that are stopping may still write there

    def _tell(self, started: float, until: float | None) -> None:
        """Reports the last level that is complete; ends a job that tasks have not ended by themselves in time."""
        if until is not None and time.time() > until + _GRACE:
            raise LimitMetError(Reason.TIME)
        now = time.monotonic()
        if now < self._looks_again:
            return
        levels: list[Level] = []
        with suppress(CheckpointError):  # whoever needs the manifest will say so
            levels = read_manifest(self.site.folder / MANIFEST).with_faults(self.cap).levels
        self._looks_again = time.monotonic() + _LOOK_SHARE * (time.monotonic() - now)
        if levels:
            states, steps = sum(each.states for each in levels), sum(each.transitions for each in levels)
            last, seconds = levels[-1], time.monotonic() - started
            self.progress(_Complete(len(levels) - 1, states, steps, last.states, last.states, last.bytes, seconds))


def _spread(rows: Words, count: int) -> Words:
    """So many of these, evenly spread, or all."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, count).astype(np.int64))]

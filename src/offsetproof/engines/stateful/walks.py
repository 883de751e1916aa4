"""Steered random walks, many at a time: each step is chosen among all that can be taken, by weights that aim.

Aimed at are rare actions (what fired often weighs less), combinations (each walk prefers its own random part of the
actions, as in swarm testing), and near-violations: half of the walks start from the states that came nearest to an
alarm. Every walk is a run of the model from an initial state; the same seed gives the same walks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS, FAILED
from offsetproof.engines.stateful.stepper import Stepper, Successors, Violation
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.progress import Walked

WALKERS = 256
"""Walks that go on at the same time."""

_ELITE = 32
_RESTEER = 16
_DISLIKED = 0.02
_PROGRESS_SECONDS = 0.2


@dataclass
class _Elite:
    """The states that came nearest to one claim's alarm, with how they were reached."""

    nearest: list[tuple[int, int, bytes, bytes, int]] = field(default_factory=list)
    known: set[bytes] = field(default_factory=set)

    def offer(self, near: int, row: Words, history: npt.NDArray[np.int32], start: int) -> None:
        """Keeps a state if it is among the nearest; of equally near ones those with fewer steps."""
        key = row.tobytes()
        if key in self.known or (len(self.nearest) >= _ELITE and (near, len(history)) >= self.nearest[-1][:2]):
            return
        self.known.add(key)
        self.nearest.append((near, len(history), key, history.tobytes(), start))
        self.nearest.sort(key=lambda kept: kept[:2])
        for _, _, gone, _, _ in self.nearest[_ELITE:]:
            self.known.discard(gone)
        del self.nearest[_ELITE:]


class Walks:
    """Walks over one compiled model until every claim has been violated, or a number of steps has been taken.

    `failing` is how a walk came to a state from which the model goes wrong, if one did.
    """

    def __init__(self, stepper: Stepper, seed: int, length_max: int) -> None:
        self.stepper, self.length_max = stepper, length_max
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.open = set(range(len(stepper.properties)))
        self.steps = self.runs = 0
        self.longest = 0
        instances = max(1, len(stepper.system.instances))
        self.rows: Words = np.empty((WALKERS, stepper.layout.words), np.uint64)
        self.history = np.zeros((WALKERS, length_max), np.int32)
        self.length = np.zeros(WALKERS, np.int64)
        self.start = np.zeros(WALKERS, np.int64)
        self.liked = np.ones((WALKERS, instances))
        self.rare = np.ones(instances)
        self.elites = [_Elite() for _ in stepper.properties]
        self._actions = _numbers([inst.label[0] for inst in stepper.system.instances]) or [0]
        self._rounds = 0
        self.failing: tuple[int, ...] | None = None
        for walker in range(WALKERS):
            self._restart(walker)

    def go(
        self, steps_max: int, seconds: float | None = None, progress: Callable[[object], None] = lambda status: None
    ) -> list[Violation]:
        """Walks on; the violations met, at most one per claim. Stops early when every claim has one."""
        started = last_report = time.monotonic()
        alarms = self._judge(np.arange(WALKERS))
        while self.open and self.steps < steps_max and len(self.stepper.system.instances):
            alarms += self._round()
            if not self.steps and self._rounds >= _RESTEER:
                break  # nothing can be taken from any start
            now = time.monotonic()
            if seconds is not None and now - started > seconds:
                break
            if now - last_report > _PROGRESS_SECONDS:
                last_report = now
                progress(Walked(self.steps, self.runs, self.longest, now - started))
        return alarms

    def _round(self) -> list[Violation]:
        """One step of every walk."""
        steps = self.stepper.steps(self.rows)
        wrong = np.flatnonzero(steps.flags & FAILED)
        if len(wrong) and self.failing is None:
            first = wrong[np.argmin(self.length[wrong])]
            self.failing = tuple(int(i) for i in self.history[first, : self.length[first]])
        alarms = self._judge_steps(steps)
        firsts = np.concatenate(([0], steps.ends[:-1]))
        counts = steps.ends - firsts
        moving = np.flatnonzero(counts)
        if len(moving):
            chosen = self._choose_steps(steps.which, counts, firsts[moving])
            self.history[moving, self.length[moving]] = steps.which[chosen]
            self.rows[moving] = steps.after[chosen]
            self.length[moving] += 1
            self.steps += len(moving)
            self.longest = max(self.longest, int(self.length.max()))
        alarms += self._judge(moving)
        self._rounds += 1
        if self._rounds % _RESTEER == 0:
            self._steer()
        for walker in np.flatnonzero((counts == 0) | (self.length >= self.length_max)):
            self._restart(int(walker))
        return alarms

    def _choose_steps(
        self, which: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], firsts: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """One step per walk that can move, at random by weight (the largest of weighted exponential races)."""
        walker = np.repeat(np.arange(len(counts)), counts)
        weight = self.liked[walker, which] * self.rare[which]
        race = self.random.exponential(size=len(which)) / weight
        best = np.minimum.reduceat(race, firsts)
        winners = np.flatnonzero(race == np.repeat(best, counts[counts > 0]))
        _, one_each = np.unique(walker[winners], return_index=True)
        return winners[one_each]

    def _judge(self, walkers: npt.NDArray[np.int64]) -> list[Violation]:
        flags = self.stepper.alarms(self.rows)
        alarms = []
        for claim in sorted(self.open):
            hits = walkers[np.flatnonzero(flags[walkers] >> claim & 1)]
            if len(hits):
                alarms.append(self._violation_of(claim, int(hits[np.argmin(self.length[hits])])))
        return alarms

    def _judge_steps(self, steps: Successors) -> list[Violation]:
        """Violations that are seen from the states before: broken steps, and states without any."""
        alarms = []
        for claim in sorted(self.open):
            kind = self.stepper.properties[claim].kind
            if kind is ClaimKind.NO_DEADLOCK:
                hits = [w for w in range(WALKERS) if self.stepper.is_dead(int(steps.flags[w]))]
            elif kind is ClaimKind.EACH_STEP:
                hits = list(np.flatnonzero(steps.flags >> (CLAIMS + claim) & 1))
            else:
                continue
            if hits:
                walker = int(min(hits, key=lambda w: self.length[w]))
                first = int(steps.ends[walker - 1]) if walker else 0
                last = self.stepper.broken_by(claim, self.rows[walker], steps.which[first : int(steps.ends[walker])])
                alarms.append(self._violation_of(claim, walker, last if kind is ClaimKind.EACH_STEP else None))
        return alarms

    def _violation_of(self, claim: int, walker: int, last: int | None = None) -> Violation:
        self.open.discard(claim)
        taken = [int(i) for i in self.history[walker, : self.length[walker]]]
        start = self.stepper.system.initial[int(self.start[walker])]
        return Violation(claim, start, (*taken, *([] if last is None else [last])))

    def _steer(self) -> None:
        """Weighs the instances again, and keeps the states that came nearest to what is still open."""
        self.rare = 1 / np.sqrt(1 + self.stepper.fired)
        near = self.stepper.nearness(self.rows)
        for claim in sorted(self.open):
            walker = int(np.argmin(near[:, claim] * (self.length_max + 1) + self.length))
            if self.length[walker] == self.length_max:
                continue  # nothing can follow it
            taken = self.history[walker, : self.length[walker]]
            self.elites[claim].offer(int(near[walker, claim]), self.rows[walker], taken, int(self.start[walker]))

    def _restart(self, walker: int) -> None:
        self.runs += 1
        elites = [self.elites[claim].nearest for claim in sorted(self.open) if self.elites[claim].nearest]
        if elites and self.random.random() < 0.5:
            nearest = elites[int(self.random.integers(len(elites)))]
            _, _, row, history, start = nearest[int(self.random.integers(len(nearest)))]
            self._put(walker, np.frombuffer(row, np.uint64), np.frombuffer(history, np.int32), start)
        else:
            start = int(self.random.integers(len(self.stepper.starts)))
            self._put(walker, self.stepper.starts[start], np.empty(0, np.int32), start)
        share = (1.0, 0.75, 0.5, 0.25)[int(self.random.integers(4))]
        likes = self.random.random(max(self._actions) + 1) < share
        self.liked[walker] = np.where(likes[self._actions], 1.0, _DISLIKED)

    def _put(self, walker: int, row: Words, history: npt.NDArray[np.int32], start: int) -> None:
        self.rows[walker], self.length[walker], self.start[walker] = row, len(history), start
        self.history[walker, : len(history)] = history


def _numbers(names: Sequence[str]) -> list[int]:
    """The names as numbers, equal ones alike."""
    known: dict[str, int] = {}
    return [known.setdefault(name, len(known)) for name in names]

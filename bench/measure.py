"""Measuring a whole exploration.

Seconds are processor time, which other work on the machine makes longer by caches and memory only.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from bench.subjects import Timed
from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.verdict.limits import Limits


def touch_memory(gibibytes: int = 2) -> None:
    """Makes the machine hand over memory before anything is timed: a virtual machine's first touch is slow."""
    np.zeros(gibibytes << 27, np.uint64)[::512] = 1


@dataclass(frozen=True)
class Explored:
    """One exploration: counts, processor seconds of its parts, and memory."""

    name: str
    instances: int
    words: int
    states: int
    transitions: int
    depth: int
    stage_seconds: float
    compile_seconds: float
    seconds: float
    bytes_per_state: float


def compiled(timed: Timed, optimise_after: int = 0) -> tuple[Program, float]:
    """The compiled system, optimised from the start if nothing else is said, and how long compiling it took."""
    start = time.process_time()
    layout = Layout(timed.system)
    alarms = [claim.on_state for claim in timed.system.claims]
    program = Program(timed.system, layout, Native(lower(timed.system, layout, alarms), optimise_after=optimise_after))
    return program, time.process_time() - start


class TooLargeError(Exception):
    """A system has more states than were asked for."""


def explore(timed: Timed, most: int | None = None) -> Explored:
    """Explores a system whole; TooLargeError where it has more than `most` states."""
    program, compile_seconds = compiled(timed)
    start = time.process_time()
    search = Search(program, program.system.initial, Limits(states=most), lambda layer: None)
    search.run(None)
    if search.stopped is not None:
        raise TooLargeError(f"{timed.name} has more than {most:,} states")
    seconds = time.process_time() - start
    return Explored(
        timed.name,
        len(timed.system.instances),
        program.layout.words,
        search.count,
        search.transitions,
        search.depth,
        timed.stage_seconds,
        compile_seconds,
        seconds,
        search.held_bytes / search.count,
    )

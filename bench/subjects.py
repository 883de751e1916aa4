"""What is timed: systems whose counts are known, ready to be compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.two_phase_commit import TwoPhaseCommit
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.preparing import reduce_system
from offsetproof.examples.toy_queue import ToyQueue
from offsetproof.ir.system import System
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question


@dataclass(frozen=True)
class Timed:
    """A system to explore whole, of which question it is, and the processor seconds of staging and reducing it."""

    name: str
    system: System
    stage_seconds: float
    question: Question | None = None


def _of(name: str, question: Question, *, reduced: bool = True) -> Timed:
    start = time.process_time()
    system = Staged(question.model, question.setting).system((question.prop, *question.witnesses))
    if reduced:
        system = reduce_system(system, question)[0]
    return Timed(name, system, time.process_time() - start, question)


def _of_rocketmq(id: str, scope: str, name: str = "", *, reduced: bool = True, **bounds: int) -> Timed:
    question = questions_of(Request(ROCKETMQ, properties=(id,), scope=scope, bounds=bounds))[0]
    where = ", ".join([f"scope {scope}", *(f"{bound}={value}" for bound, value in bounds.items())])
    return _of(name or f"RocketMQ, slice of {id}, {where}", question, reduced=reduced)


def toy_queue() -> Timed:
    """The design sketch's toy queue: one word per state."""
    question = Question(ToyQueue, Setting(ToyQueue.scopes[0]), ToyQueue.claims[0])
    return _of("toy queue, 2 consumers, 4 messages", question, reduced=False)


def two_phase_commit(managers: int) -> Timed:
    """Two-phase commit, whole."""
    scope = next(scope for scope in TwoPhaseCommit.scopes if scope.bounds["managers"] == managers)
    question = Question(TwoPhaseCommit, Setting(scope), TwoPhaseCommit.claims[0])
    return _of(f"two-phase commit, {managers} resource managers", question, reduced=False)


def reset_slice() -> Timed:
    """RocketMQ, the slice of I7-no-stalled-task in scope reset: over a million states."""
    return _of_rocketmq("I7-no-stalled-task", "reset")


def widest() -> Timed:
    """RocketMQ's largest scope by action instances, unreduced: only its compile time is of interest."""
    return _of_rocketmq("no_deadlock", "reset-two", "RocketMQ, scope reset-two, unreduced", reduced=False)


COMPARED: dict[str, Callable[[], Timed]] = {
    "toy": toy_queue,
    "two-phase-7": lambda: two_phase_commit(7),
    "two-phase-9": lambda: two_phase_commit(9),
    "forward-calm": lambda: _of_rocketmq("I5-forward-calm", "calm-reset"),
    "come-back": lambda: _of_rocketmq("I3-monotone", "come-back"),
    "shutdown": lambda: _of_rocketmq("I3-monotone", "come-back", shutdowns=1),
}
"""What other tools explore as well, by a word for each."""

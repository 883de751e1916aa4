"""What is timed: systems whose counts are known, ready to be compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.preparing import reduce_system
from offsetproof.examples.toy_queue import ToyQueue
from offsetproof.ir.system import System
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ


@dataclass(frozen=True)
class Timed:
    """A system to explore whole, and how many seconds of processor time staging and reducing it took."""

    name: str
    system: System
    stage_seconds: float


def _timed(name: str, make: Callable[[], System]) -> Timed:
    start = time.process_time()
    system = make()
    return Timed(name, system, time.process_time() - start)


def toy_queue() -> Timed:
    """The design sketch's toy queue: one word per state."""
    return _timed(
        "toy queue, 2 consumers, 4 messages", lambda: Staged(ToyQueue, Setting(ToyQueue.scopes[0])).system([])
    )


def reset_slice() -> Timed:
    """RocketMQ, the slice of I7-no-stalled-task in scope reset: over eleven million states."""

    def make() -> System:
        question = questions_of(Request(ROCKETMQ, properties=("I7-no-stalled-task",)))[0]
        system = Staged(question.model, question.setting).system((question.prop, *question.witnesses))
        return reduce_system(system, question)[0]

    return _timed("RocketMQ, slice of I7-no-stalled-task, scope reset", make)


def widest() -> Timed:
    """RocketMQ's largest scope by action instances, unreduced: only its compile time is of interest."""

    def make() -> System:
        question = questions_of(Request(ROCKETMQ, properties=("no_deadlock",), scope="reset-two"))[0]
        return Staged(question.model, question.setting).system([question.prop])

    return _timed("RocketMQ, scope reset-two, unreduced", make)

"""A ring of workers who pass a token on, each time with a letter to the office: a walk of any length, as a trace.

Made to be long: every step reads and writes fields of two actors, so that whatever is made of a trace has work to do.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.ir.system import Label
from offsetproof.lang import (
    Array,
    Component,
    Index,
    Model,
    Scope,
    Setting,
    action,
    array,
    flag,
    integer,
    part,
    require,
    sometimes,
)
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.trace import Schedule, Trace, trace_of

WORKERS = Index("worker", "workers")


class Worker(Component):
    """Whether it has the token, and how often it had it."""

    has_token: bool = flag()
    turns: int = integer(0, 7)


class Office(Component):
    """Where the letters lie."""

    letters: int = integer(0, 1)


class Ring(Model):
    """The workers, the office, and how often the token was passed on."""

    scopes = (Scope("ring", {"workers": 5, "rounds": 3}),)
    passed: int = integer(0, "rounds")
    worker: Array[Worker] = array(WORKERS, Worker)
    office: Office = part(Office)

    def initially(self) -> None:
        self.worker[0].has_token = True

    @action(w=WORKERS, actor="worker[w]", thread="passing")
    def worker_passes_token(self, w: int) -> None:
        require(self.worker[w].has_token, self.office.letters == 0)
        self.worker[w].has_token = False
        self.worker[(w + 1) % 5].has_token = True
        self.worker[w].turns = (self.worker[w].turns + 1) % 8
        self.passed = self.passed + 1
        self.office.letters = 1

    @action(actor="office", thread="sorting")
    def office_sorts(self) -> None:
        require(self.office.letters > 0)
        self.office.letters = 0

    @sometimes
    def token_was_passed_often(self) -> bool:
        return self.passed == self.scope.rounds


def walk(steps: int) -> tuple[Replay, Staged]:
    """A replay of so many steps (an odd number), and its model, staged."""
    scope = Ring.scopes[0].with_bounds({"rounds": steps // 2 + 1})
    labels: list[Label] = [
        ("office_sorts", ()) if at % 2 else ("worker_passes_token", (("w", at // 2 % 5),)) for at in range(steps)
    ]
    setting = Setting(scope)
    return Replay(Reference(Ring, setting), Ring.claims[0], labels), Staged(Ring, setting)


def timed(replay: Replay, staged: Staged) -> Trace:
    """The trace of a walk, with a second for each step."""
    trace = trace_of(replay, staged=staged)
    times = tuple(float(second) for second in range(trace.length))
    return replace(trace, timing=Schedule(0.0, (), times))

"""Steps of threads: one record has a step's places, what it waits for, and how the rig does it.

    RESET = Thread("reset", {"c": CONSUMERS}, late="the thread of a reset stalls", rig=ThreadStep("reset", ...))

    @RESET.step(at("MQClientInstance", "resetOffset", "sleep"), waits=SLEEP)
    def reset_wakes(self, c: int) -> None: ...

The steps of a thread follow each other at once, in the order in which their class defines them: that is plain code, and
needs no word. A step with `waits` begins a new stretch of it; neighbours with the same waits are alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from offsetproof.lang.action import Action, Method, action
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.record import Pause, Record
from offsetproof.lang.rigging import RigChange, RigMoment, ThreadStep
from offsetproof.lang.scope import Fault, SortOfParameter
from offsetproof.lang.timing import Seconds, Wait, plain_code


@dataclass(frozen=True)
class Rigged:
    """How the rig does a step otherwise than its thread does the others."""

    call: str | None = None
    gates: tuple[Anchor | str, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)

    def of(self, thread: ThreadStep) -> ThreadStep:
        """The thread's own step, with this."""

        def values(moment: RigMoment) -> Mapping[str, Any]:
            said = {name: value(moment) if callable(value) else value for name, value in self.told.items()}
            return {**thread.values(moment), **said}

        return replace(thread, call=self.call or thread.call, gates=self.gates or thread.gates, values=values)


def rigged(call: str | None = None, gates: Iterable[Anchor | str] = (), **told: Any) -> Rigged:
    """What the rig calls, where the step begins there, and what it is told of the moment, as values or functions."""
    return Rigged(call, tuple(gates), told)


@dataclass(frozen=True, eq=False)
class Thread:
    """A thread of the real program: its name there, its parameters, and how the rig runs it.

    `late` is told where a step of it does not follow at once: "the thread of a reset stalls".
    """

    name: str
    over: Mapping[str, SortOfParameter]
    late: str
    rig: ThreadStep
    actor: str = "consumer[c]"

    def step(
        self,
        *places: Anchor,
        waits: Pause | tuple[Pause, ...] = (),
        rig: Rigged | ThreadStep | RigChange | None = None,
        fault: Fault | None = None,
        logs: str | None = None,
    ) -> Callable[[Method], Method]:
        """Marks a method as a step of this thread: an action that stands for these places."""
        pauses = waits if isinstance(waits, tuple) else (waits,)
        own = rig.of(self.rig) if isinstance(rig, Rigged) else rig or self.rig
        record = Record(self.name, self.late, tuple(self.over), pauses, own)
        return action(
            actor=self.actor,
            thread=self.name,
            fault=fault,
            stands_for=places,
            logs=logs,
            among=None,
            record=record,
            **self.over,
        )


Actions = Mapping[str, Action]
"""The actions of a model, in the order of their definition."""


def waits_in(actions: Actions, seconds: Seconds) -> Iterator[Wait]:
    """The waits of the steps that have records: plain code as their classes have it, and what they say themselves."""
    for (_, late, same), steps in _threads_in(actions).items():
        for stretch in _stretches(steps):
            yield from plain_code(late, same, *stretch)
        for pauses in dict.fromkeys(each.pauses for _, each in steps if each.pauses):
            ends = tuple(name for name, each in steps if each.pauses == pauses)
            yield from (pause.wait(ends, same, seconds) for pause in pauses)


def _threads_in(actions: Actions) -> dict[tuple[str, str, tuple[str, ...]], list[tuple[str, Record]]]:
    """The steps of each thread, in their order."""
    threads: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, Record]]] = {}
    for name, each in actions.items():
        if each.record is not None:
            key = (each.record.thread, each.record.late, each.record.same)
            threads.setdefault(key, []).append((name, each.record))
    return threads


def _stretches(steps: Iterable[tuple[str, Record]]) -> Iterator[list[tuple[str, ...]]]:
    """The stretches of plain code in a thread: groups of alternatives, one after the other."""
    stretch: list[tuple[str, ...]] = []
    for pauses, group in groupby(steps, key=lambda step: step[1].pauses):
        names = [name for name, _ in group]
        if pauses:
            yield stretch
            stretch = [tuple(names)]
        else:
            stretch += [(name,) for name in names]
    yield stretch


def rig_of(actions: Actions) -> dict[str, ThreadStep | RigChange]:
    """How the rig does the steps that have records."""
    return {name: each.record.rig for name, each in actions.items() if each.record is not None}

"""Steps of threads: one record has a step's places, what it waits for, and how the rig does it.

    RESET = Thread("reset", {"c": CONSUMERS}, late="the thread of a reset stalls", rig=ThreadStep("reset", ...))

    @RESET.step(at("MQClientInstance", "resetOffset", "sleep"), waits=SLEEP)
    def reset_wakes(self, c: int) -> None: ...

The steps of a thread follow each other at once, in the order in which their class defines them: that is plain code, and
needs no word. A step that `waits`, or may come at `any_time`, begins a new stretch of it; neighbours with the same
waits are alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from offsetproof.lang.action import Action, Method, action
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.errors import DeclarationError, user_place
from offsetproof.lang.fairness import Fairness
from offsetproof.lang.record import NotInRig, Pause, Record
from offsetproof.lang.rigging import RigChange, Rigging, RigMoment, ThreadStep
from offsetproof.lang.scope import Fault, SortOfParameter
from offsetproof.lang.timing import Seconds, Wait, plain_code


@dataclass(frozen=True)
class InRig:
    """How the rig does a step otherwise than its thread does the others."""

    call: str | None = None
    gates: tuple[Anchor | str, ...] = ()
    also: tuple[Anchor | str, ...] = ()
    within: tuple[Anchor | str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def of(self, thread: ThreadStep) -> ThreadStep:
        """The thread's own step, with this."""

        def values(moment: RigMoment) -> Mapping[str, Any]:
            said = {name: value(moment) if callable(value) else value for name, value in self.values.items()}
            return {**thread.values(moment), **said}

        call, gates = self.call or thread.call, self.gates or thread.gates
        also, within = self.also or thread.also, self.within or thread.within
        return replace(thread, call=call, gates=gates, also=also, within=within, values=values)


def in_rig(
    *gates: Anchor | str,
    call: str | None = None,
    also: Iterable[Anchor | str] = (),
    within: Iterable[Anchor | str] = (),
    **values: Any,
) -> InRig:
    """Where the step begins in the rig, the call that it makes there, and what it is told.

    That is values, or functions of the moment. `also` are stops of other steps at which it may begin as well; those
    `within` it are none.
    """
    return InRig(call, gates, tuple(also), tuple(within), values)


Waits = Pause | tuple[Pause, ...]


class _Steps:
    """What has steps: they are marked with `step`, and say only what is special about them."""

    name: str
    over: Mapping[str, SortOfParameter]
    late: str
    rig: ThreadStep | RigChange | NotInRig
    actor: str
    fair: Fairness

    def step(
        self,
        *places: Anchor,
        waits: Waits = (),
        any_time: str = "",
        rig: InRig | ThreadStep | RigChange | NotInRig | None = None,
        counts_as: str = "",
        fault: Fault | None = None,
        logs: str | None = None,
        **more: SortOfParameter,
    ) -> Callable[[Method], Method]:
        """Marks a method as a step of this thread: an action that stands for these places.

        It comes after it `waits`, or at `any_time` for this reason, or at once after the step above it. `more` are
        parameters beside the thread's. Whatever waits for the step that it `counts_as` waits for it as well.
        """
        pauses = waits if isinstance(waits, tuple) else (waits,)
        record = Record(self.name, self.late, tuple(self.over), pauses, any_time, self._rig(rig), counts_as)
        return action(
            actor=self.actor,
            thread=self.name,
            fault=fault,
            stands_for=places,
            logs=logs,
            among=None,
            record=record,
            fair=Fairness.NONE if fault is not None else self.fair,
            **{**self.over, **more},
        )

    def _rig(self, own: InRig | ThreadStep | RigChange | NotInRig | None) -> ThreadStep | RigChange | NotInRig:
        if not isinstance(own, InRig):
            return own or self.rig
        if not isinstance(self.rig, ThreadStep):
            raise DeclarationError(
                f"{user_place()}: in_rig() is for steps of a Thread, and {self.name} is outside of them"
            )
        return own.of(self.rig)


@dataclass(frozen=True, eq=False)
class Thread(_Steps):
    """A thread of the real program: its parameters, whose it is, and how the rig runs it.

    `late` is said where a step of it does not follow at once: "the thread of a reset stalls".
    """

    name: str
    over: Mapping[str, SortOfParameter]
    late: str
    rig: ThreadStep
    actor: str = "consumer[c]"
    fair: Fairness = Fairness.WEAK


@dataclass(frozen=True, eq=False)
class Outside(_Steps):
    """What happens outside of the threads that the rig runs: at the broker, in the network, by an administrator.

    Nothing of it has to happen in the end, unless it is `fair`: a program's own threads that the rig does not run are.
    """

    name: str
    over: Mapping[str, SortOfParameter]
    actor: str
    rig: ThreadStep | RigChange | NotInRig
    late: str = ""
    fair: Fairness = Fairness.NONE


Actions = Mapping[str, Action]
"""The actions of a model, in the order of their definition."""


def waits_in(actions: Actions, seconds: Seconds) -> Iterator[Wait]:
    """The waits of the steps that have records: plain code as their classes have it, and what they say themselves.

    What a step waits for may be other models' steps, or a timer that is of other releases: then it does not.
    """
    records = records_in(actions).items()
    for wait in _waits_as_said(actions, seconds):
        groups = [(*group, *(name for name, record in records if record.counts_as in group)) for group in wait.begins]
        begins = tuple(tuple(name for name in group if name in actions) for group in groups)
        if any(begins) and not wait.says_nothing:
            yield replace(wait, begins=tuple(group for group in begins if group))


def _waits_as_said(actions: Actions, seconds: Seconds) -> Iterator[Wait]:
    for (_, late, same), steps in _threads_in(actions).items():
        for stretch in _stretches(steps):
            yield from plain_code(late, same, *stretch)
        for pause in dict.fromkeys(pause for _, record in steps for pause in record.pauses):
            ends = tuple(name for name, record in steps if pause in record.pauses)
            yield pause.wait(ends, late, same, seconds)


def _threads_in(actions: Actions) -> dict[tuple[str, str, tuple[str, ...]], list[tuple[str, Record]]]:
    """The steps of each thread, in their order."""
    threads: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, Record]]] = {}
    for name, record in records_in(actions).items():
        threads.setdefault((record.thread, record.late, record.same), []).append((name, record))
    return threads


def _stretches(steps: Iterable[tuple[str, Record]]) -> Iterator[list[tuple[str, ...]]]:
    """The stretches of plain code in a thread: groups of alternatives, one after the other."""
    stretch: list[tuple[str, ...]] = []
    before: tuple[Pause, ...] = ()
    for name, record in steps:
        if record.is_plain_code:
            stretch.append((name,))
        elif record.pauses and record.pauses == before:
            stretch[-1] = (*stretch[-1], name)
        else:
            yield stretch
            stretch = [(name,)]
        before = record.pauses
    yield stretch


def records_in(actions: Actions) -> dict[str, Record]:
    """The records of the steps that have one."""
    return {name: each.record for name, each in actions.items() if each.record is not None}


def rigging_of(rigging: Rigging, actions: Actions) -> Rigging:
    """What these actions are to the rig: how it does the steps that have records, and why it cannot do others."""
    rigs = {name: record.rig for name, record in records_in(actions).items()}
    left_out = {name: rig.why for name, rig in rigs.items() if isinstance(rig, NotInRig)}
    steps = {name: rig for name, rig in rigs.items() if not isinstance(rig, NotInRig)}
    return replace(rigging, steps={**rigging.steps, **steps}, left_out={**rigging.left_out, **left_out})


def any_time_in(actions: Actions) -> dict[str, str]:
    """The steps that may come at any time, as nothing that they wait for is in the model, each with its reason."""
    ended = {name for wait in waits_in(actions, lambda timer: timer.seconds) for name in wait.ends}
    records = records_in(actions).items()
    return {name: record.any_time for name, record in records if record.any_time and name not in ended}

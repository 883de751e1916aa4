"""Replaying a trace on the real classes: its steps enforced one by one, and what they left compared with the model.

A step of a thread lets that thread run from the line where the action begins to the next line at which an action of its
role begins. After each step the fields that both sides show must be equal. A step of the model that changes none of
them may have no line of its own in what the code does there; such a step is silent, and counted.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from offsetproof.lang.rigging import RigChange, RigMoment, ThreadStep
from offsetproof.lang.scope import Scope
from offsetproof.real.program import JavaLine
from offsetproof.real.schedule import RigSchedule
from offsetproof.real.sidecar import Sidecar
from offsetproof.traces.trace import Trace, TraceStep


class OutcomeKind(StrEnum):
    """What became of a trace on the real classes."""

    REPRODUCED = "reproduced"
    DIVERGED = "diverged"
    NOT_FORCEABLE = "not-forceable"


@dataclass(frozen=True)
class ReplayOutcome:
    """What became of a trace, by `kind`; where it was not reproduced, at which step, in which field, and why.

    Where the steps behind that one were done as far as that could be, `end` has the field in which the two differ in
    the end, of those that say what came of it, with both values; it is empty where they do not, else None. `silent`
    numbers the steps that changed nothing on either side and had no line of their own. `has_failed`: something was
    thrown there, or a thread went on for too long; one that waits for a lock of a held one has not failed.
    `real_states` is what the rig showed, at first and after each step. `entered` are the watched methods that ran, up
    to that step, and `built` those that ran while the rig was built.
    """

    kind: OutcomeKind
    steps: int
    silent: tuple[int, ...] = ()
    step: int | None = None
    field: str | None = None
    model: Any = None
    real: Any = None
    reason: str = ""
    end: tuple[Any, ...] | None = None
    has_failed: bool = False
    real_states: tuple[Mapping[str, Any], ...] = dataclasses.field(default=(), compare=False, repr=False)
    entered: frozenset[JavaLine] = dataclasses.field(default=frozenset(), compare=False, repr=False)
    built: frozenset[JavaLine] = dataclasses.field(default=frozenset(), compare=False, repr=False)

    @property
    def happens(self) -> bool:
        """Do the classes come to the trace's end, if not by the same way? Nobody knows where a step failed on it."""
        return self.kind is OutcomeKind.REPRODUCED or (self.end == () and not self.has_failed)


@dataclass(frozen=True)
class RigStep:
    """A step that the model has done; `place` is how reports call it."""

    number: int
    action: str
    moment: RigMoment
    place: str


@dataclass(frozen=True)
class SentSteps:
    """Steps that a rig has been told to do from a first state, and the commands for them.

    `refused` is the step behind them that cannot be enforced, and why, if there is one.
    """

    first: Mapping[str, Any]
    steps: Sequence[RigStep]
    commands: Sequence[Mapping[str, Any]]
    refused: tuple[RigStep, str] | None = None


class Replayer:
    """Replays traces of one setting on a sidecar, which reports who comes to the `watched` places.

    `ignored` are fields, by their names without numbers, that are not compared, and `avoided` actions that it is not to
    be asked for: both empty until someone who knows of a difference looks for others.
    """

    def __init__(
        self, sidecar: Sidecar, schedule: RigSchedule, *, to_the_end: bool = False, watched: Iterable[JavaLine] = ()
    ) -> None:
        """With `to_the_end` what can be done of the steps behind one that differs or fails is done as well."""
        self._sidecar = sidecar
        self._to_the_end = to_the_end
        self._schedule = schedule
        self._rigging = schedule.rigging
        self.ignored: set[str] = set()
        self.avoided: set[str] = set()
        self._lines: dict[tuple[str, frozenset[str]], Mapping[str, Any]] = {}
        self._watched = {str(place): place for place in watched}
        for op, places in (("arm", schedule.lines()), ("watch", self._watched.values())):
            for place in places:
                sidecar.ask(op, **{"class": place.java_class, "line": place.line})

    def replay(self, trace: Trace) -> ReplayOutcome:
        """Enforces the trace's steps in their order, and compares after each."""
        refusal = self._refusal(trace)
        if refusal:
            return refusal
        states = trace.states
        steps = [
            RigStep(
                step.number, step.action, RigMoment(step.args, before, after, trace.world.listener), _place_of(step)
            )
            for step, (before, after) in zip(trace.steps, pairwise(states), strict=True)
        ]
        return self.compare(trace.world.scope, states[0], steps)

    def compare(self, scope: Scope, first: Mapping[str, Any], steps: Sequence[RigStep]) -> ReplayOutcome:
        """Does steps that a model has done, from its first state, and compares after each."""
        sent = self.send(scope, first, steps)
        return self.judge(sent, self.answers())

    def send(self, scope: Scope, first: Mapping[str, Any], steps: Sequence[RigStep]) -> SentSteps:
        """Has a new rig do steps from a first state; `answers` waits for what becomes of them."""
        refused = next(((step, why) for step in steps if (why := self._unforceable(step))), None)
        steps = steps if refused is None else steps[: refused[0].number - 1]
        commands = [self.command(step.action, step.moment) for step in steps]
        rig = self._settings(scope, first)
        self._sidecar.send("walk", rig=rig, steps=commands, to_the_end=self._to_the_end)
        return SentSteps(first, steps, commands, refused)

    def answers(self) -> Any:
        """What the rig answers to the steps that were sent last: the first state, and an answer to each."""
        return self._sidecar.answer("walk")

    def judge(self, sent: SentSteps, answered: Mapping[str, Any]) -> ReplayOutcome:
        """What became of steps that were sent, by the rig's answers."""
        answers = answered["steps"]
        outcome = self._outcome(sent, answered["first"], answers)
        done = answers if outcome.kind is not OutcomeKind.DIVERGED else answers[: outcome.step or 0]
        entered = self._places(line for answer in done for line in answer.get("entered", ()))
        return dataclasses.replace(outcome, entered=entered, built=self._places(answered["built"]))

    def _places(self, lines: Iterable[str]) -> frozenset[JavaLine]:
        return frozenset(self._watched[line] for line in lines if line in self._watched)

    def _outcome(self, sent: SentSteps, real: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> ReplayOutcome:
        steps = sent.steps
        difference = self.difference(sent.first, flat(real))
        if difference:
            return ReplayOutcome(
                OutcomeKind.DIVERGED, 0, (), 0, *difference, "the rig does not start where the model does"
            )
        silent: list[int] = []
        states = (real, *(answer["state"] for answer in answers))
        for step, command, answer in zip(steps, sent.commands, answers, strict=False):
            reason = self._fault_in(step, command, answer)
            difference = self.difference(step.moment.after, flat(answer["state"]))
            if reason or difference:
                reason = reason or f"{step.place} left something else"
                what: tuple[str | None, Any, Any] = difference or (None, None, None)
                done, end = states[: step.number + 1], self._end(steps, answers)
                where = (step.number, tuple(silent), step.number)
                has_failed = "error" in answer and not answer.get("locked_out")
                return ReplayOutcome(OutcomeKind.DIVERGED, *where, *what, reason, end, has_failed, done)
            if answer.get("missed") is not None:
                silent.append(step.number)
        if sent.refused is not None:
            step, why = sent.refused
            reason = f"{step.place} {why}"
            return ReplayOutcome(
                OutcomeKind.NOT_FORCEABLE, len(steps), tuple(silent), step.number, reason=reason, real_states=states
            )
        return ReplayOutcome(OutcomeKind.REPRODUCED, len(steps), tuple(silent), real_states=states)

    def _unforceable(self, step: RigStep) -> str:
        """Why a step cannot be enforced when it is to be done; empty where it can."""
        rigged = self._rigging.steps[step.action]
        return rigged.unforceable(step.moment) if isinstance(rigged, ThreadStep) else ""

    def _end(self, steps: Sequence[RigStep], answers: Sequence[Mapping[str, Any]]) -> tuple[Any, ...] | None:
        """How the two differ in the end: in what the broker has, or in what the last step changes."""
        if not self._to_the_end:
            return None
        moment, shown = steps[-1].moment, flat(answers[-1]["state"])
        before, after = self._rigging.fields_in_rig(moment.before), self._rigging.fields_in_rig(moment.after)
        for field, value in after.items():
            counts = self._rigging.is_outcome(field) or before.get(field) != value
            value = sorted(value) if isinstance(value, frozenset) else value
            if counts and shown.get(field) != value:
                return field, value, shown.get(field, "nothing")
        return ()

    def do(
        self, scope: Scope, first: Mapping[str, Any], steps: Sequence[RigStep], more: Sequence[Mapping[str, Any]]
    ) -> list[Any]:
        """What the rig answers to steps, and to more commands after them; nothing is compared."""
        self._build(scope, first)
        return list(self.ask("steps", steps=[*(self.command(step.action, step.moment) for step in steps), *more]))

    def ask(self, op: str, **values: Any) -> Any:
        """A command for the sidecar."""
        return self._sidecar.ask(op, **values)

    def _build(self, scope: Scope, first: Mapping[str, Any]) -> Any:
        """A new rig, in a first state."""
        return self.ask("rig", **self._settings(scope, first))

    def _settings(self, scope: Scope, first: Mapping[str, Any]) -> dict[str, Any]:
        return {"folder": str(self._sidecar.folder), **self._rigging.settings(scope, first)}

    def can_do(self, action: str) -> bool:
        """Does the rig know how to do this action, where the release has a place for it?"""
        return self._schedule.has(action) and action not in self.avoided

    def plays(self, action: str) -> bool:
        """Is the action done by the rig itself, not by the real classes?"""
        return isinstance(self._rigging.steps[action], RigChange)

    def fields_in_rig(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of a state that the rig shows as well."""
        return self._rigging.fields_in_rig(state)

    def _refusal(self, trace: Trace) -> ReplayOutcome | None:
        """Why the trace cannot be tried at all, if it cannot."""
        for step in trace.steps:
            if step.action not in self._rigging.steps:
                why = self._rigging.left_out.get(step.action, "the rig does not know this action")
                return ReplayOutcome(OutcomeKind.NOT_FORCEABLE, 0, (), step.number, reason=f"{step.name}: {why}")
        return None

    def command(self, action: str, moment: RigMoment) -> dict[str, Any]:
        """What the rig is told to do for an action."""
        rigged = self._rigging.steps[action]
        if isinstance(rigged, RigChange):
            return {"do": rigged.name, **rigged.values(moment)}
        threads = rigged.threads(moment)
        named = {*self._rigging.holds, *self._rigging.passes}
        roles = {rigged.role, *(role for role in named for name in threads if name.startswith(role))}
        where = self._where(action, rigged, frozenset(roles))
        return {"threads": threads, "call": rigged.call, **where, **rigged.values(moment)}

    def _where(self, action: str, rigged: ThreadStep, roles: frozenset[str]) -> Mapping[str, Any]:
        """The lines at which a step begins and ends, found once for each action and the threads that may do it."""
        key = (action, roles)
        if key not in self._lines:
            self._lines[key] = {
                "gates": self._schedule.beginnings(action),
                "passes": [place for role in sorted(roles) for place in self._schedule.passes(role)],
                "stops": () if rigged.whole else self._schedule.stops(rigged.role),
                "within": [self._schedule.stop(gate) for gate in rigged.within],
                "until": [str(self._schedule.place(anchor)) for anchor in rigged.until],
            }
        return self._lines[key]

    def _fault_in(self, step: RigStep, command: Mapping[str, Any], answer: Mapping[str, Any]) -> str | None:
        """What is wrong with how the step went; None if nothing is."""
        if "error" in answer:
            return f"{step.place} failed: {answer['error']}"
        missed = answer.get("missed")
        if missed is None or self._rigging.fields_in_rig(step.moment.before) == self._rigging.fields_in_rig(
            step.moment.after
        ):
            return None
        where = {"idle": "is idle", "over": "is over"}.get(missed, f"stands at {missed}")
        gates = " or ".join(command["gates"])
        return f"thread {command['threads'][0]} {where}, not at {gates}, where {step.place} begins"

    def difference(self, state: Mapping[str, Any], shown: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
        """The first field in which a state and what the rig shows differ, with both values.

        ProcessQueues of a process that is gone have only what they have sent.
        """
        for field, value in self._rigging.fields_in_rig(state).items():
            value = sorted(value) if isinstance(value, frozenset) else value
            if field not in shown and shown.get(f"{field.rpartition('.')[0]}.former"):
                continue
            if (field not in shown or shown[field] != value) and without_numbers(field) not in self.ignored:
                return field, value, shown.get(field, "nothing")
        return None


def without_numbers(field: str) -> str:
    """A field's name without the numbers of clients and ProcessQueues.

    >>> without_numbers("consumer[0].process_queue[1].dropped")
    'consumer[].process_queue[].dropped'
    """
    return re.sub(r"\[\d+\]", "[]", field)


def _place_of(step: TraceStep) -> str:
    return f"{step.name}, {step.stands_for[0]}," if step.stands_for else step.name


def flat(real: Mapping[str, Any]) -> dict[str, Any]:
    """The rig's fields by full names. Of the ProcessQueues of a process that is gone, only what they have sent."""
    if "consumer" not in real:
        return dict(real)  # it says them by their full names
    fields = {f"broker.{name}": value for name, value in real["broker"].items()}
    for c, client in enumerate(real["consumer"]):
        process_queues = client["process_queue"]
        fields |= {f"consumer[{c}].{name}": value for name, value in client.items() if name != "process_queue"}
        fields[f"consumer[{c}].process_queues"] = len(process_queues)
        for number, pq in enumerate(process_queues):
            kept = ("former", "pull_request", "piggyback") if pq["former"] else pq.keys()
            fields |= {f"consumer[{c}].process_queue[{number}].{name}": pq[name] for name in kept}
    return fields

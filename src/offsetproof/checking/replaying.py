"""Is a trace that was read from a file what the model does? Its steps are taken again, on the model as it is now.

A file can be edited, and a model moves on. So what is shown is compared with the model wherever that is at hand: each
step can be taken, by whom and as the fault that the trace says; each state has the values, and each claim the truth,
that the trace says; the claim fails at the end and not before. A claim that is called something else by now is said to
be. Not compared with it: the cause, the effect, the times, and the places that steps stand for, which say nothing about
what happens. Where steps are told in another order than they are listed in, both orders are replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT
from offsetproof.checking.request import question_of
from offsetproof.checking.subject import load_subject
from offsetproof.ir.system import Label, State
from offsetproof.lang.claim import NO_DEADLOCK, WALK
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.raised import in_words
from offsetproof.traces.reads import budget_fields
from offsetproof.traces.trace import Trace, plain, show_value
from offsetproof.verdict.question import Question


@dataclass(frozen=True)
class Replayed:
    """Whether a trace is what the model does: `agrees` is None where nobody could ask the model; `reason` says why.

    Of a trace that agrees, it says what else differs. `replay` has the steps as the trace tells them, if it agrees.
    """

    agrees: bool | None
    reason: str = ""
    replay: Replay | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        """One line, as people read it."""
        if self.agrees:
            but = f", but {self.reason}" if self.reason else ""
            return f"replayed on the model: yes{but} (cause, effect, times and places are as recorded, not compared)"
        return f"not replayed: {self.reason}" if self.agrees is None else f"DOES NOT REPLAY on the model: {self.reason}"


def question_of_trace(subject: Subject, trace: Trace) -> Question:
    """The question that a trace answers; of a walk by hand the world alone matters.

    Raises UnknownNameError where the subject has no such claim, release, fix, scope...
    """
    if trace.property.id != WALK.id:
        return question_of(subject, trace.world.claim(trace.property.id))
    return replace(question_of(subject, trace.world.claim(NO_DEADLOCK.id)), prop=WALK)


def replay_trace(trace: Trace, subject: Subject | None = None) -> Replayed:
    """Replays a trace on this model, else on the built-in one that the trace is of."""
    entry = BUILT_INS.get(trace.subject or "")
    if subject is None and (entry is None or entry.is_family):
        whose = "a model that it does not name" if trace.subject is None else trace.subject
        return Replayed(None, f"the trace is of {whose}; name its file with --subject")
    loaded = subject or load_subject(trace.subject or DEFAULT)
    try:
        replay = _replay(trace, loaded)
        if trace.story is not trace and isinstance(replay, Replay):  # its steps are told in another order
            replay = _replay(trace.story, loaded)
    except (ReplayError, UnknownNameError, DeclarationError, RefusedError) as error:
        return Replayed(False, str(error))
    except Exception as error:  # whatever a model's code raises on the way, it is not what was recorded
        return Replayed(False, in_words(error))
    if isinstance(replay, str):
        return Replayed(False, replay)
    name = replay.prop.name
    return Replayed(True, "" if name == trace.property.name else f"the claim is called {name} now", replay)


def _replay(trace: Trace, subject: Subject) -> Replay | str:
    """The replay of a trace, in its order, or where the model does something else; raises what does not fit it."""
    question = question_of_trace(subject, trace)
    scope = question.setting.scope
    if scope.name != trace.world.scope.name:
        return f"these bounds are those of scope {scope.name}, not of {trace.world.scope.name} as recorded"
    if (scope.bounds, scope.faults) != (trace.world.scope.bounds, trace.world.scope.faults):
        return f"scope {scope.name} has other bounds now: {scope.describe()}"
    now = (question.prop.id, str(question.prop.kind))
    if now != (trace.property.id, trace.property.kind):
        return f"the claim is {now[0]} ({now[1]}) now"
    others = (subject.find(id) for id in trace.initial_claims if id != trace.property.id)
    also = [prop for prop in others if prop != question.prop]
    if subject.name not in BUILT_INS:  # only staging finds what would not end, or means something else each time
        Staged(question.model, question.setting).system((question.prop, *also))
    reference = Reference(question.model, question.setting)
    initial = _initial(reference, trace)
    if isinstance(initial, str):
        return initial
    labels = [_label(reference, step.label) for step in trace.steps]
    replay = Replay(reference, question.prop, labels, initial, also, cycle_at=trace.cycle_at)
    return next(_differences(replay, trace), replay)


def _label(reference: Reference, label: Label) -> Label:
    """The label with its arguments in the order in which the model names them: JSON's objects have none."""
    name, args = label
    action = reference.grown.actions.get(name)
    order = [parameter for parameter, _ in action.sorts] if action else []
    return name, tuple(sorted(args, key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order)))


def _initial(reference: Reference, trace: Trace) -> State | str:
    """The initial state that the trace begins in, or why there is none."""
    budgets = budget_fields(reference.setting)
    numbers = []
    for leaf in reference.grown.tree.leaves:
        if leaf.path in budgets:
            numbers.append(leaf.initial[0])
            continue
        if leaf.path not in trace.initial:
            return f"the model has a field {leaf.path}, which the trace does not have"
        value = trace.initial[leaf.path]
        fits = (number for number in leaf.initial if _same(plain(leaf.domain.decode(number)), value))
        number = next(fits, None)
        if number is None:
            return f"no initial state of the model has {leaf.path} = {show_value(value)}"
        numbers.append(number)
    return tuple(numbers)


def _differences(replay: Replay, trace: Trace) -> Iterator[str]:
    """What the trace says otherwise than the model, the first difference first."""
    budgets = budget_fields(replay.reference.setting)
    for number, (state, recorded, truths) in enumerate(zip(replay.states, trace.states, trace.truths, strict=True)):
        if number:
            yield from _of_who_takes_it(replay, trace, number)
        values = {path: plain(value) for path, value in replay.reference.show(state).items() if path not in budgets}
        for path in (*values, *(path for path in recorded if path not in values)):
            if path not in values:
                yield f"the model has no field {path}"
            elif not _same(values[path], recorded[path]):
                now, then = show_value(values[path]), show_value(recorded[path])
                yield f"after step {number} {path} is {now}, not {then} as recorded"
        for claim, truth in truths.items():
            if replay.truths[number].get(claim) is not truth:
                yield f"after step {number} claim {claim} is not {str(truth).lower()} as recorded"


def _of_who_takes_it(replay: Replay, trace: Trace, number: int) -> Iterator[str]:
    step, label = trace.steps[number - 1], replay.labels[number - 1]
    action, _ = replay.reference.grown.instances[label]
    now = {"actor": action.actor_of(label[1]), "thread": action.thread, "fault": action.fault, "logs": action.logs}
    for word, value in now.items():
        recorded = getattr(step, word)
        if recorded != value:
            yield f"the {word} of step {number}, {step.name}, is {value}, not {recorded} as recorded"


def _same(a: object, b: object) -> bool:
    """Are two values of a field the same? (In Python 1 and True are equal.)"""
    return type(a) is type(b) and a == b

"""Traces as JSON: what reports show of one, and the recorded form that stands for itself and can be read back.

A recorded trace names everything and numbers nothing: actions, arguments, scope, releases, fixes, assumptions.
Replaying it takes only the labels (`labels_of`) and the subject that it names; where the model has moved on since, the
replay says so. Steps are listed in the canonical order, and told in the order of their times, where these are known.
The same trace always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

from msgspec import UNSET, Meta, field
from msgspec.structs import asdict

from offsetproof.ir.system import Label
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.scope import Scope
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError, read_text
from offsetproof.reading.typed_json import (
    TEXT,
    THIS_TOOL,
    Count,
    Int64,
    JsonObject,
    Name,
    Names,
    Seconds,
    ToolJson,
    Unset,
    from_attributes,
    read_json,
    rule,
    write_json,
)
from offsetproof.traces.trace import Effect, EffectKind, Schedule, Trace, TraceClaim, TraceStep, Value, World

__all__ = [
    "Recorded",
    "labels_of",
    "read_record",
    "read_record_file",
    "record",
    "to_json",
    "write_record",
]

AGAIN = "record the trace again"

ValueJson = Annotated[
    bool | Int64 | str | tuple[Count, ...] | None,
    Meta(description="A field's value; an offset set is a list of offsets, ascending."),
]
Truths = dict[str, bool]


class AnchorJson(JsonObject):
    """A place in RocketMQ's sources."""

    java_class: str = field(name="class")
    method: str
    call: str
    nth: Annotated[int, Meta(ge=1)]
    line: Count | None


class StepJson(JsonObject):
    """An action that was taken, by whom, and what it changed."""

    action: Name
    args: dict[str, Count | str]
    actor: str
    thread: str
    fault: str | None
    stands_for: tuple[AnchorJson, ...]
    logs: str | None
    file: str
    line: Count
    changed: Annotated[
        dict[str, tuple[ValueJson, ValueJson]],
        Meta(description="Each field that the step changed, with its values before and after."),
    ]
    claims: Truths


class EffectJson(JsonObject):
    """What the violation does to messages."""

    kind: EffectKind
    lost: Count | None
    repeated: Count | None
    detail: Annotated[str | Unset, Meta(description="Why it is not known, or not known better.")] = UNSET


class TimingJson(JsonObject):
    """Seconds: the longest stall or delay that the story needs, what is late, and a time for each step."""

    stall: Seconds
    where: Names
    times: tuple[Seconds, ...]

    def __post_init__(self) -> None:
        if any(earlier > later for earlier, later in pairwise(self.times)):
            raise ValueError("The times go back; each step happens after the one before, or at the same time")


class ScheduleJson(TimingJson):
    """Seconds: the longest stall or delay that the story needs, what is late, a time for each step."""

    order: Annotated[
        tuple[int, ...] | Unset,
        Meta(description="The numbers of the steps in the order in which they are told, if that differs."),
    ] = UNSET


class TraceJson(JsonObject):
    """A counterexample, or of a witness an example."""

    faults: Count
    length: Count
    cause: Names
    effect: EffectJson | None
    chosen: Annotated[
        dict[str, ValueJson] | Unset,
        Meta(description="What the fields start with that may start with other values, too."),
    ] = UNSET
    claims: Annotated[Truths, Meta(description="What is true before any step.")]
    steps: tuple[StepJson, ...]
    cycle_at: Annotated[
        Count | Unset,
        Meta(
            description="Of a run without an end: the step after which it goes on as before, again and again; "
            "after the last one, nothing more happens."
        ),
    ] = UNSET

    def __post_init__(self) -> None:
        if self.cycle_at is not UNSET and self.cycle_at > len(self.steps):
            raise ValueError(f"It goes on after step {self.cycle_at}, but has {len(self.steps)}")
        length, faults = len(self.steps), sum(step.fault is not None for step in self.steps)
        if (self.length, self.faults) != (length, faults):
            said = f"It says length {self.length} and {self.faults} faults"
            raise ValueError(f"{said}, but the steps say {length} and {faults}")


class RecordedJson(TraceJson):
    """A trace with its times, if they are known."""

    timing: ScheduleJson | Unset = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.timing is UNSET:
            return
        if len(self.timing.times) != self.length:
            raise ValueError(f"It has {len(self.timing.times)} times, but {self.length} steps")
        if self.timing.order is not UNSET and sorted(self.timing.order) != [*range(1, self.length + 1)]:
            raise ValueError(f"The order of its times does not have each number from 1 to {self.length} once")


class ClaimJson(JsonObject):
    """A case of a claim."""

    id: Name
    name: Name
    kind: ClaimKind


class WholeScopeJson(JsonObject):
    """A scope with its bounds and fault budgets."""

    name: str
    bounds: dict[str, Count]
    faults: dict[str, Count]

    def __post_init__(self) -> None:
        scope_of(self)


class ReplayedJson(JsonObject):
    """What the model says of the trace."""

    RULES = (rule({"agrees": {"enum": [False, None]}}, {"reason": TEXT}),)
    agrees: Annotated[bool | None, Meta(description="null: the model could not be asked.")]
    reason: Annotated[str | None, Meta(description="Why not, or what else is different.")]


class RecordJson(JsonObject):
    """The form in which a trace is recorded, which `check --out-dir` writes as well."""

    schema: Literal[1]
    tool: ToolJson
    subject: Annotated[str | None, Meta(description="null: a model that has no name.")]
    property: ClaimJson
    release: str | None
    releases: Annotated[dict[str, str], Meta(description="The release of each role.")]
    fixes: Names
    assumptions: Names
    listener: str | None
    scope: WholeScopeJson
    digest: Annotated[str, Meta(description="Of the system that was explored.")]
    initial: Annotated[dict[str, ValueJson], Meta(description="Every field, before any step.")]
    trace: RecordedJson
    replay: Annotated[ReplayedJson | Unset, Meta(description="Only `show` writes it.")] = UNSET


@dataclass(frozen=True)
class Recorded:
    """A trace that was read back, and the tool and version that recorded it."""

    tool: str
    version: str
    trace: Trace


def to_json(trace: Trace) -> dict[str, Any]:
    """The members of `TraceJson`; `claims` are the truths in the initial state."""
    return {
        "faults": trace.faults,
        "length": trace.length,
        "cause": trace.cause,
        "effect": _effect_json(trace.effect) if trace.effect else None,
        "chosen": {path: value_json(trace.initial[path]) for path in trace.chosen} or UNSET,
        "claims": dict(trace.initial_claims),
        "steps": tuple(map(_step_json, trace.steps)),
        "cycle_at": UNSET if trace.cycle_at is None else trace.cycle_at,
    }


def record(trace: Trace, replay: ReplayedJson | Unset = UNSET) -> RecordJson:
    """The recorded form: the trace with everything that says what it is a trace of."""
    world = trace.world
    return RecordJson(
        schema=1,
        tool=THIS_TOOL,
        subject=trace.subject,
        property=from_attributes(trace.property, ClaimJson),
        release=world.release,
        releases=dict(world.releases),
        fixes=world.fixes,
        assumptions=world.assumptions,
        listener=world.listener,
        scope=from_attributes(world.scope, WholeScopeJson),
        digest=trace.digest,
        initial={path: value_json(value) for path, value in trace.initial.items()},
        trace=RecordedJson(**to_json(trace), timing=_schedule_json(trace.timing) if trace.timing else UNSET),
        replay=replay,
    )


def write_record(trace: Trace) -> str:
    """The recorded form as text, ready to be a file."""
    return write_json(record(trace))


def value_json(value: Value) -> ValueJson:
    """A field's value in JSON: an offset set is sorted, everything else is itself."""
    return tuple(sorted(value)) if isinstance(value, frozenset) else value


def labels_of(recorded: Recorded) -> tuple[Label, ...]:
    """The labels of the recorded steps, which are all that a replay needs."""
    return tuple(step.label for step in recorded.trace.steps)


def read_record_file(path: Path, size_max: int = SIZE_MAX) -> Recorded:
    """The recorded trace in a file of up to `size_max` bytes; UnreadableFileError also where there is no such file."""
    return read_record(read_text(path, size_max), str(path))


def read_record(text: str, file: str = "the trace") -> Recorded:
    """The recorded trace in a text; UnreadableFileError names the file, the place and what is wrong there."""
    data = read_json(text, RecordJson, file, AGAIN)
    trace = _trace(data)
    _must_agree(data, trace, file)
    return Recorded(data.tool.name, data.tool.version, trace)


def scope_of(data: WholeScopeJson) -> Scope:
    """The scope that a document names; ValueError where no model could declare it."""
    try:
        return Scope(data.name, data.bounds, data.faults)
    except DeclarationError as error:
        raise ValueError(f"This is not a scope: {str(error).partition(': ')[2]}") from None


def _effect_json(effect: Effect) -> EffectJson:
    return EffectJson(kind=effect.kind, lost=effect.lost, repeated=effect.repeated, detail=effect.detail or UNSET)


def _schedule_json(timing: Schedule) -> ScheduleJson:
    """Times as they are recorded; `order` is there where the trace is not told in the order in which it is listed."""
    return ScheduleJson(stall=timing.stall, where=timing.where, times=timing.times, order=timing.order or UNSET)


def _step_json(step: TraceStep) -> StepJson:
    changed = {path: (value_json(old), value_json(new)) for path, (old, new) in step.changed.items()}
    anchors = tuple(from_attributes(anchor, AnchorJson) for anchor in step.stands_for)
    members = {name: value for name, value in vars(step).items() if name != "number"}
    return StepJson(**{**members, "stands_for": anchors, "changed": changed})


def _must_agree(data: RecordJson, trace: Trace, file: str) -> None:
    """UnreadableFileError where a document says two things of the same: of the release, or of a field's value."""

    def refuse(place: str, wrong: str) -> NoReturn:
        raise UnreadableFileError(file, place, f"{wrong}; {AGAIN}")

    if data.release != trace.world.release:
        refuse("release", f"is not what the releases of the roles say, {trace.world.release}")
    for path in trace.chosen:
        if path not in trace.initial or not _is_same(_value(_entries(data)[path]), trace.initial[path]):
            refuse(f"trace.chosen[{path!r}]", "is not what the initial state says")
    now = dict(trace.initial)
    for number, step in enumerate(trace.steps):
        for path, (before, after) in step.changed.items():
            place = f"trace.steps[{number}].changed[{path!r}]"
            if path not in now:
                refuse(place, "is a field that the initial state does not have")
            if not _is_same(before, now[path]):
                refuse(place, f"starts from {value_json(before)}, but the field was {value_json(now[path])}")
            now[path] = after


def _is_same(one: Value, other: Value) -> bool:
    return type(one) is type(other) and one == other  # True is not 1 here


def _trace(data: RecordJson) -> Trace:
    inside, scope = data.trace, scope_of(data.scope)
    return Trace(
        data.subject,
        TraceClaim(data.property.id, data.property.name, data.property.kind),
        World(scope, data.releases, data.fixes, data.assumptions, data.listener),
        data.digest,
        inside.cause,
        Effect(**_present_members(inside.effect)) if inside.effect else None,
        {path: _value(value) for path, value in data.initial.items()},
        inside.claims,
        tuple(_step(number, step) for number, step in enumerate(inside.steps, 1)),
        None if inside.timing is UNSET else Schedule(**_present_members(inside.timing)),
        tuple(_entries(data)),
        None if inside.cycle_at is UNSET else inside.cycle_at,
    )


def _entries(data: RecordJson) -> Mapping[str, ValueJson]:
    """What the fields start with that may start with other values."""
    return {} if data.trace.chosen is UNSET else data.trace.chosen


def _present_members(data: JsonObject) -> dict[str, Any]:
    """The members that are there."""
    return {name: value for name, value in asdict(data).items() if value is not UNSET}


def _value(value: ValueJson) -> Value:
    return frozenset(value) if isinstance(value, tuple) else value


def _step(number: int, data: StepJson) -> TraceStep:
    changed = {path: (_value(old), _value(new)) for path, (old, new) in data.changed.items()}
    anchors = tuple(Anchor(**asdict(anchor)) for anchor in data.stands_for)
    return TraceStep(**{**asdict(data), "number": number, "stands_for": anchors, "changed": changed})

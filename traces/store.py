"""Traces as JSON: what reports show of one, and the recorded form that stands for itself and can be read back.

A recorded trace names everything and numbers nothing: actions, arguments, scope, releases, fixes, assumptions.
Replaying it takes only the labels (`labels_of`) and the subject that it names; where the model has moved on since, the
replay says so. Steps are listed in the canonical order, and told in the order of their times, where these are known.
The same trace always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from offsetproof.ir.system import Label
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.scope import Scope
from offsetproof.reading.files import SIZE_MAX, read_text
from offsetproof.reading.strict_json import JsonValue, UnreadableJsonError, parse
from offsetproof.traces.trace import Effect, Schedule, Trace, TraceClaim, TraceStep, Value, World
from offsetproof.version import __version__

__all__ = [
    "SCHEMA",
    "Recorded",
    "UnreadableJsonError",
    "labels_of",
    "read_record",
    "read_record_file",
    "record",
    "to_json",
    "write_record",
]

SCHEMA = 1
"""The version of the recorded form."""


@dataclass(frozen=True)
class Recorded:
    """A trace that was read back, and the tool and version that recorded it."""

    tool: str
    version: str
    trace: Trace


def to_json(trace: Trace) -> dict[str, Any]:
    """The `trace` object of reports; `claims` are the truths in the initial state."""
    effect = trace.effect
    return {
        "faults": trace.faults,
        "length": trace.length,
        "cause": list(trace.cause),
        "effect": _effect_json(effect) if effect else None,
        **({"chosen": {path: value_json(trace.initial[path]) for path in trace.chosen}} if trace.chosen else {}),
        "claims": dict(trace.initial_claims),
        "steps": [_step_json(step) for step in trace.steps],
    }


def record(trace: Trace) -> dict[str, Any]:
    """The recorded form: the trace with everything that says what it is a trace of."""
    prop, world = trace.property, trace.world
    return {
        "schema": SCHEMA,
        "tool": {"name": "offsetproof", "version": __version__},
        "subject": trace.subject,
        "property": {"id": prop.id, "name": prop.name, "kind": prop.kind},
        "release": world.release,
        "releases": dict(world.releases),
        "fixes": list(world.fixes),
        "assumptions": list(world.assumptions),
        "listener": world.listener,
        "scope": {"name": world.scope.name, "bounds": dict(world.scope.bounds), "faults": dict(world.scope.faults)},
        "digest": trace.digest,
        "initial": {path: value_json(value) for path, value in trace.initial.items()},
        "trace": {**to_json(trace), **({"timing": _timing_json(trace.timing)} if trace.timing else {})},
    }


def write_record(trace: Trace) -> str:
    """The recorded form as text, ready to be a file."""
    return json.dumps(record(trace), indent=2) + "\n"


def value_json(value: Value) -> Any:
    """A field's value in JSON: an offset set is a sorted list, everything else is itself."""
    return sorted(value) if isinstance(value, frozenset) else value


def labels_of(recorded: Recorded) -> tuple[Label, ...]:
    """The labels of the recorded steps, which are all that a replay needs."""
    return tuple(step.label for step in recorded.trace.steps)


def read_record_file(path: Path, size_max: int = SIZE_MAX) -> Recorded:
    """The recorded trace in a file of up to `size_max` bytes; UnreadableFileError also where there is no such file."""
    return read_record(read_text(path, size_max), str(path))


def read_record(text: str, file: str = "the trace") -> Recorded:
    """The recorded trace in a text; UnreadableJsonError names the file, the place and what is wrong there."""
    document = parse(text, file, "record the trace again")
    schema = document.item("schema")
    if schema.number() != SCHEMA:
        schema.refuse(f"is {schema.value}, but this version reads schema {SCHEMA}; record the trace again")
    tool = document.item("tool")
    return Recorded(tool.item("name").text(), tool.item("version").text(), _trace(document))


def _effect_json(effect: Effect) -> dict[str, Any]:
    record = {"kind": effect.kind, "lost": effect.lost, "repeated": effect.repeated}
    return {**record, "detail": effect.detail} if effect.detail else record


def _timing_json(timing: Schedule) -> dict[str, Any]:
    """Times as they are recorded; `order` is there where the trace is not told in the order in which it is listed."""
    record = {"stall": timing.stall, "where": list(timing.where), "times": list(timing.times)}
    return {**record, "order": list(timing.order)} if timing.order else record


def _step_json(step: TraceStep) -> dict[str, Any]:
    return {
        "action": step.action,
        "args": dict(step.args),
        "actor": step.actor,
        "thread": step.thread,
        "fault": step.fault,
        "stands_for": [
            {
                "class": anchor.java_class,
                "method": anchor.method,
                "call": anchor.call,
                "nth": anchor.nth,
                "line": anchor.line,
            }
            for anchor in step.stands_for
        ],
        "logs": step.logs,
        "file": step.file,
        "line": step.line,
        "changed": {path: [value_json(old), value_json(new)] for path, (old, new) in step.changed.items()},
        "claims": dict(step.claims),
    }


def _trace(data: JsonValue) -> Trace:
    prop, inside = data.item("property"), data.item("trace")
    initial = {path: _value(value) for path, value in data.item("initial").entries().items()}
    steps, now = [], dict(initial)
    for number, item in enumerate(inside.item("steps").items(), 1):
        steps.append(_step(number, item, now))
        now |= {path: after for path, (_, after) in steps[-1].changed.items()}
    trace = Trace(
        _text_or_null(data.item("subject")),
        TraceClaim(prop.item("id").text(), prop.item("name").text(), prop.item("kind").text()),
        _world(data),
        data.item("digest").text(),
        inside.item("cause").texts(),
        _effect(inside.item("effect")),
        initial,
        _truths(inside.item("claims")),
        tuple(steps),
        _timing(inside, len(steps)),
        _chosen_fields(inside, initial),
    )
    if _text_or_null(data.item("release")) != trace.world.release:
        data.item("release").refuse(f"is not what the releases of the roles say, {trace.world.release}")
    for key, actual in (("length", trace.length), ("faults", trace.faults)):
        if inside.item(key).number() != actual:
            inside.item(key).refuse(f"is {inside.item(key).value}, but the steps say {actual}")
    return trace


def _chosen_fields(data: JsonValue, initial: Mapping[str, Value]) -> tuple[str, ...]:
    """The fields that may start with other values; what is said of them is what the initial state says."""
    if "chosen" not in data.entries():
        return ()
    entries = data.item("chosen").entries()
    for path, value in entries.items():
        if (
            path not in initial
            or (started := _value(value)) != initial[path]
            or type(started) is not type(initial[path])
        ):
            value.refuse("is not what the initial state says")
    return tuple(entries)


def _timing(inside: JsonValue, steps: int) -> Schedule | None:
    """The times of a trace of this many steps, if it has them; refused where they cannot be those of its steps."""
    if "timing" not in inside.entries() or (data := inside.item("timing")).is_null:
        return None
    times = tuple(item.seconds() for item in data.item("times").items())
    order = tuple(item.number() for item in data.item("order").items()) if "order" in data.entries() else ()
    if len(times) != steps:
        data.item("times").refuse(f"has {len(times)} times, but the trace has {steps} steps")
    if any(earlier > later for earlier, later in pairwise(times)):
        data.item("times").refuse("goes back in time; each step happens after the one before, or at the same time")
    if order and sorted(order) != list(range(1, steps + 1)):
        data.item("order").refuse(f"does not have each number from 1 to {steps} once")
    return Schedule(data.item("stall").seconds(), data.item("where").texts(), times, order)


def read_scope(data: JsonValue, bounds: Mapping[str, int], faults: Mapping[str, int]) -> Scope:
    """The scope that is told at a place; refused there where no model could declare it."""
    try:
        return Scope(data.item("name").text(), bounds, faults)
    except DeclarationError as error:
        data.refuse(f"is not a scope: {str(error).partition(': ')[2]}")


def _world(data: JsonValue) -> World:
    scope = data.item("scope")
    bounds, faults = (
        {name: value.number() for name, value in scope.item(key).entries().items()} for key in ("bounds", "faults")
    )
    releases = {role: name.text() for role, name in data.item("releases").entries().items()}
    return World(
        read_scope(scope, bounds, faults),
        releases,
        data.item("fixes").texts(),
        data.item("assumptions").texts(),
        _text_or_null(data.item("listener")),
    )


def _effect(data: JsonValue) -> Effect | None:
    if data.is_null:
        return None
    detail = data.item("detail").text() if "detail" in data.entries() else ""
    return Effect(
        data.item("kind").text(), _number_or_null(data.item("lost")), _number_or_null(data.item("repeated")), detail
    )


def _step(number: int, data: JsonValue, now: Mapping[str, Value]) -> TraceStep:
    args = {name: _argument(value) for name, value in data.item("args").entries().items()}
    changed = {path: _change(pair, path, now) for path, pair in data.item("changed").entries().items()}
    return TraceStep(
        number,
        data.item("action").text(),
        args,
        data.item("actor").text(),
        data.item("thread").text(),
        _text_or_null(data.item("fault")),
        tuple(map(_anchor, data.item("stands_for").items())),
        _text_or_null(data.item("logs")),
        data.item("file").text(),
        data.item("line").number(),
        changed,
        _truths(data.item("claims")),
    )


def _anchor(data: JsonValue) -> Anchor:
    """An anchor; one that was written before calls were counted has its call as `site`."""
    counted = "site" not in data.entries()
    return Anchor(
        data.item("class").text(),
        data.item("method").text(),
        data.item("call" if counted else "site").text(),
        data.item("nth").number() if counted else 1,
        _number_or_null(data.item("line")),
    )


def _change(data: JsonValue, path: str, now: Mapping[str, Value]) -> tuple[Value, Value]:
    pair = data.items()
    if len(pair) != 2:
        data.refuse(f"has {len(pair)} values, but must be [before, after]")
    if path not in now:
        data.refuse("is a field that the initial state does not have")
    before, after = map(_value, pair)
    if type(before) is not type(now[path]) or before != now[path]:
        data.refuse(f"starts from {pair[0].value!r}, but the field was {value_json(now[path])!r}")
    return before, after


def _argument(data: JsonValue) -> int | str:
    return data.text() if isinstance(data.value, str) else data.number()


def _value(data: JsonValue) -> Value:
    if isinstance(data.value, list):
        return frozenset(item.number() for item in data.items())
    if isinstance(data.value, float | dict):
        data.refuse("is not a value of a field; true, false, integers, null, texts and lists of offsets are")
    value: bool | int | str | None = data.value
    return value


def _truths(data: JsonValue) -> dict[str, bool]:
    return {claim: truth.truth() for claim, truth in data.entries().items()}


def _number_or_null(data: JsonValue) -> int | None:
    return None if data.is_null else data.number()


def _text_or_null(data: JsonValue) -> str | None:
    return None if data.is_null else data.text()

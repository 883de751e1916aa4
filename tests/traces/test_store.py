"""Recorded traces come back as they were, in the same bytes; what is none is refused with file, place and reason."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.lossy_queue import CLAIMS, COMMITS, LOSES, REFERENCE, STAGED, TAKES, finishes, replay, replays
from systems.reproducible import reproducible

from offsetproof.lang.reference import Replay
from offsetproof.reading.files import UnreadableFileError
from offsetproof.traces.store import (
    labels_of,
    read_record,
    read_record_file,
    write_record,
)
from offsetproof.traces.trace import Effect, Schedule, Trace, trace_of


def lost_commit() -> Trace:
    return trace_of(
        replay("Q2", TAKES, finishes(0), COMMITS, LOSES),
        subject="queue",
        digest="abc",
        effect=Effect("permanent", 1, 0),
        staged=STAGED,
    )


def as_json(trace: Trace) -> Any:
    return json.loads(write_record(trace))


@reproducible(200)
@given(replays())
def test_record_read_back_is_the_trace(found: Replay) -> None:
    trace = trace_of(found, subject="queue", digest="abc", staged=STAGED)
    recorded = read_record(write_record(trace))
    assert recorded.trace == trace
    assert write_record(recorded.trace) == write_record(trace)
    assert labels_of(recorded) == found.labels
    assert Replay(REFERENCE, CLAIMS[recorded.trace.property.id], labels_of(recorded)).states == found.states


TIMED = replace(lost_commit(), timing=Schedule(2.5, ("a task stalls for 2.5 s",), (0.0, 0.5, 3.0, 3.0), (2, 1, 3, 4)))


@reproducible(200)
@given(replays(), st.data())
def test_record_of_a_story_with_times_read_back_is_the_story(found: Replay, data: st.DataObject) -> None:
    trace = trace_of(found, staged=STAGED)
    seconds = st.integers(0, 10**6).map(lambda milliseconds: milliseconds / 1000)
    times = tuple(sorted(data.draw(st.lists(seconds, min_size=trace.length, max_size=trace.length))))
    order = tuple(data.draw(st.permutations(range(1, trace.length + 1))))
    timing = Schedule(data.draw(seconds), ("a task stalls",), times, data.draw(st.sampled_from([(), order])))
    read = read_record(write_record(replace(trace, timing=timing))).trace
    assert read == replace(trace, timing=timing)
    assert read.story == replace(trace, timing=timing).story


def test_recorded_times_stand_beside_the_listed_steps() -> None:
    told = as_json(TIMED)["trace"]
    assert told["timing"] == {
        "stall": 2.5, "where": ["a task stalls for 2.5 s"], "times": [0.0, 0.5, 3.0, 3.0], "order": [2, 1, 3, 4],
    }  # fmt: skip
    assert told["steps"] == as_json(lost_commit())["trace"]["steps"]
    assert "timing" not in as_json(lost_commit())["trace"]
    assert "order" not in as_json(replace(TIMED, timing=Schedule(0, (), (0, 0, 0, 0))))["trace"]["timing"]


def test_report_has_the_shape_of_the_contract() -> None:
    shape = as_json(lost_commit())["trace"]
    assert shape["faults"] == 1
    assert shape["length"] == 4
    assert shape["cause"] == ["consumer_takes_queue", "consumer_finishes", "consumer_commits", "network_loses_commit"]
    assert shape["effect"] == {"kind": "permanent", "lost": 1, "repeated": 0}
    assert shape["steps"][1] == {
        "action": "consumer_finishes",
        "args": {"c": 0, "m": 0},
        "actor": "consumer[0]",
        "thread": "task",
        "fault": None,
        "stands_for": [
            {"class": "ProcessQueue", "method": "removeMessage", "call": "first", "nth": 1, "line": 196},
            {"class": "MessageListener", "method": "consume", "call": "", "nth": 1, "line": None},
        ],
        "logs": None,
        "file": "tests/systems/lossy_queue.py",
        "line": shape["steps"][1]["line"],
        "changed": {"ghost_finished": [[], [0]], "consumer[0].done": [[], [0]]},
        "claims": {"Q2": True},
    }


@pytest.mark.parametrize(("effect", "shape"), [
    (Effect("permanent", 1, None), {"kind": "permanent", "lost": 1, "repeated": None}),
    (
        Effect("unknown", None, None, "too large"),
        {"kind": "unknown", "lost": None, "repeated": None, "detail": "too large"},
    ),
])  # fmt: skip
def test_effect_that_is_not_known_comes_back_as_it_was(effect: Effect, shape: dict[str, Any]) -> None:
    trace = replace(lost_commit(), effect=effect)
    assert as_json(trace)["trace"]["effect"] == shape
    assert read_record(write_record(trace)).trace == trace


def test_record_says_what_it_is_a_trace_of() -> None:
    kept = as_json(lost_commit())
    assert [*kept][:3] == ["schema", "tool", "subject"]
    assert (kept["schema"], kept["subject"], kept["digest"]) == (1, "queue", "abc")
    assert kept["releases"] == {"client": "1.0", "broker": "2.0"}
    assert kept["release"] == "broker=2.0,client=1.0"
    assert kept["scope"] == {"name": "small", "bounds": {"consumers": 2, "messages": 2}, "faults": {"loss": 1}}
    assert kept["initial"]["owner"] is None
    assert kept["initial"]["consumer[0].done"] == []
    assert write_record(lost_commit()).endswith("}\n")


def changed(way: str, value: Any, trace: Trace | None = None) -> str:
    """The recorded trace (of a lost commit) with one value replaced, or removed (Ellipsis)."""
    document = as_json(trace or lost_commit())
    *outer, last = [int(part) if part.isdigit() else part for part in way.split("/")]
    inside: Any = document
    for part in outer:
        inside = inside[part]
    if value is ...:
        del inside[last]
    else:
        inside[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "place", "wrong"),
    [
        ("{", "line 1, column 2", "is not JSON: Expecting property name enclosed in double quotes"),
        ("[]", "the document", "Expected `object`, got `array`"),
        ("[" * 100_000, "the document", "is nested too deeply"),
        ("[" * 65 + "]" * 65, "the document", "Expected `object`, got `array`"),
        ('{"schema": NaN}', "the value NaN", "is not JSON; write a number"),
        ('{"a": {"b": [1,\n "\\ud800"]}}', "line 2", "has a string with \\ud800 in it, which nothing could show"),
        ('{"a b": "\\u0000"}', "line 1", "has a string with \\u0000 in it, which nothing could show"),
        ('[{"\\udfff": 1}]', "line 1", "has a string with \\udfff in it, which nothing could show"),
        ('["\\udc00\\ud83d\\ude00"]', "line 1", "has a string with \\udc00 in it, which nothing could show"),
        ('["\\ud83d\\ude00"]', "the document", "Expected `object`, got `array`"),
        ('["\\\\ud800"]', "the document", "Expected `object`, got `array`"),
        (f'{{"schema": {"9" * 5000}}}', "a number", "has thousands of digits; 64 bits hold the numbers here"),
        ('{"schema": -9223372036854775809}', "schema", "is -9223372036854775809, which this version does not read"),
        (changed("digest", 2**63), "digest", "Expected `str`, got `int`"),
        (changed("initial/committed", 2**63), "initial['committed']", "Expected `int` <= 9223372036854775807"),
        (changed("release", "3.0"), "release", "is not what the releases of the roles say, broker=2.0,client=1.0"),
        ('{"schema": 1, "schema": 1}', "an object with the key 'schema'", "has this key twice; keep one"),
        (changed("schema", 2), "schema", "is 2, which this version does not read; record the trace again"),
        (changed("schema", ...), "the document", "Object missing required field `schema`; record the trace again"),
        (changed("tool/version", ...), "tool", "Object missing required field `version`; record the trace again"),
        (changed("more", 1), "the document", "Object contains unknown field `more`; record the trace again"),
        (changed("listener", 3), "listener", "Expected `str | null`, got `int`"),
        (changed("fixes", "retry"), "fixes", "Expected `array`, got `str`"),
        (changed("scope/bounds/messages", -1), "scope.bounds['messages']", "Expected `int` >= 0"),
        (changed("scope/bounds/messages", True), "scope.bounds['messages']", "Expected `int`, got `bool`"),
        (changed("scope/bounds/name", 1), "scope", "This is not a scope: scope small: a bound cannot be called 'name'"),
        (changed("trace/length", 3), "trace", "It says length 3 and 1 faults, but the steps say 4 and 1"),
        (changed("trace/steps/3/fault", None), "trace", "It says length 4 and 1 faults, but the steps say 4 and 0"),
        (changed("trace/steps/0/args/c", 1.5), "trace.steps[0].args['c']", "Expected `int | str`, got `float`"),
        (changed("trace/steps/0/action", None), "trace.steps[0].action", "Expected `str`, got `null`"),
        (changed("trace/steps/0/claims/Q2", 1), "trace.steps[0].claims['Q2']", "Expected `bool`, got `int`"),
        (
            changed("trace/steps/2/changed/committed", [0]),
            "trace.steps[2].changed['committed']",
            "Expected `array` of length 2, got 1",
        ),
        (
            changed("trace/steps/2/changed/committed", [1, 2]),
            "trace.steps[2].changed['committed']",
            "starts from 1, but the field was 0",
        ),
        (
            changed("trace/steps/2/changed/committed", [False, 2]),
            "trace.steps[2].changed['committed']",
            "starts from False, but the field was 0",
        ),
        (
            changed("trace/steps/2/changed/cell", [0, 2]),
            "trace.steps[2].changed['cell']",
            "is a field that the initial state does not have",
        ),
        (
            changed("initial/consumer[0].done", {}),
            "initial['consumer[0].done']",
            "Expected `bool | int | str | array | null`, got `object`",
        ),
        (changed("trace/effect/kind", "lasting", TIMED), "trace.effect.kind", "Invalid enum value 'lasting'"),
        (changed("trace/timing/times", [0, 1], TIMED), "trace", "It has 2 times, but 4 steps"),
        (changed("trace/timing/times/1", 4, TIMED), "trace.timing", "The times go back; each step happens after"),
        (changed("trace/timing/times/0", -1, TIMED), "trace.timing.times[0]", "Expected `float` >= 0.0"),
        (
            changed("trace/timing/times/3", float("inf"), TIMED).replace("Infinity", "1e999"),
            "trace.timing.times[3]",
            "Expected `float` <= 1000000000000000.0",
        ),
        (changed("trace/timing/stall", True, TIMED), "trace.timing.stall", "Expected `float`, got `bool`"),
        (changed("trace/timing/order", [1, 1, 2, 3], TIMED), "trace", "The order of its times does not have each"),
        (changed("trace/timing/where", "x", TIMED), "trace.timing.where", "Expected `array`, got `str`"),
    ],
)
def test_what_is_no_recorded_trace_is_refused_with_its_place(text: str, place: str, wrong: str) -> None:
    with pytest.raises(UnreadableFileError) as refused:
        read_record(text, "lost.json")
    assert (refused.value.file, refused.value.place) == ("lost.json", place)
    assert refused.value.wrong.startswith(wrong)
    assert str(refused.value).startswith(f"lost.json: {place}: {wrong}")


def places(value: Any, way: str = "") -> list[str]:
    """The ways to all values of a document."""
    entries = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
    inside = list(entries.items())
    ways = [f"{way}/{key}" if way else str(key) for key, _ in inside]
    return [*ways, *(deeper for at, (_, inner) in zip(ways, inside, strict=True) for deeper in places(inner, at))]


@reproducible(200)
@given(
    st.sampled_from(places(as_json(TIMED))),
    st.sampled_from([..., None, True, -1, 1, 1.5, "x", [], [[]], {}, {"a": 1}]),
)
def test_any_damage_is_read_or_refused_but_never_crashes(way: str, value: Any) -> None:
    with contextlib.suppress(UnreadableFileError):
        assert read_record(changed(way, value, TIMED), "lost.json").trace.length == 4


def test_files_that_cannot_be_read_are_refused_too(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="the file: cannot be opened: No such file"):
        read_record_file(tmp_path / "none.json")
    (tmp_path / "binary.json").write_bytes(b"{\xff")
    with pytest.raises(UnreadableFileError, match="byte 1: is not UTF-8"):
        read_record_file(tmp_path / "binary.json")
    (tmp_path / "good.json").write_text(write_record(lost_commit()), "utf-8")
    assert read_record_file(tmp_path / "good.json").trace == lost_commit()

"""Each schema says no more and no less of a document than what the program writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from systems.documents import DOCUMENTS
from systems.schemas import complaints, is_valid, read_valid, schema

from offsetproof.cli.schema_verb import DOCUMENTS as SCHEMAS
from offsetproof.conformance.reproduced import OutcomeName
from offsetproof.guard.baseline import TURNS
from offsetproof.real.replay import OutcomeKind
from offsetproof.severity.effect import PERMANENT, TRANSIENT, UNKNOWN
from offsetproof.traces.recorded_stories import recorded_traces
from offsetproof.traces.trace import EffectKind

Place = tuple[str | int, ...]
NOTHING: list[Any] = [[{}]]
"""What no member is."""

OPTIONAL = {
    "trace": {"replay", "timing"}, "list": {"about"}, "family": {"about"}, "watch": {"before", "target"},
}  # fmt: skip
"""Members of the documents here that may be missing; `steps` and `results` are those of `check`.

A finding's `values` have names that are members of a reset elsewhere."""


@cache
def documents(name: str) -> list[str]:
    return DOCUMENTS[name]()


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert {*SCHEMAS} == {*DOCUMENTS, "check", "compare-page", "index-page", "story-page"}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_written_is_valid(name: str) -> None:
    for text in documents(name):
        read_valid(name, text)


def test_recorded_traces_are_valid() -> None:
    for story, file in recorded_traces().items():
        assert complaints("trace", json.loads(file.read_text(encoding="utf-8"))) == [], story


@pytest.mark.parametrize("name", DOCUMENTS)
def test_member_that_is_another_value_is_refused(name: str) -> None:
    for text in documents(name):
        for place in _places(json.loads(text)):
            assert _is_refused(name, text, place, NOTHING), place


@pytest.mark.parametrize("name", DOCUMENTS)
def test_member_that_is_gone_is_refused(name: str) -> None:
    required = _required(schema(name)) - OPTIONAL.get(name, set())
    tried = set()
    for text in documents(name):
        for place in _places(json.loads(text)):
            if place[-1] in required and not {"steps", "results"} & {*place[:-1]} and "trace" not in place[1:-1]:
                assert _is_refused(name, text, place), place
                tried.add(place[-1])
    assert {*schema(name).get("required", ())} <= tried
    assert len(tried) > 5


@pytest.mark.parametrize(("name", "place", "value"), [
    ("guard", ("cells", 0, "now"), None),
    ("guard", ("cells", 0, "reason"), "time limit"),
    ("guard", ("cells", 0, "change"), "new"),
    ("guard", ("cells", 0, "change"), "changed"),
    ("guard", ("turn",), TURNS),
    ("judge", ("judged", 0, "verdict"), "repaired"),
    ("judge", ("judged", 0, "base", "reason"), "left something else"),
    ("replay", ("replays", 0, "outcome"), "reproduced"),
    ("replay", ("replays", 0, "reason"), None),
    ("explain", ("ends", 0, "verdict"), "UNKNOWN"),
    ("mutate", ("outcomes", "survived"), -1),
    ("sweep", ("rows", 0, "verdict"), "UNKNOWN"),
    ("sweep", ("rows", 0, "states"), None),
    ("trace", ("replay", "agrees"), False),
    ("trace", ("schema",), 2),
])  # fmt: skip
def test_what_contradicts_itself_is_refused(name: str, place: Place, value: object) -> None:
    assert _is_refused(name, documents(name)[0], place, value)


def test_effects_and_outcomes_in_documents_are_those_of_the_program() -> None:
    assert {*get_args(EffectKind)} == {TRANSIENT, PERMANENT, UNKNOWN}
    assert {*get_args(OutcomeName)} == {*OutcomeKind}


def test_part_of_one_name_is_the_same_in_every_schema() -> None:
    parts: dict[str, Any] = {}
    for name in SCHEMAS:
        for part, said in schema(name)["$defs"].items():
            assert parts.setdefault(part, said) == said, f"{part} in {name}"


def _places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The members of objects in a document; of a list those of its first object of each shape."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*place, key)
            yield from _places(inner, (*place, key))
    elif isinstance(value, list):
        shapes = {_shape(inner): number for number, inner in reversed([*enumerate(value)])}
        for number in sorted(shapes.values())[:8]:
            yield from _places(value[number], (*place, number))


def _shape(value: Any) -> str:
    """What kind of value each member is: rows with a trace and without one differ."""
    return str({key: type(inner) for key, inner in value.items()}) if isinstance(value, dict) else ""


def _is_refused(name: str, text: str, place: Place, *value: object) -> bool:
    """Is the document refused with another value at a place, or with none there?"""
    document = json.loads(text)
    *way, last = place
    inside = document
    for key in way:
        inside = inside[key]
    if value:
        inside[last] = value[0]
    else:
        del inside[last]
    return not is_valid(name, document)


def _required(part: Any) -> set[str]:
    """The names of members that must be there, somewhere in a schema."""
    if isinstance(part, list):
        return {name for each in part for name in _required(each)}
    if not isinstance(part, dict):
        return set()
    inside = {name for each in part.values() for name in _required(each)}
    return inside | {name for name in part.get("required", ()) if isinstance(name, str)}

"""A row of a sweep's table: its columns, and what a row can say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, ValidationError, convert

from offsetproof.lang.cases import Expectation
from offsetproof.lang.world import ClaimInWorld
from offsetproof.reading.typed_json import NULL, TEXT, Count, JsonObject, Name, Names, Seconds, rule
from offsetproof.verdict.result import Reason, Verdict

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

DIED, ERROR = "died", "error"
"""Reasons for which a question is UNKNOWN beside those of every question: its process ended, or could not ask."""

_OfATrace = Annotated[Count | None, Meta(description="Of its trace, if it has one.")]


class RowJson(JsonObject):
    """A question, and what is known of it."""

    RULES = (
        rule(
            {"verdict": {"const": "UNKNOWN"}},
            {"reason": TEXT},
            {"reason": NULL, "states": {"type": "integer"}, "died": {"const": False}},
        ),
    )
    cell: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    property: Name
    release: str | None
    scope: str
    fixes: Names
    assumptions: Names
    listener: str | None
    bounds: Annotated[str, Meta(description="As JSON: bounds and fault budgets that are others here.")]
    verdict: Verdict
    expected: Expectation | None
    reason: Annotated[
        str | None,
        Meta(
            description="Why a verdict is UNKNOWN. died: its process ended; error: it could not ask.",
            extra_json_schema={"enum": [*Reason, DIED, ERROR, None]},
        ),
    ]
    detail: str
    vacuous: Annotated[str, Meta(description="Why a HOLDS means nothing; empty where it means something.")]
    states: Count | None
    transitions: Count | None
    depth: Count | None
    faults: _OfATrace
    steps: _OfATrace
    seconds: Seconds
    wall: Annotated[Seconds, Meta(description="With the start of its process.")]
    digest: Annotated[str, Meta(description="Of the system that was explored.")]
    died: bool


def schema() -> pa.Schema:
    """The columns of a sweep's table, as `deciding.decided_apart` fills them."""
    import pyarrow as pa

    text, number, real, names = pa.string(), pa.int64(), pa.float64(), pa.list_(pa.string())
    kinds = {
        "cell": text, "property": text, "release": text, "scope": text, "fixes": names, "assumptions": names,
        "listener": text, "bounds": text, "verdict": text, "expected": text, "reason": text, "detail": text,
        "vacuous": text,
        "states": number, "transitions": number, "depth": number, "faults": number, "steps": number,
        "seconds": real, "wall": real, "digest": text, "died": pa.bool_(),
    }  # fmt: skip
    return pa.schema(list(kinds.items()))


def nonsense_in(row: Row) -> str | None:
    """What no question's row can say, although it has the types of one; None where all of it can be."""
    try:
        return _nonsense_in(row)
    except (TypeError, ValueError, OverflowError, RecursionError, ValidationError) as error:
        return f"makes no sense: {error}"


def _nonsense_in(row: Row) -> str | None:
    said = convert(row, RowJson)
    world = (said.release, said.scope, said.fixes, said.assumptions, said.listener)
    question = ClaimInWorld(said.property, *world, json.loads(said.bounds))
    if question.id != said.cell:
        return f"has the row of question {question.id}"
    undecided = said.verdict is Verdict.UNKNOWN
    if undecided is (said.reason is None) or (undecided and said.reason not in (*Reason, DIED, ERROR)):
        return f"says {said.verdict} for the reason {said.reason}"
    if not undecided and (said.states is None or said.died):
        return f"says {said.verdict} without states"
    if said.vacuous and said.verdict is not Verdict.HOLDS:
        return f"says {said.verdict}, and of what could have broken the claim {said.vacuous!r}"
    return None

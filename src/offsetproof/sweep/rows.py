"""A row of a sweep's table: its columns, and what a row can say."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from offsetproof.lang.cases import Expectation
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.result import Reason, Verdict

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

DIED, ERROR = "died", "error"
"""Reasons for which a question is UNKNOWN beside those of every question: its process ended, or could not ask."""

_COUNTS = ("states", "transitions", "depth", "faults", "steps")
_TIMES = ("seconds", "wall")


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
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return f"makes no sense: {error}"


def _nonsense_in(row: Row) -> str | None:
    names = (tuple(row["fixes"]), tuple(row["assumptions"]))
    question = ClaimInWorld(
        row["property"], row["release"], row["scope"], *names, row["listener"], json.loads(row["bounds"])
    )
    if question.id != row["cell"]:
        return f"has the row of question {question.id}"
    undecided = Verdict(row["verdict"]) is Verdict.UNKNOWN
    if undecided is (row["reason"] is None) or (undecided and row["reason"] not in (*Reason, DIED, ERROR)):
        return f"says {row['verdict']} for the reason {row['reason']}"
    if not undecided and (row["states"] is None or row["died"] is not False):
        return f"says {row['verdict']} without states"
    if row["vacuous"] is None or (row["vacuous"] and Verdict(row["verdict"]) is not Verdict.HOLDS):
        return f"says {row['verdict']}, and of what could have broken the claim {row['vacuous']!r}"
    if row["expected"] not in (None, *Expectation):
        return f"says that {row['expected']} is expected"
    numbers = [row[name] for name in _COUNTS if row[name] is not None] + [row[name] for name in _TIMES]
    if not all(math.isfinite(each) and each >= 0 for each in numbers):
        return "has a count or a time below 0"
    return None

"""Explains why a reset does not stay (claim I5), as `offsetproof explain I5` does, and writes data."""

from __future__ import annotations

import json
from typing import Any

from offsetproof.checking.request import Request
from offsetproof.explain.causes import Cause, distinct, explanations_of, names_of
from offsetproof.explain.names import CauseName
from offsetproof.explain.report import endings
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.trace import Trace
from studies import RECORDS

DATA = RECORDS / "resets.json"

CLAIM = "I5"
CAUSES_MAX = 20
"""As many per scope as `explain` looks for unless it is told otherwise."""


def main() -> None:
    """Finds all causes, and writes what was found."""
    explanations = list(explanations_of(Request(ROCKETMQ, (CLAIM,)), CAUSES_MAX))
    causes = distinct(explanations)
    record = {
        "whole": all(one.is_whole for one in explanations),
        "scopes": [one.first.setting.scope.name for one in explanations],
        "ends": list(endings(explanations)),
        "causes": [_cause(cause, name) for cause, name in zip(causes, names_of(causes), strict=True)],
    }
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _cause(cause: Cause, name: CauseName) -> dict[str, Any]:
    trace = cause.answer.trace
    assert trace is not None
    return {
        "name": name.name,
        "sentence": name.sentence,
        "scopes": [trace.world.scope.name, *cause.also_in],
        "steps": trace.length,
        "faults": trace.faults,
        "stall": stall(trace),
        "effect": trace.effect.kind if trace.effect else "",
        "removed_by": list(cause.removed_by),
        "unsettled": [
            [scope, each.name, str(each.left and each.left.verdict)] for scope, each in cause.unsettled_removals
        ],
        "actions": list(cause.actions),
    }


def stall(trace: Trace) -> str:
    """The smallest stall that a story needs, in words."""
    if trace.timing is None:
        return "not known"
    return f"{trace.timing.stall:.3g} s" if trace.timing.stall else "none"


if __name__ == "__main__":
    main()

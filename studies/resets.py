"""Explains why a reset does not stay (claim I5), as `offsetproof explain I5` does, and writes data.

`python -m studies.resets broker` does so for the reset at the broker of 5.3.3, and finds what repairs it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from offsetproof.checking.request import Request, questions_of
from offsetproof.explain.causes import Cause, distinct, explanations_of, names_of
from offsetproof.explain.names import CauseName
from offsetproof.explain.repairs import smallest_repairs
from offsetproof.explain.repairs_report import repairs_json
from offsetproof.explain.report import endings
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.trace import Trace
from studies import RECORDS

DATA = RECORDS / "resets.json"

AT_BROKER = RECORDS / "resets-at-broker.json"

CLAIM = "I5"
RESETS_AT_BROKER = "5.3.3"
CAUSES_MAX = 20
"""As many per scope as `explain` looks for unless it is told otherwise."""
REPAIRS_MAX = 2
"""As many parts as a repair has that `explain` looks for."""


def main() -> None:
    """Finds all causes in 4.9.4, and writes what was found."""
    _write(DATA, _causes_in("4.9.4"))


def at_broker() -> None:
    """Finds the causes where the broker resets, and the smallest repairs."""
    request = Request(ROCKETMQ, (CLAIM,), (RESETS_AT_BROKER,))
    found = smallest_repairs(questions_of(request), REPAIRS_MAX)
    _write(AT_BROKER, {**_causes_in(RESETS_AT_BROKER), "repairs": json.loads(repairs_json(ROCKETMQ.name, found))})


def _causes_in(release: str) -> dict[str, Any]:
    explanations = list(explanations_of(Request(ROCKETMQ, (CLAIM,), (release,)), CAUSES_MAX))
    causes = distinct(explanations)
    return {
        "whole": all(one.is_whole for one in explanations),
        "scopes": [one.first.setting.scope.name for one in explanations],
        "ends": list(endings(explanations)),
        "causes": [_cause(cause, name) for cause, name in zip(causes, names_of(causes), strict=True)],
    }


def _write(file: Path, record: dict[str, Any]) -> None:
    file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


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
    if sys.argv[1:] == ["broker"]:
        at_broker()
    else:
        main()

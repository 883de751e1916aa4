"""Explains why a reset does not stay (claim I5), as `offsetproof explain I5` does, and writes data.

`python -m studies.resets broker` does so for the reset at the broker of 5.3.3, finds what repairs it, and replays each
cause on the unmodified classes of the releases with that reset.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from offsetproof.checking.request import Request, questions_of
from offsetproof.conformance.on_release import prepare, replay_on, rig_of
from offsetproof.explain.causes import Cause, distinct, explanations_of, names_of
from offsetproof.explain.names import CauseName
from offsetproof.explain.repairs import smallest_repairs
from offsetproof.explain.repairs_report import repairs_json
from offsetproof.explain.report import endings
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.real.sidecar import Gates
from offsetproof.traces.trace import Trace
from studies import RECORDS

Record = dict[str, Any]

DATA = RECORDS / "resets.json"

AT_BROKER = RECORDS / "resets-at-broker.json"

CLAIM = "I5"
RESETS_AT_BROKER = "5.3.3"
ON_CLASSES_OF = (RESETS_AT_BROKER, "5.5.0")
"""The releases whose classes show the causes; what 5.5.0 adds takes no part in them."""
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
    found = smallest_repairs(questions_of(request), REPAIRS_MAX, subject=ROCKETMQ.name)
    record = _causes_in(RESETS_AT_BROKER, ON_CLASSES_OF)
    _write(AT_BROKER, {**record, "repairs": json.loads(repairs_json(ROCKETMQ.name, found))})


def _causes_in(release: str, on_classes_of: Sequence[str] = ()) -> Record:
    explanations = list(explanations_of(Request(ROCKETMQ, (CLAIM,), (release,)), CAUSES_MAX))
    causes = distinct(explanations)
    replayed = {published: _replayed(causes, published) for published in on_classes_of}
    return {
        "whole": all(one.is_whole for one in explanations),
        "scopes": [one.first.setting.scope.name for one in explanations],
        "ends": list(endings(explanations)),
        "causes": [_cause(cause, name) for cause, name in zip(causes, names_of(causes), strict=True)],
        **({"real": replayed} if replayed else {}),
    }


def _replayed(causes: Sequence[Cause], release: str) -> list[Record]:
    """What became of each cause on the classes of a release, in their order."""
    prepared = [prepare(f"cause {number}", _trace(cause)) for number, cause in enumerate(causes, 1)]
    outcomes = (each.outcome for each in replay_on(rig_of(release), prepared, Gates.DEBUGGER))
    return [{"outcome": one.kind.value, "step": one.step, "reason": one.reason or None} for one in outcomes]


def _write(file: Path, record: Record) -> None:
    file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _cause(cause: Cause, name: CauseName) -> Record:
    trace = _trace(cause)
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


def _trace(cause: Cause) -> Trace:
    assert cause.answer.trace is not None
    return cause.answer.trace


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

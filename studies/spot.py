"""Measures spot checks: how many of fifty seeded defects they notice, and what they cost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any
from unittest.mock import patch

from systems.seeded import SEEDED, Seeded

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.spot import BRIEF, WHOLE, SpotLimits, spot_check
from offsetproof.lang.setting import Setting
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError
from studies import RECORDS
from studies.spot_before import eight_states

DATA = RECORDS / "spot.json"

Check = Callable[..., object]


def without_clock(limits: SpotLimits) -> Check:
    """The check as it is, but for the clock, so that a slow machine finds the same."""

    def check(search: Any, staged: Any, reference: Any, props: Any, _: object) -> object:
        return spot_check(search, staged, reference, props, replace(limits, seconds=3600.0))

    return check


WITHOUT_CLOCK, BRIEF_WITHOUT_CLOCK = without_clock(WHOLE), without_clock(BRIEF)

ASKED = (("I5-forward-calm", "calm-reset"), ("I3-monotone", "come-back"))
"""Claims about RocketMQ that hold, with the scopes in which the cost is measured."""


@dataclass(frozen=True)
class Tried:
    """One check of one model: what it said (empty: nothing), its seconds of processor time, and what was searched."""

    said: str
    seconds: float
    states: int
    instances: int


def try_check(seeded: Seeded, check: Check) -> Tried:
    """Decides the seeded model with this spot check."""
    with seeded.unread():
        model = seeded.made()
        return _try_on(Question(model, Setting(seeded.scope), model.claims[0]), check)


def _try_on(question: Question, check: Check) -> Tried:
    findings: list[tuple[float, int, int]] = []

    def timed(search: Any, *rest: Any) -> object:
        start = time.thread_time()
        try:
            return check(search, *rest)
        finally:
            findings.append((time.thread_time() - start, search.count, len(search.system.instances)))

    said = ""
    with patch("offsetproof.engines.explicit.results.spot_check", timed):
        try:
            Explicit().decide(question)
        except DisagreementError as error:
            said = str(error)
    seconds, states, instances = findings[0]
    return Tried(said, round(seconds, 4), states, instances)


def seeded_record(seeded: Seeded) -> dict[str, Any]:
    """What the checks make of a seeded model."""
    before, after = try_check(seeded, eight_states), try_check(seeded, WITHOUT_CLOCK)
    brief = try_check(seeded, BRIEF_WITHOUT_CLOCK)
    return {
        "kind": seeded.kind,
        "shape": seeded.shape.__name__,
        "bounds": seeded.bounds,
        "states": after.states,
        "instances": after.instances,
        "before": {"noticed": bool(before.said), "seconds": before.seconds},
        "after": {"noticed": bool(after.said), "seconds": after.seconds},
        "brief": {"noticed": bool(brief.said), "seconds": brief.seconds},
    }


def cost_record(id: str, scope: str) -> dict[str, Any]:
    """What both checks cost for a claim about RocketMQ."""
    question = questions_of(Request(ROCKETMQ, properties=(id,), scope=scope))[0]
    before, after = _try_on(question, eight_states), _try_on(question, spot_check)
    if before.said or after.said:
        raise DisagreementError(before.said or after.said)
    return {"claim": id, "scope": scope, "before": before.seconds, **asdict(after)}


def main() -> None:
    measured = {
        "seeded": [seeded_record(seeded) for seeded in SEEDED],
        "rocketmq": [cost_record(id, scope) for id, scope in ASKED],
    }
    for record in measured["rocketmq"]:
        print(record)
    DATA.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

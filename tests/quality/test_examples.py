"""The examples and the README's model give the answers that their texts promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.verdict.question import Reductions
from offsetproof.verdict.result import Verdict

ROOT = Path(__file__).parents[2]


def _answers(name: str, *fixes: str, scope: str | None = None) -> dict[str, Answer]:
    subject = load_subject(str(ROOT / "examples" / f"{name}.py"))
    request = Request(subject, fixes=fixes, scope=scope, reductions=Reductions(slicing=False, dead=False))
    return {a.result.prop.id: a for a in answers(subject, explicit_alone(), questions_of(request))}


@pytest.mark.parametrize(("scope", "steps"), [("two", 4), ("three", 6)])
def test_an_update_is_lost_when_a_worker_reads_before_another_writes(scope: str, steps: int) -> None:
    found = _answers("lost_update", scope=scope)["every_update_counts"]
    assert found.result.verdict is Verdict.REFUTED
    assert found.trace is not None
    assert found.trace.length == steps


def test_lease_alone_does_not_keep_the_order_of_grants() -> None:
    found = _answers("lease")["writes_come_in_the_order_of_grants"]
    assert found.trace is not None
    actors = [step.actor for step in found.trace.steps]
    assert actors == ["client[0]", "lock service", "client[1]", "client[1]", "client[0]"]


def test_fencing_keeps_the_order_of_grants() -> None:
    assert {a.result.verdict for a in _answers("lease", "fencing").values()} == {Verdict.HOLDS}


def test_four_litres_take_six_steps() -> None:
    found = _answers("water_jugs")["four_litres"]
    assert found.result.verdict is Verdict.HOLDS
    assert found.trace is not None
    assert found.trace.length == 6
    assert found.trace.states[-1]["big"] == 4


@pytest.mark.parametrize(("scope", "states", "depth"), [("two", 401, 27), ("three", 724_274, 60)])
def test_requests_are_granted_one_at_a_time(scope: str, states: int, depth: int) -> None:
    """The counts in scope three are published for this algorithm with three processes and clocks up to six."""
    subject = load_subject(str(ROOT / "examples" / "lamport_mutex.py"))
    (answer,) = answers(subject, explicit_alone(), questions_of(Request(subject, scope=scope)))
    counts = answer.result.counts
    assert (answer.result.verdict, counts.states, counts.depth) == (Verdict.HOLDS, states, depth)

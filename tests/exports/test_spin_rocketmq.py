"""SPIN on scopes of the RocketMQ model: the same states, depth, verdict and shortest length as the explicit engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pytest
from exports.test_spin import QUICK, explored, named_steps, replayed

from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.reducing import reduced
from offsetproof.exports.exported import Exported, exported
from offsetproof.exports.spin import run_spin
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Result

ENGINE = Explicit()


@dataclass(frozen=True)
class Case:
    """One claim in one scope with other bounds, decided by the explicit engine and exported for another tool."""

    scope: str
    claim: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    reductions: Reductions = Reductions()

    @property
    def name(self) -> str:
        """How the case is called in reports."""
        bounds = [f"{name}={value}" for name, value in self.bounds.items()]
        plain = [] if self.reductions == Reductions() else ["unreduced"]
        return "-".join([self.claim, self.scope, *bounds, *plain])

    @property
    def question(self) -> Question:
        """The claim without the witnesses that it needs, so that the slice is its own."""
        request = Request(
            ROCKETMQ, properties=(self.claim,), scope=self.scope, bounds=self.bounds, reductions=self.reductions
        )
        (question,) = questions(request)
        return replace(question, witnesses=())

    @cached_property
    def result(self) -> Result:
        """What the explicit engine says."""
        return ENGINE.decide(self.question)

    @property
    def length(self) -> int | None:
        """The steps of its smallest trace."""
        return None if self.result.replay is None else len(self.result.replay.labels)

    @cached_property
    def export(self) -> Exported:
        """The exported system, with as many faults as the smallest trace has: other tools minimise steps alone."""
        question, replay = self.question, self.result.replay
        system, notes = reduced(ENGINE.staged(question).system((question.prop,)), question)
        cap = None if replay is None else replay.faults
        return exported(
            ROCKETMQ.name, question.setting, question.model, system, (question.prop,), reductions=notes, fault_cap=cap
        )


PLAIN = Reductions(slicing=False, dead=False)

SMALL = (
    Case("calm-reset", "I5", {"messages": 1}),
    Case("calm-reset", "I5-forward-calm", {"messages": 1}),
    Case("calm-reset", "W-redone", {"messages": 1}),
    Case("reset", "I5-forward", {"messages": 1}),
    Case("reset", "I7", {"messages": 1}),
    Case("reset", "I7-no-stalled-task", {"messages": 1}),
    Case("moving-reset", "I7", {"view_changes": 1}),
    Case("moving-reset", "I1-group", {"lives": 2, "view_changes": 1}),
    Case("reset-two", "I1", {"view_changes": 0}),
    Case("come-back", "I1", {"messages": 1}),
    Case("come-back", "I17", {"messages": 1}),
    Case("come-back", "W-late-poll", {"messages": 1}),
    Case("calm-reset", "I17", {"messages": 1}, PLAIN),
)
"""Up to 110,000 states each."""

LARGE = (
    Case("calm-reset", "I5"),
    Case("calm-reset", "I5-forward-calm"),
    Case("calm-reset", "I17"),
    Case("moving-reset", "I18"),
    Case("moving-reset", "I7-no-stalled-task"),
    Case("hand-over", "I8", {"messages": 1}),
    Case("hand-over", "I1", {"messages": 1}),
    Case("reset", "I7", {"messages": 1}, PLAIN),
)
"""Up to a million states each."""


def agrees(case: Case, folder: Path) -> None:
    """Everything that SPIN says about a case is what the explicit engine says; its trace replays."""
    whole = run_spin(case.export, folder=folder, options=QUICK)
    assert (whole.states, whole.depth) == explored(case.export.system)
    assert 1_000 <= whole.states <= 1_100_000
    judged = run_spin(case.export, claim=case.claim, folder=folder, options=QUICK)
    assert (judged.violated, judged.length) == (None if case.length is None else case.claim, case.length)
    if case.length is None:
        assert (judged.states, judged.depth) == (case.result.counts.states, case.result.counts.depth)
    else:
        replay = replayed(case.export, case.question.prop, named_steps(case.export, judged))
        assert len(replay.labels) == case.length


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_spin_agrees_with_the_explicit_engine(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_spin_agrees_with_the_explicit_engine_on_a_million_states(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_cases_hold_and_break_with_and_without_faults() -> None:
    results = [case.result for case in SMALL]
    assert {result.verdict.value for result in results} == {"HOLDS", "REFUTED"}
    assert {result.replay.faults for result in results if result.replay is not None} >= {0, 1}

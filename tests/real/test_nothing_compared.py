"""Conformance that compared nothing says so: walks that cannot begin end, and no step is no agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance import walks
from offsetproof.conformance.stores import conform_store, store_components
from offsetproof.conformance.walks import Conformed, conform_settings, settings_to_conform
from offsetproof.guard.judge_report import conformance_in_words
from offsetproof.guard.judging import Judgement
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import NoSubjectError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformance, Conformer
from offsetproof.real.replay import OutcomeKind, Replayer, ReplayOutcome, RigStep, SentSteps
from offsetproof.real.sidecar import Gates
from offsetproof.reports.conformance import conformance_text
from offsetproof.verdict.exits import Exit

ORDERLY = SINGLES["orderly"].subjects[0]
RIG = CompiledRig("4.9.4", Path("rig.jar"), "rig.jar", "java")


class Rig:
    """A rig that answers each walk with the same outcome, and takes some of its steps."""

    def __init__(self, outcome: ReplayOutcome, taken: int) -> None:
        self.outcome, self.taken, self.walks = outcome, taken, count()

    def can_do(self, action: str) -> bool:  # noqa: ARG002  # the interface of what it stands for
        """Anything can be tried."""
        return True

    def send(self, scope: object, first: Any, steps: Sequence[RigStep]) -> SentSteps:  # noqa: ARG002  # the interface of what it stands for
        """Fails where the walks come to no end."""
        assert next(self.walks) < 200, "walks without an end"
        return SentSteps(first, steps[: self.taken], [])

    def answers(self) -> None:
        """Nothing."""

    def judge(self, sent: SentSteps, answered: object) -> ReplayOutcome:  # noqa: ARG002  # the interface of what it stands for
        """Always the same."""
        return self.outcome


def walked(outcome: ReplayOutcome, taken: int) -> Conformance:
    staged = Staged(ORDERLY.model, settings_to_conform(ORDERLY, "orderly")[0])
    return Conformer(staged, cast("Replayer", Rig(outcome, taken)), 1).go(100)


def test_walks_that_cannot_begin_come_to_an_end() -> None:
    result = walked(ReplayOutcome(OutcomeKind.NOT_FORCEABLE, 0, step=1, reason="it cannot be enforced"), 0)
    assert (result.steps, result.disagreements) == (0, [])


def test_difference_before_the_first_step_is_told() -> None:
    why = "the rig does not start where the model does"
    (found,) = walked(ReplayOutcome(OutcomeKind.DIVERGED, 0, (), 0, "cell", 1, 2, why), 60).disagreements
    assert str(found) == f"before the first step: cell is 2 and not 1: {why}"
    assert not found.is_elsewhere


class Armed:
    """A sidecar of which nothing is asked but where to hold threads."""

    def ask(self, op: str, **values: object) -> None:  # noqa: ARG002  # the interface of what it stands for
        """Only that."""
        assert op == "arm"


@contextmanager
def _armed(*_: object) -> Iterator[Armed]:
    yield Armed()


def test_component_without_a_step_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "running", _armed)
    settings = settings_to_conform(ORDERLY, "orderly")
    (done,) = conform_settings(RIG, ORDERLY, settings[:1], steps=0, seed=0, gates=Gates.WOVEN)
    assert not done.agrees
    assert done.not_held == "no step was compared: there are fewer steps than components; --steps says how many"
    assert "UNKNOWN" in conformance_text([done], 100)


def test_component_of_which_actions_are_not_done_is_no_success_of_a_patch() -> None:
    held = Conformed("orderly", "orderly", "4.9.4", Conformance(steps=9), 0.1, lacking={"consumer_pulls": "no line"})
    assert Judgement("a claim", "4.9.4", cast("Any", None), (), (held,)).exit == Exit.UNKNOWN
    assert "; no disagreements; 1 component with actions that have no place there; " in conformance_text([held], 200)
    assert conformance_in_words(held) == "not passed, 9 steps without consumer_pulls"


def test_store_that_one_of_the_release_hides_is_refused(rig: CompiledRig, tmp_path: Path) -> None:
    stock = store_components()["offset-store"]
    with pytest.raises(NoSubjectError, match=r"rocketmq-client-.*jar of release 4.9.4 has it as well"):
        conform_store(rig, "offset-store", stock, str(tmp_path), steps=10, seed=1)

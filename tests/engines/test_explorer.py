"""The explicit engine decides alike whoever explores for it: what it hands on, takes back, and makes of errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import InThisProcess, Searched
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.spark.engine import OnSpark
from offsetproof.engines.whole_files import CheckpointError, DamagedError
from offsetproof.examples.toys import TOYS
from offsetproof.ir.system import State
from offsetproof.lang.cases import HOLDS, REFUTED, Expectation
from offsetproof.programs import ProgramFailedError
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

FAULTY = next(toy for toy in TOYS if toy.model.__name__ == "Slips" and toy.prop.id == "never_arrives")
ASKED = Question(FAULTY.model, FAULTY.setting, FAULTY.prop)


class ExcusedError(Exception):
    """One after which the violation that is known is told."""


class Elsewhere(InThisProcess):
    """Explores here and says that it is elsewhere; searches with a cap end with an error, if there is one."""

    name = "elsewhere"
    begins_with_all_faults = True

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.caps: list[int | None] = []

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        self.caps.append(fault_cap)
        if fault_cap is not None and self.error is not None:
            raise self.error
        return super().search(question, program, initial, fault_cap, limits)

    def is_excused(self, error: Exception) -> bool:
        return isinstance(error, ExcusedError)


def test_engine_has_the_name_of_what_explores_and_says_the_same_but_for_that() -> None:
    elsewhere = Elsewhere()
    engine, here = Explicit(explore=elsewhere), Explicit().decide(ASKED)
    result = engine.decide(ASKED)
    assert (engine.name, result.engine, here.engine) == ("elsewhere", "elsewhere", "explicit")
    assert (result.verdict, result.counts, result.notes) == (Verdict.REFUTED, here.counts, here.notes)
    assert result.replay is not None
    assert here.replay is not None
    assert result.replay.labels == here.replay.labels


def test_searches_are_the_whole_one_and_then_one_per_number_of_faults() -> None:
    elsewhere = Elsewhere()
    result = Explicit(explore=elsewhere).decide(ASKED)
    assert result.replay is not None
    assert elsewhere.caps == [None, *range(len(elsewhere.caps) - 1)]
    assert len(elsewhere.caps) > 1


@pytest.mark.parametrize(
    ("verdict", "seconds", "caps"),
    [(HOLDS, None, [None, 0, 1]), (REFUTED, None, [0, 1]), (REFUTED, 600.0, [None, 0, 1])],
)
def test_search_with_all_faults_is_left_out_where_a_violation_is_expected_and_time_is_not_limited(
    verdict: Expectation, seconds: float | None, caps: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Elsewhere, "begins_with_all_faults", False)
    slips = next(toy for toy in TOYS if toy.name == "Slips-never_arrives-slippery")
    prop = replace(slips.prop, case=replace(slips.prop.case, expected=verdict, elsewhere={}, scopes=()))
    elsewhere = Elsewhere()
    asked = Question(slips.model, slips.setting, prop, limits=Limits(seconds=seconds))
    assert Explicit(explore=elsewhere).decide(asked).verdict is Verdict.REFUTED
    assert elsewhere.caps == caps


def test_excused_error_costs_the_search_for_fewer_faults_only() -> None:
    result = Explicit(explore=Elsewhere(ExcusedError("the tasks are gone"))).decide(ASKED)
    assert (result.verdict, result.notes) == (
        Verdict.REFUTED, ("whether fewer faults suffice was not established: the tasks are gone",),
    )  # fmt: skip


def test_any_other_error_is_raised() -> None:
    with pytest.raises(ValueError, match="odd"):
        Explicit(explore=Elsewhere(ValueError("odd"))).decide(ASKED)


def test_limits_to_prepare_are_those_of_what_explores() -> None:
    limits = Limits(states=7, bytes=1, seconds=3.0)

    def no_site(_question: Question) -> None:
        raise AssertionError

    on_spark = OnSpark(no_site)  # type: ignore[arg-type]  # nothing is explored
    asked = replace(ASKED, limits=limits)
    assert Explicit().limits_to_prepare(asked) == limits
    assert on_spark.begins_with_all_faults
    assert Explicit(explore=on_spark).limits_to_prepare(asked) == Limits(states=7, seconds=3.0)
    errors = [ProgramFailedError(), CheckpointError(), DamagedError(), ValueError()]
    assert [on_spark.is_excused(error) for error in errors] == [True, True, False, False]
    assert not any(InThisProcess().is_excused(error) for error in errors)

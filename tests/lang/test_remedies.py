"""What makes a refuted case hold is said once: by the case that holds, or else in a remedy of the refuted one's own."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from offsetproof.checking.request import question_with_remedy
from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Assumption,
    Case,
    DeclarationError,
    Fix,
    Listener,
    Model,
    Remedy,
    Scope,
    Subject,
    action,
    always,
    case,
    flag,
    remedy,
)
from offsetproof.verdict.limits import Limits

KEEPS, LOCKS = Fix("keeps", "keeps what it has"), Fix("locks", "locks before it writes")
QUIET, ALONE = Assumption("quiet", "nothing is late"), Assumption("alone", "nobody else writes")
USUAL, RUDE, KIND = Listener("usual", "as most do"), Listener("rude", "throws"), Listener("kind", "returns")


class Lamp(Model):
    """A lamp that may be lit."""

    scopes = (Scope("day", {}), Scope("night", {}))
    fixes = (KEEPS, LOCKS)
    assumptions = (QUIET, ALONE)
    listeners = (USUAL, RUDE, KIND)
    lit: bool = flag()

    @action()
    def lights(self) -> None:
        self.lit = True


def remedies(refuted: Case, *others: Case) -> tuple[Remedy, ...]:
    """What the claim makes of the remedies of its first case."""

    @always(refuted, *others)
    def stays_dark(model: Lamp) -> bool:
        return not model.lit

    return stays_dark.cases[0].remedies


def test_named_case_is_a_remedy_in_each_scope_that_both_are_asked_in() -> None:
    falls = case("D1", REFUTED, "day", "night", "dawn", remedies=["D2"])
    holds = case("D2", HOLDS, "dusk", "dawn", "day", fixes=[KEEPS])
    assert remedies(falls, holds) == (
        Remedy("day", fixes=(KEEPS,), case="D2"),
        Remedy("dawn", fixes=(KEEPS,), case="D2"),
    )


def test_remedy_is_what_the_named_case_has_beside_the_refuted_one() -> None:
    falls = case("D1", REFUTED, "day", fixes=[KEEPS], assumptions=[QUIET], listener=RUDE, remedies=["D2"])
    holds = case("D2", HOLDS, "day", fixes=[KEEPS, LOCKS], assumptions=[QUIET, ALONE], listener=KIND)
    assert remedies(falls, holds) == (Remedy("day", (LOCKS,), (ALONE,), KIND, case="D2"),)
    assert remedies(falls, holds)[0].world == "case D2, scope day"


def test_named_case_may_hold_without_an_assumption_of_the_refuted_one() -> None:
    falls = case("D1", REFUTED, "day", assumptions=[QUIET], remedies=["D2"])
    assert remedies(falls, case("D2", HOLDS, "day", fixes=[KEEPS])) == (Remedy("day", fixes=(KEEPS,), case="D2"),)


def test_named_and_spelled_remedies_stand_in_the_order_in_which_they_are_said() -> None:
    spelled = remedy("night", fixes=[LOCKS], bounds={"messages": 1})
    falls = case("D1", REFUTED, "day", "night", remedies=[spelled, "D2"])
    assert remedies(falls, case("D2", HOLDS, "day", fixes=[KEEPS])) == (
        spelled,
        Remedy("day", fixes=(KEEPS,), case="D2"),
    )


def test_remedy_of_cases_without_scopes_is_asked_in_the_models_first() -> None:
    @always(case("D1", REFUTED, remedies=["D2"]), case("D2", HOLDS, fixes=[KEEPS]))
    def stays_dark(model: Lamp) -> bool:
        return not model.lit

    (prop, _) = stays_dark.cases
    (named,) = prop.remedies
    asked = question_with_remedy(Subject("lamp", Lamp, stays_dark.cases), prop, named, Limits())
    assert (named.world, asked.setting.scope.name, asked.setting.fixes) == ("case D2", "day", (KEEPS,))


def falling(said: Iterable[Remedy | str]) -> Case:
    return case("D1", REFUTED, "day", fixes=[KEEPS], listener=RUDE, remedies=said)


HELD = case("D2", HOLDS, "day", fixes=[KEEPS, LOCKS], listener=RUDE)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (
            case("D3", HOLDS, "day", fixes=[KEEPS]),
            "is not a case of the claim; name one that holds (D3), or write remedy(",
        ),
        (case("D2", REFUTED, "day", fixes=[KEEPS, LOCKS], listener=RUDE), "is not expected to hold"),
        (case("D2", None, "day", fixes=[KEEPS, LOCKS], listener=RUDE), "is not expected to hold"),
        (case("D2", HOLDS, "day", fixes=[LOCKS], listener=RUDE), "is without keeps"),
        (case("D2", HOLDS, "day", fixes=[KEEPS, LOCKS]), "is without rude"),
        (case("D2", HOLDS, "night", fixes=[KEEPS, LOCKS], listener=RUDE), "is asked in no scope of D1 (day)"),
        (case("D2", HOLDS, fixes=[KEEPS, LOCKS], listener=RUDE), "is asked in no scope of D1 (day)"),
        (case("D2", HOLDS, "day", fixes=[KEEPS], listener=RUDE), "has nothing that D1 has not"),
    ],
)
def test_named_case_that_says_nothing_of_the_refuted_one_is_refused(named: Case, reason: str) -> None:
    with pytest.raises(DeclarationError, match=re.escape(reason)) as refused:
        remedies(falling(["D2"]), named)
    assert re.match(r".*test_remedies\.py:\d+: case D1 of claim stays-dark has the remedy '?D2", str(refused.value))
    assert "or write remedy(SCOPE, fixes=[...])" in str(refused.value)


def test_case_of_another_claim_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"'D2', which is not a case of the claim; .* \(there is none\)"):
        remedies(falling(["D2"]))


def test_fix_is_no_remedy() -> None:
    with pytest.raises(DeclarationError, match=r"has the remedy Fix\(.*; name a case of the claim that holds"):
        remedies(falling([LOCKS]), HELD)  # type: ignore[list-item]  # what a user may write


@pytest.mark.parametrize("assumptions", [(), (QUIET,)])
def test_remedy_that_a_case_states_is_refused(assumptions: tuple[Assumption, ...]) -> None:
    twin = remedy("day", fixes=[LOCKS], assumptions=assumptions)
    with pytest.raises(DeclarationError, match=r"case D1 .* for scope day that case D2 states .* remedies=\[\"D2\"\]"):
        remedies(falling([twin]), HELD)


def test_remedy_that_cases_without_scopes_state_is_refused() -> None:
    falls = case("D1", REFUTED, remedies=[remedy("day", fixes=[KEEPS])])
    with pytest.raises(DeclarationError, match="that case D2 states already"):
        remedies(falls, case("D2", HOLDS, fixes=[KEEPS]))


@pytest.mark.parametrize(
    "other",
    [
        remedy("day", fixes=[LOCKS], bounds={"messages": 1}),
        remedy("night", fixes=[LOCKS]),
        remedy("day", fixes=[LOCKS], listener=KIND),
        remedy("day", assumptions=[QUIET]),
    ],
)
def test_remedy_of_another_world_is_no_twin(other: Remedy) -> None:
    assert remedies(falling([other]), HELD) == (other,)

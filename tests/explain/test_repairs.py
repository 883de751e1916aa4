"""The smallest repairs of a claim, on a vault that is entered in three ways: compared with a search of every set."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import pytest
from cli.program import run

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.explain.causes import explanations_of
from offsetproof.explain.removers import Remover, removers_left, with_remover
from offsetproof.explain.repairs import Repairs, smallest_repairs
from offsetproof.explain.repairs_report import repairs_json, repairs_text
from offsetproof.lang import (
    Assumption,
    Behaviour,
    Fix,
    Model,
    Release,
    Scope,
    Subject,
    action,
    always,
    case,
    flag,
    integer,
    require,
    sometimes,
)
from offsetproof.lang.cases import Expectation
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

BOLT = Behaviour("bolt", "vault", "the door cannot be pushed")
BARS = Behaviour("bars", "vault", "nobody fits through the window")
PLASTER = Behaviour("plaster", "vault", "the roof cannot be broken")
PAINT = Behaviour("paint", "vault", "it looks better")
CLOSED = Assumption("closed", "nobody comes near")


class Vault(Model):
    """Entered by door, by window, and at night through the roof after a climb."""

    scopes = (Scope("day", {"night": 0}), Scope("night", {"night": 1}))
    releases = (Release("1"),)
    roles = ("vault",)
    fixes = tuple(Fix(each.name, "", adds=frozenset({each})) for each in (PAINT, BOLT, BARS, PLASTER))
    assumptions = (CLOSED,)
    near: bool = flag()
    height: int = integer(0, 3)
    inside: bool = flag()

    @action()
    def burglar_comes(self) -> None:
        require(not self.setting.assumes(CLOSED))
        self.near = True

    @action()
    def burglar_pushes_door(self) -> None:
        require(self.near, not self.setting.behaves(BOLT))
        self.inside = True

    @action()
    def burglar_passes_window(self) -> None:
        require(self.near, not self.setting.behaves(BARS))
        self.inside = True

    @action()
    def burglar_climbs(self) -> None:
        require(self.near, self.height < 3)
        self.height = self.height + 1

    @action()
    def burglar_breaks_roof(self) -> None:
        require(self.height == 2, self.scope.night == 1, not self.setting.behaves(PLASTER))
        self.inside = True

    @action()
    def burglar_falls_in(self) -> None:
        require(self.height == 3, not self.near)  # which no search finds, and nobody knows before
        self.inside = True

    @sometimes()
    def somebody_is_near(self) -> bool:
        return self.near

    @always(
        case("V", Expectation.REFUTED, "day", "night", needs=["somebody-is-near"], why="a vault", no_remedy="guards")
    )
    def nobody_gets_in(self) -> bool:
        """Nobody is inside."""
        return not self.inside


VAULT = Subject("vault", Vault, Vault.claims)


def _questions(scope: str | None = None, limits: Limits = Limits()) -> list[Question]:
    return questions_of(Request(VAULT, ("V",), scope=scope, limits=limits))


def _names(removers: tuple[Remover, ...]) -> frozenset[str]:
    return frozenset(each.name for each in removers)


def _found(repairs: Repairs) -> dict[frozenset[str], bool]:
    return {_names(each.removers): each.holds for each in repairs.found}


def _refuted(removers: tuple[Remover, ...], questions: list[Question]) -> bool:
    """Is the claim refuted with a set in some scope? Each one is searched."""
    for question in questions:
        setting = question.setting
        for each in removers:
            setting = with_remover(setting, each)
        if explicit_alone().only.decide(replace(question, setting=setting)).verdict is Verdict.REFUTED:
            return True
    return False


@pytest.mark.parametrize("scope", ["day", "night", None])
def test_repairs_are_the_smallest_sets_that_no_search_refutes(scope: str | None) -> None:
    questions = _questions(scope)
    found = smallest_repairs(questions, 4)
    removers = removers_left(questions[0])
    expected: list[frozenset[str]] = []
    for size in range(1, found.size + 1):
        for each in combinations(removers, size):
            if not any(known <= _names(each) for known in expected) and not _refuted(each, questions):
                expected.append(_names(each))
    assert [*_found(found)] == expected
    assert (
        frozenset({"bolt", "bars"}) in expected
        if scope == "day"
        else frozenset({"bolt", "bars", "plaster"}) in expected
    )


def test_each_set_was_tried_and_a_known_counterexample_spares_a_search() -> None:
    found = smallest_repairs(_questions(), 4)
    assert (found.size, found.tried) == (3, 5 + 6 + 4)
    assert found.searched < 10
    assert [each.name for (repair,) in [found.whole] for each in repair.removers] == ["bolt", "bars", "plaster"]


def test_what_goes_round_all_causes_tells_none_of_them_apart() -> None:
    class Watched(Vault):
        wholesale = (CLOSED, PLASTER)

    (known,) = explanations_of(Request(VAULT, ("V",), scope="day"), 9)
    (apart,) = explanations_of(Request(Subject("watched", Watched, Watched.claims), ("V",), scope="day"), 9)
    assert ["closed" in [each.name for each in cause.removals] for cause in known.causes] == [True]
    assert sorted(cause.removed_by for cause in apart.causes) == [("bars",), ("bolt",)]


def test_set_under_which_nothing_is_left_to_break_is_no_repair() -> None:
    (closed,) = (each for each in smallest_repairs(_questions(), 1).found)
    assert (_names(closed.removers), closed.holds) == (frozenset({"closed"}), False)
    assert [result.setting.scope.name for result in closed.vacuous] == ["day", "night"]
    assert closed.undecided == ()


def test_search_that_met_its_limit_makes_no_repair() -> None:
    found = smallest_repairs(_questions("night", Limits(states=4)), 3)
    assert found.whole == ()
    assert {result.reason for each in found.found for result in each.undecided} == {Reason.STATES}
    said = "the state limit of a search is 4 here; `--max-states N` lets it go further\n"
    assert said in repairs_text("vault", found, 200)
    assert "state limit" not in repairs_text("vault", smallest_repairs(_questions(), 3), 200)


def test_report_says_what_holds_where_and_how_many_sets_were_tried() -> None:
    text = repairs_text("vault", smallest_repairs(_questions(), 3), 80)
    assert text.startswith("vault 1: nobody-gets-in (V) holds in all of its scopes with 1 smallest repair\n")
    assert "15 sets of fixes and assumptions tried, all those of at most 3:" in text
    assert max(map(len, text.splitlines())) <= 80
    document = json.loads(repairs_json("vault", smallest_repairs(_questions(), 3)))
    assert [(each["fixes"], each["assumptions"], each["holds"]) for each in document["repairs"]] == [
        ([], ["closed"], False),
        (["bolt", "bars", "plaster"], [], True),
    ]


def test_verb_ends_with_unknown_where_no_repair_is_known() -> None:
    words = ("explain", "I5", "--release=5.3.3", "--scope=calm-reset", "--repairs", "--no-progress")
    assert run(*words, "--max-repairs=1").code == 0
    none = run(*words, "--max-repairs=1", "--max-states=1000")
    assert (none.code, "was not decided" in none.out) == (30, True)
    ran = run("explain", "backward-reset-stays", "--repairs", "--no-progress")
    assert (ran.code, "name one case and one release to repair" in " ".join(ran.err.split())) == (2, True)

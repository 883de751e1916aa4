"""Claims with a table of cases: each case is asked by its id, all of them by the claim's name."""

from __future__ import annotations

import pytest

from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Behaviour,
    DeclarationError,
    Fix,
    Model,
    Property,
    Release,
    Scope,
    Subject,
    UnknownNameError,
    action,
    always,
    case,
    flag,
    remedy,
)
from offsetproof.lang.setting import Setting

BULB = Fix("bulb", "a bulb that cannot burn")


class Lamp(Model):
    """A lamp that may be lit."""

    scopes = (Scope("day", {}), Scope("night", {}))
    releases = (Release("1.0"), Release("2.0"))
    roles = ("lamp",)
    fixes = (BULB,)
    lit: bool = flag()

    @action()
    def lights(self) -> None:
        self.lit = True

    @always(
        case("D1", REFUTED, "day", "night", elsewhere={"2.0": HOLDS}, why="it lights", remedies=[remedy("day")]),
        case("D2", HOLDS, "night", fixes=[BULB], where="with another bulb"),
    )
    def stays_dark(self) -> bool:
        """It is dark."""
        return not self.lit


LAMP = Subject("lamp", Lamp, Lamp.claims)


def asked(*names: str) -> list[tuple[str, str, str | None]]:
    return [(q.prop.id, q.setting.scope.name, q.setting.release) for q in questions_of(Request(LAMP, names))]


def test_id_asks_one_case_and_the_claims_name_all_of_them() -> None:
    assert asked("D2") == [("D2", "night", "1.0"), ("D2", "night", "2.0")]
    assert [row[:2] for row in asked("stays-dark")] == [row[:2] for row in asked("D1", "D2")]
    assert len(asked("stays-dark")) == 6


def test_unknown_claim_is_told_with_the_nearest_id_or_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean stays-dark"):
        LAMP.named("stay-dark")


def test_case_says_what_is_special_after_the_claims_sentence() -> None:
    assert [prop.about for prop in Lamp.claims] == ["It is dark.", "It is dark, with another bulb."]


def test_expectation_is_that_of_the_release_where_it_differs() -> None:
    (first, second) = Lamp.claims
    one, two = ({"lamp": release} for release in Lamp.releases)
    day, night = Lamp.scopes
    assert first.expects(Setting(day, one)) is REFUTED
    assert first.expects(Setting(day, two)) is HOLDS
    assert second.expects(Setting(night, one)) is None
    assert second.expects(Setting(night, one, (BULB,))) is HOLDS
    assert second.expects(Setting(day, one, (BULB,))) is None


def other_dark(id: str) -> Property:
    @always(case(id, HOLDS))
    def stays_dark(model: Lamp) -> bool:
        return not model.lit

    (prop,) = stays_dark.cases
    return prop


def test_two_claims_of_one_name_are_refused() -> None:
    with pytest.raises(DeclarationError, match="the name stays-dark is also the name of claim D2"):
        Subject("lamp", Lamp, (other_dark("D3"), *Lamp.claims))


@pytest.mark.parametrize("id", ["stays-dark", "stays_dark"])
def test_id_that_is_another_claims_name_but_for_hyphens_is_refused(id: str) -> None:
    @always(case(id, HOLDS))
    def other(model: Lamp) -> bool:
        return model.lit

    with pytest.raises(DeclarationError, match=f"the id {id} is also the name of claim D2"):
        Subject("lamp", Lamp, (*other.cases, *Lamp.claims))


def test_name_that_is_another_claims_but_for_hyphens_is_refused() -> None:
    @always
    def stays_dark(model: Lamp) -> bool:
        return model.lit

    with pytest.raises(DeclarationError, match=r"the name stays.dark is also the name of claim"):
        Subject("lamp", Lamp, (*Lamp.claims, stays_dark))


@pytest.mark.parametrize("id", ["no_deadlock", "no-deadlock", "walk-by-hand", "walk_by_hand"])
def test_what_the_program_calls_its_own_is_no_name_for_a_claim(id: str) -> None:
    with pytest.raises(DeclarationError, match=f"{id} is what .* is called; rename the claim"):
        Subject("lamp", Lamp, (*Lamp.claims, other_dark(id)))


def test_ids_that_differ_in_a_hyphen_alone_are_refused() -> None:
    with pytest.raises(DeclarationError, match="two claims have the id D_1, or D-1;"):
        Subject("lamp", Lamp, (other_dark("D-1"), other_dark("D_1")))


def test_two_cases_of_one_id_are_refused() -> None:
    with pytest.raises(DeclarationError, match="two claims have the id D1"):
        Subject("lamp", Lamp, (*Lamp.claims, other_dark("D1")))


BRIGHT = Behaviour("bright", role="lamp", about="it is lit all day")


class Lamps(Model):
    """Lamps of which the newer ones are always lit."""

    scopes = (Scope("day", {}),)
    releases = (Release("1.0"), Release("2.0", frozenset({BRIGHT})))
    roles = ("lamp",)
    lit: bool = flag()

    @action()
    def lights(self) -> None:
        self.lit = True

    @always(
        case("L1", REFUTED, "day", why="it lights", no_remedy="a lamp lights"),
        case("L2", REFUTED, "day", not_of=[BRIGHT], why="the same", no_remedy="a lamp lights"),
        case("L3", REFUTED, "day", only_of=[BRIGHT], why="the same", no_remedy="a lamp lights"),
    )
    def stays_dark(self) -> bool:
        """It is dark."""
        return not self.lit


def asked_of_lamps(*names: str, releases: tuple[str, ...] = ()) -> list[tuple[str, str | None]]:
    request = Request(Subject("lamps", Lamps, Lamps.claims), names, releases)
    return [(question.prop.id, question.setting.release) for question in questions_of(request)]


@pytest.mark.parametrize("names", [(), ("stays-dark",)])
def test_case_is_not_asked_of_a_release_of_which_it_says_nothing(names: tuple[str, ...]) -> None:
    assert asked_of_lamps(*names) == [
        *(("L1", "1.0"), ("L1", "2.0")),
        ("L2", "1.0"),
        ("L3", "2.0"),
    ]


@pytest.mark.parametrize(("scope", "speaks"), [("day", True), ("night", False), ("night*", False)])
def test_case_may_say_nothing_of_a_release_in_one_of_its_scopes(scope: str, speaks: bool) -> None:
    silent = case("L", REFUTED, "day", "night", not_in={"night": [BRIGHT]}, why="it lights", no_remedy="a lamp lights")
    old, new = (Setting(Scope(scope, {}), {"lamp": release}) for release in Lamps.releases)
    assert silent.speaks_of(old)
    assert silent.speaks_of(new) is speaks


def test_case_that_is_named_itself_is_asked_all_the_same() -> None:
    assert asked_of_lamps("L2") == [("L2", "1.0"), ("L2", "2.0")]
    assert asked_of_lamps("L2", "stays-dark", releases=("2.0",)) == [("L2", "2.0"), ("L1", "2.0"), ("L3", "2.0")]


def test_case_of_later_releases_alone_is_asked_of_the_first_of_them_where_no_release_is_named() -> None:
    assert asked_of_lamps("L3") == [("L3", "2.0")]
    assert asked_of_lamps("L3", releases=("1.0",)) == [("L3", "1.0")]


def test_claim_that_says_nothing_of_the_named_release_is_refused_with_what_to_do() -> None:
    (alone,) = (prop for prop in Lamps.claims if prop.id == "L2")
    with pytest.raises(UnknownNameError, match=r"stays-dark says nothing of 2\.0; name a case .*: L2"):
        questions_of(Request(Subject("lamps", Lamps, (alone,)), ("stays-dark",), ("2.0",)))

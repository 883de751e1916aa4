"""The smallest repairs of a claim, on a vault that is entered in three ways: compared with a search of every set."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import pytest
from cli.program import run
from systems.schemas import read_valid

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
    Index,
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
CLOSED = Assumption("closed", "nobody comes near", today="lock the gate")


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


LAMPS = Index("lamp", "lamps")


class Tower(Model):
    """Entered by its door, and where it is low, through the roof; which lamp is lit makes many states."""

    scopes = (
        Scope("high", {"low": 0, "lamps": 9}, narrower={"lamps": 1}),
        Scope("low", {"low": 1, "lamps": 9}, narrower={"lamps": 1}),
        Scope("whole", {"low": 0, "lamps": 9}),
        Scope("dark", {"low": 0, "lamps": 1}),
    )
    releases = (Release("1"),)
    roles = ("tower",)
    fixes = (BOLT.fix,)
    lamp: int = integer(0, "lamps")
    height: int = integer(0, 4)
    inside: bool = flag()

    @action(lamp=LAMPS)
    def warden_lights(self, lamp: int) -> None:
        self.lamp = lamp + 1

    @action()
    def burglar_pushes_door(self) -> None:
        require(not self.setting.behaves(BOLT))
        self.inside = True

    @action()
    def burglar_climbs(self) -> None:
        require(self.lamp > 0, self.height < 3)
        self.height = self.height + 1

    @action()
    def burglar_breaks_roof(self) -> None:
        require(self.height == 4 - self.scope.low)
        self.inside = True

    @always(scopes=["dark", "high"])
    def nobody_gets_in(self) -> bool:
        return not self.inside


TOWER = Subject("tower", Tower, Tower.claims)


def _tower(scope: str | None = None, states: int | None = 20) -> Repairs:
    request = Request(TOWER, ("nobody_gets_in",), scope=scope, limits=Limits(states=states))
    return smallest_repairs(questions_of(request), 2)


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


def test_assumption_that_leaves_nothing_to_say_is_not_known_to_remove_a_cause() -> None:
    class Watched(Vault):
        wholesale = (CLOSED,)

    watched = Subject("watched", Watched, Watched.claims)
    found = smallest_repairs([*questions_of(Request(watched, ("V",)))], 1)
    (closed,) = (each for each in found.alone if each.remover.name == "closed")
    assert (closed.removes, closed.leaves, closed.unknown) == ((), (), tuple(range(len(found.causes))))
    assert len(found.causes) > 0
    said = "closed: not known of causes that were met in day, night, where it says nothing"
    assert said in " ".join(repairs_text("watched", found, 200).split())


def test_search_that_met_its_limit_makes_no_repair() -> None:
    found = smallest_repairs(_questions("night", Limits(states=4)), 3)
    assert found.whole == ()
    assert {result.reason for each in found.found for result in each.undecided} == {Reason.STATES}
    said = "the state limit of a search is 4 here; `--max-states N` lets it go further\n"
    assert said in repairs_text("vault", found, 200)
    assert "state limit" not in repairs_text("vault", smallest_repairs(_questions(), 3), 200)


def test_search_whose_time_ends_among_the_sets_of_a_size_is_not_told_as_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gate(Tower):
        fixes = (BOLT.fix, BARS.fix)

        @action()
        def burglar_pushes_door(self) -> None:
            require(not self.setting.behaves(BOLT), not self.setting.behaves(BARS))
            self.inside = True

    now = [0]
    monkeypatch.setattr("offsetproof.explain.asking.time", SimpleNamespace(monotonic=lambda: now[0]))
    request = Request(Subject("gate", Gate, Gate.claims), ("nobody_gets_in",), scope="dark", limits=Limits(seconds=9))

    def found_by(second: int) -> Repairs:
        """What is found where it is as late as this at the second set."""
        now[0] = 0

        def on_set(tried: int, _size: int) -> None:
            now[0] = second * (tried > 1)

        return smallest_repairs(questions_of(request), 2, on_set)

    whole, cut = found_by(0), found_by(99)
    assert [len(each.whole) for each in (whole, cut)] == [2, 1]
    assert [(each.interrupted, each.size) for each in (whole, cut)] == [(False, 1), (True, 0)]
    told = [repairs_text("gate", each, 200) for each in (whole, cut)]
    assert ["all those of at most" in text for text in told] == [True, False]
    assert ["interrupted: there may be others" in text for text in told] == [False, True]


def test_report_says_what_holds_where_and_how_many_sets_were_tried() -> None:
    text = repairs_text("vault", smallest_repairs(_questions(), 3), 80)
    assert text.startswith("vault 1: nobody-gets-in (V) holds in all of its scopes with 1 smallest repair\n")
    assert (
        "15 sets of fixes and assumptions tried, all those of at most 3 but for those that contain one of the table:"
        in " ".join(text.split())
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "  today: lock the gate\n" in text
    assert "\nof the model's others, 1, each leaves them all, or makes other causes of them\n" in text
    document = read_valid("repairs", repairs_json("vault", smallest_repairs(_questions(), 3)))
    assert document["alone"][0] == {
        "name": "bolt",
        "whose": "vault",
        "today": "",
        "removes": ["burglar-pushes-door-a0bf"],
        "leaves": ["burglar-passes-window-bdaa", "burglar-breaks-roof-46d9"],
        "unknown": [],
    }
    assert [(each["fixes"], each["assumptions"], each["holds"]) for each in document["repairs"]] == [
        ([], ["closed"], False),
        (["bolt", "bars", "plaster"], [], True),
    ]


def test_each_fix_and_assumption_alone_has_the_causes_that_it_removes_and_leaves() -> None:
    found = smallest_repairs(_questions(), 3)
    causes = [(each.name.name, each.actions, {shown.scope for shown in each.shown}) for each in found.causes]
    assert causes == [
        ("burglar-passes-window-bdaa", ("burglar_comes", "burglar_passes_window"), {"day", "night"}),
        ("burglar-pushes-door-a0bf", ("burglar_comes", "burglar_pushes_door"), {"day"}),
        ("burglar-breaks-roof-46d9", ("burglar_comes", "burglar_climbs", "burglar_breaks_roof"), {"night"}),
    ]
    told = {each.remover.name: (each.whose, each.removes, each.leaves, each.unknown) for each in found.alone}
    assert told == {  # the paint leaves them all
        "bolt": ("vault", (1,), (0, 2), ()),
        "bars": ("vault", (0,), (1, 2), ()),
        "plaster": ("vault", (2,), (0, 1), ()),
        "closed": ("operator", (0, 1, 2), (), ()),
    }


def test_search_that_does_not_end_goes_on_in_the_smaller_bounds_of_its_scope() -> None:
    found = _tower("high")
    (repair,) = found.found
    assert (_names(repair.removers), repair.holds, found.whole, found.open) == ({"bolt"}, False, (), ())
    told = [(each.setting.scope.name, each.verdict, each.reason) for each in (*repair.undecided, *repair.narrowed)]
    assert told == [("high", Verdict.UNKNOWN, Reason.STATES), ("high*", Verdict.HOLDS, None)]
    text = " ".join(repairs_text("tower", found, 200).split())
    assert "nobody_gets_in has no repair of at most 2 parts that is known to hold in all of its scopes" in text
    assert "with bolt: UNKNOWN, state limit; scope high (lamps=9), stopped after" in text
    assert "with bolt in smaller bounds: HOLDS, exhaustive in scope high* (lamps=1): 5 states" in text
    assert _tower("whole").found[0].narrowed == ()
    (whole,) = _tower("high", None).found
    assert (whole.holds, whole.narrowed) == (True, ())


def test_set_that_holds_in_all_scopes_but_one_that_met_a_limit_is_unknown() -> None:
    found = _tower()
    (repair,) = found.open
    assert [each.setting.scope.name for each in repair.held] == ["dark"]
    assert (found.whole, [each.setting.scope.name for each in repair.undecided]) == ((), ["high"])
    lead = repairs_text("tower", found, 200).splitlines()[0]
    assert lead == "tower 1: nobody_gets_in is UNKNOWN in high with bolt, and holds with it in all others"
    document = read_valid("repairs", repairs_json("tower", found))
    (told,) = document["repairs"]
    assert told["holds"] is False
    assert [(each["scope"]["name"], each["verdict"]) for each in told["narrowed"]] == [("high*", "HOLDS")]


def test_set_that_smaller_bounds_refute_is_no_repair() -> None:
    found = _tower("low")
    assert found.found == []
    assert [(each.name.name, each.shown[0].scope) for each in found.causes] == [
        ("burglar-pushes-door-f950", "low"),
        ("burglar-breaks-roof-7879", "low*"),
    ]


def test_patch_is_of_every_role_whose_program_it_changes() -> None:
    (part,) = (each for each in smallest_repairs(_questions(), 1).alone if each.remover.name == "bars")
    both = replace(BARS, also=("wall",)).fix
    assert [part.whose, replace(part, remover=both).whose] == ["vault", "vault and wall"]
    assert replace(part, remover=Assumption("calm", "")).whose == "nobody"


def test_verb_ends_with_unknown_where_no_repair_is_known() -> None:
    words = ("explain", "I5", "--release=5.3.3", "--scope=calm-reset", "--repairs", "--no-progress")
    assert run(*words, "--max-repairs=1").code == 0
    none = run(*words, "--max-repairs=1", "--max-states=1000")
    assert (none.code, "was not decided" in none.out) == (30, True)
    ran = run("explain", "backward-reset-stays", "--repairs", "--no-progress")
    assert (ran.code, "name one case and one release to repair" in " ".join(ran.err.split())) == (2, True)

"""A behaviour in a file of its own changes a model where a setting has it, and nowhere else."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from offsetproof import check
from offsetproof.checking.engines import explicit_alone
from offsetproof.explain.asking import Asking
from offsetproof.lang import (
    HOLDS,
    REFUTED,
    Array,
    Behaviour,
    Change,
    Component,
    DeclarationError,
    Index,
    Model,
    Release,
    Scope,
    Setting,
    Step,
    action,
    always,
    array,
    case,
    choose,
    each_step,
    flag,
    integer,
    require,
    same,
)
from offsetproof.lang.action import Retold
from offsetproof.lang.changes import every_action, model_in, with_all_changes, with_change
from offsetproof.lang.deriving import watch_actions
from offsetproof.lang.other_release import is_right_for
from offsetproof.lang.reference import Reference
from offsetproof.lang.setting import collect_behaviours
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

LATCHED = Behaviour("latched", "house", "a door that was shut stays shut")
BELLED = Behaviour("belled", "house", "a bell rings when a door opens")
DOORS = Index("door", 2)


class Door(Component):
    open: bool = flag()

    def push(self) -> None:
        self.open = True

    def pull(self) -> None:
        self.open = False


class HeavyDoor(Door):
    pushed: int = integer(0, 2)

    def push(self) -> None:
        self.pushed = self.pushed + 1
        if self.pushed == 2:
            super().push()


class House(Model):
    door: Array[Door] = array(DOORS, Door)
    heavy: Array[HeavyDoor] = array(DOORS, HeavyDoor)
    opened: int = integer(0, 2)

    @action(d=DOORS)
    def opens(self, d: int) -> None:
        require(not self.door[d].open, self.opened < 2)
        self.door[d].push()
        self.opened = self.opened + choose(d == 0, 1, 0)

    @action(d=DOORS)
    def shuts(self, d: int) -> None:
        require(self.door[d].open)
        self.door[d].pull()

    @action(d=DOORS)
    def opens_heavy(self, d: int) -> None:
        require(not self.heavy[d].open)
        self.heavy[d].push()


class LatchedDoor(Door):
    latched: bool = flag()

    def push(self) -> None:
        require(not self.latched)
        super().push()

    def pull(self) -> None:
        super().pull()
        self.latched = True


class LatchedHeavyDoor(LatchedDoor, HeavyDoor):
    def push(self) -> None:
        require(not self.latched)
        HeavyDoor.push(self)


class Belled(House):
    ghost_rung: bool = flag()

    @same(House.opens)
    def opens(self, d: int) -> None:
        """Opens with a ring."""
        super().opens(d)
        self.ghost_rung = True

    @action()
    def bell_is_silent(self) -> None:
        """Is silent again."""
        self.ghost_rung = False


BELLS = Change(BELLED, steps=(Belled,))
LATCHES = Change(LATCHED, parts=(LatchedDoor, LatchedHeavyDoor))
OLD = Release("1.0")
NEW = Release("2.0", frozenset({LATCHED}), based_on=OLD)


class Inn(House):
    releases = (OLD, NEW)
    roles = ("house",)
    fixes = (LATCHED.fix, BELLED.fix)
    changed_by = (LATCHES, BELLS)

    @always(case("opened-once", REFUTED.unless(LATCHED)))
    def first_door_is_opened_once(self) -> bool:
        return self.opened < 2


def setting(release: Release = OLD, *behaviours: Behaviour) -> Setting:
    return Setting(Scope("default", {}), {"house": release}, tuple(behaviour.fix for behaviour in behaviours))


def taken(where: Setting, *steps: tuple[str, int]) -> dict[str, object]:
    reference = Reference(Inn, where)
    now = reference.first()
    for name, door in steps:
        after = reference.take(now, (name, (("d", door),)))
        assert isinstance(after, tuple), (name, after)
        now = after
    return reference.show(now)


def can_open_again(where: Setting) -> bool:
    reference = Reference(Inn, where)
    now = reference.first()
    for name in ("opens", "shuts"):
        now = reference.take(now, (name, (("d", 0),)))
    return isinstance(reference.take(now, ("opens", (("d", 0),))), tuple)


def test_model_without_the_behaviour_is_the_very_same_class() -> None:
    assert model_in(setting(), Inn) is Inn
    assert {leaf.path for leaf in Staged(Inn, setting()).leaves} == {
        leaf.path for leaf in Staged(House, setting()).leaves
    }


def test_part_stands_in_for_its_class_where_a_release_or_a_fix_has_the_behaviour() -> None:
    assert can_open_again(setting())
    assert not can_open_again(setting(NEW))
    assert not can_open_again(setting(OLD, LATCHED))


def test_part_stands_in_for_classes_that_derive_from_its_own() -> None:
    shown = taken(setting(NEW), ("opens_heavy", 1))
    assert (shown["heavy[1].pushed"], shown["heavy[1].open"], shown["heavy[1].latched"]) == (1, False, False)
    assert taken(setting(NEW), ("opens_heavy", 1), ("opens_heavy", 1))["heavy[1].open"] is True


def test_step_is_as_it_was_declared_but_for_what_it_does() -> None:
    changed = model_in(setting(OLD, BELLED), Inn)
    before, now = Inn.actions["opens"], changed.actions["opens"]
    assert (now.sorts, now.stands_for, now.actor) == (before.sorts, before.stands_for, before.actor)
    assert (before.about, now.about) == ("", "Opens with a ring.")
    assert "bell_is_silent" in changed.actions
    assert "bell_is_silent" not in Inn.actions
    assert taken(setting(OLD, BELLED), ("opens", 0))["ghost_rung"] is True


class Shed(Model):
    lid: bool = flag()

    @action()
    def lifts(self) -> None:
        self.lid = True


class Hotel(House):
    releases = (OLD, NEW)
    roles = ("house",)
    fixes = (LATCHED.fix,)
    changed_by = (Change(LATCHED, gone=(House.shuts,)),)

    @each_step(case("shut-when-open", HOLDS))
    def only_open_doors_are_shut(before: Hotel, after: Hotel, step: Step) -> bool:  # noqa: ARG002, N805  # a claim takes the model before and after
        """A door that is shut was open."""
        return before.door[step.args["d"]].open if step.action == "shuts" else True


def test_step_that_a_behaviour_takes_away_is_there_without_it_only() -> None:
    kept = {"opens", "opens_heavy"}
    assert set(Hotel.actions) == kept | {"shuts"}
    assert set(model_in(setting(OLD, LATCHED), Hotel).actions) == kept
    doors = {instance.label[0] for instance in Staged(Hotel, setting(OLD, LATCHED)).system(()).instances}
    assert doors == kept
    assert {each.name for each in every_action(Hotel)} == kept | {"shuts"}
    assert set(with_all_changes(Hotel).actions) == kept | {"shuts"}


def test_claim_may_name_a_step_that_one_release_lacks() -> None:
    decided = check(Hotel, release=["1.0", "2.0"])
    assert [(str(each.verdict), bool(each.vacuous)) for each in decided] == [("HOLDS", False), ("HOLDS", True)]


@pytest.mark.parametrize("other", [Change(BELLED, steps=(Belled,)), None], ids=["another change", "itself"])
def test_step_that_is_taken_away_and_overridden_is_refused(other: Change | None) -> None:
    takes = Change(LATCHED, gone=(House.opens,), steps=() if other else (Belled,))
    with pytest.raises(DeclarationError, match=r"latched takes opens away, which (belled|latched) overrides; give the"):
        type("Barn", (House,), {"changed_by": (takes, *([other] if other else [])), "__module__": __name__})


def test_change_takes_away_what_one_brings_that_it_derives_from() -> None:
    class Silent(Belled):
        pass

    brings, takes = Change(BELLED, steps=(Belled,)), Change(LATCHED, steps=(Silent,), gone=(House.opens,))
    barn: type[Model] = type("Barn", (House,), {"changed_by": (brings, takes), "__module__": __name__})
    assert "opens" in with_change(barn, brings).actions
    assert "opens" not in with_change(barn, takes).actions
    asked = [setting(OLD, BELLED), setting(OLD, BELLED, LATCHED)]
    assert ["opens" in model_in(each, barn).actions for each in asked] == [True, False]


@pytest.mark.parametrize("gone", [House.opens, "shuts", Shed.lifts], ids=["overridden", "a name", "another model's"])
def test_taking_away_what_is_no_step_of_the_model_is_refused(gone: Any) -> None:
    change = Change(BELLED, gone=(gone,))
    with pytest.raises(
        DeclarationError, match=r"belled takes \w+ away, which is no step of Barn; name one as in gone="
    ):
        type("Barn", (Belled,), {"changed_by": (change,), "__module__": __name__})


def test_changes_of_several_behaviours_are_made_together() -> None:
    both = setting(NEW, BELLED)
    assert taken(both, ("opens", 0), ("shuts", 0))["door[0].latched"] is True
    assert taken(both, ("opens", 0))["ghost_rung"] is True
    assert {model_in(setting(OLD, *some), Inn) for n in range(3) for some in combinations((LATCHED, BELLED), n)} == {
        Inn, model_in(both, Inn), model_in(setting(NEW), Inn), model_in(setting(OLD, BELLED), Inn),
    }  # fmt: skip


def test_system_is_right_for_releases_that_have_the_same_changes_only() -> None:
    staged = Staged(Inn, setting())
    assert is_right_for(staged, setting(Release("1.1", based_on=OLD)), ())
    assert not is_right_for(staged, setting(NEW), ())


DRAWN = Behaviour("drawn", "house", "a curtain that is drawn counts")


class Window(Model):
    roles = ("house",)
    releases = (Release("1.0"), Release("2.0", frozenset({DRAWN})))
    scopes = (
        Scope("bare", {"curtains": 0, "hands": 0}),
        Scope("hung", {"curtains": 1, "hands": 0}),
        Scope("held", {"curtains": 0, "hands": 1}),
    )
    drawn: int = integer(0, 2)

    @action()
    def draws(self) -> None:
        require(self.scope.curtains > 0, self.drawn < 2)
        self.drawn = self.drawn + 1

    @action()
    def falls(self) -> None:
        require(self.drawn > 0)
        self.drawn = 0


class DrawsWhole(Window):
    @same(Window.draws)
    def draws(self) -> None:
        require(self.scope.curtains + self.scope.hands > 0, self.drawn < 2)
        self.drawn = 2


class Curtained(Window):
    changed_by = (Change(DRAWN, steps=(DrawsWhole,)),)


@pytest.mark.parametrize(("scope", "is_right"), [("bare", True), ("hung", False), ("held", False)])
def test_change_of_steps_that_can_never_be_taken_is_none(scope: str, is_right: bool) -> None:
    old, new = (
        Setting(each, {"house": release})
        for release in Curtained.releases
        for each in Curtained.scopes
        if each.name == scope
    )
    one, other = Staged(Curtained, old), Staged(Curtained, new)
    assert is_right_for(one, new, ()) is is_right
    assert (one.system(()) == other.system(())) is is_right


class Blind(Window):
    def rest(self) -> bool:
        return self.drawn >= 0


class RestsOpen(Blind):
    def rest(self) -> bool:
        return self.drawn == 0


class ToldOtherwise(Blind):
    retold = (Retold(Blind.falls, actor="wind"),)


@pytest.mark.parametrize(
    "change",
    [
        Change(DRAWN, gone=(Blind.falls,)),
        Change(DRAWN, steps=(RestsOpen,)),
        Change(DRAWN, steps=(ToldOtherwise,)),
    ],
    ids=["gone", "rest", "retold"],
)
def test_change_that_brings_no_step_makes_another_model(change: Change) -> None:
    class Changed(Blind):
        changed_by = (change,)

    old, new = (Setting(Changed.scopes[1], {"house": release}) for release in Changed.releases)
    for one, other in ((old, new), (new, old)):
        assert not is_right_for(Staged(Changed, one), other, ())


def test_question_about_what_changes_is_noted_as_asked() -> None:
    asked: set[Behaviour] = set()
    with collect_behaviours(asked):
        model_in(setting(), Inn)
    assert asked == {LATCHED, BELLED}


def test_whole_model_has_what_any_change_brings() -> None:
    assert with_all_changes(House) is House
    assert {*with_all_changes(Inn).actions} == {*Inn.actions, "bell_is_silent"}
    assert [each.method.__qualname__ for each in every_action(Inn) if each.name == "opens"] == [
        "House.opens",
        "Belled.opens",
    ]


def test_engine_decides_the_changed_model_and_its_trace_replays() -> None:
    decided = check(Inn, release=["1.0", "2.0"])
    assert [str(each.verdict) for each in decided] == ["REFUTED", "HOLDS"]
    assert decided.as_expected


def test_cause_is_found_in_a_changed_model() -> None:
    prop = Inn.claims[0]
    question = Question(Inn, setting(OLD, BELLED), prop)
    asking = Asking(explicit_alone(), None)
    assert asking.decide(question).verdict is Verdict.REFUTED
    assert asking.verdict_with_only(question, {"opens", "opens_heavy"}) is Verdict.HOLDS
    assert asking.decide(question, excluded=[("opens", "shuts")]).verdict is Verdict.HOLDS


def test_cause_with_a_step_that_the_setting_lacks_cannot_happen_there() -> None:
    asking, question = Asking(explicit_alone(), None), Question(Inn, setting(), Inn.claims[0])
    silent = ("opens", "bell_is_silent")
    assert asking.decide(question, excluded=[silent]).verdict is Verdict.REFUTED
    assert asking.decide(question, excluded=[silent, ("opens", "shuts")]).verdict is Verdict.HOLDS


def test_step_that_is_taken_away_stays_away_where_causes_are_looked_for() -> None:
    latched = model_in(setting(OLD, LATCHED), Hotel)
    assert set(watch_actions(latched, ["opens"]).actions) == {"opens", "opens_heavy"}


class Roof(Component):
    tight: bool = flag()


class TightRoof(Roof):
    pass


class Rung(House):
    @same(House.opens)
    def opens(self, d: int) -> None:
        super().opens(d)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Change(BELLED, steps=(Belled,)), "Belled of belled derives from House, which is not in Barn"),
        (Change(LATCHED, parts=(TightRoof,)), "TightRoof of latched derives from Roof, which is not in Barn"),
    ],
)
def test_change_of_what_the_model_does_not_have_is_refused(change: Change, why: str) -> None:
    with pytest.raises(DeclarationError, match=f"test_changes.py:.*{why}"):
        type("Barn", (Shed,), {"changed_by": (change,), "__module__": __name__})


def test_two_changes_of_one_step_are_refused_unless_one_builds_on_the_other() -> None:
    rivals = (BELLS, Change(LATCHED, steps=(Rung,)))
    with pytest.raises(DeclarationError, match="inherits opens from Rung and from Belled"):
        type("Barn", (House,), {"changed_by": rivals, "__module__": __name__})


def test_part_that_does_not_go_with_a_class_of_the_model_is_refused() -> None:
    alone = Change(LATCHED, parts=(LatchedDoor,))
    with pytest.raises(DeclarationError, match="HeavyDoor inherits push from LatchedDoor and from HeavyDoor"):
        type("Barn", (House,), {"changed_by": (alone,), "__module__": __name__})


class First(House):
    pass


class Second(House):
    pass


class BackToFront(Second, First):
    pass


def test_base_classes_in_another_order_than_the_models_are_refused() -> None:
    change = Change(BELLED, steps=(BackToFront,))
    with pytest.raises(DeclarationError, match="list those of BackToFront as Barn does"):
        type("Barn", (First, Second), {"changed_by": (change,), "__module__": __name__})


def test_claim_in_a_change_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"claim first-door-is-opened-once stands in a change \(belled\)"):
        Change(BELLED, steps=(Inn,))


def test_two_changes_of_one_behaviour_are_refused() -> None:
    with pytest.raises(DeclarationError, match="changed_by has 'belled' twice"):
        type("Barn", (House,), {"changed_by": (BELLS, BELLS), "__module__": __name__})


def test_step_that_is_marked_as_the_same_overrides_that_one() -> None:
    with pytest.raises(DeclarationError, match="shuts is marked as the same as opens"):
        same(House.opens)(House.shuts)
    with pytest.raises(DeclarationError, match="@same takes a step of a base class"):
        same(Door.push)

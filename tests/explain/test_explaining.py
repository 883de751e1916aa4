"""All causes of a claim, on a house that can be entered in ways that were thought out; and of an undone reset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.explain import asking
from offsetproof.explain.causes import Cause, Explained, distinct, explanations_of
from offsetproof.explain.necessary_actions import necessary_actions
from offsetproof.explain.only_actions import verdict_with_only
from offsetproof.explain.report import explain_json, explain_text
from offsetproof.ir.system import System
from offsetproof.lang import (
    Assumption,
    Behaviour,
    Fix,
    Model,
    Release,
    Scope,
    Setting,
    Step,
    Subject,
    action,
    always,
    each_step,
    flag,
    integer,
    require,
)
from offsetproof.lang.damage import Damage
from offsetproof.lang.deriving import unless_all, watch_actions
from offsetproof.lang.reference import Reference
from offsetproof.lang.stage import Staged
from offsetproof.severity import effect
from offsetproof.traces.trace import Effect
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Reason, Verdict

NEW_LOCK = Behaviour("new-lock", "house", "no copied key fits")
TWO_TURNS = Behaviour("two-turns", "house", "a key must be turned twice")
CALM = Assumption("calm", "nobody kicks doors in")
STILL = Assumption("still", "no dog barks")


class House(Model):
    """Entered by a copied key (2 steps), by the window (3 steps), or by force (1 step, a fault)."""

    scopes = (Scope("day", {"turns": 2}, {"force": 1}), Scope("night", {"turns": 2}, {"force": 1}))
    releases = (Release("1"),)
    roles = ("house",)
    fixes = (
        Fix("two-turns", "", adds=frozenset({TWO_TURNS})),
        Fix("new-lock", "", adds=frozenset({NEW_LOCK})),
    )
    assumptions = (CALM, STILL)
    has_key: bool = flag()
    turned: int = integer(0, 2)
    window: int = integer(0, 2)
    inside: bool = flag()
    barking: bool = flag()

    @action()
    def burglar_copies_key(self) -> None:
        self.has_key = True

    @action()
    def burglar_turns_key(self) -> None:
        needed = 2 if self.setting.behaves(TWO_TURNS) else 1
        require(self.has_key, not self.setting.behaves(NEW_LOCK), self.turned < needed)
        self.turned = self.turned + 1
        self.inside = self.turned == needed

    @action()
    def burglar_climbs(self) -> None:
        require(self.window == 0)
        self.window = 1

    @action()
    def burglar_breaks_glass(self) -> None:
        require(self.window == 1)
        self.window = 2

    @action()
    def burglar_climbs_in(self) -> None:
        require(self.window == 2)
        self.inside = True

    @action(fault="force")
    def burglar_kicks_door(self) -> None:
        require(not self.setting.assumes(CALM))
        self.inside = True

    @action()
    def dog_barks(self) -> None:
        require(not self.setting.assumes(STILL))
        self.barking = True

    @always()
    def nobody_gets_in(self) -> bool:
        return not self.inside

    @each_step()
    def nobody_enters(before: House, after: House, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
        return before.inside or not after.inside

    @always()
    def turned_stays_in_range(self) -> bool:
        return self.turned <= 2


HOUSE = Subject("house", House, House.claims)
KEY = ("burglar_copies_key", "burglar_turns_key")
WINDOW = ("burglar_climbs", "burglar_breaks_glass", "burglar_climbs_in")
FORCE = ("burglar_kicks_door",)


def _explained(claim: str, *, causes_max: int = 9, scope: str | None = "day", limits: Limits = Limits()) -> Explained:
    (found,) = explanations_of(Request(HOUSE, (claim,), scope=scope, limits=limits), causes_max)
    return found


def _told(causes: list[Cause] | tuple[Cause, ...]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(cause.actions, cause.removed_by) for cause in causes]


@pytest.mark.parametrize("claim", ["nobody_gets_in", "nobody_enters"])
def test_every_cause_is_found_with_what_removes_it_until_the_claim_holds(claim: str) -> None:
    found = _explained(claim)
    assert _told(found.causes) == [(KEY, ("new-lock",)), (WINDOW, ()), (FORCE, ("calm",))]
    assert found.excluded == (WINDOW,)
    assert (found.first.verdict, found.last.verdict) == (Verdict.REFUTED, Verdict.HOLDS)
    last = found.last.setting
    assert ([fix.name for fix in last.fixes], [a.name for a in last.assumptions]) == (["new-lock"], ["calm"])


def test_change_that_only_makes_the_same_cause_longer_does_not_remove_it() -> None:
    """With two turns the key takes three steps, and the search shows the window, which comes first by name."""
    (question,) = questions_of(Request(HOUSE, ("nobody_gets_in",), scope="day", fixes=("two-turns",)))
    replay = Explicit().decide(question).replay
    assert replay is not None
    assert [label[0] for label in replay.labels] == [*WINDOW]
    assert verdict_with_only(Staged(House, question.setting).system([question.prop]), KEY, question) is Verdict.REFUTED
    assert "two-turns" not in _explained("nobody_gets_in").causes[0].removed_by


def test_story_of_an_excluding_search_is_one_of_the_models_own() -> None:
    for cause in _explained("nobody_gets_in").causes:
        trace, result = cause.answer.trace, cause.answer.result
        assert trace is not None
        assert result.replay is not None
        assert result.replay.reference.model is House
        assert result.prop is HOUSE.find("nobody_gets_in")
        assert not [path for path in trace.initial if "has_happened" in path]


def test_search_stops_after_as_many_causes_as_asked() -> None:
    found = _explained("nobody_gets_in", causes_max=2)
    assert [cause.actions for cause in found.causes] == [KEY, WINDOW]
    assert found.last.verdict is Verdict.REFUTED


class CalmHouse(House):
    """There, nobody is asked to be calm: that would go round all that breaks in."""

    wholesale = (CALM,)


def test_remover_that_goes_round_all_causes_is_not_asked_and_named() -> None:
    subject = Subject("house", CalmHouse, House.claims)
    (found,) = explanations_of(Request(subject, ("nobody_gets_in",), scope="day"), 9)
    assert _told(found.causes) == [(KEY, ("new-lock",)), (WINDOW, ()), (FORCE, ())]
    assert found.not_asked == ("calm",)
    assert "whatever breaks the claim: calm; `--repairs` asks them" in " ".join(
        explain_text("house", [found], 80).split()
    )
    (end,) = json.loads(explain_json("house", [found]))["ends"]
    assert end["not_asked"] == ["calm"]


def test_claim_that_holds_has_no_cause() -> None:
    found = _explained("turned_stays_in_range")
    assert (found.causes, found.last.verdict) == ((), Verdict.HOLDS)


def test_deadlock_is_explained_once_and_not_excluded() -> None:
    class Stuck(House):
        @action()
        def burglar_copies_key(self) -> None:
            require(not self.has_key)
            self.has_key = True

        @action()
        def burglar_climbs_in(self) -> None:
            require(False)

        @action()
        def dog_barks(self) -> None:
            require(False)

    subject = Subject("stuck", Stuck, ())
    (found,) = explanations_of(Request(subject, ("no_deadlock",), scope="day"), 9)
    assert len(found.causes) == 1
    assert found.excluded == ()


def test_limit_ends_the_search_and_is_named() -> None:
    found = _explained("nobody_gets_in", limits=Limits(states=1))
    assert (found.causes, found.last.verdict, found.last.reason) == ((), Verdict.UNKNOWN, Reason.STATES)
    later = _explained("nobody_gets_in", limits=Limits(seconds=0.0))
    assert (later.last.verdict, later.last.reason) == (Verdict.UNKNOWN, Reason.TIME)


def test_cause_that_is_met_in_several_scopes_is_listed_once() -> None:
    both = [*explanations_of(Request(HOUSE, ("nobody_gets_in",), scope="day"), 9),
            *explanations_of(Request(HOUSE, ("nobody_gets_in",), scope="night"), 9)]  # fmt: skip
    found = distinct(both)
    assert _told(found) == _told(both[0].causes)
    assert [cause.also_in for cause in found] == [("night",)] * 3


def test_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object) -> Verdict:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "verdict_with_only", interrupted)
    found = _explained("nobody_gets_in")
    assert [cause.actions for cause in found.causes] == [KEY]
    assert found.interrupted


def test_interrupt_while_the_effect_is_computed_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object, **_named: object) -> Effect:
        raise KeyboardInterrupt

    monkeypatch.setattr(effect, "effect_of", interrupted)
    (found,) = explanations_of(Request(replace(HOUSE, damage=Damage(lambda _house: 0)), ("nobody_gets_in",)), 9)
    assert [cause.actions for cause in found.causes] == [KEY]
    assert [(cause.removals, cause.is_asked, cause.is_excluded) for cause in found.causes] == [((), False, False)]
    assert "what removes it was not asked: interrupted" in explain_text("house", [found], 100)
    assert "excluded by its actions" not in explain_text("house", [found], 100)
    assert [cause["excluded"] for cause in json.loads(explain_json("house", [found]))["causes"]] == [False]
    assert found.interrupted
    assert not found.is_whole


def test_verdict_where_some_actions_alone_happen_is_that_of_all_their_runs() -> None:
    questions = questions_of(Request(HOUSE, ("nobody_gets_in",), scope="day"))
    every = [*House.actions]

    def verdict(actions: Sequence[str], states: int | None = None) -> Verdict:
        question = replace(questions[0], limits=Limits(states=states))
        return verdict_with_only(Staged(House, question.setting).system([question.prop]), actions, question)

    assert {verdict(cause) for cause in (KEY, WINDOW, FORCE, every)} == {Verdict.REFUTED}
    assert {verdict(cause[:-1]) for cause in (KEY, WINDOW, FORCE)} == {Verdict.HOLDS}
    assert verdict(WINDOW, states=2) is Verdict.UNKNOWN


def _system(model: type[Model], claim: str) -> System:
    setting = Setting(model.scopes[0], {"house": House.releases[0]}, (House.fixes[1],), (CALM,))
    return Staged(model, setting).system([Subject("house", model, model.claims).find(claim)])


def test_action_is_needed_if_the_claim_holds_without_it() -> None:
    names = tuple(House.actions)
    assert necessary_actions(_system(House, "nobody_gets_in"), names, Limits()) == set(WINDOW)
    assert necessary_actions(_system(House, "nobody_enters"), names, Limits()) == set(WINDOW)
    assert necessary_actions(_system(House, "turned_stays_in_range"), names, Limits()) == set(names)
    assert necessary_actions(_system(House, "nobody_gets_in"), names, Limits(states=1)) == frozenset()


def test_watched_model_takes_the_same_steps_and_notes_them() -> None:
    model = watch_actions(House, ("burglar_climbs",))
    setting = Setting(House.scopes[0], {"house": House.releases[0]})
    own, noting = Reference(House, setting), Reference(model, setting)
    assert own.labels == noting.labels
    climbed = noting.take(noting.first(), ("burglar_climbs", ()))
    assert isinstance(climbed, tuple)
    assert noting.show(noting.first())["ghost_has_happened_burglar_climbs"] is False
    assert noting.show(climbed)["ghost_has_happened_burglar_climbs"] is True
    assert len(list(own.steps(own.first()))) == len(list(noting.steps(noting.first())))
    claim = unless_all(HOUSE.find("nobody_gets_in"), [("burglar_climbs",)])
    kicked = noting.take(climbed, ("burglar_kicks_door", ()))
    assert isinstance(kicked, tuple)
    assert noting.judge(claim, kicked) is True
    other = noting.take(noting.first(), ("burglar_kicks_door", ()))
    assert isinstance(other, tuple)
    assert noting.judge(claim, other) is False

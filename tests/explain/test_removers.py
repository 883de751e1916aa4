"""What removes a cause, and what removes only its steps: in a vault with two doors and a guard who may fall asleep."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from systems.schemas import read_valid

from offsetproof.checking.request import Request
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.explain.causes import Cause, Explained, distinct, explanations_of
from offsetproof.explain.report import explain_json, explain_text
from offsetproof.lang import Assumption, Behaviour, Fix, Model, Release, Scope, Subject, action, always, flag, require
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reports.stories import Stories
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

NEW_LOCK = Behaviour("new-lock", "vault", "the front door stays shut")
AWAKE = Assumption("awake", "the guard does not fall asleep")


class Vault(Model):
    """Emptied while the guard sleeps: through the front door, or through the back door, which takes a step more."""

    scopes = (Scope("open", {"back": 1}, {"sleep": 1}), Scope("walled", {"back": 0}, {"sleep": 1}))
    releases = (Release("1"),)
    roles = ("vault",)
    fixes = (Fix("new-lock", "", adds=frozenset({NEW_LOCK})),)
    assumptions: tuple[Assumption, ...] = (AWAKE,)
    asleep: bool = flag()
    in_yard: bool = flag()
    inside: bool = flag()
    empty: bool = flag()

    @action(fault="sleep")
    def guard_sleeps(self) -> None:
        require(not self.setting.assumes(AWAKE))
        self.asleep = True

    @action()
    def thief_takes_front_door(self) -> None:
        require(self.asleep, not self.setting.behaves(NEW_LOCK))
        self.inside = True

    @action()
    def thief_enters_yard(self) -> None:
        require(self.scope.back == 1)
        self.in_yard = True

    @action()
    def thief_takes_back_door(self) -> None:
        require(self.asleep, self.in_yard)
        self.inside = True

    @action()
    def thief_empties_vault(self) -> None:
        require(self.inside)
        self.empty = True

    @always()
    def nothing_is_stolen(self) -> bool:
        return not self.empty


class Unguarded(Vault):
    """The same where nothing keeps the guard awake."""

    assumptions = ()


FRONT = ("guard_sleeps", "thief_takes_front_door", "thief_empties_vault")
BACK = ("thief_enters_yard", "guard_sleeps", "thief_takes_back_door", "thief_empties_vault")


def _explained(scope: str, *, model: type[Model] = Vault, causes_max: int = 9, limits: Limits = Limits()) -> Explained:
    subject = Subject("vault", model, model.claims)
    request = Request(subject, ("nothing_is_stolen",), scope=scope, limits=limits)
    (found,) = explanations_of(request, causes_max)
    return found


def _lines(causes: list[Explained]) -> str:
    return explain_text("vault", causes, 300, form=Stories.NONE)


def _unsettled(cause: Cause) -> list[tuple[str, str, Verdict | None, set[str]]]:
    return [
        (scope, each.name, each.left and each.left.verdict, {*each.cause}) for scope, each in cause.unsettled_removals
    ]


def test_fix_that_leaves_the_fault_another_way_removes_only_the_steps() -> None:
    found = _explained("open")
    (cause,) = found.causes
    assert {*cause.actions} == {*FRONT}
    assert cause.removed_by == ("awake",)
    assert _unsettled(cause) == [("open", "new-lock", Verdict.REFUTED, {*BACK})]
    text = _lines([found])
    assert re.search(r"cause 1, guard-sleeps-[0-9a-f]{4}: removed by awake\n", text)
    assert (
        "  new-lock removes these steps; the claim is then broken in 4 steps, 1 fault, "
        "with thief_enters_yard, thief_takes_back_door and without thief_takes_front_door\n"
    ) in text
    (row,) = [line.split() for line in text.splitlines() if line.startswith(" 1 ")]
    assert row[-2:] == ["awake", "open"]


def test_what_it_leaves_is_in_the_json() -> None:
    (cause,) = read_valid("explain", explain_json("vault", [_explained("open")]))["causes"]
    assert (cause["removed_by"], cause["excluded"]) == (["awake"], False)
    (left,) = cause["unsettled"]
    assert {*left.pop("cause")} == {*BACK}
    assert left == {"remover": "new-lock", "scope": "open", "verdict": "REFUTED", "reason": None, "steps": 4}


def test_fix_removes_the_cause_where_the_fault_has_no_other_way() -> None:
    (cause,) = _explained("walled").causes
    assert (cause.removed_by, cause.unsettled_removals) == (("new-lock", "awake"), ())


def test_cause_of_two_scopes_is_removed_by_what_removes_it_in_both() -> None:
    both = [_explained("walled"), _explained("open")]
    (cause,) = distinct(both)
    assert cause.also_in == ("open",)
    assert cause.removed_by == ("awake",)
    told = [(scope, name, verdict) for scope, name, verdict, _ in _unsettled(cause)]
    assert told == [("walled", "new-lock", Verdict.HOLDS), ("open", "new-lock", Verdict.REFUTED)]
    text = _lines(both)
    assert "  new-lock removes it in scope walled\n" in text
    assert "  new-lock removes these steps in scope open; the claim is then broken in 4 steps" in text


def test_other_way_that_is_listed_as_a_cause_of_its_own_is_no_way_that_is_left() -> None:
    found = _explained("open", model=Unguarded)
    told = [({*cause.actions}, cause.removed_by, cause.unsettled_removals) for cause in found.causes]
    assert told == [({*FRONT}, ("new-lock",), ()), ({*BACK}, (), ())]
    assert found.last.verdict is Verdict.HOLDS


def test_where_the_search_ended_too_early_the_next_cause_is_what_is_left() -> None:
    found = _explained("open", model=Unguarded, causes_max=1)
    (cause,) = found.causes
    assert cause.removed_by == ()
    assert _unsettled(cause) == [("open", "new-lock", Verdict.REFUTED, {*BACK})]
    told_of = _lines([found])
    assert re.search(r"cause 1, guard-sleeps-[0-9a-f]{4}: only its steps are known to be removed\n", told_of)


def test_limit_leaves_it_open_whether_more_than_the_steps_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Explicit.decide

    def limited(self: Explicit, question: Question) -> Result:
        fixed = question.model is Vault and question.setting.fixes
        return real(self, replace(question, limits=Limits(states=1)) if fixed else question)

    monkeypatch.setattr(Explicit, "decide", limited)
    found = _explained("open")
    assert found.causes[0].removed_by == ("awake",)
    assert "new-lock removes these steps; whether it removes the cause is not known: state limit; " in _lines([found])


def test_interrupt_leaves_it_open_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Explicit.decide

    def interrupted(self: Explicit, question: Question) -> Result:
        if question.model is Vault and question.setting.fixes:
            raise KeyboardInterrupt
        return real(self, question)

    monkeypatch.setattr(Explicit, "decide", interrupted)
    found = _explained("open")
    assert found.interrupted
    assert found.causes[0].removed_by == ()
    assert "new-lock removes these steps; what is left then was not asked\n" in _lines([found])


@pytest.mark.slow
def test_broker_that_fails_is_not_removed_by_a_query_that_is_answered_otherwise() -> None:
    (found,) = explanations_of(Request(ROCKETMQ, ("I21",)), 20)
    (cause,) = found.causes
    assert cause.removed_by == ("every-broker-answers",)
    assert {scope for scope, _ in cause.unsettled_removals} == {"two-brokers"}
    assert all("administrator_fails_at_next_broker" in removal.cause for _, removal in cause.unsettled_removals)
    lengths = {removal.name: _length(removal.left) for _, removal in cause.unsettled_removals}
    assert lengths == {"zero-only-if-stored": 26, "no-zero-answer": 27}


def _length(left: Result | None) -> int:
    assert left is not None
    assert left.replay is not None
    return len(left.replay.labels)

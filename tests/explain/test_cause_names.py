"""The names of causes: of the recorded story that has it, else of the cause alone, whatever else was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from explain.test_repairs import VAULT
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.checking.request import Request, questions_of
from offsetproof.explain.causes import distinct, explanations_of, names_of
from offsetproof.explain.names import Actions, CauseName, Claimed, claimed_by, name_cause
from offsetproof.explain.repairs import smallest_repairs
from offsetproof.lang.changes import model_in
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.recorded_stories import recorded_stories, story_of_cause

DATA = Path(__file__).parents[2] / "studies" / "data"

CLAIM = ROCKETMQ.find("I5").name
ACTIONS = ["climb", "kick_door", "copy_key", "turn_key", "run_away"]
MINE = Claimed(None, "nobody-gets-in", declared=tuple(ACTIONS))
CAUSES = st.lists(st.sampled_from(ACTIONS), min_size=1, unique=True).map(tuple)


def lead(*actions: str, faults: tuple[str, ...] = ()) -> str:
    """The action that a cause is called by."""
    return name_cause(MINE, actions, faults=faults).name.rpartition("-")[0]


def test_cause_is_called_by_its_fault_and_by_what_fewest_recorded_causes_have() -> None:
    assert lead("kick_door", "run_away", "climb", faults=("run_away",)) == "run-away"
    assert lead("kick_door", "climb") == lead("climb", "kick_door") == "kick-door"
    assert name_cause(MINE, ()) == CauseName("initial-state", "It is broken before any step.")
    known = recorded_stories()["I5-late-poll"].cause
    others = Claimed("rocketmq", CLAIM, "4.9.4")
    assert name_cause(others, (*known, "administrator_sings")).name.startswith("administrator-sings-")
    assert not name_cause(others, (*known, "administrator_sings"), faults=known).name.startswith("I5")


def test_sentence_has_the_words_of_the_model_and_the_second_action_unless_a_fault_says_enough() -> None:
    words = {"climb": "Somebody climbs.", "jump": "The wall is passed", "kick": "FORCE: the door breaks."}
    assert name_cause(MINE, ("jump", "climb"), words).sentence == "The wall is passed; then somebody climbs."
    assert name_cause(MINE, ("climb", "kick"), words, {"kick"}).sentence == "FORCE: the door breaks."
    assert name_cause(MINE, ("climb", "kick"), words).sentence == "Somebody climbs; then FORCE: the door breaks."
    assert name_cause(MINE, ("run",)).sentence == "Run."


@reproducible(300)
@given(CAUSES, CAUSES, st.sets(st.sampled_from(ACTIONS)))
def test_two_causes_have_one_name_if_they_have_the_same_actions(one: Actions, other: Actions, faults: set[str]) -> None:
    names = [name_cause(MINE, each, faults=faults).name for each in (one, other)]
    assert (names[0] == names[1]) == ({*one} == {*other})


def test_cause_has_one_name_whatever_else_was_asked() -> None:
    def names_in(scope: str | None) -> dict[frozenset[str], CauseName]:
        questions = [*questions_of(Request(VAULT, ("V",), scope=scope))]
        met = smallest_repairs(questions, 3, subject=VAULT.name).causes
        return {frozenset(cause.actions): cause.name for cause in met}

    known = names_in(None)
    assert {name.name.rpartition("-")[0] for name in known.values()} == {
        "burglar-passes-window", "burglar-pushes-door", "burglar-breaks-roof"
    }  # fmt: skip
    for scope in VAULT.model.scopes:
        assert names_in(scope.name).items() <= known.items()
    explained = distinct([*explanations_of(Request(VAULT, ("V",)), 9)])
    assert {
        frozenset(cause.actions): name for cause, name in zip(explained, names_of(explained), strict=True)
    }.items() <= known.items()
    assert explained


@pytest.mark.parametrize(("file", "release", "least"), [("resets", "4.9.4", 14), ("resets-at-broker", "5.3.3", 1)])
def test_causes_of_an_undone_reset_have_the_names_that_the_page_says(file: str, release: str, least: int) -> None:
    known = json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["causes"]
    question = questions_of(Request(ROCKETMQ, ("I5",), (release,)))[0]
    actions = model_in(question.setting, question.model).actions
    words = {name: action.about for name, action in actions.items()}
    faults = [name for name, action in actions.items() if action.fault]
    claimed = claimed_by("rocketmq", ROCKETMQ.model, CLAIM, release)
    named = [name_cause(claimed, tuple(cause["actions"]), words, faults) for cause in known]
    assert [(each.name, each.sentence) for each in named] == [(cause["name"], cause["sentence"]) for cause in known]
    assert len({each.name for each in named}) == len(known)
    assert sum(each.name in recorded_stories() for each in named) >= least


def test_cause_of_a_recorded_story_is_called_by_it_whatever_else_is_asked() -> None:
    cause = recorded_stories()["I5-late-poll"].cause
    assert story_of_cause("rocketmq", CLAIM, reversed(cause), None) == "I5-late-poll"
    assert story_of_cause("rocketmq", CLAIM, cause[1:], "4.9.4") is None
    assert story_of_cause("orderly", CLAIM, cause, "4.9.4") is None
    assert story_of_cause(None, CLAIM, cause, "4.9.4") is None
    named = name_cause(Claimed("rocketmq", CLAIM), cause)
    assert named.name == "I5-late-poll"
    assert named.sentence.startswith("A long poll that was held")

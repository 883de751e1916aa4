"""The names of causes: what tells a cause from the others, few words, unique, and the same each time."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.explain.names import Actions, CauseName, name_causes, with_story
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.recorded_stories import recorded_stories, story_of_cause

RESETS = Path(__file__).parents[2] / "studies" / "data" / "resets.json"

CLAIM = ROCKETMQ.find("I5").name
ACTIONS = ["climb", "kick_door", "copy_key", "turn_key", "run_away"]
CAUSES = st.lists(st.lists(st.sampled_from(ACTIONS), min_size=1, unique=True).map(tuple), max_size=8)


def names(*causes: Actions, faults: tuple[str, ...] = ()) -> list[str]:
    """What causes are called."""
    return [each.name for each in name_causes(causes, faults=faults)]


def test_cause_is_called_by_what_fewest_have_then_by_its_fault_then_by_what_comes_last() -> None:
    assert names(("a", "b", "c"), ("a", "c", "d"), ("a", "c", "e", "f")) == ["b", "d", "f"]
    assert names(("a", "b", "c"), ("a", "x", "y"), faults=("b", "x")) == ["b", "x"]
    assert names(("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")) == ["b", "c", "d"]


def test_name_that_is_taken_gets_the_next_telling_action_in_the_order_of_the_story() -> None:
    assert names(("a", "x", "y"), ("b", "x", "y"), ("y", "x"), ("z",)) == ["a", "b", "x", "z"]
    assert names(("k", "x"), ("k", "x", "s"), ("k", "s"), ("k",), ("p",)) == ["x", "s", "k-and-s", "k", "p"]


def test_only_cause_is_called_by_its_fault_or_its_last_action() -> None:
    assert names(("copy_key", "turn_key")) == ["turn-key"]
    assert names(("kick_door", "run_away"), faults=("kick_door",)) == ["kick-door"]


def test_names_that_only_spelling_tells_apart_are_numbered() -> None:
    assert names(("a_b",), ("a-b",), ("c",)) == ["a-b", "a-b-2", "c"]


def test_sentence_has_the_words_of_the_model_and_the_second_action_unless_a_fault_says_enough() -> None:
    words = {"climb": "Somebody climbs.", "jump": "The wall is passed", "kick": "FORCE: the door breaks."}
    causes = [("climb", "jump"), ("kick",), ("run",)]
    assert [each.sentence for each in name_causes(causes, words, {"kick"})] == [
        "Somebody climbs; then the wall is passed.",
        "FORCE: the door breaks.",
        "Run.",
    ]
    (named,) = name_causes([("climb", "kick")], words)
    assert named == CauseName("kick", "Somebody climbs; then FORCE: the door breaks.")


@reproducible(300)
@given(CAUSES, st.sets(st.sampled_from(ACTIONS)))
def test_names_are_of_their_own_actions_unique_and_the_same_for_the_same_causes(
    causes: list[Actions], faults: set[str]
) -> None:
    found = name_causes(causes, faults=faults)
    by_actions = {frozenset(actions): each for actions, each in zip(causes, found, strict=True)}
    assert len({each.name for each in by_actions.values()}) == len(by_actions)
    assert name_causes(causes, faults=faults) == found
    for actions, each in zip(causes, found, strict=True):
        assert by_actions[frozenset(actions)] == each
        assert {*re.sub(r"-\d+$", "", each.name).split("-and-")} <= {action.replace("_", "-") for action in actions}
        assert each.sentence.endswith(".")


def test_causes_of_an_undone_reset_have_the_names_that_the_page_says() -> None:
    known = json.loads(RESETS.read_text(encoding="utf-8"))["causes"]
    actions = ROCKETMQ.model.actions
    faults = [name for name, action in actions.items() if action.fault]
    found = name_causes(
        [tuple(cause["actions"]) for cause in known], {name: action.about for name, action in actions.items()}, faults
    )
    recorded = [recorded_story(cause["actions"]) for cause in known]
    named = [with_story(each, story) for each, story in zip(found, recorded, strict=True)]
    assert [(each.name, each.sentence) for each in named] == [(cause["name"], cause["sentence"]) for cause in known]
    assert sum(story is not None for story in recorded) >= 14


def recorded_story(actions: list[str]) -> str | None:
    """The recorded story of a cause of I5, in 4.9.4 first."""
    return story_of_cause("rocketmq", CLAIM, actions, "4.9.4")


def test_cause_of_a_recorded_story_is_called_by_it_whatever_else_is_asked() -> None:
    cause = recorded_stories()["I5-late-poll"].cause
    assert story_of_cause("rocketmq", CLAIM, reversed(cause), None) == "I5-late-poll"
    assert story_of_cause("rocketmq", CLAIM, cause[1:], "4.9.4") is None
    assert story_of_cause("orderly", CLAIM, cause, "4.9.4") is None
    assert story_of_cause(None, CLAIM, cause, "4.9.4") is None
    assert with_story(CauseName("kick", "Kicks."), "I5-late-poll").sentence.startswith("A long poll that was held")
    assert with_story(CauseName("kick", "Kicks."), "no-such-story") == CauseName("no-such-story", "Kicks.")
    assert with_story(CauseName("kick", "Kicks."), None) == CauseName("kick", "Kicks.")

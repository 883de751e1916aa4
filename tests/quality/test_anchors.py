"""Anchors: the committed tables have the model's anchors and nothing else, and are what the published jars say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from offsetproof.lang import Anchor, AnchorLines, DeclarationError, Model, Release, Scope, Setting, action, at
from offsetproof.lang.anchor import with_line
from offsetproof.lang.changes import every_action
from offsetproof.lang.model import ModelInstance
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.lines import ANCHOR_LINES, anchor_of, moved_to
from tools.anchors import FOLDER, METHODS, SUBJECTS, anchors, derive_lines, text_of
from tools.lock_jars import RELEASES

OFFERED = list(dict.fromkeys(release.jars for release in RocketMQ.releases))
UNPUBLISHED = {"4.9.8": "rocketmq-broker"}
"""The jar that an offered release was not published with: its places are known to be those of the release before."""


def committed(release: str) -> dict[str, Any]:
    """The table of a release, as it is in the repository."""
    table: dict[str, Any] = json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))
    return table


def test_there_is_a_table_per_release_and_no_other() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.json")) == sorted(RELEASES)
    assert set(OFFERED) <= set(RELEASES)


@pytest.mark.parametrize("release", RELEASES)
def test_table_has_the_anchors_of_the_model_and_no_others(release: str) -> None:
    assert list(map(anchor_of, committed(release)["anchors"])) == anchors()


@pytest.mark.parametrize("release", RELEASES)
def test_digests_are_those_of_the_methods_that_anchors_name(release: str) -> None:
    table = json.loads((METHODS / f"{release}.json").read_text(encoding="utf-8"))
    places = [place for anchor in anchors() for place in (anchor, *anchor.others)]
    named = sorted({(place.java_class, place.method) for place in places})
    assert (table["release"], list(table["methods"])) == (release, [".".join(each) for each in named])
    rows = [row for row in committed(release)["anchors"] if row["line"] is not None]
    used = {moved_to(row) if "moved_to" in row else anchor_of(row) for row in rows}
    there = {(place.java_class, place.method) for place in used}
    missing = {name for name, digest in table["methods"].items() if digest is None}
    unused = {".".join(each) for each in named if each not in there}
    assert missing <= unused
    assert missing == unused or release.startswith("5."), "a method that is there still, without the call"


def unpublished_in(release: str) -> set[Anchor]:
    """The anchors whose classes are in the jar that a release was not published with."""
    first, artifact = committed("4.9.4")["anchors"], UNPUBLISHED.get(release)
    assert artifact not in {jar["artifact"].split(":")[1] for jar in committed(release)["jars"]}
    return {anchor_of(row) for row in first if artifact is not None and row.get("jar") == artifact}


@pytest.mark.parametrize("release", OFFERED)
def test_every_anchor_has_a_line_in_a_release_that_the_model_offers(release: str) -> None:
    for each in (each for each in RocketMQ.releases if each.jars == release):
        setting = Setting(RocketMQ.scopes[0], dict.fromkeys(RocketMQ.roles, each))
        found = ModelInstance(RocketMQ, setting).actions
        missing = {anchor for each in found.values() for anchor in each.stands_for if anchor.line is None}
        assert missing <= unpublished_in(release)


@pytest.mark.parametrize("release", RELEASES)
def test_what_a_release_does_not_have_is_null_with_the_reason(release: str) -> None:
    for row in committed(release)["anchors"]:
        assert (row["line"] is None) == ("why" in row) == ("file" not in row)


def test_model_says_no_lines_itself() -> None:
    assert {anchor.line for each in RocketMQ.actions.values() for anchor in each.stands_for} == {None}


KNOWN = {
    at("ConsumeMessageConcurrentlyService.ConsumeRequest", "run", "isDropped"): 371,
    at("ConsumeMessageConcurrentlyService.ConsumeRequest", "run", "isDropped", 2): 447,
    at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", "correctTagsOffset"): 362,
    at("DefaultMQPushConsumerImpl.PullCallback.Runnable", "run", "updateOffset"): 377,
    at("DefaultMQPushConsumerImpl", "shutdown", "ConsumeMessageService.shutdown"): 560,
    at("DefaultMQPushConsumerImpl", "suspend", "pause="): 929,
    at("MQClientInstance", "resetOffset", "Iterator.remove"): 1096,
    at("ProcessQueue", "removeMessage"): 192,
    at("RemoteBrokerOffsetStore", "persistAll", "updateConsumeOffsetToBroker"): 127,
    at("ConsumerOffsetManager", "commitOffset", "put", 2): 133,
}
"""Lines that were read in the published sources of 4.9.4: a call, a later one, inner and unnamed classes, an accessor,
a call told by its owner, a write to a field, and a whole method."""


@pytest.mark.parametrize("anchor", KNOWN, ids=str)
def test_table_of_4_9_4_says_what_the_sources_say(anchor: Anchor) -> None:
    assert with_line(anchor, ANCHOR_LINES, {"client": "4.9.4", "broker": "4.9.4"}).line == KNOWN[anchor]


MOVES = at("Server", "move", "step", 2)
TABLES = (
    AnchorLines("1", "client", {at("Client", "ask"): 3}),
    AnchorLines("1", "server", {MOVES: 10}),
    AnchorLines("2", "server", {MOVES: None}),
)


@pytest.mark.parametrize(("releases", "text"), [
    ({"client": "1", "server": "1"}, "Server.move:10 (step #2)"),
    ({"client": "1", "server": "2"}, "Server.move (step #2)"),
    ({"client": "9", "server": "9"}, "Server.move (step #2)"),
    ({}, "Server.move (step #2)"),
])  # fmt: skip
def test_anchor_shows_its_line_in_the_release_of_its_role(releases: dict[str, str], text: str) -> None:
    assert str(with_line(MOVES, TABLES, releases)) == text


def test_anchor_that_a_release_has_moved_is_shown_where_it_is_there() -> None:
    anchor = at("PullMessageProcessor", "processRequest", "commitOffset")
    lines = {release: with_line(anchor, ANCHOR_LINES, {"broker": release}) for release in ("4.9.4", "5.3.3")}
    assert [str(each) for each in lines.values()] == [
        "PullMessageProcessor.processRequest:469 (commitOffset)",
        "PullMessageProcessor.tryCommitOffset:794 (commitOffset)",
    ]
    table = next(each for each in ANCHOR_LINES if (each.release, each.role) == ("5.3.3", "broker"))
    assert table.source_of[lines["5.3.3"].unplaced].endswith("/PullMessageProcessor.java")


def test_each_place_of_an_anchor_is_used_in_some_release() -> None:
    used = {anchor_of(row) for release in RELEASES for row in committed(release)["anchors"] if is_at_first(row)}
    moved = {anchor_of(row) for release in RELEASES for row in committed(release)["anchors"] if "moved_to" in row}
    several = {anchor for anchor in anchors() if anchor.others}
    assert len(several) > 10
    assert (several - used, several - moved, moved - several) == (set(), set(), set())


def test_anchor_has_the_same_places_wherever_it_is_declared() -> None:
    declared = [a for subject in SUBJECTS for action in every_action(subject.model) for a in action.stands_for]
    places = {(anchor, anchor.others) for anchor in declared if anchor.others}
    assert len(places) == len({anchor for anchor, _ in places}) > 10


def is_at_first(row: dict[str, Any]) -> bool:
    """Has the release of a row the anchor at its first place?"""
    return row["line"] is not None and "moved_to" not in row


def test_line_that_is_given_by_hand_needs_no_table() -> None:
    assert with_line(replace(MOVES, line=7), (), {}).line == 7
    assert with_line(at("Other", "place", line=7), TABLES, {"server": "1"}).line == 7


class Moving(Model):
    """A model whose anchor may be in a table or not."""

    scopes = (Scope("only", {}),)
    releases = (Release("1"),)
    roles = ("server",)

    @action(stands_for=[MOVES])
    def moves(self) -> None:
        """Nothing."""


def grown(*tables: AnchorLines) -> ModelInstance:
    """The model with these tables, at release 1."""
    model = type("Tabled", (Moving,), {"anchor_lines": tables})
    return ModelInstance(model, Setting(Moving.scopes[0], {"server": Moving.releases[0]}))


def test_instances_have_the_lines_of_the_setting() -> None:
    made = grown(*TABLES)
    assert [str(anchor) for anchor in made.actions["moves"].stands_for] == ["Server.move:10 (step #2)"]
    assert made.instances[("moves", ())][0] is made.actions["moves"]


def test_anchor_in_no_table_is_refused_by_name() -> None:
    with pytest.raises(DeclarationError) as refused:
        grown(AnchorLines("1", "server", {at("Server", "stop"): 3}))
    assert str(refused.value).partition(": ")[2] == (
        "moves stands for Server.move (step #2), which is not in the lines of server 1; add it to Tabled.anchor_lines "
        "or give line="
    )


def test_tables_that_are_none_are_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Tabled.anchor_lines must be a tuple of AnchorLines"):
        type("Tabled", (Moving,), {"anchor_lines": {MOVES: 3}})


WRONG: list[tuple[Callable[[], Anchor], str]] = [
    (partial(at, "Lock", "take", 12), "call=12 of at(...) is not a string; a line is given by its name, line=..."),  # type: ignore[arg-type]  # it is what people wrote before
    (partial(at, "Lock", "take", "swap", 0), "nth=0 of at(...) is not a number from 1"),
    (partial(at, "Lock", "take", line=-1), "line=-1 of at(...) is not a number from 1"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_anchor_of_wrong_things_is_refused(wrong: Callable[[], Anchor], said: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        wrong()
    assert str(refused.value).endswith(said)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_table_is_what_the_published_jars_say(release: str) -> None:
    assert text_of(derive_lines(release)) == (FOLDER / f"{release}.json").read_text(encoding="utf-8"), (
        "run `make anchors` if the model's anchors have changed"
    )

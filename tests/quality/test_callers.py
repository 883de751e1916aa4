"""docs/studies/callers.md: every place of the client that touches offsets, caches or their table has its word."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from studies.callers import may_write, modelled_by
from studies.subjects import ABOUT_ROCKETMQ
from tools import callers
from tools.anchored_places import actions_at, anchors_of_actions
from tools.anchors import FOLDER
from tools.callers import DATA, RELEASE, Place, derive, key_of, merge, read, text_of, unsaid

TABLE = read()
ROWS: list[dict[str, Any]] = TABLE["places"]


def test_data_is_as_the_tool_writes_it() -> None:
    assert DATA.read_text(encoding="utf-8") == text_of(TABLE)


def test_every_place_is_listed_once() -> None:
    assert [key for key, count in Counter(map(key_of, ROWS)).items() if count > 1] == []
    assert len(ROWS) > 300


ANCHORED = actions_at(RELEASE)


def test_every_place_is_modelled_or_left_out_and_not_both() -> None:
    assert [row for row in ROWS if bool(modelled_by(row, ANCHORED)) == ("left out" in row)] == []
    assert unsaid(TABLE) == []


def test_every_action_named_is_in_the_model_of_its_subject() -> None:
    actions = {subject.name: {*subject.model.actions} for subject in ABOUT_ROCKETMQ}
    named = {name: {each for row in ROWS for each in row.get("modelled", {}).get(name, ())} for name in actions}
    assert {name: named[name] - actions[name] for name in actions} == {name: set() for name in actions}
    assert {subject for row in ROWS for subject in row.get("modelled", {})} <= {*actions}
    assert len(named["rocketmq"]) > 40
    assert len(named["orderly"]) > 10


def test_action_that_a_person_names_is_anchored_on_the_way_through_that_place() -> None:
    ways = Paths(ROWS)
    strays = [
        (subject, action, row["in"], row["method"], row["line"])
        for row in ROWS
        for subject, actions in row.get("modelled", {}).items()
        for action in actions
        if not ways.passes(row, subject, action)
    ]
    assert strays == []


def test_way_through_a_place_is_asked_for() -> None:
    (elsewhere,) = [row for row in ROWS if (row["method"], row["line"]) == ("makeMessageToConsumeAgain", 294)]
    assert Paths(ROWS).passes(elsewhere, "orderly", "request_suspends")
    assert not Paths(ROWS).passes(elsewhere, "orderly", "shutdown_unlocks")


class Paths:
    """Which methods a place leads to, and which lead to it: by the names of the methods that call and are called."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.calls: defaultdict[str, set[str]] = defaultdict(set)
        self.callers: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            for called in called_by(row):
                self.calls[row["method"]].add(called)
                self.callers[called].add(row["method"])
        known = {*self.calls, *self.callers}
        self.anchored: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for subject, action, anchor in anchors_of_actions():
            self.anchored[subject, action] |= {anchor.method, anchor.call.rpartition(".")[2]} & known

    def passes(self, row: Mapping[str, Any], subject: str, action: str) -> bool:
        """Does the action have an anchor in the place's method, in what it calls, or in what calls it, however far?"""
        met = names_in_reach({row["method"]} | called_by(row), self.calls) | names_in_reach(
            {row["method"]}, self.callers
        )
        return not self.anchored[subject, action].isdisjoint(met)


def called_by(row: Mapping[str, Any]) -> set[str]:
    """The method of the client that a place calls, if it does: what is done with a map or an iterator leads nowhere."""
    return set() if ":" in row["touches"] or "=" in row["touches"] else {row["touches"].rpartition(".")[2]}


def names_in_reach(names: set[str], onward: Mapping[str, set[str]]) -> set[str]:
    """These names, and all that can be reached from them."""
    met, waiting = set(names), [*names]
    while waiting:
        fresh = onward.get(waiting.pop(), set()) - met
        met |= fresh
        waiting += fresh
    return met


def test_reasons_are_those_that_are_given() -> None:
    assert {row["left out"] for row in ROWS if "left out" in row} == set(TABLE["reasons"])


KNOWN = {
    ("impl.factory.MQClientInstance", "resetOffset", "processQueueTable: Iterator.remove"): 1096,
    ("impl.consumer.RebalanceImpl", "updateProcessQueueTableInRebalance", "processQueueTable: Iterator.remove"): 343,
    ("impl.consumer.RebalanceImpl", "destroy", "processQueueTable: ConcurrentMap.clear"): 490,
    ("impl.consumer.DefaultMQPushConsumerImpl", "consumerRunningInfo", "OffsetStore.readOffset"): 1075,
    ("impl.consumer.DefaultMQPushConsumerImpl", "resume", "DefaultMQPushConsumerImpl.doRebalance"): 509,
    ("impl.consumer.DefaultMQPushConsumerImpl$1$1", "run", "OffsetStore.updateOffset"): 377,
    ("impl.consumer.ProcessQueue", "setDropped", "ProcessQueue.dropped ="): 241,
    ("impl.consumer.ProcessQueue", "cleanExpiredMsg", "ProcessQueue.removeMessage"): 116,
    ("consumer.store.RemoteBrokerOffsetStore", "updateOffset", "offsetTable: AtomicLong.set"): 70,
}
"""Lines that were read in the published sources: iterators, a wrapper, an inner class, a field, a class's own."""


@pytest.mark.parametrize("place", KNOWN, ids=lambda place: f"{place[1]}-{place[2]}")
def test_places_that_were_read_in_the_sources_are_listed(place: tuple[str, str, str]) -> None:
    assert {key_of(row)[:3]: row["line"] for row in reversed(ROWS)}[place] == KNOWN[place]


def anchors_in_client() -> list[tuple[str, str, Mapping[str, Any]]]:
    """All actions with their anchors in the client: the action, the call, and its row in the table of lines."""
    table = json.loads((FOLDER / f"{RELEASE}.json").read_text(encoding="utf-8"))["anchors"]
    rows = {(row["class"], row["method"], row["call"], row["nth"]): row for row in table}
    found = [
        (action, anchor.call.rpartition(".")[2], rows[anchor.java_class, anchor.method, anchor.call, anchor.nth])
        for _, action, anchor in anchors_of_actions()
    ]
    return [(action, call, row) for action, call, row in found if row["jar"] == "rocketmq-client" and call]


def places_of(anchor: Mapping[str, Any], call: str) -> list[dict[str, Any]]:
    """The places on an anchor's line that touch what it calls."""
    inside = anchor["in"].removeprefix("org.apache.rocketmq.client.")
    return [
        row
        for row in ROWS
        if (row["in"], row["line"]) == (inside, anchor["line"]) and row["touches"].rpartition(".")[2] == call
    ]


def test_no_place_that_an_anchor_is_on_is_left_out() -> None:
    met = [(action, row) for action, call, anchor in anchors_in_client() for row in places_of(anchor, call)]
    assert [(action, row["line"]) for action, row in met if "left out" in row] == []
    assert len(met) > 100


def test_anchor_on_a_method_of_the_stores_or_of_a_queue_is_a_place() -> None:
    watched = {name.rpartition("/")[2] for name in callers.WATCHED}
    touched = {row["touches"] for row in ROWS if row["touches"].partition(".")[0] in watched}
    methods = {text.rpartition(".")[2] for text in touched}
    on_them = [(action, call, anchor) for action, call, anchor in anchors_in_client() if call in methods]
    assert [(action, call) for action, call, anchor in on_them if not places_of(anchor, call)] == []
    assert len(on_them) > 30


@pytest.mark.parametrize(("touches", "writes"), [
    ("OffsetStore.updateOffset", True),
    ("OffsetStore.cloneOffsetTable", False),
    ("ProcessQueue.setDropped", True),
    ("ProcessQueue.isDropped", False),
    ("ProcessQueue.dropped =", True),
    ("processQueueTable: Iterator.remove", True),
    ("processQueueTable: ConcurrentMap.putIfAbsent", True),
    ("processQueueTable: Set.addAll", False),
    ("RebalanceImpl.removeProcessQueue", False),
])  # fmt: skip
def test_places_that_may_write_are_told_apart(touches: str, writes: bool) -> None:
    assert may_write({"touches": touches}) == writes


def place(line: int, nth: int = 1) -> Place:
    return Place("a.Store", "update", "OffsetStore.updateOffset", nth, line)


def test_what_was_said_of_a_place_stays_when_its_line_moves() -> None:
    said = merge({"release": RELEASE, "reasons": {}, "places": []}, [place(3), place(5, 2)])
    said["places"][0]["modelled"] = {"rocketmq": ["task_updates_cell"]}
    said["places"][1]["left out"] = "why"
    moved = merge(said, [place(4)])
    assert [(row["line"], row["modelled"]) for row in moved["places"]] == [(4, {"rocketmq": ["task_updates_cell"]})]
    assert unsaid(moved) == []


GONE = "a.Store.update:9 OffsetStore.updateOffset"


def test_new_place_is_told_until_something_is_said_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "callers.json"
    old = merge({"release": RELEASE, "reasons": {}, "places": []}, [place(9, 2)])
    data.write_text(text_of(old), encoding="utf-8")
    monkeypatch.setattr(callers, "DATA", data)
    monkeypatch.setattr(callers, "derive", lambda release: [place(3)])
    monkeypatch.setattr("sys.argv", ["callers"])
    with pytest.raises(SystemExit) as ended:
        callers.main()
    assert ended.value.code == "nothing is said of\na.Store.update:3 OffsetStore.updateOffset"
    assert capsys.readouterr().out == f"4.9.4: 1 places, 0 left out; 1 gone from the list\ngone: {GONE}\n"
    assert read()["places"][0]["line"] == 3


@pytest.mark.slow
def test_places_are_those_of_the_published_jar() -> None:
    found = derive(RELEASE)
    assert text_of(merge(TABLE, found)) == DATA.read_text(encoding="utf-8"), "run `make callers`"
    assert {place.key for place in found} == set(map(key_of, ROWS))

"""docs/studies/callers.md says what each later release has that the list of 4.9.4 has not."""

from __future__ import annotations

import json
import re

import pytest

from offsetproof.real.jars import releases
from studies.callers_later import DATA, changed_methods, newest, rows_of, without_place, work
from studies.rows import read_rows
from tools.anchors import METHODS
from tools.callers import Place, derive, read

ROWS = {row["release"]: row for row in read_rows(DATA)}
WORDS = ("anchored", "as in the list", "without a word")


def test_every_published_release_has_a_row_whose_places_have_one_word_each() -> None:
    assert tuple(ROWS) == releases()
    for row in ROWS.values():
        assert sum(row[word] for word in WORDS) == row["places"]
        assert len(row["writing"]) <= row["without a word"]
    before = 0
    for row in ROWS.values():
        assert row["places"] == before + row["new"] - row["gone"]
        before = row["places"]


def test_list_itself_leaves_nothing_without_a_word() -> None:
    assert (ROWS["4.9.4"]["places"], ROWS["4.9.4"]["without a word"]) == (len(read()["places"]), 0)


def place(name: str, line: int = 1) -> Place:
    return Place("impl.consumer.ProcessQueue", "other", f"ProcessQueue.{name}", 1, line)


def test_place_is_as_in_the_list_by_what_it_touches_and_not_by_its_line() -> None:
    known = read()["places"][0]
    moved = Place(known["in"], known["method"], known["touches"], known["nth"], known["line"] + 1000)
    old, new = rows_of(
        {"4.9.4": [moved, place("isDropped")], "5.5.0": [moved, place("setDropped", 7), place("isLocked")]}
    )
    assert [old[word] for word in WORDS] == [0, 1, 1]
    assert (new["new"], new["gone"], [new[word] for word in WORDS]) == (2, 1, [0, 1, 2])
    assert new["writing"] == [["ProcessQueue.other", "7 `ProcessQueue.setDropped`"]]


def test_methods_that_do_something_else_are_those_with_another_digest() -> None:
    old, new = (
        json.loads((METHODS / f"{release}.json").read_text(encoding="utf-8"))["methods"]
        for release in ("5.3.3", "5.5.0")
    )
    changed = changed_methods("5.5.0")
    assert {"ConfigManager.persist", "MQClientInstance.resetOffset"} <= {*changed}
    assert changed == sorted(name for name in new if new[name] != old[name])
    assert "ProcessQueue.removeMessage" not in changed


def test_release_that_is_published_whole_lacks_no_place_of_its_own_steps() -> None:
    assert [any(without_place(release)) for release in releases()] == [False, True, False, False]


def test_table_has_a_column_for_each_later_release_and_the_newest_names_what_may_write() -> None:
    head, _, *lines = [line.strip("| ").split(" | ") for line in work().splitlines()]
    assert head == ["4.9.8", "5.3.3", "5.5.0"]
    table = {name: cells for name, *cells in lines}
    assert [table[name][-1] for name in ("places", "new, gone", "without a word")] == ["524", "4, 2", "160"]
    assert table["anchors without a place, needed"][1:] == ["13, 0", "8, 0"]
    assert max(map(len, work().splitlines())) <= 80
    told = re.findall(r"\d+ `[^`]+`", newest())
    assert sorted(told) == sorted(touch for _, touch in ROWS["5.5.0"]["writing"])


@pytest.mark.slow
def test_places_are_those_of_the_published_jars() -> None:
    assert [*rows_of({release: derive(release) for release in releases()})] == [*ROWS.values()]

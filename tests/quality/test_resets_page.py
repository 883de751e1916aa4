"""docs/studies/resets.md is made of what `explain I5` found, and that is what it finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offsetproof.checking.answers import answer_to
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.explain.causes import Explained
from offsetproof.explain.report import endings
from offsetproof.properties.catalogue import ROCKETMQ
from studies import resets
from studies.resets_page import count_in_words, parts_table, repair_table

README = Path(__file__).parents[2] / "README.md"
TOLD = json.loads(resets.DATA.read_text(encoding="utf-8"))


def test_count_is_said_as_it_was_found() -> None:
    assert TOLD["whole"] is not any("UNKNOWN" in end for end in TOLD["ends"])
    assert f"I5 has {count_in_words(TOLD)} in 4.9.4: [docs/studies/resets.md]" in README.read_text(encoding="utf-8")


def test_end_of_a_small_search_is_told_in_the_same_words_today() -> None:
    fixes = ("poll-checks-dropped",)
    assumed = ("commits-in-order", "pulls-timely", "no-stalled-callback", "no-stalled-task", "queries-in-order")
    (asked,) = questions_of(Request(ROCKETMQ, ("I5",), fixes=fixes, assumptions=assumed, scope="reset"))
    result = answer_to(ROCKETMQ, explicit_alone(), asked).result
    (said,) = endings([Explained(result, (), result, ())])
    assert said in TOLD["ends"]


def test_repair_that_is_not_known_in_a_scope_does_not_count_as_one_that_holds() -> None:
    record = json.loads(resets.AT_BROKER.read_text(encoding="utf-8"))
    found = {(*each["fixes"], *each["assumptions"]): each for each in record["repairs"]["repairs"]}
    numbered = found["resets-numbered",]
    assert not any(each["holds"] for each in found.values())
    assert {each["scope"]["name"] for each in numbered["scopes"] if each["verdict"] == "UNKNOWN"} == {"reset-two"}
    assert [(each["scope"]["name"], each["verdict"]) for each in numbered["narrowed"]] == [("reset-two*", "HOLDS")]
    (row,) = (line for line in repair_table(record).splitlines() if "resets-numbered" in line)
    assert row.endswith(
        "reset-two with process_queues=2, view_changes=1 (69,677,188 states) | - | reset-two (state limit) |"
    )


def test_part_of_a_repair_has_the_causes_that_it_removes_and_those_that_it_may_leave() -> None:
    causes = [{"name": name} for name in ("a", "b", "c", "d")]
    part = {"name": "latch", "whose": "client", "removes": ["a", "c"], "leaves": ["b"], "unknown": ["d"], "today": ""}
    wait = {
        "name": "wait",
        "whose": "operator",
        "removes": ["a", "b", "c"],
        "leaves": [],
        "unknown": [],
        "today": "wait",
    }
    assert parts_table({"repairs": {"causes": causes, "alone": [part, wait]}}).splitlines()[2:] == [
        "| `latch` | client | 1, 3 | 2 | 4 |",
        "| `wait` | operator | 1-3 | - | - |",
        "",
        "The causes: 1 a; 2 b; 3 c; 4 d.",
        "",
        "- `wait`: wait.",
    ]


@pytest.mark.slow
def test_causes_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resets, "DATA", tmp_path / "resets.json")
    resets.main()
    assert json.loads(resets.DATA.read_text(encoding="utf-8")) == TOLD


@pytest.mark.slow
def test_causes_and_repairs_of_resets_at_the_broker_are_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = json.loads(resets.AT_BROKER.read_text(encoding="utf-8"))
    monkeypatch.setattr(resets, "AT_BROKER", tmp_path / "resets.json")
    resets.at_broker()
    assert json.loads(resets.AT_BROKER.read_text(encoding="utf-8")) == known

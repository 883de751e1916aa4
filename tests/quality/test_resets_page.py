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
from studies.resets_page import count_in_words

README = Path(__file__).parents[2] / "README.md"
TOLD = json.loads(resets.DATA.read_text(encoding="utf-8"))


def test_count_is_said_as_it_was_found() -> None:
    assert TOLD["whole"] is not any("UNKNOWN" in end for end in TOLD["ends"])
    assert f"I5 has {count_in_words(TOLD)}: [docs/studies/resets.md]" in README.read_text(encoding="utf-8")


def test_end_of_a_small_search_is_told_in_the_same_words_today() -> None:
    fixes = ("poll-checks-dropped",)
    assumed = ("commits-in-order", "pulls-timely", "no-stalled-callback", "no-stalled-task", "queries-in-order")
    (asked,) = questions_of(Request(ROCKETMQ, ("I5",), fixes=fixes, assumptions=assumed, scope="reset"))
    result = answer_to(ROCKETMQ, explicit_alone(), asked).result
    (said,) = endings([Explained(result, (), result, ())])
    assert said in TOLD["ends"]


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

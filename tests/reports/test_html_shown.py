"""The page of `show --format html`: what became of replaying the trace is in its head, and what was not compared."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from cli.program import COUNTER, run
from reports.stories_told import block_of, complaints

NOT_COMPARED = "(as recorded, not compared)"
AS_RECORDED = "permanent, 1 lost, 0 repeated"
LATE = "a worker is late by 7 s"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, with a trace of it that was found, and one whose file says more: an effect and times."""
    folder = tmp_path_factory.mktemp("shown")
    (folder / "counter.py").write_text(COUNTER, encoding="utf-8")
    run(
        "check", "counter.py", "stays_below_two", "reaches_three", "--html=report", "--out-dir=.", "--quiet", cwd=folder
    )
    return folder


def shown(folder: Path, change: Callable[[dict[str, Any]], object], *more: str, claim: str = "stays_below_two") -> str:
    """The page of a recorded trace with something changed; what the program ends with is compared with it."""
    document = json.loads((folder / f"{claim}-small.json").read_text(encoding="utf-8"))
    change(document)
    (folder / "trace.json").write_text(json.dumps(document), encoding="utf-8")
    ran = run("show", "trace.json", *more, "--format=html", cwd=folder)
    agrees = block_of(ran.out)["agrees"]
    assert ran.code == (20 if agrees is False else 0)
    assert complaints(block_of(ran.out)) == []
    return ran.out


def as_it_is(document: dict[str, Any]) -> None:
    """Changes nothing."""


def with_effect(document: dict[str, Any]) -> None:
    """Says what nobody has asked the model."""
    steps = document["trace"]["length"]
    document["trace"]["effect"] = {"kind": "permanent", "lost": 1, "repeated": 0}
    document["trace"]["timing"] = {"stall": 7, "where": [LATE], "times": [*range(steps)]}


def with_another_end(document: dict[str, Any]) -> None:
    """Makes the last step change the field to something that it does not."""
    with_effect(document)
    document["trace"]["steps"][-1]["changed"]["x"][1] = 3


def head_of(page: str) -> str:
    """What a reader sees of the head without opening anything, as text."""
    head = page.partition("<header")[2].partition("</header>")[0]
    opened = re.sub(r"<details.*?</details>", "", head, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", opened)).split())


def badges_of(page: str) -> dict[str, str]:
    """What each badge says, with its class behind `badge`."""
    return {words: kind.strip() for kind, words in re.findall(r'<span class="badge([^"]*)">([^<]+)</span>', page)}


def test_page_of_a_trace_that_does_not_replay_says_so_in_place_of_the_verdict(folder: Path) -> None:
    page = shown(folder, with_another_end, "--subject=counter.py")
    data, head, badges = block_of(page), head_of(page), badges_of(page)
    assert data["agrees"] is False
    assert badges["does not replay on the model"] == "bad"
    assert "REFUTED" not in head
    assert "stays_below_two is said to fail" in head
    assert "DOES NOT REPLAY on the model: after step 2 x is 2, not 3 as recorded" in head
    assert f"{AS_RECORDED} {NOT_COMPARED}" in head
    assert f"{LATE} {NOT_COMPARED}" in head


def test_page_of_a_trace_that_was_not_replayed_says_so_beside_what_it_was_recorded_as(folder: Path) -> None:
    page = shown(folder, with_effect)
    head, badges = head_of(page), badges_of(page)
    assert block_of(page)["agrees"] is None
    assert (badges["not replayed on a model"], badges["recorded as REFUTED"]) == ("odd", "")
    assert "REFUTED" not in badges
    assert "not replayed: the trace is of Counter; name its file with --subject" in head
    assert f"{AS_RECORDED} {NOT_COMPARED}" in head


def test_page_of_a_witness_that_was_not_replayed_is_not_green(folder: Path) -> None:
    page = shown(folder, as_it_is, claim="reaches_three")
    assert (badges_of(page)["recorded as reached"], "good" in badges_of(page).values()) == ("", False)
    assert "reaches_three is said to be shown" in head_of(page)


def test_page_of_a_trace_that_replays_says_what_was_not_compared(folder: Path) -> None:
    page = shown(folder, with_effect, "--subject=counter.py")
    head, badges = head_of(page), badges_of(page)
    assert block_of(page)["agrees"] is True
    assert badges["REFUTED"] == "bad"
    assert not {"does not replay on the model", "not replayed on a model"} & {*badges}
    assert "stays_below_two fails" in head
    assert f"{AS_RECORDED} {NOT_COMPARED}" in head
    assert f"{LATE} {NOT_COMPARED}" in head
    assert f"Places in the code those of the trace {NOT_COMPARED}" in head
    assert head.count(NOT_COMPARED) == 3


def test_page_of_a_trace_without_effect_and_times_speaks_of_neither(folder: Path) -> None:
    head = head_of(shown(folder, as_it_is, "--subject=counter.py"))
    assert ("What it costs" in head, "What must be late" in head) == (False, False)


def test_page_that_check_writes_has_its_verdict_and_nothing_about_a_replay(folder: Path) -> None:
    page = (folder / "report" / "stays_below_two-small.html").read_text(encoding="utf-8")
    assert ("agrees" in block_of(page), block_of(page)["replayed"]) == (False, None)
    assert badges_of(page)["REFUTED"] == "bad"
    assert "not compared" not in head_of(page)
    assert "Places in the code" not in head_of(page)


def test_word_of_a_built_in_model_is_not_put_into_a_users_model_of_its_name(folder: Path) -> None:
    model = COUNTER.replace("class Counter", "class rocketmq").replace("def stays_below_two", "def I5")
    (folder / "named.py").write_text(model, encoding="utf-8")
    assert run("check", "named.py", "I5", "--out-dir=.", "--quiet", cwd=folder).code == 0
    page = shown(folder, as_it_is, "--subject=named.py", claim="I5")
    data = block_of(page)
    assert (data["agrees"], data["subject"], data["claim"]["about"], data["lede"]) == (True, "rocketmq", "", "")

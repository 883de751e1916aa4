"""`show` finds stories: all without a name, those of a claim, and the story itself where a claim has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.program import in_terminal, run
from systems.samples import one_in
from systems.schemas import read_valid

RECORDED = {file.stem for file in (Path(__file__).parents[2] / "traces" / "recorded").glob("*.json")}


def listed(text: str) -> list[str]:
    """The stories in a list."""
    return re.findall(r"^  (\S+) +I\d", text, re.MULTILINE)


def test_every_recorded_story_is_listed_below_its_claim_with_scope_and_steps() -> None:
    code, text = in_terminal("show", columns=80)
    assert code == 0
    assert max(map(len, text.splitlines())) <= 80
    assert {*listed(text)} == RECORDED
    assert len(listed(text)) == len(RECORDED)
    assert text.startswith(f"recorded stories: {len(RECORDED)}\n")
    assert "\nat-most-one-consumer-has-a-live-process-queue\n  I8-two-owners " in text
    assert re.search(r"^  I5-late-pull +I5 in reset, 25 steps, 1 fault$", text, re.MULTILINE)
    assert listed(text).index("I8-two-owners") < listed(text).index("I11-row-put-twice")
    assert "`offsetproof show I1-group-cleared-cache` tells one" in " ".join(text.split())


@pytest.mark.parametrize(("claim", "count"), [
    ("I5", 12), ("backward-reset-stays", 17), ("forward_reset_stays", 4), ("I5-forward", 2),
])  # fmt: skip
def test_stories_of_a_claim_or_of_one_case_are_listed(claim: str, count: int) -> None:
    text = run("show", claim).out
    assert len(listed(text)) == count
    assert {*listed(text)} < RECORDED
    assert f"`offsetproof show {listed(text)[0]} {listed(text)[1]}` compares two" in " ".join(text.split())


@pytest.mark.parametrize("claim", one_in(2, ["I8", "at_most_one_consumer_has_a_live_process_queue"]))
def test_only_story_of_a_claim_is_told_at_once_in_any_form(claim: str) -> None:
    assert run("show", claim).out == run("show", "I8-two-owners").out
    assert run("show", claim, "--format=mermaid").out == run("show", "I8-two-owners", "--format=mermaid").out


@pytest.mark.parametrize(("words", "told"), [
    (("I9",), "I9-late-unlock"),
    (("I16",), "I16-listener-outlives-persist"),
    (("I16", "--subject=offset-files"), "I16-broker-late-commit"),
    (("listed-process-queue-is-live-once-settled",), "I8-listed-busy-listener"),
])  # fmt: skip
def test_claim_is_that_of_the_first_subject_that_has_a_story_or_of_the_one_that_is_named(
    words: tuple[str, ...], told: str
) -> None:
    assert run("show", *words).out == run("show", told).out


def test_stories_of_one_subject_are_listed_and_every_list_names_the_others() -> None:
    orderly, every = run("show", "--subject=orderly").out, run("show").out
    own = {story for story in RECORDED if "-orderly" in story and "-broadcast" not in story}
    assert own < {*listed(orderly)} < RECORDED
    assert not {"I12-two-threads-nothing-to-rename", "I8-two-owners"} & {*listed(orderly)}
    assert "\nstart-can-load (offset-files)\n" in every
    rows = read_valid("show", run("show", "--subject=offset-files", "--format=json").out)["stories"]
    assert {row["subject"] for row in rows} == {"offset-files"}


def test_list_is_written_as_json_too() -> None:
    every, some = (read_valid("show", run("show", *claim, "--format=json").out) for claim in ((), ("I5-forward",)))
    assert {story["story"] for story in every["stories"]} == RECORDED
    assert [(each["story"], each["property"], each["scope"], each["steps"]) for each in some["stories"]] == [
        ("I5-forward-other-owner", "I5-forward", "reset-two", 21),
        ("I5-forward-overtaken-commit", "I5-forward", "reset", 17),
    ]


@pytest.mark.parametrize(("words", "said"), [
    (("I11-fixed",), "no story of first-commits-of-two-queues-survive (I11-fixed) is recorded; "
     "`offsetproof check I11-fixed` decides it"),
    (("I5", "I8"), "I5 has 12 stories (I5-commit-with-marker, I5-late-poll, "),
    (("I9-overtaken",), "no story of at-most-one-listener-runs (I9-overtaken) is recorded; "
     "`offsetproof check orderly I9-overtaken` decides it"),
    (("--subject=toys",), "no story of toys is recorded"),
    (("I5", "--format=dot"), "one story is written as dot; I5 has several: I5-commit-with-marker, I5-late-poll, "),
    (("--format=dot",), "one story is written as dot; name one; `show` alone lists all"),
    (("--subject=several-queues", "I24-broadcast"),
     "I24-broadcast is a claim of broadcasting, and several-queues has none of that name"),
    (("I5-late-pol",), "no recorded trace, claim or file named 'I5-late-pol'; did you mean I5-late-poll"),
])  # fmt: skip
def test_what_cannot_be_told_is_code_2_and_says_what_to_name(words: tuple[str, ...], said: str) -> None:
    ran = run("show", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())


def test_claims_with_one_story_each_are_compared() -> None:
    assert run("show", "I8", "I11").out == run("show", "I8-two-owners", "I11-row-put-twice").out

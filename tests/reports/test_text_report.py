"""The report about few answers and about many: nothing that passes for more than it is, and nothing odd left out."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from systems.desk import Desk

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import Subject
from offsetproof.reports.stories import BRIEF_MAX, Stories, smallest
from offsetproof.reports.text import report_for_people, text_report
from offsetproof.verdict.limits import Limits

SUBJECT = Subject("desk", Desk, Desk.claims)


@cache
def answered(*claims: str, states: int | None = None, fix: str | None = None) -> tuple[Answer, ...]:
    """The answers about some claims of the desk, or all."""
    request = Request(SUBJECT, claims, fixes=(fix,) if fix else (), limits=Limits(states, 1 << 30, None))
    return tuple(answers(SUBJECT, explicit_alone(), questions_of(request)))


def long(given: tuple[Answer, ...], width: int = 80, form: Stories | None = None) -> list[str]:
    """The report where these are the answers, or some of them, to all that the desk claims."""
    claims = [question.prop for question in questions_of(Request(SUBJECT))]
    return report_for_people("desk", given, width, claims=claims, form=form).splitlines()


LONG = [
    "desk: 3 HOLDS, 3 REFUTED, 2 reached, 1 not reached; 2 not as expected",
    "",
    " claim                             scope   verdict       states",
    " ──────────────────────────────────────────────────────────────────",
    " ledger_is_right                   small   REFUTED           16",
    " ledger_is_right                   wide    REFUTED           26",
    " ledger_is_empty                   small   REFUTED            7   !",
    " tray_is_filled_at_an_open_desk    small   HOLDS             15",
    " tray_is_filled_at_an_open_desk    dry     HOLDS             12",
    " ledger_is_right_where_it_is_dry   dry     HOLDS             16",
    " ledger_overflows                  small   not reached        1   !",
    "",
    "ledger_is_empty REFUTED: Nothing is ever written.",
    "    a smallest trace, 4 steps, no fault, replayed; found in scope small (top=1;",
    "      faults spill<=1) after 7 states and 13 transitions",
    "    slicing left out 2 of 7 variables, 1 of 6 action instances",
    "",
    "ledger_overflows not reached: The ledger has more than fits.",
    "    exhaustive in scope small (top=1; faults spill<=1): 1 state, 0 transitions,",
    "      depth 0; 0 bound cuts",
    "    slicing left out 7 of 7 variables, 6 of 6 action instances",
    "    spot check: 227 steps, 19 that cannot be taken, and the claims on 1 state",
    "      agree with the model's own Python",
    "",
    "1 witness reached (2 answers), each in a story that was replayed",
    "HOLDS: exhaustive, in the scope that its row names",
    "for all stories: `--stories brief`; for every detail of a claim: `offsetproof",
    "  check ledger_is_right`; for what a scope is: `offsetproof list scopes`",
    "",
    "ledger_is_empty (always) fails after 4 steps in small",
    "    1 customer  A customer brings one more, if there is room for one",
    "                  (source 0 -> 1)",
    "    2 door      The desk is opened in the morning (is_open False -> True)",
    "    3 hand      The number is copied into the tray, whatever was there before,",
    "                  and the tray is carried to the ledger (tray None -> 1)",
    "    4 hand      clerk_writes (ledger 0 -> 1)",
    "",
]


def rows(lines: list[str]) -> list[list[str]]:
    """The words of each row of the table, without its seconds."""
    start = next(at for at, line in enumerate(lines) if set(line.strip()) == {"─"}) + 1
    table = lines[start : lines.index("", start)]
    return [re.sub(r" \d+\.\d(?= |$)", "", line).split() for line in table]


def test_long_report_is_what_a_reader_sees() -> None:
    timeless = tuple(replace(answer, result=replace(answer.result, seconds=0.0)) for answer in answered())
    assert long(timeless) == LONG


def test_story_of_a_claim_is_the_smallest_over_its_scopes_and_told_once() -> None:
    given = answered("ledger_is_right")
    shorter = given[1].trace
    assert shorter is not None
    one_less = replace(given[1], trace=replace(shorter, steps=shorter.steps[1:]))
    assert smallest(given) == [given[0]]
    assert smallest((given[0], one_less)) == [one_less]
    no_fault = replace(given[1], trace=replace(shorter, steps=tuple(replace(s, fault=None) for s in shorter.steps)))
    assert smallest((given[0], no_fault)) == [no_fault]


def test_long_report_tells_stories_of_surprises_and_all_where_they_are_asked_for() -> None:
    heads = [
        [line.split()[0] for line in long(answered(), form=form) if " fails after " in line]
        for form in (None, Stories.BRIEF, Stories.FULL, Stories.NONE)
    ]
    assert heads == [["ledger_is_empty"], *2 * [["ledger_is_right", "ledger_is_empty"]], []]
    full = "\n".join(long(answered(), form=Stories.FULL))
    assert full.count("  0  the initial state") == 2
    assert "ledger_is_right is refuted in wide (5 steps) as well; `--scope NAME` tells" in full
    assert " 1 customer  " in "\n".join(long(answered(), form=Stories.BRIEF))


def about(answer: Answer, **changes: Any) -> Answer:
    """The same answer about a claim that is declared in another way."""
    prop = replace(answer.result.prop, **changes)
    told = copy(answer.result.replay)
    vars(told)["prop"] = prop
    return replace(answer, result=replace(answer.result, prop=prop, replay=told))


def test_surprise_stands_in_its_row_and_is_told_in_detail() -> None:
    small, wide = answered("ledger_is_right")
    surprise = about(wide, case=replace(wide.result.prop.case, expected=None))
    lines = long((small, surprise))
    assert [row[-1] for row in rows(lines)] == ["16", "!"]
    (paragraph,) = [line for line in lines if line.startswith("ledger_is_right REFUTED")]
    assert "a smallest trace, 5 steps, 1 of them a fault, replayed" in " ".join(lines)
    assert paragraph


def test_unknown_says_why_in_a_long_report() -> None:
    lines = long(answered("ledger_is_right_where_it_is_dry", states=3))
    assert lines[0] == "desk: 1 UNKNOWN; 1 not as expected"
    assert rows(lines)[-1][-1] == "?"
    assert "    state limit; scope dry (top=2), stopped after 3 states" in "\n".join(lines)


def test_fix_that_was_asked_for_stands_in_every_row() -> None:
    given = answered("tray_is_filled_at_an_open_desk", fix="lid")
    assert [row[-2:] for row in rows(long(given, 100))] == [["fix", "lid"]] * 2


def test_methods_are_told_with_the_claims_that_hold_by_them_where_there_are_several() -> None:
    small, dry = answered("tray_is_filled_at_an_open_desk")
    assert "HOLDS: exhaustive, in the scope that its row names" in long((small, dry))
    inductive = replace(dry, result=replace(dry.result, method="k-induction"))
    told = " ".join(" ".join(long((small, inductive))).split())
    assert "exhaustive, in the scope that its row names: tray_is_filled_at_an_open_desk in small HOLDS" in told
    assert "HOLDS: k-induction, in the scope that its row names: tray_is_filled_at_an_open_desk in dry" in told


def test_bounds_that_were_changed_are_told_under_the_name_that_the_row_has() -> None:
    request = Request(SUBJECT, ("ledger_is_right_where_it_is_dry",), bounds={"top": 1})
    lines = long(tuple(answers(SUBJECT, explicit_alone(), questions_of(request))))
    assert "dry*" in rows(lines)[0]
    assert "dry*: top=1" in lines
    assert not [line for line in long(answered()) if line.startswith("dry: ")]


def test_vacuous_answer_is_told_in_detail() -> None:
    small, dry = answered("tray_is_filled_at_an_open_desk")
    lines = long((small, replace(dry, result=replace(dry.result, vacuous="nothing was ever at rest"))))
    assert lines[0] == "desk: 1 HOLDS, 1 VACUOUS; 1 not as expected"
    assert "    VACUOUS: nothing was ever at rest" in lines
    said = "VACUOUS: nothing could have broken the claim, so its HOLDS means nothing; "
    assert said in " ".join(lines)
    assert said not in " ".join(long((small, dry)))


def test_budget_that_nothing_spent_is_told_beside_a_verdict_that_is_as_expected() -> None:
    small, dry = answered("tray_is_filled_at_an_open_desk")
    lines = long((small, replace(dry, result=replace(dry.result, unspent=("no water was spilt",)))))
    assert lines[0].endswith("all as expected so far")
    assert "    EMPTY: no water was spilt" in lines


@pytest.mark.parametrize("width", [60, 80, 100])
def test_long_report_is_no_wider_than_asked(width: int) -> None:
    assert max(map(len, long(answered(), width, Stories.FULL))) <= width


def test_few_answers_have_all_details_and_brief_stories_of_up_to_fifteen_lines() -> None:
    text = text_report("desk", answered("ledger_is_right", "tray_is_filled_at_an_open_desk"), 80, form=Stories.BRIEF)
    assert "exhaustive in scope dry (top=2): " in text
    story = text.partition("ledger_is_right (always) fails after 5 steps")[2]
    assert re.findall(r"(?m)^ {4}(\d) ", story) == ["1", "2", "3", "4", "5"]
    assert "..." not in story
    assert len(story.split("\n\n")[0].splitlines()) <= BRIEF_MAX


def test_witness_is_reached_or_not_and_never_holds() -> None:
    text = text_report("desk", answered("something_is_written", "ledger_overflows"), 80)
    assert "HOLDS" not in text
    assert "REFUTED" not in text
    rows = [line for line in text.splitlines() if line.startswith(" ") and " small " in line]
    assert [" reached " in rows[0], " not reached " in rows[1]] == [True, True]
    assert rows[1].rstrip().endswith("!")
    assert text.startswith("desk: 2 reached, 1 not reached; 1 not as expected\n")


def test_brief_story_below_details_says_what_it_leaves_out_and_what_to_type() -> None:
    right = answered("ledger_is_right")[0]
    assert right.trace is not None
    assert right.outline is not None
    ticks = tuple(replace(right.trace.steps[0], action="clock_ticks", changed={}) for _ in range(20))
    steps = tuple(replace(step, number=n) for n, step in enumerate((*ticks, *right.trace.steps), 1))
    parts = {number + 20: replace(part, number=number + 20) for number, part in right.outline.parts.items()}
    long = replace(right, trace=replace(right.trace, steps=steps), outline=replace(right.outline, parts=parts))
    story = text_report("desk", [long], 80, form=Stories.BRIEF).partition("ledger_is_right (always) fails")[2]
    lines = story.rstrip().splitlines()
    numbers = [int(number) for number in re.findall(r"(?m)^ {3,}(\d+) ", story)]
    assert (len(numbers), numbers[-5:]) == (BRIEF_MAX - 2, [21, 22, 23, 24, 25])
    assert len(lines) == BRIEF_MAX + 2  # two steps go on in a second line
    assert lines[-1] == "  12 of 25 steps are left out; `--stories full` tells all"

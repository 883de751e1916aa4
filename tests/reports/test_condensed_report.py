"""The page about many claims: a line per answer, a few per story, nothing that passes for more than it is."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Any

import pytest
from systems.desk import Desk

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import Scope, Subject
from offsetproof.reports.bounds import bounds_told
from offsetproof.reports.condensed import PAGE_MAX, condensed_report
from offsetproof.reports.stories import BRIEF_MAX, Stories, smallest
from offsetproof.reports.text import text_report
from offsetproof.verdict.limits import Limits

SUBJECT = Subject("desk", Desk, Desk.claims)


@cache
def answered(*claims: str, states: int | None = None, fix: str | None = None) -> tuple[Answer, ...]:
    """The answers about some claims of the desk, or all."""
    request = Request(SUBJECT, claims, fixes=(fix,) if fix else (), limits=Limits(states, 1 << 30, None))
    return tuple(answers(SUBJECT, explicit_alone(), questions_of(request)))


def page(given: tuple[Answer, ...], width: int = 80, form: Stories = Stories.BRIEF) -> list[str]:
    return condensed_report("desk", given, width, form=form).splitlines()


def block(lines: list[str], claim: str) -> list[str]:
    """The lines below a claim's sentence."""
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{claim}  ")) + 1
    return [*takewhile(lambda line: line.startswith(" "), lines[start:])]


def test_page_is_what_a_reader_sees() -> None:
    assert page(answered()) == [
        "desk: 3 HOLDS, 3 REFUTED, 2 reached, 1 not reached; 2 not as expected",
        "HOLDS: exhaustive, in the scope that its row names",
        "",
        "ledger_is_right  The ledger never has more than there is.",
        "  REFUTED  small  5 steps, 1 fault",
        "      1 customer  A customer brings one more, if there is room for one",
        "                    (source 0 -> 1)",
        "      2 door      The desk is opened in the morning (is_open False -> True)",
        "      3 hand      The number is copied into the tray, whatever was there before,",
        "                    and the tray is carried to the ledger (tray None -> 1)",
        "      4 hand      clerk_writes (ledger 0 -> 1)",
        "      5 water     fault: Water spills: the number is lost (source 1 -> 0)",
        "  REFUTED  also in wide (5 steps, 1 fault)",
        "ledger_is_empty  Nothing is ever written.",
        "  REFUTED  small  4 steps; NOT AS EXPECTED",
        "      1 customer  A customer brings one more, if there is room for one",
        "                    (source 0 -> 1)",
        "      2 door      The desk is opened in the morning (is_open False -> True)",
        "      3 hand      The number is copied into the tray, whatever was there before,",
        "                    and the tray is carried to the ledger (tray None -> 1)",
        "      4 hand      clerk_writes (ledger 0 -> 1)",
        "tray_is_filled_at_an_open_desk  Nothing is in the tray of a desk that is closed.",
        "  HOLDS    small (15 states, depth 4), dry (12 states, depth 4)",
        "ledger_is_right_where_it_is_dry  The same where no water spills.",
        "  HOLDS    dry  16 states, depth 6",
        "ledger_overflows  The ledger has more than fits.",
        "  not reached  small  1 state, depth 0; NOT AS EXPECTED",
        "",
        "bounds of the scopes in which something HOLDS:",
        "  small  top=1, spill<=1",
        "  dry    top=2",
        "1 witness reached (2 answers), each in a story that was replayed",
        "not as expected: ledger_is_empty in small, ledger_overflows in small",
        "for what was left out and the whole story: `offsetproof check ledger_is_empty`;",
        "  for what a scope is: `offsetproof list scopes`",
    ]


def test_story_of_a_claim_is_the_smallest_over_its_scopes_and_told_once() -> None:
    given = answered("ledger_is_right")
    shorter = given[1].trace
    assert shorter is not None
    one_less = replace(given[1], trace=replace(shorter, steps=shorter.steps[1:]))
    assert smallest(given) == [given[0]]
    assert smallest((given[0], one_less)) == [one_less]
    no_fault = replace(given[1], trace=replace(shorter, steps=tuple(replace(s, fault=None) for s in shorter.steps)))
    assert smallest((given[0], no_fault)) == [no_fault]


def test_full_stories_follow_the_table_and_none_leaves_them_out() -> None:
    full = "\n".join(page(answered(), form=Stories.FULL))
    assert full.count("  0  the initial state") == 2
    assert "ledger_is_right is refuted in wide (5 steps) as well; `--scope NAME` tells" in full
    none = page(answered(), form=Stories.NONE)
    assert not [line for line in none if "->" in line]
    assert len(none) == len(page(answered())) - 7 - 6


def about(answer: Answer, **changes: Any) -> Answer:
    """The same answer about a claim that is declared in another way."""
    prop = replace(answer.result.prop, **changes)
    told = copy(answer.result.replay)
    vars(told)["prop"] = prop
    return replace(answer, result=replace(answer.result, prop=prop, replay=told))


def renamed(answer: Answer, n: int) -> Answer:
    """The same answer about a claim of another name, with a story of its own: its first step has an argument."""
    assert answer.trace is not None
    first, *others = answer.trace.steps
    trace = replace(answer.trace, steps=(replace(first, args={"n": n}), *others))
    return replace(
        about(answer, name=f"claim_{n}", case=replace(answer.result.prop.case, id=f"claim_{n}")), trace=trace
    )


@pytest.mark.parametrize(("claims", "lines_each"), [(35, {7}), (47, {5, 6}), (56, {3, 4, 5}), (64, {3, 4})])
def test_stories_share_the_room_that_the_page_leaves_and_surprises_have_all_of_theirs(
    claims: int, lines_each: set[int]
) -> None:
    given = tuple(renamed(answered("ledger_is_right")[0], n) for n in range(claims))
    lines = page((*given, *answered("ledger_is_empty")))
    told = [len(block(lines, f"claim_{n}")) - 1 for n in range(claims)]
    assert set(told) <= lines_each
    assert max(told) - min(told) <= 1
    assert len(lines) == PAGE_MAX or (set(told) == {7} and len(lines) < PAGE_MAX)
    assert len(block(lines, "ledger_is_empty")) == 1 + 6
    assert ("..." in "".join(block(lines, "claim_0"))) is (claims > 35)
    assert "..." not in "".join(block(lines, "ledger_is_empty"))


def test_claim_with_many_cases_tells_one_story_where_there_is_no_room_for_each() -> None:
    answer = answered("ledger_is_right")[0]
    cases = [renamed(answer, n) for n in range(90)]
    by_claim = tuple(replace(about(each, name=f"claim_{n // 3}"), trace=each.trace) for n, each in enumerate(cases))
    lines = page((*by_claim, *answered("ledger_is_empty")))
    told = [line for line in lines if line.startswith("      4 hand")]
    assert len(told) == 30 + 1, "one of each claim, and the one that nobody expected"
    rows = [line for line in lines if re.match(r"  REFUTED  (claim_\d+ in )?small (\(| )5 steps, 1 fault", line)]
    assert len(rows) == 90
    assert len(lines) <= PAGE_MAX


def test_who_gets_the_lines_that_are_left_does_not_depend_on_where_answers_lie_in_memory() -> None:
    given = tuple(renamed(answered("ledger_is_right")[0], n) for n in range(48))
    once = page(given)
    for seed in range(5):
        order = sorted(range(48), key=lambda n: (n * 31 + seed * 17) % 48)
        copies = {n: replace(given[n]) for n in order}  # made in another order, so they lie in another order
        assert page(tuple(copies[n] for n in range(48))) == once


def test_story_says_in_its_row_how_many_of_its_steps_are_told() -> None:
    given = tuple(renamed(answered("ledger_is_right")[0], n) for n in range(70))
    lines = page(given)
    assert block(lines, "claim_0") == [
        "  REFUTED  small  5 steps, 1 fault, 2 shown here",
        "      4 hand   clerk_writes (ledger 0 -> 1)",
        "      5 water  fault: Water spills: the number is lost (source 1 -> 0)",
    ]


def test_claims_with_the_same_story_share_it_and_a_surprise_tells_it() -> None:
    right, empty = answered("ledger_is_right")[0], answered("ledger_is_empty")[0]
    other = replace(renamed(right, 1), trace=right.trace)
    lines = page((right, other))
    assert len(block(lines, "ledger_is_right")) == 1 + 7
    assert block(lines, "claim_1") == ["  REFUTED  small  5 steps, 1 fault, the story of ledger_is_right"]
    surprise = replace(renamed(empty, 1), trace=right.trace)
    lines = page((right, surprise))
    assert block(lines, "ledger_is_right") == ["  REFUTED  small  5 steps, 1 fault, the story of claim_1"]
    assert len(block(lines, "claim_1")) == 1 + 7


def test_scope_in_which_nobody_expected_a_refutation_keeps_its_row() -> None:
    small, wide = answered("ledger_is_right")
    surprise = about(wide, case=replace(wide.result.prop.case, expected=None))
    rows = [line for line in block(page((small, surprise)), "ledger_is_right") if line.startswith("  REFUTED")]
    assert rows == ["  REFUTED  small  5 steps, 1 fault", "  REFUTED  wide   5 steps, 1 fault; NOT AS EXPECTED"]


def test_unknown_says_why_and_is_no_surprise_beside() -> None:
    lines = page(answered("ledger_is_right_where_it_is_dry", states=3))
    assert lines[0] == "desk: 1 UNKNOWN; 1 not as expected"
    assert block(lines, "ledger_is_right_where_it_is_dry")[0].startswith("  UNKNOWN  dry  state limit; ")
    assert "NOT AS EXPECTED" not in "\n".join(lines)


def test_fix_that_was_asked_for_stands_in_every_row() -> None:
    lines = page(answered("tray_is_filled_at_an_open_desk", fix="lid"))
    assert block(lines, "tray_is_filled_at_an_open_desk") == [
        "  HOLDS    small (15 states, depth 4), dry (12 states, depth 4); fix lid",
    ]


def test_method_stands_in_the_row_where_there_are_several() -> None:
    small, dry = answered("tray_is_filled_at_an_open_desk")
    inductive = replace(dry, result=replace(dry.result, method="k-induction"))
    lines = page((small, inductive))
    assert block(lines, "tray_is_filled_at_an_open_desk") == [
        "  HOLDS    small  15 states, depth 4, exhaustive",
        "  HOLDS    dry    12 states, depth 4, k-induction",
    ]
    assert not [line for line in lines if line.startswith("HOLDS: ")]


def test_bounds_are_told_of_scopes_in_which_something_holds_and_what_all_have_once() -> None:
    assert [*bounds_told(answered("ledger_is_right"), 80)] == []
    small, dry = answered("tray_is_filled_at_an_open_desk")
    assert [*bounds_told((dry,), 80)] == ["bounds of the scopes in which something HOLDS:", "  dry  top=2"]

    def within(name: str, **bounds: int) -> Answer:
        setting = replace(dry.result.setting, scope=Scope(name, bounds))
        return replace(dry, result=replace(dry.result, setting=setting))

    assert [*bounds_told((dry, within("twice", top=2, desks=2), within("high", top=7)), 99)] == [
        "bounds of the scopes in which something HOLDS, with top=2 unless stated:",
        "  dry    no others",
        "  twice  desks=2",
        "  high   top=7",
    ]
    assert [*bounds_told((dry, within("none", desks=2)), 99)][1:] == ["  dry   top=2", "  none  desks=2"]
    assert "small" in "".join(bounds_told((small, dry), 80))


def test_bounds_that_were_changed_are_told_under_the_name_that_the_row_has() -> None:
    request = Request(SUBJECT, ("ledger_is_right_where_it_is_dry",), bounds={"top": 1})
    given = tuple(answers(SUBJECT, explicit_alone(), questions_of(request)))
    lines = page(given)
    assert [line.split()[:2] for line in lines if line.startswith("  HOLDS")] == [["HOLDS", "dry*"]]
    assert "  dry*  top=1" in lines


def test_vacuous_answer_says_so_in_its_row() -> None:
    small, dry = answered("tray_is_filled_at_an_open_desk")
    hollow = replace(dry, result=replace(dry.result, vacuous="nothing was ever at rest"))
    lines = page((small, hollow))
    rows = [" ".join(line.split()) for line in block(lines, "tray_is_filled_at_an_open_desk")]
    assert "VACUOUS dry 12 states, depth 4; nothing was ever at rest; NOT AS EXPECTED" in rows
    assert lines[0] == "desk: 1 HOLDS, 1 VACUOUS; 1 not as expected"
    said = "VACUOUS: nothing could have broken the claim, so its HOLDS means nothing; "
    assert said in " ".join(lines)
    assert said not in " ".join(page((small, dry)))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_page_is_no_wider_than_asked(width: int) -> None:
    assert max(map(len, page(answered(), width))) <= width


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

"""The report of the whole catalogue about RocketMQ: everything that was asked is in it, and it can be read."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from systems.recorded_answers import recorded_answers

from offsetproof.checking.answers import Answer
from offsetproof.lang import ClaimKind
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reports.text import report_for_people
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

ANSWERS = cache(recorded_answers)


def report(answers: list[Answer], width: int) -> list[str]:
    claims = [answer.result.prop for answer in ANSWERS()]
    return report_for_people("rocketmq", answers, width, claims=claims).splitlines()


def rows(lines: list[str]) -> list[str]:
    """The table's rows, each with the lines that it goes on in."""
    whole: list[str] = []
    for line in lines[4 : lines.index("", 4)]:
        if any(f" {verdict} " in line for verdict in ("HOLDS", "REFUTED")):
            whole.append(line)
        else:
            whole[-1] += "\n" + line
    return whole


@pytest.mark.parametrize(("width", "longest"), [(80, 500), (100, 350), (120, 250)])
def test_report_is_short_and_narrow(width: int, longest: int) -> None:
    lines = report(ANSWERS(), width)
    assert len(lines) <= longest
    assert max(map(len, lines)) <= width


def test_report_on_every_release_is_a_page_and_says_what_was_not_asked() -> None:
    answers = recorded_answers(of_every_release=True)
    first = next(answer for answer in answers if answer.claim == "I1").result
    asked = [answer for answer in answers if answer.result is not first]
    large = [Question(ROCKETMQ.model, first.setting, first.prop)]
    claims = [answer.result.prop for answer in asked]
    lines = report_for_people("rocketmq", asked, 80, claims=claims, large=large).splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 80
    assert "1 question is not asked for its size (large); `--release all` asks all" in lines
    words = [line.split() for line in lines]
    assert ["writer-passes-nothing-unfinished-of-", "large", *["HOLDS"] * 4] in words
    table = " ".join(line[:39].strip() for line in lines).replace("- ", "-")
    cases = {answer.claim for answer in asked if answer.result.prop.kind is not ClaimKind.SOMETIMES}
    assert [case for case in cases if not re.search(rf"[ (]{case}[+) ]", table)] == []


def test_every_answer_about_a_claim_has_its_row_and_reached_witnesses_are_counted() -> None:
    lines = report(ANSWERS(), 120)
    told = [answer for answer in ANSWERS() if answer.result.prop.kind is not ClaimKind.SOMETIMES]
    for answer, row in zip(told, rows(lines), strict=True):
        assert answer.result.prop.id in row
        assert f" {answer.result.setting.scope.name} " in row
        assert f" {answer.result.verdict} " in row
        assert re.search(rf" {answer.result.counts.states:,}( |$)", row, re.MULTILINE)
    witnesses = [answer.result.prop.id for answer in ANSWERS() if answer not in told]
    counted = f"{len({*witnesses})} witnesses reached ({len(witnesses)} answers), each in a story that was replayed"
    assert counted in lines


def test_claim_is_named_in_its_first_row() -> None:
    names = Counter(answer.result.prop.name for answer in ANSWERS())
    text = "".join(row.split()[0] for row in rows(report(ANSWERS(), 200)))
    claims = [answer.result.prop for answer in ANSWERS() if answer.result.prop.kind is not ClaimKind.SOMETIMES]
    assert {prop.name for prop in claims if text.count(prop.name) < 1} == set()
    assert text.count("backward-reset-stays") == 1 < names["backward-reset-stays"]


def test_unexpected_verdict_is_told_with_its_story() -> None:
    answers = ANSWERS()
    assert " fails after " not in "\n".join(report(answers, 80))
    which = next(i for i, answer in enumerate(answers) if answer.result.prop.id == "I4-recreated-stopped")
    prop = answers[which].result.prop
    odd = replace(prop, case=replace(prop.case, expected=None))
    result = answers[which].result
    vars(result.replay)["prop"] = odd
    answers = [*answers[:which], replace(answers[which], result=replace(result, prop=odd)), *answers[which + 1 :]]
    text = "\n".join(report(answers, 100))
    vars(result.replay)["prop"] = prop
    assert "committed-offset-never-exceeds-min-unacked (I4-recreated-stopped) REFUTED: " in text
    assert text.count(" fails after ") == 1


def test_interrupted_report_says_how_many_questions_are_missing() -> None:
    assert report(ANSWERS()[:120], 100)[1] == f"120 of {len(ANSWERS())} questions decided"
    *decided, last = ANSWERS()[:121]
    cut = replace(last.result, verdict=Verdict.UNKNOWN, reason=Reason.INTERRUPTED, replay=None, interrupted=True)
    given = [*decided, replace(last, result=cut, trace=None)]
    assert report(given, 100)[1] == f"interrupted: 120 of {len(ANSWERS())} questions decided"
    assert "questions decided" not in "\n".join(report(ANSWERS(), 100))

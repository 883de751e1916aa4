"""The page of the whole catalogue about RocketMQ: everything that was asked is on it, and it fits into 350 lines."""

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
from offsetproof.reports.condensed import PAGE_MAX, condensed_report
from offsetproof.reports.stories import Stories
from offsetproof.reports.unfolding import Unfolding
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

ANSWERS = cache(recorded_answers)


def page(answers: list[Answer], width: int) -> list[str]:
    return condensed_report("rocketmq", answers, width, form=Stories.BRIEF).splitlines()


def paragraphs(lines: list[str]) -> list[str]:
    """Rows and claims, each with the lines that it goes on in."""
    whole: list[str] = []
    for line in lines:
        if re.match(r" {4}\S", line):
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
    return whole


@pytest.mark.parametrize("width", [80, 90, 100, 120])
def test_page_of_everything_has_350_lines(width: int) -> None:
    lines = page(ANSWERS(), width)
    assert len(lines) <= PAGE_MAX == 350
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [80, 100])
def test_every_claim_case_verdict_and_scope_stands_on_it(width: int) -> None:
    lines = paragraphs(page(ANSWERS(), width))
    claims = [answer for answer in ANSWERS() if answer.result.prop.kind is not ClaimKind.SOMETIMES]
    headings = [line for line in lines if line[:1].isalpha()]
    name = ""
    for case in dict.fromkeys(answer.result.prop for answer in claims):
        if case.name != name:
            name = case.name
            heading = next(i for i, line in enumerate(lines) if line.startswith(f"{name} ") and line in headings)
        own = [a for a in claims if a.result.prop is case]
        begin = heading if not case.case.where else next(i for i, t in enumerate(lines) if f"  {case.id} in " in t)
        rows = " ".join(lines[begin : begin + 9])
        for answer in own:
            assert answer.result.verdict in rows
            assert re.search(rf"\b{answer.result.setting.scope.name}\b", rows), (case.id, rows)


def test_rows_are_as_many_as_the_verdicts_say() -> None:
    rows = [line for line in paragraphs(page(ANSWERS(), 100)) if re.match(r"  (HOLDS|REFUTED) ", line)]
    counted: Counter[str] = Counter()
    for row in rows:
        scopes = re.findall(r"\([\d,]+ (?:states|steps)", row)
        counted[row.split()[0]] += max(1, len(scopes))
    claims = [a.result.verdict for a in ANSWERS() if a.result.prop.kind is not ClaimKind.SOMETIMES]
    assert counted == Counter(map(str, claims))


def test_unexpected_verdict_keeps_its_row_and_its_words() -> None:
    answers = ANSWERS()
    which = next(i for i, answer in enumerate(answers) if answer.result.prop.id == "I4-recreated-stopped")
    prop = answers[which].result.prop
    odd = replace(prop, case=replace(prop.case, expected=None))
    result = answers[which].result
    vars(result.replay)["prop"] = odd
    answers = [*answers[:which], replace(answers[which], result=replace(result, prop=odd)), *answers[which + 1 :]]
    lines = page(answers, 80)
    vars(result.replay)["prop"] = prop
    assert "  I4-recreated-stopped: where the topic is deleted while its group is stopped," in lines
    assert "NOT AS EXPECTED" in "\n".join(lines)
    assert len(lines) < PAGE_MAX + 30, "its story is whole, even where there is no room"


def test_interrupted_page_says_how_many_questions_are_missing() -> None:
    text = condensed_report("rocketmq", ANSWERS()[:120], 100, form=Stories.NONE, asked=len(ANSWERS()))
    assert text.splitlines()[1] == f"120 of {len(ANSWERS())} questions decided"
    *decided, last = ANSWERS()[:121]
    cut = replace(last.result, verdict=Verdict.UNKNOWN, reason=Reason.INTERRUPTED, replay=None, interrupted=True)
    given = [*decided, replace(last, result=cut, trace=None)]
    text = condensed_report("rocketmq", given, 100, form=Stories.NONE, asked=len(ANSWERS()))
    assert text.splitlines()[1] == f"interrupted: 120 of {len(ANSWERS())} questions decided"
    assert "questions decided" not in "\n".join(page(ANSWERS(), 100))


def test_page_that_unfolds_is_not_much_longer() -> None:
    answers = ANSWERS()
    questions = [Question(ROCKETMQ.model, answer.result.setting, answer.result.prop) for answer in answers]
    unfolding = Unfolding("rocketmq", questions, 80, colour=False, form=Stories.BRIEF, model="")
    text = "".join(unfolding.add(answer) for answer in answers) + unfolding.end()
    assert len(text.splitlines()) <= PAGE_MAX + 30
    assert "questions decided" not in text

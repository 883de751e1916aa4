"""The page for somebody who looks on: the same claims in the same order, each as soon as it is decided."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reports.condensed import condensed_report
from offsetproof.reports.stories import STEPS_MOST, Stories
from offsetproof.reports.unfolding import Unfolding

CLAIMS = ("I11", "I11-fixed", "I3", "I8", "W-two-owners")
WIDTH = 90
ASKED = questions_of(Request(ROCKETMQ, CLAIMS))


@cache
def given() -> tuple[Answer, ...]:
    return tuple(answers(ROCKETMQ, explicit_alone(), ASKED))


def unfolding(form: Stories = Stories.BRIEF) -> Unfolding:
    return Unfolding("rocketmq", ASKED, WIDTH, colour=False, form=form, model="")


def unfolded(form: Stories = Stories.BRIEF) -> tuple[list[str], str]:
    """What each answer adds, and the end."""
    page = unfolding(form)
    return [page.add(answer) for answer in given()], page.end()


def test_each_claim_is_shown_with_its_last_answer() -> None:
    shown, _ = unfolded()
    last = {answer.result.prop.id: at for at, answer in enumerate(given())}
    assert [at for at, text in enumerate(shown) if text] == [last[id] for id in CLAIMS if not id.startswith("W")]


def test_witnesses_and_counts_stand_at_the_end() -> None:
    shown, end = unfolded()
    assert end.splitlines()[:2] == ["", "rocketmq 4.9.4: 1 HOLDS, 5 REFUTED, 2 reached; all as expected"]
    assert "1 witness reached (2 answers), each in a story that was replayed" in end
    assert not any("W-two-owners" in text for text in shown)


def test_claims_and_rows_are_those_of_the_page_without_stories() -> None:
    shown, _ = unfolded(Stories.NONE)
    page = condensed_report("rocketmq", given(), WIDTH, form=Stories.NONE)
    assert "".join(shown) in page


def test_no_story_has_more_steps_than_a_brief_one_may_have() -> None:
    shown, _ = unfolded()
    steps = [len(re.findall(r"(?m)^ +\d+ ", text)) for text in shown]
    assert any(steps)
    assert max(steps) <= STEPS_MOST


def test_method_of_what_holds_stands_at_the_end_and_so_do_its_bounds() -> None:
    shown, end = unfolded()
    assert not any("exhaustive" in text for text in shown)
    assert end.splitlines()[2] == "HOLDS: exhaustive, in the scope that its row names"
    assert "  first-commits  consumers=1, lives=1, " in end
    page = condensed_report("rocketmq", given(), WIDTH, form=Stories.NONE).splitlines()
    assert {*end.splitlines()} <= {*page}


def test_row_says_a_method_that_is_not_the_one_that_the_others_have() -> None:
    page = unfolding(Stories.NONE)
    shown = [page.add(answer) for answer in given()[:2]]
    result = replace(given()[1].result, method="k-induction", prop=replace(given()[1].result.prop))
    page.add(replace(given()[1], result=result))
    end = page.end()
    assert "exhaustive" not in "".join(shown)
    assert re.search(r"HOLDS +I11-fixed in first-commits \(.*, k-induction; fix", end)
    assert "HOLDS: exhaustive, in the scope that its row names (unless the row says otherwise)\n" in end


def test_whole_stories_follow_at_the_end_where_they_are_asked_for() -> None:
    shown, end = unfolded(Stories.FULL)
    assert not any(line.startswith("      ") for text in shown for line in text.splitlines())
    assert len(end.splitlines()) > len(unfolded()[1].splitlines()) + 20


def test_claim_that_was_begun_is_shown_where_no_more_answers_come() -> None:
    several = [at for at, q in enumerate(ASKED[:-1]) if q.prop is ASKED[at + 1].prop]
    page = unfolding()
    before = [page.add(answer) for answer in given()[: several[0] + 1]]
    assert before[-1] == ""
    assert ASKED[several[0]].prop.name in page.end()

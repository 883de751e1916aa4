"""No report is green, or whole, where questions have no answer or where a HOLDS means nothing."""

from __future__ import annotations

import json
from functools import cache

import pytest
from systems.schemas import read_valid

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.cli.formats import FORMATS, TEXT, writer_of
from offsetproof.examples.toys import Counter
from offsetproof.lang import Subject
from offsetproof.verdict.limits import Limits

SUBJECT = Subject("counter", Counter, Counter.claims)
VACUOUS = "true whatever its fields hold in this scope; no step could break it"


@cache
def answered(*claims: str, states: int | None = None) -> tuple[Answer, ...]:
    request = Request(SUBJECT, claims, limits=Limits(states))
    return tuple(answers(SUBJECT, explicit_alone(), questions_of(request)))


def report(form: str, given: tuple[Answer, ...], asked: int | None = None) -> str:
    return writer_of("check", form)("counter", given, asked)


@pytest.mark.parametrize("given", [(), answered("stays_below_four")], ids=["none", "one"])
@pytest.mark.parametrize("form", ["junit", "sarif", "github", "markdown"])
def test_report_of_fewer_answers_than_questions_says_so_and_is_not_green(form: str, given: tuple[Answer, ...]) -> None:
    told = report(form, given, 16)
    assert f"{len(given)} of 16 questions decided" in told
    red = {"junit": 'errors="1"', "sarif": '"level": "error"', "github": "::error", "markdown": "**"}[form]
    assert red in told
    assert "as expected" not in told
    assert "questions decided" not in report(form, given, len(given))


def test_json_says_how_many_questions_there_were() -> None:
    told = read_valid("report", report("json", answered("stays_below_four"), 16))
    assert (told["questions"], len(told["results"])) == (16, 1)
    assert json.loads(report("json", answered("stays_below_four")))["questions"] == 1


@pytest.mark.parametrize("form", [form for form in FORMATS["check"] if form not in (TEXT, "markdown")])
def test_vacuous_answer_says_why(form: str) -> None:
    assert [answer.result.vacuous for answer in answered("stays_below_four")] == [VACUOUS]
    assert VACUOUS in report(form, answered("stays_below_four"))


def test_vacuous_answer_is_no_plain_pass() -> None:
    given = answered("stays_below_four")
    assert json.loads(report("sarif", given))["runs"][0]["results"][0]["kind"] == "review"
    assert report("github", given).startswith("::warning")
    assert report("markdown", given).rstrip().endswith("| vacuous |")


def test_table_says_why_a_verdict_is_unknown_and_which_bounds_were_changed() -> None:
    row = report("markdown", answered("never_falls", states=2)).rstrip().splitlines()[-1]
    assert row.endswith("| UNKNOWN | 2 | ? state limit |")

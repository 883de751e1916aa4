"""No report is green, or whole, where questions have no answer or where a HOLDS means nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest
from systems.schemas import read_valid

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.cli.formats import FORMATS, TEXT, writer_of
from offsetproof.examples.toys import Counter
from offsetproof.lang import Subject
from offsetproof.reports.html.index import index_json
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


def test_vacuous_answer_is_a_failure_in_every_form() -> None:
    given = answered("stays_below_four")
    (found,) = json.loads(report("sarif", given))["runs"][0]["results"]
    assert (found["kind"], found["level"]) == ("fail", "error")
    assert report("github", given).startswith("::error")
    assert report("markdown", given).rstrip().endswith(f"| VACUOUS | 1 | expected HOLDS; {VACUOUS} |")
    assert '<failure message="VACUOUS, expected HOLDS" type="HOLDS">' in report("junit", given)
    (told,) = index_json("counter", given, {})["claims"][0]["answers"]
    assert (told["word"], told["verdict"], told["as_expected"]) == ("VACUOUS", "unknown", False)


def test_vacuous_answer_that_is_allowed_passes_and_says_why() -> None:
    (answer,) = answered("stays_below_four")
    given = (replace(answer, result=replace(answer.result, allows_vacuous=True)),)
    (found,) = json.loads(report("sarif", given))["runs"][0]["results"]
    assert (found["kind"], found["level"]) == ("review", "none")
    assert report("github", given).startswith("::warning")
    assert report("markdown", given).rstrip().endswith(f"| VACUOUS | 1 | allowed; {VACUOUS} |")
    assert f"<system-out>VACUOUS: {VACUOUS}; " in report("junit", given)
    (told,) = index_json("counter", given, {})["claims"][0]["answers"]
    assert (told["word"], told["verdict"], told["as_expected"]) == ("VACUOUS", "unknown", True)


def test_table_says_why_a_verdict_is_unknown_and_which_bounds_were_changed() -> None:
    row = report("markdown", answered("never_falls", states=2)).rstrip().splitlines()[-1]
    assert row.endswith("| UNKNOWN | 2 | ? state limit |")

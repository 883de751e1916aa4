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
from offsetproof.reports.text import headline, report_for_people, text_report
from offsetproof.verdict.agreement import Agreement
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Verdict

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
    told = read_valid("check", report("json", answered("stays_below_four"), 16))
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
    (told,) = index_json("counter", given, {}).claims[0].answers
    assert (told.word, told.verdict, told.as_expected) == ("VACUOUS", "unknown", False)


def test_vacuous_answer_that_is_allowed_passes_and_says_why() -> None:
    (answer,) = answered("stays_below_four")
    given = (replace(answer, result=replace(answer.result, allows_vacuous=True)),)
    (found,) = json.loads(report("sarif", given))["runs"][0]["results"]
    assert (found["kind"], found["level"]) == ("review", "none")
    assert report("github", given).startswith("::warning")
    assert report("markdown", given).rstrip().endswith(f"| VACUOUS | 1 | allowed; {VACUOUS} |")
    assert f"<system-out>VACUOUS: {VACUOUS}; " in report("junit", given)
    (told,) = index_json("counter", given, {}).claims[0].answers
    assert (told.word, told.verdict, told.as_expected) == ("VACUOUS", "unknown", True)


def test_engines_that_disagree_are_as_expected_in_no_form() -> None:
    (answer,) = answered("stays_below_two")
    blind = replace(answer.result, engine="smt", verdict=Verdict.HOLDS, exhaustive=True, replay=None, within=9)
    apart = replace(answer, agreement=Agreement((answer.result, blind)))
    assert (answer.as_expected, apart.result.as_expected, apart.as_expected) == (True, True, False)
    given = (apart, apart)
    assert text_report("counter", given, 100).startswith("counter: 2 REFUTED; 2 not as expected\n")
    long = report_for_people("counter", given, 100, claims=2 * Counter.claims)
    assert long.startswith("counter: 2 REFUTED; 2 not as expected\n")
    assert (long.count("DISAGREEMENT\n"), long.count("DISAGREEMENT: ")) == (2, 2)
    assert report("markdown", given).count("| DISAGREEMENT |") == 2
    (claim,) = index_json("counter", given, {}).claims
    assert [told.as_expected for told in claim.answers] == [False, False]


def test_headline_of_fewer_answers_than_questions_speaks_of_these() -> None:
    given = answered("moves_by_one_or_wraps")
    assert headline("counter", given, 1) == "counter: 1 HOLDS; all as expected"
    assert headline("counter", given, 16) == "counter: 1 HOLDS; all as expected so far"
    for told in (text_report("counter", given, 100, asked=16), index_json("counter", given, {}, 16).headline):
        assert told.startswith("counter: 1 HOLDS; all as expected so far")


def test_table_says_why_a_verdict_is_unknown_and_which_bounds_were_changed() -> None:
    row = report("markdown", answered("never_falls", states=2)).rstrip().splitlines()[-1]
    assert row.endswith("| UNKNOWN | 2 | ? state limit |")

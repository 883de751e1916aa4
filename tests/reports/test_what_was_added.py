"""Every report says what was added to a claim's world: with another listener the answer differs."""

from __future__ import annotations

from functools import cache

import pytest

from offsetproof.checking.answers import Answer, answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.cli.formats import FORMATS, TEXT, writer_of
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reading.typed_json import write_json
from offsetproof.reports.html.index import index_json
from offsetproof.reports.text import report_for_people, text_report
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Verdict

NAMES = ("poll-checks-dropped", "commits-in-order", "ack-none")


@cache
def answered(*names: str, states: int | None = None) -> tuple[Answer, ...]:
    fixes, assumptions, listener = ((names[0],), (names[1],), names[2]) if names else ((), (), None)
    request = Request(
        ROCKETMQ, ("I13",), fixes=fixes, assumptions=assumptions, listener=listener, limits=Limits(states)
    )
    return tuple(answers(ROCKETMQ, explicit_alone(), questions_of(request)))


def reports(given: tuple[Answer, ...]) -> dict[str, str]:
    """The answers in every form of `check`."""
    programs = {form: writer_of("check", form)("rocketmq", given) for form in FORMATS["check"] if form != TEXT}
    long = report_for_people("rocketmq", given, 100, claims=ROCKETMQ.properties)
    people = {"text": text_report("rocketmq", given, 100), "long": long}
    return {**programs, **people, "html": write_json(index_json("rocketmq", given, {}))}


@pytest.mark.parametrize("form", [*FORMATS["check"], "long", "html"])
def test_report_says_fix_assumption_and_listener(form: str) -> None:
    given = answered(*NAMES, states=3)  # unknown, as only that is told by github
    assert [answer.result.verdict for answer in given] == [Verdict.UNKNOWN] * len(given)
    told = reports(given)[form]
    assert [name for name in NAMES if name not in told] == []


@pytest.mark.parametrize("form", [form for form in FORMATS["check"] if form != "json"])
def test_listener_that_claims_are_stated_for_is_not_told(form: str) -> None:
    assert "listener" not in reports(answered(states=3))[form]


@pytest.mark.parametrize("form", [form for form in FORMATS["check"] if form not in ("github", "sarif")])
def test_case_that_is_asked_with_another_listener_is_not_told_as_if_it_were_with_its_own(form: str) -> None:
    """SARIF has the case's words among its rules, and github tells only what is not as expected."""
    request = Request(ROCKETMQ, ("I4-ack-at-failure",), listener="correct")
    given = tuple(answers(ROCKETMQ, explicit_alone(), questions_of(request)))
    assert [answer.result.verdict for answer in given] == [Verdict.HOLDS]
    told = reports(given)
    assert '"listener": "correct"' in told[form] or "listener correct" in told[form]
    assert "setAckIndex" not in told[form]
    assert "setAckIndex" not in told["long"]

"""The fast set: what is left out is what the baseline knows to be large, and a report says so."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.checking.request import Request, questions_of
from offsetproof.guard.baseline import baseline_file, read_baseline
from offsetproof.guard.fast_set import STATES_MAX, fast_and_large
from offsetproof.lang.subject import Subject
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question

QUESTIONS = questions_of(Request(ROCKETMQ, every_release=True))
KNOWN = {
    (asked.claim, asked.scope, asked.release): finding.states
    for (asked, _), finding in read_baseline(baseline_file("rocketmq", ROCKETMQ), ROCKETMQ).findings.items()
}


def named(question: Question) -> tuple[str, str, str | None]:
    return question.prop.id, question.setting.scope.name, question.setting.release


def test_every_question_that_is_left_out_is_known_to_be_large() -> None:
    fast, large = ([*map(named, part)] for part in fast_and_large(ROCKETMQ, QUESTIONS))
    base = {"4.9.8": "4.9.4", "5.5.0": "5.3.3"}
    sizes = {key: KNOWN.get(key, KNOWN.get((*key[:2], base.get(key[2] or "", "")), 0)) for key in map(named, QUESTIONS)}
    assert large == [key for key, states in sizes.items() if states > STATES_MAX]
    assert large
    assert fast == [key for key, states in sizes.items() if states <= STATES_MAX]


def test_nothing_is_left_out_of_what_the_baseline_does_not_know() -> None:
    changed = questions_of(Request(ROCKETMQ, fixes=("poll-checks-dropped",), every_release=True))
    _, left = fast_and_large(ROCKETMQ, changed)
    assert all("poll-checks-dropped" in [fix.name for fix in question.prop.fixes] for question in left)
    other: Subject = replace(ROCKETMQ, name="mine")
    assert fast_and_large(other, QUESTIONS) == (list(QUESTIONS), [])

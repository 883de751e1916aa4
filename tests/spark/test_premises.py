"""A claim that holds on Spark because nothing could have broken it is as vacuous as in one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from spark.one_task import one_task

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import Model, action, always, at_rest, implies, integer
from offsetproof.lang.subject import Subject


class Wheel(Model):
    """Turns for ever, and is at rest in a place to which it never comes."""

    x: int = integer(0, 5)
    before: int = integer(0, 5)

    def rest(self) -> bool:
        return self.x == 5

    @action()
    def turns(self) -> None:
        self.before = self.x
        self.x = (self.x + 1) % 4

    @at_rest
    def rests_at_zero(self) -> bool:
        return self.before == 0

    @always
    def five_comes_after_one(self) -> bool:
        return implies(self.x == 5, self.before == 1)

    @always
    def three_comes_after_two(self) -> bool:
        return implies(self.x == 3, self.before == 2)


QUESTIONS = {question.prop.id: question for question in questions_of(Request(Subject("Wheel", Wheel, Wheel.claims)))}


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("rests_at_zero", "the system is never at rest"),
        ("five_comes_after_one", "its premise is never true"),
        ("three_comes_after_two", ""),
    ],
)
def test_spark_says_of_a_premise_what_one_process_says(tmp_path: Path, claim: str, why: str) -> None:
    question = QUESTIONS[claim]
    there = one_task(tmp_path, resume=False).decide(question)
    here = Explicit().decide(question)
    assert (there.engine, str(there.verdict), there.vacuous) == ("spark", "HOLDS", why)
    assert (str(here.verdict), here.vacuous) == ("HOLDS", why)

"""An answer that is made of another release's is the one that the release gives when it is asked alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from offsetproof.checking.answers import Answer, answer_to
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.other_releases import AnswersInReleases
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.lang.errors import RefusedError
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Verdict


def answers(claim: str, *releases: str, limits: Limits = Limits()) -> tuple[list[Answer], list[str]]:
    """The answers in some releases, and in which of them they were made of another one's."""
    engines = explicit_alone()
    known, given, again = AnswersInReleases(engines.models), [], []
    for question in questions_of(Request(ROCKETMQ, (claim,), releases, limits=limits)):
        found = known.find(ROCKETMQ, question)
        if found is None:
            found = answer_to(ROCKETMQ, engines, question)
            known.keep(question, found)
        else:
            again.append(question.setting.release or "")
        given.append(found)
    return given, again


@pytest.mark.parametrize(("claim", "base", "release"), [
    ("I11", "4.9.4", "4.9.8"), ("I11-fixed", "4.9.4", "4.9.8"), ("W-late-poll", "4.9.4", "4.9.8"),
    ("I11", "5.3.3", "5.5.0"), ("I6-lost-command", "5.3.3", "5.5.0"),
])  # fmt: skip
def test_answer_made_of_another_release_is_the_own_one(claim: str, base: str, release: str) -> None:
    (_, made), again = answers(claim, base, release)
    (alone,), _ = answers(claim, release)
    assert again == [release]
    assert made.result.setting == alone.result.setting
    assert (made.verdict, made.counts, made.result.digest) == (alone.verdict, alone.counts, alone.result.digest)
    assert (made.result.witnesses, made.vacuous, made.result.unspent) == (
        alone.result.witnesses, alone.vacuous, alone.result.unspent,
    )  # fmt: skip
    assert (made.trace, made.outline) == (alone.trace, alone.outline)
    if made.result.replay is not None:
        assert made.result.replay.reference.setting.release == release


def test_release_in_which_the_model_is_another_is_decided_by_itself() -> None:
    (old, new), again = answers("I11", "4.9.4", "5.3.3")
    assert again == []
    assert old.result.digest != new.result.digest


def test_answer_that_a_limit_ended_is_not_used_again() -> None:
    given, again = answers("I11-fixed", "4.9.4", "4.9.8", limits=Limits(states=20))
    assert (len(given), again) == (2, [])


def test_other_claim_or_scope_has_answers_of_its_own() -> None:
    engines = explicit_alone()
    known = AnswersInReleases(engines.models)
    first, second = questions_of(Request(ROCKETMQ, ("I11", "I11-fixed"), ("4.9.4",)))
    known.find(ROCKETMQ, first)
    known.keep(first, answer_to(ROCKETMQ, engines, first))
    assert known.find(ROCKETMQ, second) is None
    later = replace(first, limits=Limits(states=1_000_000))
    assert known.find(ROCKETMQ, later) is None


def test_releases_that_will_have_an_answer_are_known_before_it_is_there() -> None:
    engines = explicit_alone()
    known = AnswersInReleases(engines.models)
    first, *others = questions_of(Request(ROCKETMQ, ("I11",), ("4.9.4", "4.9.8", "5.3.3")))
    assert [each.setting.release for each in others if known.answers_too(first, each)] == ["4.9.8"]
    timed = [replace(each, limits=Limits(seconds=60.0)) for each in (first, *others)]
    assert [each for each in timed[1:] if known.answers_too(timed[0], each)] == [], "another one may have had more time"


REFUSED_LATER = '''from offsetproof.lang import *

SEEN = []
EXTRA = Behaviour("extra", "house", "an extra step")
OLD = Release("1.0")
NEW = Release("2.0", frozenset({EXTRA}), based_on=OLD)


class Base(Model):
    """A number."""

    n: int = integer(0, 3)

    @action()
    def goes(self) -> None:
        """Goes."""
        require(self.n < 3)
        self.n += 1


class Extra(Base):
    """What cannot be staged."""

    @action()
    def adds(self) -> None:
        """Errs."""
        SEEN.append(1)
        self.n = 1


class House(Base):
    """A house in two releases."""

    releases = (OLD, NEW)
    roles = ("house",)
    scopes = (Scope("small", {}),)
    changed_by = (Change(EXTRA, steps=(Extra,)),)

    @always
    def is_small(self) -> bool:
        """It is small."""
        return self.n <= 3
'''


def test_release_that_cannot_be_staged_does_not_keep_another_from_its_answer(tmp_path: Path) -> None:
    (tmp_path / "house.py").write_text(REFUSED_LATER, encoding="utf-8")
    subject = load_subject(str(tmp_path / "house.py"))
    engines = explicit_alone()
    known = AnswersInReleases(engines.models)
    first, second = questions_of(Request(subject))
    assert not known.answers_too(first, second)
    assert answer_to(subject, engines, first).verdict is Verdict.HOLDS
    with pytest.raises(RefusedError, match="SEEN, a list"):
        answer_to(subject, engines, second)

"""A system that two releases share is searched once, and each release still has its own replay and its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit import same_system
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.system import State
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result


class Counting(InThisProcess):
    """Explores as usual, and counts the searches."""

    def __init__(self) -> None:
        self.searches: list[int | None] = []

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Search:
        self.searches.append(fault_cap)
        return super().search(question, program, initial, fault_cap, limits)


def asked(*claims: str, releases: Sequence[str] = ("4.9.4", "4.9.8"), **bounds: int) -> list[Question]:
    """The questions in the claims' own scopes."""
    return questions_of(Request(ROCKETMQ, claims, tuple(releases), bounds=bounds))


def decided(questions: Sequence[Question]) -> tuple[list[Result], list[int | None]]:
    """The results of one engine, and the searches that it made."""
    explore = Counting()
    engine = Explicit(explore=explore)
    return [engine.decide(question) for question in questions], explore.searches


@pytest.mark.parametrize("claim", ["I11", "I11-fixed", "I6-lost-command", "W-late-poll"])
def test_second_release_is_not_searched_again_and_has_the_same_verdict_and_story(claim: str) -> None:
    one, other = asked(claim)
    (first, second), searches = decided([one, other])
    (alone,), once = decided([other])
    assert searches == once
    assert (second.verdict, second.counts, second.digest) == (alone.verdict, alone.counts, alone.digest)
    assert (second.setting.release, first.setting.release) == ("4.9.8", "4.9.4")
    steps = [each.replay.labels if each.replay else None for each in (first, second, alone)]
    assert steps == [steps[0]] * 3
    assert second.replay is None or second.replay.reference.setting == other.setting
    assert settled(second.notes) == settled(alone.notes)


def settled(notes: Sequence[str]) -> list[str]:
    """The notes without the spot check's, which goes on for as long as its share of the time is."""
    return [note for note in notes if not note.startswith("spot check")]


def test_release_with_another_system_is_searched() -> None:
    (first, second), searches = decided(asked("I11", releases=("4.9.4", "5.3.3")))
    assert first.digest != second.digest
    assert len(searches) == 2 * len(decided(asked("I11", releases=("4.9.4",)))[1])


def test_search_that_a_limit_ended_is_made_again() -> None:
    questions = [replace(each, limits=Limits(states=20)) for each in asked("I11-fixed")]
    results, searches = decided(questions)
    assert [each.reason for each in results] == [Reason.STATES, Reason.STATES]
    assert len(searches) == 2


def test_search_that_holds_much_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_system, "KEPT_BYTES", 0)
    assert len(decided(asked("I11-fixed"))[1]) == 2

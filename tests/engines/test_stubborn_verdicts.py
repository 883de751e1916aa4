"""Questions with and without stubborn sets: the same verdict, the same shortest length, the same evidence."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from systems.built_in import BASELINES, BY_MODEL
from systems.random_models import made
from systems.sizes import is_small

from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.compact_search import Compactly
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.reduced_search import REDUCIBLE, ReducedSearches
from offsetproof.engines.explicit.reducing_plan import ReducingPlan
from offsetproof.engines.explicit.search import Search
from offsetproof.engines.preparing import StagedModels
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.phrases import describe_method
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Result

FORCED, NEVER = ReducingPlan(after=0, share=1e9), ReducingPlan(after=1 << 30)
"""Stubborn sets from the first state on, and not at all."""

AT_ONCE = 10
"""How many random models one test is about."""

MODELS = StagedModels()


def evidence(result: Result) -> tuple[object, ...]:
    """What stubborn sets must keep of a result."""
    replay = result.replay
    return result.verdict, result.reason, replay and replay.labels, result.witnesses, result.vacuous, result.unspent


def told(result: Result) -> tuple[object, ...]:
    """What is the same wherever the states are kept."""
    counts = result.counts
    return evidence(result), result.method, counts.states, counts.transitions, counts.depth, counts.levels


def must_agree(question: Question, models: StagedModels) -> bool:
    """Compares the searches, and then the results; whether stubborn sets have proved the claim."""
    prepared = Explicit(models).prepare(question, time.monotonic()).prepared
    (whole, alarm), forced = ReducedSearches(prepared, NEVER).begin(), ReducedSearches(prepared, FORCED)
    assert whole.stopped is None
    if not forced.are_of_use:
        return False
    beginning, first = forced.begin()
    is_over = first is not None or beginning.has_failed
    proof = None if is_over else forced.proof(beginning)
    if alarm is not None:
        assert is_over or (forced.alarm is not None and forced.alarm[1].length == alarm.length)
    elif whole.failed_depth is not None:
        failure, expected = (forced.current or beginning).failure(), whole.failure()
        assert proof is None
        assert (failure and failure.length) == (expected and expected.length)
    asked = replace(question, reductions=Reductions(stubborn=True))
    reduced, compact = (Explicit(models, explore, FORCED).decide(asked) for explore in (InThisProcess(), Compactly()))
    assert evidence(Explicit(models).decide(question)) == evidence(reduced)
    assert told(compact) == told(reduced)
    assert proof is not None or not reduced.counts.reduced
    return proof is not None


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(AT_ONCE, 2000, AT_ONCE))],
)
def test_random_models_with_faults_errors_and_cuts(first: int) -> None:
    for number in range(first, first + AT_ONCE):
        drawn, models = made(number, several=True), StagedModels()
        for prop in drawn.claims:
            must_agree(Question(drawn.model, drawn.setting, prop), models)


@pytest.mark.parametrize("toy", [toy for toy in TOYS if toy.prop.kind in REDUCIBLE], ids=lambda toy: toy.name)
def test_toys(toy: Toy) -> None:
    must_agree(Question(toy.model, toy.setting, toy.prop), MODELS)


def _asked() -> dict[str, list[Question]]:
    """The catalogue's questions: those of one claim in one scope together, a release behind the other."""
    asked: dict[str, list[Question]] = {}
    for subject in BASELINES:
        for question in questions_of(Request(subject, releases=(ALL_RELEASES,))):
            if question.prop.kind in REDUCIBLE:
                name = f"{BY_MODEL[question.model].name}-{question.prop.id}-{question.setting.scope.name}"
                asked.setdefault(name, []).append(question)
    return asked


ASKED = _asked()
SAMPLE = [name for name, (first, *_) in ASKED.items() if is_small(first)][::20]


@pytest.mark.parametrize(
    "questions",
    [
        pytest.param(questions, id=name, marks=() if name in SAMPLE else pytest.mark.slow)
        for name, questions in ASKED.items()
    ],
)
def test_catalogue(questions: list[Question]) -> None:
    """In each release; where a release has the system of one before it, there is nothing else to compare."""
    compared = set()
    for question in questions:
        system = MODELS.reduced_system(question)[1].digest_with_premises
        if system not in compared:
            compared.add(system)
            must_agree(question, MODELS)


def test_report_says_that_its_counts_are_of_the_reduced_search() -> None:
    toy = next(toy for toy in TOYS if toy.name == "Philosophers-one_eats_at_a_time")
    asked = Question(toy.model, toy.setting, toy.prop, reductions=Reductions(stubborn=True))
    result = Explicit(plan=FORCED).decide(asked)
    assert result.counts.reduced
    assert "of the reduced search" in describe_method(result)
    prepared = Explicit().prepare(asked, time.monotonic()).prepared
    searches = ReducedSearches(prepared, FORCED)
    whole, _ = searches.begin()
    proof = searches.proof(whole)
    assert proof is not None
    assert result.counts.peak_bytes >= proof.search.peak_bytes + whole.held_bytes


def test_searches_that_are_kept_count_for_the_limit_of_the_next_one() -> None:
    toy = next(toy for toy in TOYS if toy.name == "Philosophers-one_eats_at_a_time")
    limits = Limits(bytes=100 << 20)
    asked = Question(toy.model, toy.setting, toy.prop, reductions=Reductions(stubborn=True), limits=limits)
    searches = ReducedSearches(Explicit().prepare(asked, time.monotonic()).prepared, FORCED)
    whole, _ = searches.begin()
    proof = searches.proof(whole)
    assert proof is not None
    assert isinstance(proof.search, Search)
    assert proof.search.limits.bytes == (100 << 20) - whole.held_bytes


def test_sets_that_save_nothing_are_given_up_and_the_report_says_so() -> None:
    toy = next(toy for toy in TOYS if toy.name == "Philosophers-one_eats_at_a_time")
    asked = Question(toy.model, toy.setting, toy.prop, reductions=Reductions(stubborn=True))
    result = Explicit(plan=ReducingPlan(after=5, share=0, levels=0)).decide(asked)
    assert not result.counts.reduced
    assert (result.verdict, result.counts.states) == (toy.verdict, toy.states)
    assert "stubborn sets were not used: they leave about as many states as there are" in result.notes

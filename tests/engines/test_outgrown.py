"""A question whose rows outgrow their memory is asked again in fewer bytes a state, and nothing else changes."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from engines.derived import REDUCTIONS, Case
from engines.naive import TooManyStatesError
from engines.test_compact_search import WITHOUT_TIME, found, the_queue
from systems.lively import table
from systems.random_models import made

from offsetproof.engines.explicit.compact_search import Compactly, CompactSearch
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import InThisProcess, Searched
from offsetproof.engines.explicit.on_disk import OnDisk
from offsetproof.engines.explicit.outgrown import result_of_both
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.engines.preparing import StagedModels
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.system import State
from offsetproof.lang import Fairness
from offsetproof.lang.setting import Setting
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError, Reason, Result, Verdict

MODELS = StagedModels()
AGAIN = "asked again in fewer bytes a state"
AT_ONCE = 10


@dataclass
class ShortOfMemory(InThisProcess):
    """Searches in rows that have hardly any memory; only those for fewer faults, or with an error for a limit."""

    only_fewer_faults: bool = False
    fails: bool = False

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        is_short = fault_cap is not None or not self.only_fewer_faults
        if is_short and not self.fails:
            limits = replace(limits, bytes=1)
        search = Search(program, initial, limits, question.progress)
        if is_short and self.fails:
            search.watched = fail
        return search


def fail() -> None:
    raise MemoryError


SHORT = {
    "in all searches": ShortOfMemory(),
    "for fewer faults": ShortOfMemory(only_fewer_faults=True),
    "by an error": ShortOfMemory(fails=True),
    "for fewer faults, by an error": ShortOfMemory(only_fewer_faults=True, fails=True),
}


def must_be_as_usual(question: Question, explore: ShortOfMemory, models: StagedModels = MODELS) -> bool:
    """Was it asked again? Where only searches for fewer faults could not be, and none was needed, counts are others."""
    usual = Explicit(models, spot_limits=WITHOUT_TIME).decide(question)
    result = Explicit(models, explore=explore, spot_limits=WITHOUT_TIME).decide(question)
    notes = tuple(note for note in result.notes if AGAIN not in note)
    again = len(result.notes) - len(notes)
    assert again <= 1
    if not again and explore.only_fewer_faults:
        assert (result.verdict, length(result)) == (usual.verdict, length(usual))
    else:
        assert found(replace(result, notes=notes)) == found(usual)
    assert result.fewer_faults_open is usual.fewer_faults_open is None
    return bool(again)


def length(result: Result) -> tuple[int, int] | None:
    """Of the trace, with how many faults it has."""
    return None if result.replay is None else (len(result.replay.labels), result.replay.faults)


@pytest.mark.parametrize("short", SHORT)
@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_toy_is_decided_as_with_memory_enough(toy: Toy, short: str) -> None:
    was_asked_again = must_be_as_usual(Question(toy.model, toy.setting, toy.prop), SHORT[short])
    assert was_asked_again or SHORT[short].fails or SHORT[short].only_fewer_faults or not toy.transitions


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(AT_ONCE, 300, AT_ONCE))])
def test_random_models_with_faults_errors_and_cuts(first: int) -> None:
    again = 0
    for number in range(first, first + AT_ONCE):
        case = Case(made(number, several=True))
        try:
            for turn, prop in enumerate(case.props):
                question = case.question(prop, REDUCTIONS[(number + turn) % len(REDUCTIONS)])
                for explore in SHORT.values():
                    again += must_be_as_usual(question, explore, case.models)
        except TooManyStatesError:
            continue
    assert again


@pytest.mark.parametrize("mebibytes", [8, 10, 12, 16, 20, 32])
def test_what_ended_for_memory_is_never_exhaustive(mebibytes: int) -> None:
    usual = Explicit(MODELS).decide(the_queue())
    limited = Explicit(MODELS).decide(the_queue(Limits(bytes=mebibytes << 20)))
    assert (limited.verdict is Verdict.HOLDS) == limited.exhaustive == (mebibytes > 12)
    assert limited.counts.peak_bytes <= (mebibytes << 20) * 1.03
    *_, last = limited.notes
    if mebibytes == 32:
        assert AGAIN not in last
    elif limited.exhaustive:
        assert last.startswith("rows did not fit in memory: ")
        assert last.endswith(f" MiB; {AGAIN}")
        assert (limited.counts.states, limited.counts.levels) == (usual.counts.states, usual.counts.levels)
    else:
        assert (limited.verdict, limited.reason) == (Verdict.UNKNOWN, Reason.MEMORY)
        assert f"{AGAIN}, which did not fit either: {limited.counts.states:,} state" in last
        assert limited.counts.levels == usual.counts.levels[: len(limited.counts.levels)]


@dataclass
class Watching(ShortOfMemory):
    """Says when it is asked who takes less."""

    asked: int = 0
    first: weakref.ref[Searched] | None = None

    def search(
        self, question: Question, program: Program, initial: Sequence[State], fault_cap: int | None, limits: Limits
    ) -> Searched:
        search = super().search(question, program, initial, fault_cap, limits)
        self.first = weakref.ref(search)
        return search


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_gone_and_time_is_left_when_it_is_asked_again(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    explore, given = Watching(), list[Limits]()
    searches = Compactly.search

    def search(
        own: Compactly,
        question: Question,
        program: Program,
        initial: Sequence[State],
        fault_cap: int | None,
        limits: Limits,
    ) -> Searched:
        assert explore.first is not None
        assert explore.first() is None
        given.append(limits)
        return searches(own, question, program, initial, fault_cap, limits)

    monkeypatch.setattr(Compactly, "search", search)
    limits = Limits(seconds=1000.0, bytes=64 << 20, threads=threads)
    assert Explicit(MODELS, explore=explore).decide(the_queue(limits)).verdict is Verdict.HOLDS
    (again,) = given
    assert (again.bytes, again.threads) == (limits.bytes, threads)
    assert again.seconds is not None
    assert 500 < again.seconds < 1000


@pytest.mark.parametrize(
    ("comes", "reason"), [(KeyboardInterrupt(), Reason.INTERRUPTED), (MemoryError(), Reason.MEMORY)]
)
def test_what_comes_in_between_leaves_what_rows_established(
    comes: BaseException, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise comes

    limits = Limits(bytes=8 << 20)
    usual = Explicit(MODELS).decide(the_queue())
    monkeypatch.setattr(CompactSearch, "__init__", refuse)
    result = Explicit(MODELS).decide(the_queue(limits))
    assert (result.verdict, result.reason, result.exhaustive) == (Verdict.UNKNOWN, reason, False)
    assert result.interrupted == (reason is Reason.INTERRUPTED)
    assert result.counts.levels == usual.counts.levels[: len(result.counts.levels)]
    assert (result.counts.states or 0) >= sum(result.counts.levels) > 10_000
    assert AGAIN in result.notes[-1]


def test_nobody_is_asked_again_who_needs_rows(tmp_path: Path) -> None:
    model = table(Fairness.WEAK)
    runs = Question(model, Setting(model.scopes[0]), model.claims[0], limits=Limits(bytes=1))
    queue = the_queue(Limits(bytes=1))
    for question, explore in (
        (runs, InThisProcess()),
        (queue, OnDisk(tmp_path, resume=False)),
    ):
        result = Explicit(MODELS, explore=explore).decide(question)
        assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.MEMORY)
        assert not any(AGAIN in note for note in result.notes)


def test_two_verdicts_are_an_error() -> None:
    holds = next(toy for toy in TOYS if toy.verdict is Verdict.HOLDS)
    refuted = next(toy for toy in TOYS if toy.verdict is Verdict.REFUTED)
    one, other = (Explicit(MODELS).decide(Question(toy.model, toy.setting, toy.prop)) for toy in (holds, refuted))
    with pytest.raises(DisagreementError, match="rows and fewer bytes a state disagree"):
        result_of_both(other, replace(one, notes=()))
    assert result_of_both(unknown(one), one).verdict is Verdict.HOLDS


def unknown(result: Result) -> Result:
    return replace(result, verdict=Verdict.UNKNOWN, reason=Reason.MEMORY, exhaustive=False)

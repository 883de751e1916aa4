"""A search in few bytes per state says what the usual one says, keeps its limits, and tells the same traces."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from cli.program import run
from engines import derived
from engines.derived import REDUCTIONS, Case
from engines.naive import TooManyStatesError
from engines.test_seeded_defects import SMALLEST, told
from systems.built_in import BASELINES
from systems.lively import table
from systems.odometer import Odometer, setting
from systems.random_models import made
from systems.seeded import SEEDED, Seeded
from systems.sizes import known_states

from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import Request, questions_of
from offsetproof.compiled.expander import CHUNK
from offsetproof.compiled.layout import Layout, Words
from offsetproof.engines.explicit.compact_search import Compactly, CompactSearch
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.kept_blocks import SPREAD_MAX, SpreadBlocks
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.search import Search
from offsetproof.engines.explicit.spot import WHOLE
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.whole_files import CheckpointError
from offsetproof.examples.toy_queue import ToyQueue
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.lang import Fairness
from offsetproof.lang.setting import Setting
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.limits import LimitMetError, Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict
from studies import spot
from studies.spot import BRIEF_WITHOUT_CLOCK, WITHOUT_CLOCK, try_check

MODELS = StagedModels()
FEW, MANY = 200, 150_000
"""The states of the questions that the fast suite asks some of, and of those that the slow one asks."""

AT_ONCE = 10
"""How many random models one test is about."""

SOME = 40_000
"""So many of the toy queue's 1.5 million states are explored before a search is ended."""

STEPS = 99

WITHOUT_TIME = replace(WHOLE, seconds=3600.0)
"""Spot checks that a slow machine does not end early."""


def found(result: Result) -> object:
    """All that is established, but for bytes, seconds, and which states the spot check has looked at."""
    replay = result.replay
    notes = [note for note in result.notes if not note.startswith("spot check")]
    steps = None if replay is None else (replay.states, replay.labels, replay.cycle_at)
    counts = replace(result.counts, peak_bytes=0, bytes_per_state=0.0)
    said = result.reason, result.detail, result.witnesses, result.unspent, notes
    return result.verdict, counts, result.exhaustive, result.vacuous, steps, said


def must_agree(question: Question, models: StagedModels = MODELS) -> None:
    compact = Explicit(models, explore=Compactly(), spot_limits=WITHOUT_TIME).decide(question)
    assert found(compact) == found(Explicit(models, spot_limits=WITHOUT_TIME).decide(question))


def the_queue(limits: Limits = Limits()) -> Question:
    return Question(ToyQueue, Setting(ToyQueue.scopes[0]), ToyQueue.claims[0], limits=limits)


def searches(question: Question) -> tuple[CompactSearch, Search]:
    """The search of a question in few bytes, and the usual one; neither has begun."""
    made: list[object] = []
    for explore in (Compactly(), None):
        engine = Explicit(MODELS) if explore is None else Explicit(MODELS, explore=explore)
        prepared = engine.prepare(question, time.monotonic()).prepared
        assert isinstance(prepared, PreparedQuestion)
        program = prepared.program
        made.append(engine.explore.search(question, program, program.system.initial, None, question.limits))
    compact, usual = made
    assert isinstance(compact, CompactSearch)
    assert isinstance(usual, Search)
    return compact, usual


def packed(search: CompactSearch | Search, rows: Words) -> Words:
    """The states, each once and in ascending order, packed as others are."""
    layout = Layout(search.system)
    packed = np.zeros((len(rows), layout.words), np.uint64)
    for name, place in search.layout.places.items():
        values = rows[:, place.word] >> np.uint64(place.shift) & np.uint64(place.mask)
        packed[:, layout.places[name].word] |= values << np.uint64(layout.places[name].shift)
    packed = packed[np.lexsort(packed.T)]
    return packed[np.insert((packed[1:] != packed[:-1]).any(axis=1), 0, values=True)]


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_toy_is_decided_as_by_the_usual_search(toy: Toy) -> None:
    must_agree(Question(toy.model, toy.setting, toy.prop))


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(AT_ONCE, 1000, AT_ONCE))]
)
def test_random_models_with_faults_errors_and_cuts(first: int) -> None:
    for number in range(first, first + AT_ONCE):
        case = Case(made(number, several=True))
        try:
            for turn, prop in enumerate(case.props):
                reductions = REDUCTIONS[(number + turn) % len(REDUCTIONS)]
                engine = Explicit(case.models, explore=Compactly())
                assert not [*derived.by_engine(engine, case, prop, reductions)]
                must_agree(case.question(prop, reductions), case.models)
        except TooManyStatesError:
            continue


ASKED = {
    f"{question.prop.id}-{question.setting.scope.name}-{question.setting.release}": question
    for subject in BASELINES
    for question in questions_of(Request(subject, releases=(ALL_RELEASES,)))
    if not question.prop.kind.is_about_runs and known_states(question, MANY) < MANY
}
SAMPLE = [name for name, question in ASKED.items() if known_states(question, MANY) < FEW][::150]


@pytest.mark.parametrize(
    "asked", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow) for name in ASKED]
)
def test_catalogue(asked: str) -> None:
    must_agree(ASKED[asked])


def test_search_knows_all_that_the_usual_one_knows_in_few_bytes() -> None:
    compact, usual = searches(the_queue())
    assert (compact.run(0), usual.run(0)) == (None, None)
    assert (compact.count, compact.levels, compact.level_states) == (usual.count, usual.levels, usual.level_states)
    assert (compact.depth, compact.transitions, compact.judged) == (usual.depth, usual.transitions, usual.judged)
    assert (compact.seen_claims, compact.failure()) == (usual.seen_claims, usual.failure())
    assert np.array_equal(compact.snapshot.fired, usual.snapshot.fired)
    assert np.array_equal(compact.snapshot.cuts, usual.snapshot.cuts)
    assert compact.held_bytes < 8 * compact.count < usual.held_bytes * 8 // 14
    anywhere = [*compact.blocks()]
    assert max(map(len, anywhere)) <= CHUNK
    found, expected = packed(compact, np.concatenate(anywhere)), packed(usual, usual.states[: usual.count])
    assert np.array_equal(found, expected)
    assert len(found) == usual.count
    assert len(packed(compact, compact.samples(8))) == 8


def test_blocks_show_each_instance_that_was_taken_or_cut() -> None:
    compact, _ = searches(the_queue())
    compact.run(0)
    seen, expander = [*compact._seen], compact.expander
    for blocks in ([compact.visited.rows_of(block).copy() for _, block in seen], [*compact.blocks()][: 2 * len(seen)]):
        expander.reset_counts()
        for block in blocks:
            expander.expand(block)
        assert ((expander.fired > 0) == (compact.snapshot.fired > 0)).all()
        assert ((expander.cuts > 0) == (compact.snapshot.cuts > 0)).all()
    assert compact._seen.nbytes <= 8 * CHUNK * (len(seen) + 16)


@pytest.mark.parametrize("sizes", [(1, 3, 700, 5_000, 3), (2_048,), (2_048, 2_048 * 64), (100_000, 200_001, 1)])
def test_blocks_that_are_spread_are_few_and_from_everywhere_and_all_of_few(sizes: tuple[int, ...]) -> None:
    spread, count = SpreadBlocks(), sum(sizes)
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        spread.note(np.arange(end - size, end, dtype=np.uint64))
    blocks = [block.tolist() for _, block in spread]
    assert all(block.tolist() == [*range(start, start + len(block))] for start, block in spread)
    assert abs(spread.samples(count, 8).astype(np.int64) - np.linspace(0, count - 1, 8)).max() <= count / 16
    assert len(blocks) <= SPREAD_MAX + 1
    assert spread.nbytes <= 8 * CHUNK * (SPREAD_MAX + 1)
    states = sorted(state for block in blocks for state in block)
    assert spread.are_all == (count <= CHUNK * SPREAD_MAX)
    assert spread.are_all == (states == [*range(count)])
    starts = sorted(block[0] for block in blocks)
    assert starts[0] == 0
    assert max(np.diff([*starts, count])) <= CHUNK * (1 if spread.are_all else 2 * -(-count // (CHUNK * SPREAD_MAX)))


@pytest.mark.parametrize("seeded", SMALLEST.values(), ids=SMALLEST)
def test_seeded_defect_is_noticed_as_by_the_usual_search(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spot, "Explicit", lambda: Explicit(explore=Compactly()))
    assert told(seeded)["after"] <= bool(try_check(seeded, WITHOUT_CLOCK).said)


@pytest.mark.slow
def test_as_many_seeded_defects_are_noticed_as_by_the_usual_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for luck: a brief check looks at few states, and of a compact search at other ones."""
    monkeypatch.setattr(spot, "Explicit", lambda: Explicit(explore=Compactly()))
    for check, when, by_luck in ((WITHOUT_CLOCK, "after", 0), (BRIEF_WITHOUT_CLOCK, "brief", 2)):
        noticed = sum(bool(try_check(seeded, check).said) for seeded in SEEDED)
        assert noticed >= sum(told(seeded)[when] for seeded in SEEDED) - by_luck


def test_limits_leave_what_the_usual_search_leaves() -> None:
    for limits, reason in ((Limits(states=SOME), Reason.STATES), (Limits(seconds=0.0), Reason.TIME)):
        result = Explicit(MODELS, explore=Compactly()).decide(the_queue(limits))
        assert (result.verdict, result.reason) == (Verdict.UNKNOWN, reason)
    must_agree(the_queue(Limits(states=SOME)))


@pytest.mark.parametrize("mebibytes", [2, 3, 5, 8, 12])
def test_limit_on_memory_is_kept_while_everything_grows(mebibytes: int) -> None:
    limits = Limits(bytes=mebibytes << 20)
    compact, usual = searches(the_queue(limits))
    assert (compact.run(0), usual.run(0)) == (None, None)
    assert compact.stopped is usual.stopped is Reason.MEMORY
    assert mebibytes < 8 or usual.count < compact.count
    assert compact.peak_bytes <= (mebibytes << 20) * 1.03
    depth = min(len(compact.levels), len(usual.levels))
    assert compact.levels[:depth] == usual.levels[:depth]


def test_interrupted_search_says_what_it_established() -> None:
    compact, usual = searches(the_queue())

    def interrupt() -> None:
        if compact.count > SOME:
            raise KeyboardInterrupt

    compact.on_the_way = interrupt
    with pytest.raises(KeyboardInterrupt):
        compact.run(0)
    usual.run(0)
    assert compact.stopped is Reason.INTERRUPTED
    assert compact.snapshot.states == usual.levels[len(compact.levels)] <= SOME


def odometer() -> Question:
    return Question(Odometer, setting(STEPS), Odometer.claims[0])


def failing(error: BaseException, after: int) -> Callable[[], None]:
    left = [after]

    def fail() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise error

    return fail


def test_levels_are_explored_again_where_that_was_ended_before() -> None:
    compact, usual = searches(odometer())
    alarms = compact.run(0), usual.run(0)
    assert alarms[0] is not None
    assert alarms[1] is not None
    assert alarms[0].length == alarms[1].length == STEPS
    held = compact.held_bytes, compact.count
    with pytest.raises(LimitMetError):
        compact.remember_levels(STEPS - 1, failing(LimitMetError(Reason.TIME), 7))
    for depth in (3, STEPS - 1, 50):
        compact.remember_levels(depth, lambda: None)
        fronts = (np.concatenate([*search.fronts(depth)]) for search in (compact, usual))
        assert np.array_equal(packed(compact, next(fronts)), packed(usual, next(fronts)))
    assert (compact.held_bytes, compact.count) == held


def test_disk_without_room_for_the_levels_is_an_error_with_its_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pwrite", refuse)
    with pytest.raises(CheckpointError, match=r"levels .* cannot be written to .*: No space left .*or drop --compact"):
        Explicit(MODELS, explore=Compactly()).decide(odometer())


def test_claim_about_runs_has_the_usual_search_and_the_result_says_so() -> None:
    model = table(Fairness.WEAK)
    (asked,) = [Question(model, Setting(model.scopes[0]), claim) for claim in model.claims][:1]
    compact, usual = Explicit(explore=Compactly()).decide(asked), Explicit().decide(asked)
    assert found(replace(compact, notes=usual.notes)) == found(usual)
    assert compact.notes == (*usual.notes, "--compact was not used: a claim about runs is not for it")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine=smt"], "only --engine explicit knows it"),
        (["--spill=kept"], "a compact search has no rows to keep in files; drop one of both"),
    ],
)
def test_odd_options_are_refused(options: list[str], said: str) -> None:
    ran = run("check", "I11", "--release=4.9.4", "--compact", *options)
    assert ran.code == Exit.USAGE
    assert said in " ".join(ran.err.split())


def test_option_has_the_verdicts_of_the_usual_search() -> None:
    asked = ("check", "I11-fixed", "--release=4.9.4", "--workers=1", "--no-progress", "--format=json")
    usual, compact = (json.loads(run(*asked, *option).out)["results"] for option in ((), ("--compact",)))
    names = ("property", "verdict", "states", "transitions", "trace")
    told, expected = ([[result[name] for name in names] for result in results] for results in (compact, usual))
    assert told == expected
    assert all(one["peak_bytes"] != other["peak_bytes"] for one, other in zip(usual, compact, strict=True))

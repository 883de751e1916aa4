"""Threads that search together find what one finds: states, levels, counts, alarms, traces, and what is looked at.

Chunks are small here, and Python changes threads as often as it can, so that threads meet in each level.
"""

from __future__ import annotations

import sys
from _thread import start_new_thread
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from queue import SimpleQueue
from random import Random
from threading import Barrier, Event
from time import sleep
from typing import Any

import numpy as np
import pytest
from systems.random_models import made

from offsetproof.engines.explicit import crew, search, shared_visited, together
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.engines.explicit.shared_visited import OwnPlaces, SharedVisited
from offsetproof.engines.explicit.together import run_together
from offsetproof.engines.explicit.visited import Visited, Words
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict

LARGEST = max(TOYS, key=lambda toy: toy.states)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Threads meet in each level, however small it is."""
    monkeypatch.setattr(search, "TURN", 3)
    monkeypatch.setattr(crew, "_LEAST", 1)
    monkeypatch.setattr(shared_visited, "_FEW", 10)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def program_of(toy: Toy) -> Program:
    system = Staged(toy.model, toy.setting).system((toy.prop,))
    return Program.of(system, [toy.prop.kind])


def searched(program: Program, limits: Limits, claim: int | None = None) -> Search:
    search = Search(program, program.system.initial, limits, lambda told: None)
    search.run(claim)
    return search


def rows_by_level(search: Search) -> list[list[bytes]]:
    ends = [*search.levels, search.count]
    return [sorted(row.tobytes() for row in search.states[start:end]) for start, end in pairwise(ends)]


def all_about(search: Search) -> tuple[object, ...]:
    """Everything but the order of states within a level."""
    failure = search.failure()
    return (
        rows_by_level(search),
        search.transitions,
        search.seen_claims,
        search.judged,
        failure and (failure.length, failure.rows.tobytes()),
        search.snapshot.fired.tolist(),
        search.snapshot.cuts.tolist(),
        search.sightings.arrays().tolist(),
        search.samples(50).tobytes(),
        [block.tobytes() for block in islice(search.blocks(), 40)],
    )


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_whole_searches_are_the_same(toy: Toy, threads: int) -> None:
    program = program_of(toy)
    alone, together = (searched(program, Limits(threads=count)) for count in (1, threads))
    assert all_about(together) == all_about(alone)


@pytest.mark.parametrize("threads", [2, 4])
def test_each_state_is_found_again_where_it_lies(threads: int) -> None:
    search = searched(program_of(LARGEST), Limits(threads=threads))
    positions = np.empty(search.count, np.int64)
    search.visited.places_of(search.states[: search.count].copy(), search.count, positions)
    assert (positions == np.arange(search.count)).all()


def told(result: Result) -> dict[str, object]:
    """What a user is told, but for what it has cost."""
    replay, counts = result.replay, replace(result.counts, peak_bytes=0, bytes_per_state=0.0)
    return {**vars(result), "seconds": 0, "counts": counts, "replay": replay and (replay.labels, replay.states)}


@pytest.mark.parametrize("number", range(40))
def test_results_about_random_models_with_faults_errors_and_cuts_are_the_same(number: int) -> None:
    drawn = made(number, several=True)
    for prop in drawn.claims:
        asked = [Question(drawn.model, drawn.setting, prop, limits=Limits(threads=count)) for count in (1, 2, 4)]
        alone, *others = [told(Explicit(explore=InThisProcess()).decide(question)) for question in asked]
        assert others == [alone, alone]


@pytest.mark.parametrize("most", [1, 100, LARGEST.states - 1, LARGEST.states])
def test_limit_of_states_leaves_the_same_whole_levels(most: int) -> None:
    program = program_of(LARGEST)
    alone, together = (searched(program, Limits(states=most, threads=count)) for count in (1, 4))
    assert together.stopped is alone.stopped is (None if most == LARGEST.states else Reason.STATES)
    assert (together.snapshot.states, together.snapshot.transitions) == (
        alone.snapshot.states,
        alone.snapshot.transitions,
    )
    assert together.samples(50).tobytes() == alone.samples(50).tobytes()


def test_limit_of_memory_ends_the_search() -> None:
    program = program_of(LARGEST)
    needed = searched(program, Limits(threads=2)).peak_bytes
    assert searched(program, Limits(bytes=needed // 2, threads=2)).stopped is Reason.MEMORY


def test_interrupt_leaves_whole_levels_and_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(LARGEST)
    search = Search(program, program.system.initial, Limits(threads=2), lambda told: None)
    expand, left = Search._expand, iter(range(60))

    def interrupted(self: Search, member: crew.Member, start: int, end: int) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return expand(self, member, start, end)

    monkeypatch.setattr(Search, "_expand", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.run(None)
    monkeypatch.undo()
    assert search.stopped is Reason.INTERRUPTED
    whole = searched_until(program, len(search.levels) - 1)
    assert rows_by_level(search)[: len(search.levels)] == rows_by_level(whole)[: len(search.levels)]
    assert len({row.tobytes() for row in search.states[: search.count]}) == search.count


def searched_until(program: Program, depth: int) -> Search:
    search = Search(program, program.system.initial, Limits(), lambda told: None)
    for reached in search.layers():
        if reached == depth:
            break
    return search


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("threads", [2, 4])
def test_set_that_threads_add_the_same_states_to_at_once_has_each_once(words: int, threads: int) -> None:
    """All threads add all of the states, in other orders and to a set that has to grow many times."""
    chance = np.random.default_rng(words)
    rows = chance.integers(0, 1 << 9, (20_000, words), np.uint64)
    known, own = Visited(words, rows=1, slots=16), [OwnPlaces() for _ in range(threads)]
    shared, gate, begin = SharedVisited(known, own), crew.Gate(), Barrier(threads)

    def add(number: int) -> None:
        order = Random(number).sample(range(0, len(rows), 50), len(rows) // 50)
        begin.wait()
        for start in order:
            block: Words = rows[start : start + 50]
            if shared.must_grow(len(block)):
                with gate.alone():
                    shared.grow()
            with gate.together():
                shared.add(own[number], block, len(block))

    shared.begin()
    run_together([partial(add, number) for number in range(threads)])
    shared.end()
    found = {row.tobytes() for row in known.states[: known.count]}
    assert found == {row.tobytes() for row in rows}
    assert known.count == len(found)
    positions = np.empty(known.count, np.int64)
    known.places_of(known.states[: known.count].copy(), known.count, positions)
    assert (positions == np.arange(known.count)).all()


def test_first_error_of_a_thread_is_raised_when_all_have_ended() -> None:
    ended, stopped, all_begin = [], [], Barrier(3)

    def fails() -> None:
        all_begin.wait()
        raise ValueError("one")

    def works() -> None:
        all_begin.wait()
        while not stopped:
            pass
        ended.append(1)

    with pytest.raises(ValueError, match="one"):
        run_together([works, fails, works], lambda: stopped.append(1))
    assert ended == [1, 1]


def test_thread_that_was_started_when_an_interrupt_came_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), []

    def interrupted_start(*given: Any) -> None:
        start_new_thread(*given)
        begun.wait(10)
        raise KeyboardInterrupt

    def works() -> None:
        begun.set()
        sleep(0.1)
        ended.append(1)

    monkeypatch.setattr(together, "start_new_thread", interrupted_start)
    with pytest.raises(KeyboardInterrupt):
        run_together([works, works])
    assert ended == [1]


def test_interrupt_that_comes_with_the_end_of_a_thread_ends_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter(range(1))

    class InterruptedQueue(SimpleQueue[None]):
        def get(self, block: bool = True, timeout: float | None = None) -> None:
            super().get(block, timeout)
            if next(left, None) is not None:
                raise KeyboardInterrupt

    monkeypatch.setattr(together, "SimpleQueue", InterruptedQueue)
    with pytest.raises(KeyboardInterrupt):
        run_together([lambda: None, lambda: None])


def test_set_that_cannot_grow_takes_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread for which there was room before has none in a table that is gone, and would look for it for ever."""
    known, own, rows = Visited(1, rows=8, slots=16), [OwnPlaces(), OwnPlaces()], np.arange(2000, dtype=np.uint64)
    shared, block = SharedVisited(known, own), rows.reshape(-1, 1)
    shared.begin()
    assert [shared.must_grow(8) for _ in own] == [True, True]
    shared.grow()
    shared.add(own[0], block, 8)

    def no_memory(size: int, kind: type) -> object:
        return np.empty(1, kind) if size == 1 else (_ for _ in ()).throw(MemoryError)

    assert shared.must_grow(len(block))
    monkeypatch.setattr(np, "zeros", no_memory)
    with pytest.raises(MemoryError):
        shared.grow()
    shared.add(own[1], block, 8)
    shared.end()
    assert (known.count, known.states[:8, 0].tolist()) == (8, [*range(8)])


def test_arrays_of_each_thread_count_as_memory() -> None:
    program = program_of(LARGEST)
    search = Search(program, program.system.initial, Limits(threads=2), lambda told: None)
    before = search._bytes()
    second = search._crew.members[1]
    second.places.hashes = np.empty(5000, np.uint64)
    assert search._bytes() - before == 8 * (5000 - 1024)
    successors = second.expand(search.states[: search.count])
    assert search._bytes() - before == 8 * (5000 - 1024 + successors * search.layout.words)
    assert search.peak_bytes >= 8 * (5000 + successors * search.layout.words)


def test_peak_is_told_where_threads_added_last() -> None:
    known, own, rows = Visited(1, rows=8, slots=16), [OwnPlaces()], np.arange(2000, dtype=np.uint64).reshape(-1, 1)
    shared = SharedVisited(known, own)
    shared.begin()
    assert shared.must_grow(len(rows))
    shared.grow()
    shared.add(own[0], rows, len(rows))
    shared.end()
    assert known.peak_bytes >= known.nbytes > 8 * len(rows)


def test_alarm_of_threads_has_the_same_states_and_the_same_trace() -> None:
    lengths = set()
    for toy in TOYS:
        asked = [Question(toy.model, toy.setting, toy.prop, limits=Limits(threads=count)) for count in (1, 4)]
        alone, together = map(Explicit().decide, asked)
        if alone.verdict is Verdict.REFUTED:
            assert told(alone) == told(together)
            lengths.add(alone.replay and len(alone.replay.labels))
    assert len(lengths) > 2

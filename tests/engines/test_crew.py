"""Threads that search together find what one finds: states, levels, counts, alarms, traces, and what is looked at.

Chunks are small here, and Python changes threads as often as it can, so that threads meet in each level.
"""

from __future__ import annotations

import ctypes
import sys
from _thread import start_new_thread
from collections.abc import Iterator
from ctypes import CFUNCTYPE, c_int64, c_uint64, c_void_p
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from queue import SimpleQueue
from random import Random
from threading import Barrier, Event
from time import sleep
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from systems.random_models import made

from offsetproof.compiled.expander import Expander, Into
from offsetproof.engines.explicit import crew, search, shared_visited, together
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.place_table import PLACES_MAX, PLACES_TAKEN, Int64s, Words
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.engines.explicit.shared_visited import OwnPlaces, Part, SharedVisited
from offsetproof.engines.explicit.together import run_together
from offsetproof.engines.explicit.visited import Visited
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
    monkeypatch.setattr(crew, "_TURNS", 4)
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


class LeadsTo:
    """Stands in for an expander of two states at once: the code leads from seed i to the rows number i."""

    def __init__(self, rows: npt.NDArray[np.uint64]) -> None:
        self.rows, self.native = rows, self
        self.out = np.empty((2 * rows.shape[1], rows.shape[2]), np.uint64)
        self.ends, self.flags = np.zeros(2, np.int64), np.zeros(2, np.int64)
        self._code = CFUNCTYPE(c_int64, c_void_p, c_int64, *(c_void_p,) * 7, c_int64)(self._expand)
        self.expander = cast(Expander, self)

    def seeds(self) -> Words:
        seeds = np.zeros((len(self.rows), self.rows.shape[2]), np.uint64)
        seeds[:, 0] = np.arange(len(seeds)) + _FIRST_SEED
        return seeds

    def address_to_expand(self, _states: int) -> int:
        return cast(int, ctypes.cast(self._code, c_void_p).value)

    def into(self, flags: Int64s) -> Into:
        return self.out, self.ends, self.ends, self.ends, flags, self.ends, self.ends

    def _expand(self, front: int, n: int, *rest: int) -> int:
        width = self.rows.shape[2]
        for i in range(n):
            seed = c_uint64.from_address(front + 8 * width * i).value - _FIRST_SEED
            c_int64.from_address(rest[_FLAGS] + 8 * i).value = seed
            self.out[i * self.rows.shape[1] : (i + 1) * self.rows.shape[1]] = self.rows[seed]
        return n * self.rows.shape[1]


_FIRST_SEED = 1 << 20
_FLAGS = 4


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("threads", [2, 4])
def test_set_that_threads_add_the_same_states_to_at_once_has_each_once(words: int, threads: int) -> None:
    """All threads add all of the states, in other orders and to a set that has to grow many times."""
    chance = np.random.default_rng(words)
    rows = chance.integers(0, 1 << 9, (20_000, words), np.uint64)
    known, own, places = Visited(words, rows=1, slots=16), [OwnPlaces() for _ in range(threads)], range(400)
    leading = [LeadsTo(rows.reshape(len(places), -1, words)) for _ in own]
    known.add(leading[0].seeds(), len(places))
    shared, gate, begin = SharedVisited(known, own), crew.Gate(), Barrier(threads)

    def add(number: int) -> None:
        begin.wait()
        for start in Random(number).sample(places[::5], len(places) // 5):
            part = Part(start, start + 5, np.zeros(5, np.int64), start)
            while part.at < part.end or part.pending >= 0:
                with gate.alone():
                    shared.grow()
                with gate.together():
                    shared.explore(own[number], leading[number].expander, part, PLACES_MAX)
            assert part.flags.tolist() == [*range(start, start + 5)]
            assert (part.transitions, part.widest) == (250, 100)

    shared.begin()
    run_together([partial(add, number) for number in range(threads)])
    shared.end()
    found = {row.tobytes() for row in known.states[: known.count]}
    assert found == {row.tobytes() for row in (*rows, *leading[0].seeds())}
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
    left, waits = iter(range(1)), Event()

    class InterruptedQueue(SimpleQueue[None]):
        def get(self, block: bool = True, timeout: float | None = None) -> None:
            waits.set()
            super().get(block, timeout)
            if next(left, None) is not None:
                raise KeyboardInterrupt

    def ends_while_it_is_waited_for() -> None:
        waits.wait(10)

    monkeypatch.setattr(together, "SimpleQueue", InterruptedQueue)
    with pytest.raises(KeyboardInterrupt):
        run_together([ends_while_it_is_waited_for] * 2)


def test_set_that_cannot_grow_takes_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread for which there was room before has none in a table that is gone, and would look for it for ever."""
    known, own = Visited(1, rows=8, slots=16), [OwnPlaces(), OwnPlaces()]
    leading = LeadsTo(np.arange(2000, dtype=np.uint64).reshape(2, -1, 1))
    known.add(leading.seeds(), 2)
    shared = SharedVisited(known, own)
    shared.begin()
    first, second = (Part(start, start + 1, np.zeros(1, np.int64), start) for start in (0, 1))
    for each, part in zip(own, (first, second), strict=True):
        shared.explore(each, leading.expander, part, PLACES_MAX)
    assert (first.pending, second.pending) == (1000, 1000)

    def no_memory(size: int, kind: type) -> object:
        return np.empty(1, kind) if size == 1 else (_ for _ in ()).throw(MemoryError)

    monkeypatch.setattr(np, "zeros", no_memory)
    with pytest.raises(MemoryError):
        shared.grow()
    monkeypatch.undo()
    for each, part in zip(own, (first, second), strict=True):
        shared.explore(each, leading.expander, part, PLACES_MAX)
        assert (part.at, part.pending) == (part.end, -1)
    shared.end()
    assert (known.count, known.states[:2].tolist()) == (2, leading.seeds().tolist())


def test_who_asks_for_room_is_told_of_what_all_threads_were_promised() -> None:
    """The arrays grow for all of them at once, so the limit of memory must be asked about all."""
    known, asked = Visited(1, rows=8, slots=16), list[int]()
    leading = LeadsTo(np.arange(2000, dtype=np.uint64).reshape(2, -1, 1))
    known.add(leading.seeds(), 2)
    together = crew.Crew(leading.expander, known, [leading.expander])
    first, second = together.members
    assert together._known is not None
    together._known.begin()
    together._are_together = True
    together._known.explore(second.places, second.expander, Part(1, 2, second.flags, 1), PLACES_MAX)

    def allows(k: int) -> bool:
        asked.append(k)
        return False

    transitions, flags = together.explore(first, 0, 1, allows)
    assert (transitions, flags.tolist()) == (1000, [0])
    assert asked == [2 * (1000 + PLACES_TAKEN)]


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
    known, own = Visited(1, rows=8, slots=16), [OwnPlaces()]
    leading = LeadsTo(np.arange(2000, dtype=np.uint64).reshape(1, -1, 1))
    known.add(leading.seeds(), 1)
    shared, part = SharedVisited(known, own), Part(0, 1, np.zeros(1, np.int64), 0)
    shared.begin()
    for _ in range(2):
        shared.explore(own[0], leading.expander, part, PLACES_MAX)
        shared.grow()
    shared.end()
    assert (known.count, part.pending) == (2001, -1)
    assert known.peak_bytes >= known.nbytes > 8 * 2000


def test_alarm_of_threads_has_the_same_states_and_the_same_trace() -> None:
    lengths = set()
    for toy in TOYS:
        asked = [Question(toy.model, toy.setting, toy.prop, limits=Limits(threads=count)) for count in (1, 4)]
        alone, together = map(Explicit().decide, asked)
        if alone.verdict is Verdict.REFUTED:
            assert told(alone) == told(together)
            lengths.add(alone.replay and len(alone.replay.labels))
    assert len(lengths) > 2

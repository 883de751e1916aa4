"""The way back: the smallest of all shortest traces, found with two looks at what lies before the violation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.odometer import Odometer, Wheels, setting
from systems.reproducible import reproducible

from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.explicit.search import Alarm, Program, Search
from offsetproof.engines.explicit.shortest_trace import BareTrace, shortest
from offsetproof.ir import build
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, Label, StagedClaim, System, Variable
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Reference
from offsetproof.lang.setting import Setting
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

Step = tuple[int, int, int]
"""An instance, the place that its step leaves, and the one that it leads to."""


@dataclass(frozen=True)
class Map:
    """Places, and steps between them. Each instance leads from a place to one other at most; `actors` take them."""

    places: int
    starts: frozenset[int]
    steps: tuple[Step, ...]
    actors: tuple[str, ...]
    bad: frozenset[int]
    per_step: bool

    @property
    def labels(self) -> list[Label]:
        """Labels whose order is not that of the instances."""
        count = len(self.actors)
        return [(f"act{i * 7 % count if count % 7 else i}", (("i", i),)) for i in range(count)]

    def system(self) -> System:
        """The map as a transition system with one variable."""
        at = Variable("at", Sort.INT, 0, self.places - 1, tuple(sorted(self.starts)))
        instances, claims = [], []
        for i, (label, actor) in enumerate(zip(self.labels, self.actors, strict=True)):
            mine = {before: after for inst, before, after in self.steps if inst == i}
            enabled, after, sound = build.FALSE, build.const(0), build.TRUE
            for before, target in mine.items():
                here = build.eq(at.node, build.const(before))
                enabled, after = build.either(enabled, here), build.ite(here, build.const(target), after)
                if target in self.bad:
                    sound = build.both(sound, build.negate(here))
            instances.append(Instance(label, enabled, {"at": after}, actor=actor))
            claims.append(sound)
        good: Node = build.TRUE
        for place in self.bad:
            good = build.both(good, build.negate(build.eq(at.node, build.const(place))))
        claim = StagedClaim("good", per_step=tuple(claims)) if self.per_step else StagedClaim("good", on_state=good)
        return System((at,), tuple(instances), (claim,))

    def all_shortest(self) -> list[BareTrace]:
        """Every shortest way from a start to what is bad, by plain walking."""
        ways: list[tuple[int, int, tuple[int, ...]]] = [(start, start, ()) for start in sorted(self.starts)]
        for _ in range(self.places + 2):
            ends = [way for way in ways if way[1] in self.bad and (way[2] or not self.per_step)]
            if ends:
                return [BareTrace((start,), tuple(self.labels[i] for i in taken)) for start, _, taken in ends]
            ways = [(s, after, (*t, i)) for s, at, t in ways for i, before, after in self.steps if before == at]
        return []


@st.composite
def maps(draw: st.DrawFn, instances: int = 6) -> Map:
    """Small maps in which many ways may be as short."""
    places, per_step = draw(st.integers(3, 9)), draw(st.booleans())
    number = st.integers(0, places - 1)
    steps = {}
    for _ in range(draw(st.integers(4, 24))):
        before, after = draw(number), draw(number)
        steps[draw(st.integers(0, instances - 1)), before] = after
    actors = draw(st.lists(st.sampled_from("abc"), min_size=instances, max_size=instances))
    starts = draw(st.frozensets(number, min_size=1, max_size=3))
    bad = draw(st.frozensets(number, min_size=1, max_size=2))
    return Map(places, starts, tuple((i, b, a) for (i, b), a in steps.items()), tuple(actors), bad, per_step)


def found(drawn: Map) -> BareTrace | None:
    system = drawn.system()
    search = Search(Program.of(system, [ClaimKind.ALWAYS]), system.initial, Limits(), lambda told: None)
    alarm = search.run(0)
    return None if alarm is None else shortest(search, alarm, 0, lambda: None)


def smallest(drawn: Map) -> BareTrace | None:
    """By the order of traces: fewest changes of actor, smallest labels, smallest start."""
    actor_of = dict(zip(drawn.labels, drawn.actors, strict=True))

    def rank(path: BareTrace) -> tuple[int, tuple[Label, ...], tuple[int, ...]]:
        actors = [actor_of[label] for label in path.labels]
        return sum(a != b for a, b in pairwise(actors)), path.labels, path.initial

    return min(drawn.all_shortest(), key=rank, default=None)


@reproducible(120)
@given(maps())
def test_trace_is_the_smallest_of_all_shortest_ones(drawn: Map) -> None:
    assert found(drawn) == smallest(drawn)


@reproducible(8)
@given(st.permutations([f"actor{i % 66:03}" for i in range(132)]), st.integers(0, 2**32))
def test_order_holds_for_more_actors_than_a_word_has_bits(actors: list[str], seed: int) -> None:
    levels = np.random.default_rng(seed).integers(0, 2, 132)
    steps = tuple((i, int(level), int(level) + 1) for i, level in enumerate(levels))
    drawn = Map(3, frozenset({0}), steps, tuple(actors), frozenset({2}), per_step=False)
    assert found(drawn) == smallest(drawn)


@dataclass
class Counted:
    """How often something was called."""

    calls: int = 0

    def __call__(self) -> None:
        self.calls += 1


def test_way_back_and_forth_looks_at_each_level_twice() -> None:
    drawn = Map(200, frozenset({0}), tuple((0, i, i + 1) for i in range(199)), ("a",), frozenset({199}), per_step=False)
    system = drawn.system()
    layout = Layout(system)
    program = Program(system, layout, Native(lower(system, layout, [system.claims[0].on_state])))
    search, looks = Search(program, system.initial, Limits(), lambda told: None), Counted()
    search.run(None)
    path = shortest(search, Alarm(199, np.array([layout.pack((199,))], np.uint64)), None, looks)
    assert (len(path.labels), looks.calls) == (199, 2 * 199)


def decided(model: type[Odometer] | type[Wheels], where: Setting) -> tuple[Verdict, int]:
    result = Explicit().decide(Question(model, where, model.claims[0]))
    assert result.replay is not None
    return result.verdict, len(result.replay.labels)


def test_each_step_of_a_long_trace_is_replayed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    takes, take = Counted(), Reference.take

    def counting(self: Reference, *args: object) -> object:
        takes()
        return take(self, *args)  # type: ignore[arg-type]  # what it is called with

    monkeypatch.setattr(Reference, "take", counting)
    assert decided(Odometer, setting(999)) == (Verdict.REFUTED, 999)
    assert takes.calls == 999


def test_wide_levels_are_looked_at_in_chunks() -> None:
    assert decided(Wheels, Setting(Wheels.scopes[0].with_bounds({"wheels": 5}))) == (Verdict.REFUTED, 45)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [9_999, 89_999])
def test_very_long_trace_is_found_and_replayed(steps: int) -> None:
    assert decided(Odometer, setting(steps)) == (Verdict.REFUTED, steps)

"""Does one model show what another shows? Both are explored, and each is followed by the other (`inclusion.py`).

What is looked at is fields that both have, by path and value. Nothing is said of what has to happen (liveness), nor of
fields that are not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.fields import fields_named
from offsetproof.checking.sides import Side
from offsetproof.engines.explicit.blocks import Blocks, blocks_of
from offsetproof.engines.explicit.inclusion import Follower, Unfollowed, follow
from offsetproof.engines.explicit.observed import Observed, observe, program_to_observe
from offsetproof.engines.explicit.search import Search
from offsetproof.engines.explicit.spot import Looked, spot_check
from offsetproof.engines.preparing import whole_state
from offsetproof.ir.build import eq
from offsetproof.ir.constants import without_constants
from offsetproof.ir.dead import reset_dead
from offsetproof.ir.node import Node, variables
from offsetproof.ir.slicing import slice_of
from offsetproof.ir.system import StagedClaim, System
from offsetproof.lang.claim import WALK, ClaimKind, Property, one_of_each
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import budget_fields
from offsetproof.traces.trace import Trace, Value, plain, trace_of
from offsetproof.verdict.limits import Deadline, LimitMetError, Limits, run_limited
from offsetproof.verdict.result import Reason, Verdict

Shown = Mapping[str, Value]
"""What is seen at a moment: each field that is looked at, with its value."""


Key = tuple[tuple[str, Value], ...]
"""The same as values with the names of their types: 1 is not True."""


@dataclass(frozen=True)
class Story:
    """A run of fewest steps that the other side cannot follow, and the other's run as far as it can.

    `run` and `other` have been replayed by the reference semantics. `shown` is what is seen last in `run`, `instead`
    what can be seen next on the other side. `is_cut`: a bound of the scope alone keeps the other from a step there, so
    that it may well follow in a larger scope. `differing` are the fields that change last in `run`, or all where it has
    no step; `broken` are claims that the run breaks and the other does not, `readers` those that read a field of these.
    """

    run: Trace
    other: Trace | None
    shown: Shown
    instead: tuple[Shown, ...]
    is_cut: bool
    differing: tuple[str, ...]
    broken: tuple[Property, ...]
    readers: tuple[Property, ...]


@dataclass(frozen=True)
class Followed:
    """Does `side` show only what `by` shows? REFUTED has a story, UNKNOWN a reason; in `wrong` a step goes wrong."""

    side: Side
    by: Side
    verdict: Verdict
    pairs: int = 0
    story: Story | None = None
    reason: Reason | None = None
    wrong: tuple[Side, ...] = ()


@dataclass(frozen=True)
class Explored:
    """What was found of one side: states, steps, how many different things can be seen, cuts, and the spot check."""

    states: int
    transitions: int
    seen: int
    cuts: int
    looked: Looked


@dataclass(frozen=True)
class Comparison:
    """The answer in both directions. `fields` were looked at; `only` are fields that one side alone has, by side.

    `is_vacuous`: nothing that is looked at ever changes, on either side, and both sides show the same.
    """

    sides: tuple[Side, Side]
    fields: tuple[str, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    explored: tuple[Explored | None, Explored | None]
    directions: tuple[Followed, Followed]
    seconds: float

    @property
    def is_vacuous(self) -> bool:
        """Is there nothing to see on either side, and no difference?"""
        holds = all(direction.verdict is Verdict.HOLDS for direction in self.directions)
        return holds and all(each is not None and each.seen == 1 for each in self.explored)


def compare_sides(
    sides: tuple[Side, Side],
    names: Sequence[str] = (),
    limits: Limits = Limits(),
    progress: Callable[[object], None] = lambda status: None,
) -> Comparison:
    """Compares two sides by the fields that are named, or by all that both have and that are no ghosts.

    UnknownNameError for a field that not both have. A limit or an interrupt makes what it ends UNKNOWN.
    """
    started = time.monotonic()
    try:
        views = run_limited(limits, started, lambda: [_View(side) for side in sides])
    except (LimitMetError, MemoryError, KeyboardInterrupt) as early:
        return _not_staged(sides, _reason_of(early), time.monotonic() - started)
    common = [path for path in views[0].paths if path in views[1].paths]
    if not common:
        raise UnknownNameError("field", "", [], f"{sides[0].name} and {sides[1].name} have no field of the same name")
    fields = fields_named(names, common)
    only = tuple(tuple(p for p in one.paths if p not in other.paths) for one, other in (views, views[::-1]))
    numbers: dict[Key, int] = {}

    def explore(view: _View) -> LimitMetError | MemoryError | KeyboardInterrupt | None:
        try:
            left = Deadline.of(limits, started).left
            run_limited(limits, started, lambda: view.explore(fields, replace(limits, seconds=left), numbers, progress))
        except (LimitMetError, MemoryError, KeyboardInterrupt) as ended:
            return ended
        return None

    ended = explore(views[0]) or explore(views[1])
    directions = []
    for one, other in (views, views[::-1]):
        try:
            if ended is not None:
                raise ended
            directions.append(_follow_side(one, other, [*numbers], fields, limits, started, progress))
        except (LimitMetError, MemoryError, KeyboardInterrupt) as why:
            ended = ended or (why if isinstance(why, KeyboardInterrupt) else None)
            directions.append(Followed(one.side, other.side, Verdict.UNKNOWN, reason=_reason_of(why)))
    return Comparison(
        sides, fields, (only[0], only[1]), (views[0].explored, views[1].explored),
        (directions[0], directions[1]), time.monotonic() - started,
    )  # fmt: skip


def _not_staged(sides: tuple[Side, Side], reason: Reason, seconds: float) -> Comparison:
    """The answer where a limit was met before it was known which fields there are."""
    one, other = (Followed(*pair, Verdict.UNKNOWN, reason=reason) for pair in (sides, sides[::-1]))
    return Comparison(sides, (), ((), ()), (None, None), (one, other), seconds)


class _View:
    """One side, staged; after `explore` with its graph and blocks."""

    def __init__(self, side: Side) -> None:
        self.side = side
        with declared_by(side.subject.model):
            self.staged = Staged(side.subject.model, side.setting)
        budgets = budget_fields(side.setting)
        self.leaves = {leaf.path: leaf for leaf in self.staged.leaves if not leaf.ghost and leaf.path not in budgets}
        self.explored: Explored | None = None
        self.fails = False

    @property
    def paths(self) -> list[str]:
        """The fields that can be looked at."""
        return [*self.leaves]

    @cached_property
    def reference(self) -> Reference:
        """The model's own Python."""
        return Reference(self.side.subject.model, self.side.setting)

    def explore(
        self,
        fields: Sequence[str],
        limits: Limits,
        numbers: dict[Key, int],
        progress: Callable[[object], None],
    ) -> None:
        """Explores all states; what is seen is numbered together with the other side. LimitMetError beyond a limit."""
        system, looked_at = self._system(fields)
        search = Search(program_to_observe(system, looked_at), system.initial, limits, progress)
        search.run(None)
        if search.stopped is not None:
            raise LimitMetError(search.stopped)
        self.graph: Observed = observe(search, len(looked_at))
        self.fails = self.graph.fails
        rows = [self._key(fields, row) for row in self.graph.rows]
        own = np.array([numbers.setdefault(row, len(numbers)) for row in rows], np.int64)
        seen = own[self.graph.seen]
        self.blocks: Blocks = blocks_of(self.graph.starts, self.graph.targets, seen, self.graph.initial)
        self.follower = Follower(self.blocks)
        looked = Looked() if self.fails else spot_check(search, self.staged, self.reference, ())
        cuts = int(search.snapshot.cuts.sum())
        self.explored = Explored(search.count, search.transitions, len(rows), cuts, looked)

    def _system(self, fields: Sequence[str]) -> tuple[System, list[Node]]:
        """The system with all that the fields depend on, and the nodes of these.

        Each field has a claim of its own that reads it: of one claim for all, a condition under which one field is
        known might leave nothing to read of the others, and they could be taken for dead.
        """
        whole, known = self.staged.system(()), dict(self.staged.constants)
        looked_at = [whole.by_name[path] for path in fields]
        known |= {each.node: each.constant(each.lo) for each in looked_at if each.lo == each.hi}
        reading = [StagedClaim(v.name, eq(v.node, v.constant(v.lo))) for v in looked_at if v.node not in known]
        sliced = slice_of(without_constants(replace(whole, claims=tuple(reading)), self.staged.constants))
        return replace(reset_dead(sliced).system, claims=()), [known.get(v.node, v.node) for v in looked_at]

    def _key(self, fields: Sequence[str], row: Sequence[int]) -> Key:
        """What is seen."""
        values = [plain(self.leaves[path].domain.decode(number)) for path, number in zip(fields, row, strict=True)]
        return tuple((type(value).__name__, value) for value in values)

    def trace(self, run: Sequence[int]) -> tuple[Replay, Trace]:
        """A run through blocks as one of states, replayed by the model's own Python."""
        places = [next(place for place in self.graph.initial if self.blocks.block_of[place] == run[0])]
        for block in run[1:]:
            places.append(min(at for at in self.graph.after(places[-1]) if self.blocks.block_of[at] == block))
        search = self.graph.search
        initial = whole_state(self.reference, search.system, self.graph.state(places[0]))
        replay = Replay(self.reference, WALK, self.graph.labels_along(places), initial)
        return replay, trace_of(replay, subject=self.side.subject.name, staged=self.staged)

    def is_cut_after(self, shown: Sequence[int]) -> bool:
        """Does a bound alone keep it from a step somewhere where it can be after this was seen?

        Of states that go on alike, which are one block, a bound may be in the way of one only.
        """
        seen = np.array(self.blocks.seen)[self.blocks.block_of]
        now: set[int] = set()
        for at, number in enumerate(shown):
            waiting = [target for place in now for target in self.graph.after(place)] if at else [*self.graph.initial]
            now = set()
            while waiting:
                place = waiting.pop()
                if place not in now and seen[place] == number:
                    now.add(place)
                    waiting += self.graph.after(place)
        return bool(self.graph.is_cut[[*now]].any())

    def reads(self, prop: Property) -> frozenset[str]:
        """The fields that a claim reads; none where its code goes wrong, as it was made for other scopes."""
        try:
            (staged,) = self.staged.system([prop]).claims
        except DeclarationError:
            return frozenset()
        return variables(staged.roots)

    def claims(self) -> tuple[Property, ...]:
        """The claims that speak of the setting."""
        setting = self.side.setting
        speaking = [
            prop
            for prop in self.side.subject.properties
            if prop.kind is not ClaimKind.SOMETIMES
            and not prop.kind.is_about_runs
            and (not prop.scopes or setting.scope.name in prop.scopes)
            and prop.case.speaks_of(setting)
        ]
        return one_of_each(speaking, setting)


def _follow_side(
    one: _View,
    other: _View,
    seen: Sequence[Key],
    fields: Sequence[str],
    limits: Limits,
    started: float,
    progress: Callable[[object], None],
) -> Followed:
    """Is all that one side shows shown by the other? It is open where a model goes wrong; a limit is an error."""

    def on_the_way(pairs: int) -> None:
        if pairs % 1000 == 0:
            progress(f"{one.side.name} followed by {other.side.name}: {pairs:,} pairs")

    inclusion = run_limited(limits, started, lambda: follow(one.follower, other.follower, on_the_way))
    if wrong := tuple(view.side for view in (one, other) if view.fails):
        return Followed(one.side, other.side, Verdict.UNKNOWN, inclusion.pairs, reason=Reason.OVERFLOW, wrong=wrong)
    if inclusion.unfollowed is None:
        return Followed(one.side, other.side, Verdict.HOLDS, inclusion.pairs)
    shown = [_values_of(fields, row) for row in seen]
    story = _story(one, other, inclusion.unfollowed, shown)
    return Followed(one.side, other.side, Verdict.REFUTED, inclusion.pairs, story)


def _values_of(fields: Sequence[str], row: Key) -> Shown:
    return {path: value for path, (_, value) in zip(fields, row, strict=True)}


def _story(one: _View, other: _View, found: Unfollowed, shown: Sequence[Shown]) -> Story:
    replay, run = one.trace(found.run)
    others = other.trace(found.other) if found.other else None
    last = shown[one.blocks.seen[found.run[-1]]]
    before = shown[one.blocks.seen[found.run[-2]]] if len(found.run) > 1 else last
    instead = tuple(shown[number] for number in found.instead)
    differing = tuple(path for path in last if last[path] != before[path] or len(found.run) == 1)
    claims = one.claims()
    kept = {prop.id for prop in other.claims() if others is not None and not _is_broken(others[0], prop)}
    broken = tuple(prop for prop in claims if prop.id in kept and _is_broken(replay, prop))
    readers = tuple(prop for prop in claims if one.reads(prop) & {*differing})
    is_cut = other.is_cut_after(found.shown[:-1])
    return Story(run, others[1] if others else None, last, instead, is_cut, differing, broken, readers)


def _is_broken(replay: Replay, prop: Property) -> bool:
    """Is a claim false anywhere on the way? One whose code goes wrong, as it was made for other scopes, is not."""
    reference, states = replay.reference, replay.states
    try:
        if prop.kind is ClaimKind.EACH_STEP:
            steps = zip(states[:-1], replay.labels, states[1:], strict=True)
            return any(not reference.judge_step(prop, before, label, after) for before, label, after in steps)
        return any(not reference.judge(prop, state) for state in states)
    except Exception:
        return False


def _reason_of(ended: LimitMetError | MemoryError | KeyboardInterrupt) -> Reason:
    if isinstance(ended, LimitMetError):
        return ended.reason
    return Reason.MEMORY if isinstance(ended, MemoryError) else Reason.INTERRUPTED

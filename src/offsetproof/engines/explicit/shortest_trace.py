"""From an alarm to evidence: the canonical trace, followed by the model's own Python; or a model error in words.

Canonical among the shortest traces is the one with the fewest changes of actor, then with the smallest path of actions
and arguments. Predecessors are not stored. The shortest-path graph is found by expanding the levels before the
violation once more, last first: a state belongs to it when one of its successors does. That costs a refuted search
about its own time again and saves every search eight bytes per state; and it gives all shortest traces, not one that
depends on probing order. A second pass, first level first, takes the cheapest steps, and among them those of the
smallest label. Both passes are linear in what they look at.

Of each state in that graph only its price is kept. A step costs what is left from the state that it leads to, and one
change more where that state wants another actor first. So two things are all there is to know of a state: the fewest
changes from there on, and the actors that can take the next step at that price. After a step of one of them it costs
that much, after any other step one change more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Words
from offsetproof.compiled.lower import CLAIMS
from offsetproof.engines.explicit import place_table, visited
from offsetproof.engines.explicit.explorer import Exploration
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.engines.explicit.search import Alarm
from offsetproof.engines.preparing import whole_state
from offsetproof.ir.system import Label, State, show_label
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference, Replay, ReplayError
from offsetproof.verdict.limits import Deadline
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import DisagreementError

_TOLD_MAX = 40
"""So many steps are told in one line; of more only the beginning and the end."""

Int64s = npt.NDArray[np.int64]

_BITS = 64
_ONE = np.uint64(1)


@dataclass(frozen=True)
class Tracing:
    """What traces the alarms of one question. Each method raises LimitMetError when the deadline is over."""

    reference: Reference
    deadline: Deadline

    def replay(self, search: Exploration, alarm: Alarm, prop: Property) -> Replay:
        """The canonical trace to an alarm of the first claim, replayed; DisagreementError where it does not replay."""
        path = shortest(search, alarm, 0, self.deadline.check)
        try:
            return Replay(self.reference, prop, path.labels, self._start(search, path), on_the_way=self.deadline.check)
        except ReplayError as error:
            what = f"the compiled model and its own Python disagree on {prop.id}: {error}"
            raise DisagreementError(what) from error

    def error(self, search: Exploration, failure: Alarm) -> str:
        """A model error in words: what was done, which field or line, after which steps."""
        path = shortest(search, failure, None, self.deadline.check)
        state = self._start(search, path)
        for label in path.labels:
            self.deadline.check()
            after = self.reference.take(state, label)
            if isinstance(after, NotTaken):
                raise DisagreementError(f"{show_label(label)} is {after} in the model's own Python")
            state = after
        for label in self.reference.labels:
            try:
                self.reference.take(state, label)
            except ModelError as error:
                steps = _steps_in_words(path.labels) or "the initial state"
                return f"{error}; after {quantity(len(path.labels), 'step')}: {steps}"
        return f"after {_steps_in_words(path.labels)}"

    def _start(self, search: Exploration, path: BareTrace) -> State:
        return whole_state(self.reference, search.system, path.initial)


def _steps_in_words(labels: Sequence[Label]) -> str:
    names = list(map(show_label, labels))
    if len(names) > _TOLD_MAX:
        half = _TOLD_MAX // 2
        names = [*names[:half], f"({len(names) - 2 * half} more)", *names[-half:]]
    return " -> ".join(names)


@dataclass(frozen=True)
class BareTrace:
    """A trace of the explored system: an initial state and the labels of its steps."""

    initial: State
    labels: tuple[Label, ...]


def shortest(search: Exploration, alarm: Alarm, claim: int | None, on_the_way: Callable[[], None]) -> BareTrace:
    """The canonical shortest trace to an alarm of claim number `claim` (None: to the alarm's states themselves).

    `on_the_way` is called again and again, and may raise what ends the work.
    """
    return BackwardGraph(search, alarm, claim, on_the_way).path()


@dataclass(frozen=True)
class _Walk:
    """Where the smallest traces may be after some steps: places in a level, and the first state that led to each.

    All have the same labels, so the same actor (-1: none yet) took the last step, and what is left costs the same; only
    before the first step it may cost more from one start than from another.
    """

    places: Int64s
    starts: Int64s
    actor: int = -1


class BackwardGraph:
    """The way back from an alarm, and then forth."""

    def __init__(self, search: Exploration, alarm: Alarm, claim: int | None, on_the_way: Callable[[], None]) -> None:
        self.search, self.alarm, self.on_the_way = search, alarm, on_the_way
        self.claim = claim or 0
        self.is_step = claim is not None and bool(search.system.claims[claim].per_step)
        self.expander = Expander(search.layout, search.native, tells=True)
        self.places = np.empty(len(self.expander.out), np.int64)
        instances = search.system.instances
        numbers = {actor: i for i, actor in enumerate(dict.fromkeys(inst.actor for inst in instances))}
        self.actors = len(numbers)
        self.actor_of = np.array([numbers[inst.actor] for inst in instances], np.int64)
        self.by_rank = sorted(range(len(instances)), key=lambda i: instances[i].label)
        self.rank_of = np.argsort(np.array(self.by_rank, np.int64))

    def path(self) -> BareTrace:
        """The canonical trace."""
        levels = self._levels()
        walk, labels = self._start(levels[0]), []
        for before, after in pairwise(levels):
            inst, walk = self._step(before, after, walk)
            labels.append(self.search.system.instances[inst].label)
        return BareTrace(self.search.initial[int(walk.starts.min())], tuple(labels))

    def _levels(self) -> list[GoalLayer]:
        """The graph of all shortest traces, level by level, the first one first."""
        search, depth = self.search, self.alarm.length
        levels = [ends(None if self.is_step else self.alarm.rows, self.actors)]
        if self.is_step:
            depth -= 1
            levels.append(self._leading(self._chunks(self.alarm.rows), levels[-1]))
        if depth > 0:
            search.remember_levels(depth - 1, self.on_the_way)
        while depth > 0:
            depth -= 1
            levels.append(self._leading(search.fronts(depth), levels[-1]))
        return levels[::-1]

    def _chunks(self, rows: Words) -> Iterator[Words]:
        return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))

    def _leading(self, fronts: Iterator[Words], targets: GoalLayer) -> GoalLayer:
        """The part of one level that has steps into the targets."""
        table = self._table(targets)
        return join_parts([states_leading_to(front, self._steps(front, targets, table), targets) for front in fronts])

    def _table(self, targets: GoalLayer) -> place_table.Table | None:
        return None if targets.rows is None else visited.table_of(targets.rows)

    def _steps(self, front: Words, targets: GoalLayer, table: place_table.Table | None) -> StepArrays:
        """All steps from some states; the arrays are overwritten by the next call."""
        self.on_the_way()
        expander = self.expander
        k = expander.expand(front)
        if targets.rows is None or table is None:
            places = (expander.broken[:k] >> (CLAIMS + self.claim) & 1) - 1
        else:
            place_table.places(targets.rows, table, expander.out, k, self.places)
            places = self.places[:k]
        return StepArrays(expander.which[:k], places, expander.ends[: len(front)], self.actor_of, self.rank_of)

    def _start(self, level: GoalLayer) -> _Walk:
        """The initial states from which a shortest trace starts."""
        initial, table = self.search.initial_rows(), self._table(level)
        assert level.rows is not None
        assert table is not None
        places = np.empty(len(initial), np.int64)
        place_table.places(level.rows, table, initial, len(initial), places)
        starts = np.flatnonzero(places >= 0)
        return _Walk(places[starts], starts)

    def _step(self, before: GoalLayer, after: GoalLayer, walk: _Walk) -> tuple[int, _Walk]:
        """The instance of the smallest label among the cheapest steps, and where it leads."""
        assert before.rows is not None
        table, cheapest, done = self._table(after), Cheapest(walk.actor), 0
        for front in self._chunks(before.rows[walk.places]):
            cheapest.choose(self._steps(front, after, table), walk.starts[done : done + len(front)], after)
            done += len(front)
        inst = self.by_rank[cheapest.rank]
        return inst, _merge_places(cheapest, int(self.actor_of[inst]))


def _merge_places(cheapest: Cheapest, actor: int) -> _Walk:
    """The places once each, with the smallest start that leads to each."""
    places, starts = np.concatenate(cheapest.places), np.concatenate(cheapest.starts)
    if len(places) == 1:
        return _Walk(places, starts, actor)
    order = np.lexsort((starts, places))
    places, starts = places[order], starts[order]
    kept = np.diff(places, prepend=-1) != 0
    return _Walk(places[kept], starts[kept], actor)


@dataclass(frozen=True)
class GoalLayer:
    """States of one level from which an end can be reached with the steps that are left, a row each.

    `rows` is None for the end of a violating step of a step claim, which is not a state. `least` are the fewest changes
    of actor from each state on, `first` has a bit for each actor that can go first at that price.
    """

    rows: Words | None
    least: Int64s
    first: Words


@dataclass(frozen=True)
class StepArrays:
    """Steps from some states: the instance of each, and the place among the targets that it leads to, -1 if to none.

    Those of state j end before `until[j]`. `actor_of` and `rank_of` are the actor of each instance, and its place in
    the order of labels.
    """

    taken: Int64s
    places: Int64s
    until: Int64s
    actor_of: Int64s
    rank_of: Int64s


def ends(rows: Words | None, actors: int) -> GoalLayer:
    """States at which a trace may end (None: the end of a violating step): nothing is left to do, whoever came last."""
    count, words = 1 if rows is None else len(rows), max(1, -(-actors // _BITS))
    return GoalLayer(rows, np.zeros(count, np.int64), np.full((count, words), ~np.uint64(0)))


def states_leading_to(rows: Words, steps: StepArrays, targets: GoalLayer) -> GoalLayer:
    """Those of some states that have a step to one of the targets."""
    least, first = np.empty(len(rows), np.int64), np.zeros((len(rows), targets.first.shape[1]), np.uint64)
    _price(steps.places, steps.until, steps.taken, steps.actor_of, targets.least, targets.first, least, first)
    kept = least >= 0
    return GoalLayer(rows[kept], least[kept], first[kept])


def join_parts(parts: Sequence[GoalLayer]) -> GoalLayer:
    """The states of all parts of a level."""
    if len(parts) == 1:
        return parts[0]
    rows = [part.rows for part in parts if part.rows is not None]
    return GoalLayer(
        np.concatenate(rows), np.concatenate([p.least for p in parts]), np.concatenate([p.first for p in parts])
    )


@dataclass
class Cheapest:
    """The cheapest steps after one of actor `last` (-1: after none), among them those of the smallest label.

    `places` are those that they lead to, `starts` what was known of the states that they start from.
    """

    last: int
    price: int = -1
    rank: int = -1
    places: list[Int64s] = field(default_factory=list)
    starts: list[Int64s] = field(default_factory=list)

    def choose(self, steps: StepArrays, starts: Int64s, targets: GoalLayer) -> None:
        """Looks at the steps of some more states."""
        places, chosen_starts = np.empty_like(steps.places), np.empty_like(steps.places)
        price, rank, count = _choose(
            steps.places, steps.until, steps.taken, steps.actor_of, steps.rank_of, targets.least, targets.first,
            self.last, self.price, self.rank, starts, places, chosen_starts,
        )  # fmt: skip
        if (price, rank) != (self.price, self.rank):
            self.price, self.rank = price, rank
            self.places, self.starts = [], []
        self.places.append(places[:count])
        self.starts.append(chosen_starts[:count])


@kept_machine_code
def _price(
    places: Int64s, until: Int64s, taken: Int64s, actor_of: Int64s, least: Int64s, first: Words, prices: Int64s,
    actors: Words,
) -> None:  # fmt: skip
    """The least price of each state and the actors that go first at it; -1 where no step leads on."""
    i = 0
    for state in range(len(until)):
        best = -1
        while i < until[state]:
            target = places[i]
            if target >= 0:
                actor = actor_of[taken[i]]
                word, bit = actor >> 6, _ONE << np.uint64(actor & 63)
                price = least[target]
                if not first[target, word] & bit:
                    price += 1
                if best < 0 or price < best:
                    best = price
                    for other in range(actors.shape[1]):
                        actors[state, other] = 0
                if price == best:
                    actors[state, word] |= bit
            i += 1
        prices[state] = best


@kept_machine_code
def _choose(
    places: Int64s, until: Int64s, taken: Int64s, actor_of: Int64s, rank_of: Int64s, least: Int64s, first: Words,
    last: int, best: int, smallest: int, starts: Int64s, chosen: Int64s, chosen_starts: Int64s,
) -> tuple[int, int, int]:  # fmt: skip
    """The least price that is known now and its smallest rank; how many steps have both, and where they lead."""
    i = count = 0
    for state in range(len(until)):
        while i < until[state]:
            target = places[i]
            if target >= 0:
                actor, rank = actor_of[taken[i]], rank_of[taken[i]]
                price = least[target]
                if not first[target, actor >> 6] & _ONE << np.uint64(actor & 63):
                    price += 1
                if last >= 0 and actor != last:
                    price += 1
                if best < 0 or price < best or (price == best and rank < smallest):
                    best, smallest, count = price, rank, 0
                if price == best and rank == smallest:
                    chosen[count], chosen_starts[count] = target, starts[state]
                    count += 1
            i += 1
    return best, smallest, count

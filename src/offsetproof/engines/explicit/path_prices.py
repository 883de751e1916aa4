"""How cheaply an end can be reached from the states of a level: the fewest changes of actor, and who may go first.

A step costs what is left from the state that it leads to, and one change more where that state wants another actor
first. So two things are all there is to know of a state: the fewest changes from there on, and the actors that can take
the next step at that price. After a step of one of them it costs that much, after any other step one change more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.machine_code import kept_machine_code

Int64s = npt.NDArray[np.int64]

_BITS = 64
_SIX, _LAST = np.int64(6), np.int64(63)


@dataclass(frozen=True)
class Onward:
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


def ends(rows: Words | None, actors: int) -> Onward:
    """States at which a trace may end (None: the end of a violating step): nothing is left to do, whoever came last."""
    count, words = 1 if rows is None else len(rows), max(1, -(-actors // _BITS))
    return Onward(rows, np.zeros(count, np.int64), np.full((count, words), ~np.uint64(0)))


def states_leading_to(rows: Words, steps: StepArrays, targets: Onward) -> Onward:
    """Those of some states that have a step to one of the targets."""
    least, first = np.empty(len(rows), np.int64), np.zeros((len(rows), targets.first.shape[1]), np.uint64)
    _price(steps.places, steps.until, steps.taken, steps.actor_of, targets.least, targets.first, least, first)
    kept = least >= 0
    return Onward(rows[kept], least[kept], first[kept])


def join_parts(parts: Sequence[Onward]) -> Onward:
    """The states of all parts of a level."""
    if len(parts) == 1:
        return parts[0]
    rows = [part.rows for part in parts if part.rows is not None]
    return Onward(
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

    def choose(self, steps: StepArrays, starts: Int64s, targets: Onward) -> None:
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
    places: Any, until: Any, taken: Any, actor_of: Any, least: Any, first: Any, prices: Any, actors: Any
) -> None:
    """The least price of each state and the actors that go first at it; -1 where no step leads on."""
    i = 0
    for state in range(len(until)):
        best = -1
        while i < until[state]:
            target = places[i]
            if target >= 0:
                actor = actor_of[taken[i]]
                word, bit = actor >> _SIX, np.uint64(1) << np.uint64(actor & _LAST)
                price = least[target]
                if not first[target, word] & bit:
                    price += 1
                if best < 0 or price < best:
                    best = price
                    actors[state, :] = np.uint64(0)
                if price == best:
                    actors[state, word] |= bit
            i += 1
        prices[state] = best


@kept_machine_code
def _choose(
    places: Any, until: Any, taken: Any, actor_of: Any, rank_of: Any, least: Any, first: Any,
    last: Any, best: Any, smallest: Any, starts: Any, chosen: Any, chosen_starts: Any,
) -> Any:  # fmt: skip
    """The least price that is known now and its smallest rank; how many steps have both, and where they lead."""
    i = count = 0
    for state in range(len(until)):
        while i < until[state]:
            target = places[i]
            if target >= 0:
                actor, rank = actor_of[taken[i]], rank_of[taken[i]]
                price = least[target]
                if not first[target, actor >> _SIX] & np.uint64(1) << np.uint64(actor & _LAST):
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

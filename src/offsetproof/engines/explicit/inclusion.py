"""Does one system show nothing that another does not? What is seen of a run is what is seen in its states, one after
the other, without repetitions: a step that changes nothing that is looked at is not seen.

Of both it is kept in which blocks they can be after what was seen (the subset construction), so that each sequence of
what can be seen is followed once, however many runs show it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from offsetproof.engines.explicit.blocks import Blocks

Subset = frozenset[int]
"""The blocks in which a system can be after what was seen, with those that unseen steps lead to."""

Pair = tuple[Subset, Subset]
"""Where both can be after the same was seen."""

Arrival = tuple[Pair | None, int]
"""A pair (None: nothing was seen yet), and what is seen after it."""

CameFrom = dict[Pair, list[Arrival]]
"""The ways to each pair by the fewest changes, by their ends."""

Steps = Mapping[int, tuple[int, tuple[int, ...]]]
"""For each block the fewest steps to it, and what was seen on that way."""


@dataclass(frozen=True)
class Unfollowed:
    """A run of one system that shows what the other cannot show, and a run of that as far as it can; by blocks.

    Of all such runs it shows the fewest changes, and of these it has the fewest steps. `shown` is what it shows, of
    which the other can show all but the last; `other` is empty where that is nothing. `instead` is what can be seen
    next there.
    """

    shown: tuple[int, ...]
    run: tuple[int, ...]
    other: tuple[int, ...]
    instead: tuple[int, ...]


@dataclass(frozen=True)
class Inclusion:
    """What came of it: a run that cannot be followed, if there is one; `pairs` of subsets were looked at."""

    unfollowed: Unfollowed | None
    pairs: int


class Follower:
    """Where a system can be after what was seen."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self._nexts: dict[Subset, Mapping[int, Subset]] = {}

    def begin(self) -> Mapping[int, Subset]:
        """What can be seen first, and where it can be then."""
        return self._subsets_by_view((self.blocks.seen[block], (block,)) for block in self.blocks.initial)

    def after(self, subset: Subset) -> Mapping[int, Subset]:
        """What can be seen next, and where it can be then."""
        if subset not in self._nexts:
            self._nexts[subset] = self._subsets_by_view(
                item for block in sorted(subset) for item in self.blocks.visible[block].items()
            )
        return self._nexts[subset]

    def _subsets_by_view(self, reached: Iterable[tuple[int, Iterable[int]]]) -> Mapping[int, Subset]:
        found: dict[int, set[int]] = {}
        for seen, blocks in reached:
            found.setdefault(seen, set()).update(blocks)
        return {seen: self._close(blocks) for seen, blocks in sorted(found.items())}

    def _close(self, found: set[int]) -> Subset:
        waiting = [*found]
        while waiting:
            for target in self.blocks.silent[waiting.pop()]:
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


def follow(one: Follower, other: Follower, on_the_way: Callable[[int], None] = lambda pairs: None) -> Inclusion:
    """Looks for what one system can show and the other cannot, fewest changes first.

    `on_the_way` is called before each pair with how many were looked at, and may raise what ends the work.
    """
    came_from: CameFrom = {}
    level: list[Pair | None] = [None]
    looked_at = 0
    while level:
        lasts: list[Arrival] = []
        found: CameFrom = {}
        for pair in level:
            on_the_way(looked_at)
            looked_at += pair is not None
            ones, others = _after_both(one, other, pair)
            for seen, subset in ones.items():
                if seen not in others:
                    lasts.append((pair, seen))
                elif (subset, others[seen]) not in came_from:
                    found.setdefault((subset, others[seen]), []).append((pair, seen))
        if lasts:
            return Inclusion(_make_unfollowed(one, other, lasts, came_from), looked_at)
        came_from |= found
        level = [*found]
    return Inclusion(None, looked_at)


def _after_both(one: Follower, other: Follower, pair: Pair | None) -> tuple[Mapping[int, Subset], Mapping[int, Subset]]:
    """What can be seen next on both sides, and where they can be then."""
    return (one.begin(), other.begin()) if pair is None else (one.after(pair[0]), other.after(pair[1]))


def _make_unfollowed(one: Follower, other: Follower, lasts: Sequence[Arrival], came_from: CameFrom) -> Unfollowed:
    shown = _shown_in_fewest_steps(one.blocks, lasts, came_from)
    instead: Mapping[int, Subset] = other.begin()
    for seen in shown[:-1]:
        instead = other.after(instead[seen])
    run, others = _shortest_run(one.blocks, shown), _shortest_run(other.blocks, shown[:-1])
    return Unfollowed(shown, run, others, tuple(instead))


def _shown_in_fewest_steps(blocks: Blocks, lasts: Sequence[Arrival], came_from: CameFrom) -> tuple[int, ...]:
    """Of all that is shown by the fewest changes up to one of `lasts`, what a run of fewest steps shows."""
    levels = [[*dict.fromkeys(pair for pair, _ in lasts)]]
    while levels[-1] != [None]:
        before = (pair for each in levels[-1] if each is not None for pair, _ in came_from[each])
        levels.append([*dict.fromkeys(before)])
    steps: dict[Pair | None, Steps] = {None: {}}
    for level in reversed(levels[:-1]):
        steps = {pair: _enter(blocks, came_from[pair], steps) for pair in level if pair is not None}
    return min(min(_enter(blocks, [last], steps).values()) for last in lasts)[1]


def _enter(blocks: Blocks, arrivals: Iterable[Arrival], steps: Mapping[Pair | None, Steps]) -> Steps:
    """The fewest steps to the blocks of a pair, by those to the pairs before it."""
    waiting: list[tuple[int, tuple[int, ...], int]] = []
    for pair, seen in arrivals:
        if pair is None:
            waiting += ((0, (seen,), block) for block in blocks.initial if blocks.seen[block] == seen)
        for block, (count, shown) in steps[pair].items():
            waiting += ((count + 1, (*shown, seen), target) for target in blocks.visible[block].get(seen, ()))
    heapify(waiting)
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    while waiting:
        count, shown, block = heappop(waiting)
        if block not in found:
            found[block] = count, shown
            for target in blocks.silent[block]:
                heappush(waiting, (count + 1, shown, target))
    return found


def _shortest_run(blocks: Blocks, shown: Sequence[int]) -> tuple[int, ...]:
    """A run of fewest steps of which this is seen; empty where nothing is."""
    if not shown:
        return ()
    before: dict[tuple[int, int], tuple[int, int] | None] = {
        (block, 0): None for block in blocks.initial if blocks.seen[block] == shown[0]
    }
    waiting = deque(before)
    while waiting:
        pair = waiting.popleft()
        block, at = pair
        if at == len(shown) - 1:
            return _path(pair, before)
        following = [(target, at) for target in blocks.silent[block]]
        following += [(target, at + 1) for target in blocks.visible[block].get(shown[at + 1], ())]
        for each in following:
            if each not in before:
                before[each] = pair
                waiting.append(each)
    raise AssertionError("what a subset shows has a run")


def _path(last: tuple[int, int], before: Mapping[tuple[int, int], tuple[int, int] | None]) -> tuple[int, ...]:
    path: list[int] = []
    pair: tuple[int, int] | None = last
    while pair is not None:
        path.append(pair[0])
        pair = before[pair]
    return tuple(path[::-1])

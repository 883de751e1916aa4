"""Does one system show nothing that another does not? What is seen of a run is what is seen in its states, one after
the other, without repetitions: a step that changes nothing that is looked at is not seen.

Of both it is kept in which blocks they can be after what was seen (the subset construction), so that each sequence of
what can be seen is followed once, however many runs show it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from offsetproof.engines.explicit.blocks import Blocks

LASTS_MAX = 100
"""Of so many sequences of the fewest changes it is looked which is shown in the fewest steps."""

Subset = frozenset[int]
"""The blocks in which a system can be after what was seen, with those that unseen steps lead to."""


Pair = tuple[Subset, Subset]
"""Where both can be after the same was seen."""

CameFrom = dict[Pair, tuple[Pair | None, int]]
"""The pair before each, and what was seen between."""


@dataclass(frozen=True)
class Unfollowed:
    """A run of one system that shows what the other cannot show, and a run of that as far as it can; by blocks.

    Of all such runs it shows the fewest changes, and of these (of the first `LASTS_MAX` of them) it has the fewest
    steps. `other` is empty where not even what is seen first can be seen there. `there` is where the other can be then,
    `instead` what can be seen next.
    """

    run: tuple[int, ...]
    other: tuple[int, ...]
    there: Subset
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
    waiting: deque[tuple[Pair | None, int]] = deque([(None, 0)])
    lasts: list[tuple[Pair | None, int, tuple[int, ...]]] = []
    while waiting:
        pair, depth = waiting.popleft()
        if lasts and (depth > len(_word_before(lasts[0][0], came_from)) or len(lasts) >= LASTS_MAX):
            break
        on_the_way(len(came_from))
        ones, others = (one.begin(), other.begin()) if pair is None else (one.after(pair[0]), other.after(pair[1]))
        for seen, subset in ones.items():
            if seen not in others:
                lasts.append((pair, seen, tuple(others)))
            elif (subset, others[seen]) not in came_from:
                came_from[subset, others[seen]] = pair, seen
                waiting.append(((subset, others[seen]), depth + 1))
    runs = (
        _make_unfollowed(one, other, [*_word_before(pair, came_from), seen], pair, others)
        for pair, seen, others in lasts
    )
    return Inclusion(min(runs, key=lambda found: len(found.run), default=None), len(came_from))


def _word_before(pair: Pair | None, came_from: CameFrom) -> list[int]:
    """All that was seen up to a pair."""
    shown = []
    while pair is not None:
        pair, seen = came_from[pair]
        shown.append(seen)
    return shown[::-1]


def _make_unfollowed(
    one: Follower, other: Follower, shown: Sequence[int], pair: Pair | None, instead: tuple[int, ...]
) -> Unfollowed:
    there = frozenset(other.blocks.initial) if pair is None else pair[1]
    return Unfollowed(_shortest_run(one.blocks, shown), _shortest_run(other.blocks, shown[:-1]), there, instead)


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

"""An order of a story's own steps that needs a smaller stall.

A search for the fewest steps does not look at the clock: it may list two steps in the order that needs a stall where
the other order ends in the same state without one. So all orders of the steps are tried that end in the same state and
break the claim there and not before, one of each kind (`severity.orders`), for one that needs a smaller stall (and not
the same one told in two halves). Steps that may change places with the same outcome cost no time in either order
(`severity.timing`). But steps that the story leaves out can only be put in where its order has room for them, so the
order in which it is told is tried, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from offsetproof.ir.system import Label
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.lang.timing import Timing
from offsetproof.severity.orders import Kind, other_orders
from offsetproof.severity.remembering import RememberingReference
from offsetproof.severity.timing import Timed, least_delayed
from offsetproof.severity.waits import kept_order
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.trace import Schedule
from offsetproof.verdict.limits import Deadline, LimitMetError

KINDS_MAX = 30
"""How many orders are tried."""


@dataclass(frozen=True)
class TimedStory:
    """A story in the order that was found, its times, and with the steps that its times need besides.

    No times for a very long story, and if the solver gives up.
    """

    replay: Replay
    whole: Replay
    schedule: Schedule | None


def least_stalled(replay: Replay, staged: Staged, timing: Timing, deadline: Deadline = Deadline()) -> TimedStory:
    """The story in an order with the smallest stall; in its own, if none needs a smaller one.

    Raises LimitMetError at the deadline, where no times are known yet; other orders are looked for in half of what is
    left then: the effect needs time as well.
    """
    reference = RememberingReference(staged)
    story = Replay(reference, replay.prop, replay.labels, replay.states[0])
    timed = least_delayed(story, staged, timing, deadline)
    if timed is None:
        return TimedStory(replay, replay, None)
    if timed.late:
        until = deadline.half()
        kind_of = partial(_kind_of, staged=staged, timing=timing)
        listed = _as_told(story, timed.schedule.order)
        orders = chain(() if listed is story else (listed,), other_orders(listed, reference, kind_of, until))
        judge = partial(least_delayed, staged=staged, timing=timing, deadline=until)
        with suppress(LimitMetError):
            for other, found in _better(islice(orders, KINDS_MAX), timed, judge):
                story, timed = other, found
    return TimedStory(_on(replay, story.labels), _on(replay, timed.telling.replay.labels), timed.schedule)


def _on(replay: Replay, labels: Sequence[Label]) -> Replay:
    """Other steps on the reference semantics of a story; the story itself where they are the same."""
    same = tuple(labels) == replay.labels
    return replay if same else Replay(replay.reference, replay.prop, labels, replay.states[0])


def _as_told(story: Replay, order: Sequence[int]) -> Replay:
    """The story in the order in which it is told, if that has the same end."""
    labels = [story.labels[number - 1] for number in order] or story.labels
    with suppress(ReplayError, ModelError):
        other = _on(story, labels)
        if other.states[-1] == story.states[-1]:
            return other
    return story


def _better(
    orders: Iterable[Replay], first: Timed, judge: Callable[[Replay], Timed | None]
) -> Iterator[tuple[Replay, Timed]]:
    """Orders with less and less delay, as long as there is any: both the longest one and all together."""
    best = first
    for other in orders:
        found = judge(other)
        if found is not None and found.cost[0] < best.cost[0] and found.cost[1] < first.cost[1]:
            best = found
            yield other, found
            if not found.late:
                return


def _kind_of(replay: Replay, order: Sequence[int], staged: Staged, timing: Timing) -> Kind:
    """What comes before what in an order, that is in each other order with the same times."""
    before = [0] * len(order)
    for earlier, later in (*happens_before(replay, staged).edges, *kept_order(replay, timing)):
        before[order[later - 1]] |= 1 << order[earlier - 1]
    return before

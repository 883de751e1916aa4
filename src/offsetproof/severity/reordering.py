"""An order of a story's own steps that needs a smaller stall.

A search for the fewest steps does not look at the clock: it may list two steps in the order that needs a stall where
the other order ends in the same state without one. So a story with a stall is told anew with one step moved, as long as
that ends in the same state, breaks the claim there and not before, and needs a smaller stall (and not the same one told
in two halves). Steps that may change places with the same outcome need no move: their order costs no time
(`severity.timing`). But steps that the story leaves out can only be put in where its order has room for them, so the
order in which it is told is tried, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import permutations

from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.lang.timing import Timing
from offsetproof.severity.timing import Timed, deeds_of, least_delayed
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.trace import Schedule
from offsetproof.verdict.limits import Deadline, LimitMetError


def least_stalled(
    replay: Replay, staged: Staged, timing: Timing, deadline: Deadline = Deadline()
) -> tuple[Replay, Schedule | None]:
    """The story in the order with the smallest stall that moves of one step lead to, and its times.

    No times for a very long story, and if the solver gives up. Raises LimitMetError at the deadline, where no times are
    known yet; other orders are looked for in half of what is left then: the effect needs time as well.
    """
    timed = least_delayed(replay, staged, timing, deadline)
    until = deadline.half()
    with suppress(LimitMetError):
        while timed is not None and timed.late:
            better = _first_better(replay, timed, staged, timing, until)
            if better is None:
                break
            replay, timed = better
    return replay, None if timed is None else timed.schedule


def _first_better(
    replay: Replay, timed: Timed, staged: Staged, timing: Timing, deadline: Deadline
) -> tuple[Replay, Timed] | None:
    """The first other order in which both the longest stall and all together are smaller; None if there is none."""
    for other in _other_orders(replay, timed, staged, deadline):
        found = least_delayed(other, staged, timing, deadline)
        if found is not None and all(new < old for new, old in zip(found.cost, timed.cost, strict=True)):
            return other, found
    return None


def _other_orders(replay: Replay, timed: Timed, staged: Staged, deadline: Deadline) -> Iterator[Replay]:
    """The story in the order in which it is told, and with one step moved to where that is not the same story.

    The step is moved from or to where something takes too long: the order of the others is no part of that.
    """
    by_time, late = timed.schedule.order, _late_places(timed)
    if by_time and (as_told := _in_order(replay, [number - 1 for number in by_time], deadline)) is not None:
        yield as_told
    tied = {frozenset(edge) for edge in happens_before(replay, staged).edges}
    deeds = deeds_of(replay)
    for taken, place in permutations(range(len(replay.labels)), 2):
        if taken == place + 1 or not {taken, place} & late:
            continue  # the same as moving the other one of the two, or elsewhere
        order = [*range(len(replay.labels))]
        order.insert(place, order.pop(taken))
        other = _in_order(replay, order, deadline)
        passed = range(min(taken, place) + 1, max(taken, place) + 2)
        if other is not None and (
            any(frozenset((taken + 1, number)) in tied for number in passed)
            or deeds_of(other) != [deeds[i] for i in order]
        ):
            yield other


def _late_places(timed: Timed) -> set[int]:
    """The places in the story, from 0, between the begin and the end of what takes too long."""
    numbers, places = timed.telling.numbers, set[int]()
    for each in timed.late:
        own = [number - 1 for number in numbers[min(each.gap.begins) - 1 : each.gap.end] if number is not None]
        places.update(range(min(own), max(own) + 1) if own else range(len(numbers)))
    return places


def _in_order(replay: Replay, order: Sequence[int], deadline: Deadline) -> Replay | None:
    """The story with its steps in another order; None where they do not replay so, or end in another state."""
    try:
        labels = [replay.labels[i] for i in order]
        other = Replay(replay.reference, replay.prop, labels, replay.states[0], on_the_way=deadline.check)
    except (ReplayError, ModelError):
        return None
    return other if other.states[-1] == replay.states[-1] else None

"""When each step of a story can happen, and the smallest stall or delay that it needs: a timing witness.

What must come first is told by the story's happens-before graph and not by its order: steps that touch nothing in
common may happen in any order with the same outcome, so the order in which a trace lists them must not cost any time.
A step that breaks a claim about steps comes last, though: what the claim reads may be what the others wrote.

A story's times never go back. It is told as the trace lists it where that needs no longer delays, and else in the order
of its times; that telling is replayed, too, and its delays are computed for it as it stands. Only where it does not
replay (a trace that is not a shortest one may show its claim too early then) is the listed order kept, at the price of
longer delays.

The subject says how long its steps take (`lang.timing`). A wait that has begun and is not over when the story ends
counts up to that end, if the step that would end it can be taken there. Such a step may have nothing to do with the
story, which then leaves it out only to be short: it is put in where the story still replays with it, and so are those
that follow, and the smallest delays of all of these tellings are taken. Nor does a wait count whose end would break
the claim: had it come in time, the claim would only be broken sooner. Rounds that change nothing are left out as well:
where the story needs a delay without them, it is taken with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from offsetproof.engines.smt.timing import Times, smallest_delays
from offsetproof.ir.system import Label, State
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.lang.timing import Timing
from offsetproof.severity.waits import Awaited, kept_order, waits_of
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.trace import Schedule
from offsetproof.verdict.limits import Deadline

PUT_IN_MAX = 12
"""How many steps that a story leaves out are put in."""

STEPS_MAX = 200
"""A story of more steps than this gets no times: they would take minutes."""


@dataclass(frozen=True)
class _Telling:
    """A story as it is told: for each of its steps the number that it has in the trace, None for one put in."""

    replay: Replay
    numbers: tuple[int | None, ...]

    def step(self, i: int) -> str:
        """A step by its number in the story as it is told, which those that are put in do not have."""
        name, own_number = self.replay.labels[i - 1][0], sum(number is not None for number in self.numbers[:i])
        return f"{name} (not in the story)" if self.numbers[i - 1] is None else f"{name} (step {own_number})"


@dataclass(frozen=True)
class Timed:
    """A telling with all that it waits for, and the smallest delays."""

    telling: _Telling
    awaited: tuple[Awaited, ...]
    times: Times

    @property
    def cost(self) -> tuple[Fraction, Fraction]:
        """The worst excess, and the sum of all."""
        return max(self.times.excess, default=Fraction()), sum(self.times.excess, Fraction())

    @property
    def late(self) -> list[Awaited]:
        """What takes too long."""
        return [each for each, excess in zip(self.awaited, self.times.excess, strict=True) if excess > 0]

    @property
    def schedule(self) -> Schedule:
        """The times in the order in which the story is told."""
        steps, numbers = self.times.steps, self.telling.numbers
        late = []
        for each in self.late:
            began = max(steps[i - 1] for i in each.gap.begins)
            until = max(steps) if each.gap.end is None else steps[each.gap.end - 1]
            late.append((float(until - began) - each.gap.least, each))
        late.sort(key=lambda pair: -pair[0])
        own = [(number, float(time)) for time, number in zip(steps, numbers, strict=True) if number is not None]
        where = tuple(_words(seconds, each, self.telling) for seconds, each in late)
        order = tuple(number for number, _ in own)
        listed = order == tuple(range(1, len(own) + 1))
        return Schedule(late[0][0] if late else 0.0, where, tuple(time for _, time in own), () if listed else order)


def schedule_of(replay: Replay, staged: Staged, timing: Timing, deadline: Deadline = Deadline()) -> Schedule | None:
    """The story's times with the smallest stalls; None for a very long one, and if the solver gives up.

    Raises LimitMetError at the deadline.
    """
    timed = least_delayed(replay, staged, timing, deadline)
    return None if timed is None else timed.schedule


def least_delayed(replay: Replay, staged: Staged, timing: Timing, deadline: Deadline = Deadline()) -> Timed | None:
    """The telling of a story with the smallest delays; None and LimitMetError as for `schedule_of`."""
    if len(replay.labels) > STEPS_MAX:
        return None
    as_told = replace(timing, waits=tuple(replace(wait, idle=()) for wait in timing.waits))
    found = _Scheduling(replay, staged, as_told, deadline).least_delayed()
    if found is None or not found.late or as_told == timing:
        return found
    with_rounds = _Scheduling(replay, staged, timing, deadline).least_delayed()
    return found if with_rounds is None or found.cost[0] <= with_rounds.cost[0] else with_rounds


class _Scheduling:
    """The search for the telling with the smallest delays."""

    def __init__(self, replay: Replay, staged: Staged, timing: Timing, deadline: Deadline) -> None:
        self.replay, self.staged, self.timing, self.deadline = replay, staged, timing, deadline
        self._waits: dict[Replay, tuple[Awaited, ...]] = {}

    def least_delayed(self) -> Timed | None:
        """The telling with the smallest delays whose steps are in the order of their times."""
        best = self._smallest()
        if best is None:
            return None
        listed = self._smallest_delays(best.telling, in_order=True)
        if listed is not None and listed.cost <= best.cost:
            return listed
        by_time = self._by_time(best)
        moved = None if by_time is None else self._smallest_delays(by_time, in_order=True)
        candidates = [each for each in (listed, moved) if each is not None]
        return min(candidates, key=lambda each: each.cost, default=None)

    def _smallest(self) -> Timed | None:
        """The telling with the smallest delays, its steps being in any order that the outcome allows."""
        timed = self._smallest_delays(_Telling(self.replay, tuple(range(1, len(self.replay.labels) + 1))))
        best = timed
        for _ in range(PUT_IN_MAX):
            longer = None if timed is None else next(self._longer(timed), None)
            timed = None if longer is None else self._smallest_delays(longer)
            if timed is None or best is None:
                break
            best = min(best, timed, key=lambda each: each.cost)
        return best

    def _smallest_delays(self, telling: _Telling, *, in_order: bool = False) -> Timed | None:
        """The smallest delays of a telling; `in_order` if its steps must happen as it lists them."""
        self.deadline.check()
        last = len(telling.replay.labels)
        if in_order:
            order = list(pairwise(range(1, last + 1)))
        else:
            order = [*happens_before(telling.replay, self.staged).edges, *kept_order(telling.replay, self.timing)]
            if telling.replay.prop.kind is ClaimKind.EACH_STEP:
                order += [(number, last) for number in range(1, last)]
        if telling.replay not in self._waits:
            self._waits[telling.replay] = waits_of(telling.replay, self.timing)
        waits = self._waits[telling.replay]
        delays = smallest_delays(last, order, [each.gap for each in waits], self.deadline.left)
        if delays is None:
            return None
        timed = Timed(telling, waits, delays)
        needless = [each for each in timed.late if self._breaks_sooner(telling, each)]
        if not needless:
            return timed
        self._waits[telling.replay] = tuple(each for each in waits if each not in needless)
        return self._smallest_delays(telling, in_order=in_order)

    def _breaks_sooner(self, telling: _Telling, each: Awaited) -> bool:
        """Would the step that is waited for in vain break the claim, had it come before the end?"""
        labels, pending = telling.replay.labels, each.pending
        if pending is None:
            return False
        return any(
            self._replay((*labels[:index], pending)) is not None for index in range(max(each.gap.begins), len(labels))
        )

    def _longer(self, timed: Timed) -> Iterator[_Telling]:
        """The tellings with one more step, of those that the story waits for too long."""
        labels, numbers = timed.telling.replay.labels, timed.telling.numbers
        for each in timed.late:
            if each.pending is None:
                continue
            for index in range(max(each.gap.begins), len(labels)):
                longer = self._replay((*labels[:index], each.pending, *labels[index:]))
                if longer is not None:
                    yield _Telling(longer, (*numbers[:index], None, *numbers[index:]))

    def _by_time(self, timed: Timed) -> _Telling | None:
        """The telling in the order of its times; None where that does not replay, or tells another story."""
        telling, times = timed.telling, timed.times.steps
        order = sorted(range(len(times)), key=lambda i: times[i])
        numbers = tuple(telling.numbers[i] for i in order)
        replay = self._replay([telling.replay.labels[i] for i in order])
        own = [number for number in numbers if number is not None]
        alone = self._replay([self.replay.labels[number - 1] for number in own])
        if replay is None or alone is None or deeds_of(alone) != [deeds_of(self.replay)[number - 1] for number in own]:
            return None
        return _Telling(replay, numbers)

    def _replay(self, labels: Sequence[Label]) -> Replay | None:
        self.deadline.check()
        try:
            return Replay(self.replay.reference, self.replay.prop, labels, self.replay.states[0])
        except (ReplayError, ModelError):
            return None


def deeds_of(replay: Replay) -> list[State]:
    """What each step changed and to what, as positions and values in turn."""
    return [
        tuple(
            x
            for position, (old, new) in enumerate(zip(before, after, strict=True))
            if old != new
            for x in (position, old, new)
        )
        for before, after in pairwise(replay.states)
    ]


def _words(seconds: float, each: Awaited, telling: _Telling) -> str:
    """`a consume thread stalls for 10 s between task_checks_dropped (step 18) and task_updates_cell (step 23)`."""
    begin, end = telling.step(max(each.gap.begins)), each.gap.end
    where = f"from {begin} to the end" if end is None else f"between {begin} and {telling.step(end)}"
    return f"{each.who} for {seconds:.3g} s {where}"

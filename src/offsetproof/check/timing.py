"""When each step of a story can happen, and the smallest stall or delay that it needs: a timing witness.

What must come first is told by the story's happens-before graph and not by its order: steps that touch nothing in
common may happen in any order with the same outcome, so the order in which a trace lists them must not cost any time.
A step that breaks a claim about steps comes last, though: what the claim reads may be what the others wrote.

The subject says how long its steps take (`lang.timing`). A wait that has begun and is not over when the story ends
counts up to that end, if the step that would end it can be taken there. Such a step may have nothing to do with the
story, which then leaves it out only to be short: it is put in where the story still replays with it, and so are those
that follow, and the smallest delays of all of these tellings are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from offsetproof.engines.smt.timing import Gap, Times, smallest_delays
from offsetproof.ir.system import Label
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.lang.timing import Timing, Transit, Wait
from offsetproof.traces.happens import happens_before
from offsetproof.traces.trace import Schedule

PUT_IN_MAX = 12
"""How many steps that a story leaves out are put in."""


@dataclass(frozen=True)
class _Told:
    """A gap with the words for one that is too long, and, where it is not over at the end, the step it waits for."""

    who: str
    gap: Gap
    pending: Label | None = None


@dataclass(frozen=True)
class _Telling:
    """A story as it is told: for each of its steps the number that it has in the trace, None for one put in."""

    replay: Replay
    numbers: tuple[int | None, ...]


@dataclass(frozen=True)
class _Timed:
    """A telling with its gaps and the smallest delays."""

    telling: _Telling
    told: tuple[_Told, ...]
    times: Times

    @property
    def cost(self) -> tuple[Fraction, Fraction]:
        """The worst excess, and the sum of all."""
        return max(self.times.excess, default=Fraction()), sum(self.times.excess, Fraction())

    @property
    def late(self) -> list[_Told]:
        """The gaps that are too long."""
        return [each for each, excess in zip(self.told, self.times.excess, strict=True) if excess > 0]


def schedule_of(replay: Replay, staged: Staged, timing: Timing) -> Schedule | None:
    """The story's times with the smallest stalls; None if the solver gives up."""
    found = _timed(_Telling(replay, tuple(range(1, len(replay.labels) + 1))), staged, timing)
    if found is None:
        return None
    best = found
    for _ in range(PUT_IN_MAX):
        longer = next(_longer(found), None)
        timed = None if longer is None else _timed(longer, staged, timing)
        if timed is None:
            break
        found = timed
        best = min(best, found, key=lambda each: each.cost)
    return _schedule(best)


def _timed(telling: _Telling, staged: Staged, timing: Timing) -> _Timed | None:
    replay = telling.replay
    told = tuple(dict.fromkeys([*_waits(replay, timing), *_transits(replay, timing)]))
    order = list(happens_before(replay, staged).edges)
    last = len(replay.labels)
    if replay.prop.kind is ClaimKind.EACH_STEP:
        order += [(number, last) for number in range(1, last)]
    found = smallest_delays(last, order, [each.gap for each in told])
    return None if found is None else _Timed(telling, told, found)


def _longer(timed: _Timed) -> Iterator[_Telling]:
    """The tellings with one more step, of those that the story waits for too long."""
    replay, numbers = timed.telling.replay, timed.telling.numbers
    for each in timed.late:
        if each.pending is None:
            continue
        for at in range(max(each.gap.begins), len(replay.labels)):
            labels = (*replay.labels[:at], each.pending, *replay.labels[at:])
            try:
                longer = Replay(replay.reference, replay.prop, labels, replay.states[0])
            except (ReplayError, ModelError):
                continue
            yield _Telling(longer, (*numbers[:at], None, *numbers[at:]))


def _schedule(timed: _Timed) -> Schedule:
    steps = timed.times.steps
    late = []
    for each in timed.late:
        began = max(steps[i - 1] for i in each.gap.begins)
        until = max(steps) if each.gap.end is None else steps[each.gap.end - 1]
        late.append((float(until - began) - each.gap.least, each))
    late.sort(key=lambda pair: -pair[0])
    own = [float(time) for time, number in zip(steps, timed.telling.numbers, strict=True) if number is not None]
    where = tuple(_words(seconds, each, timed.telling) for seconds, each in late)
    return Schedule(late[0][0] if late else 0.0, where, tuple(own))


def _words(seconds: float, told: _Told, telling: _Telling) -> str:
    """`a consume thread stalls for 10 s between task_checks_dropped (step 18) and task_updates_cell (step 23)`."""

    def step(i: int) -> str:
        number = telling.numbers[i - 1]
        return telling.replay.labels[i - 1][0] + (f" (step {number})" if number else " (not in the story)")

    begin = step(max(told.gap.begins))
    where = f"from {begin} to the end" if told.gap.end is None else f"between {begin} and {step(told.gap.end)}"
    return f"{told.who} for {seconds:.3g} s {where}"


def _waits(replay: Replay, timing: Timing) -> Iterator[_Told]:
    for number, label in enumerate(replay.labels, 1):
        for wait in timing.waits:
            begins = _begins(replay, wait, label, number)
            if begins:
                yield _Told(wait.who, Gap(begins, number, wait.least, wait.most))
    for label in _pending(replay):
        for wait in timing.waits:
            begins = _begins(replay, wait, label, len(replay.labels) + 1)
            if begins and wait.most is not None:
                yield _Told(wait.who, Gap(begins, None, wait.least, wait.most), label)


def _begins(replay: Replay, wait: Wait, label: Label, number: int) -> tuple[int, ...]:
    """With which earlier steps the wait began that this step ends; none where it ends no such wait."""
    action, args = label
    if action not in wait.ends:
        return ()
    found = []
    for group in wait.begins:
        for i in range(number - 1, 0, -1):
            name, others = replay.labels[i - 1]
            if name in group and _agree(wait.same, dict(args), dict(others)):
                found.append(i)
                break
    return tuple(sorted(found))


def _agree(same: tuple[str, ...], a: Mapping[str, int | str], b: Mapping[str, int | str]) -> bool:
    return all(a[name] == b[name] for name in same if name in a and name in b)


def _pending(replay: Replay) -> Iterator[Label]:
    """What could be taken at the end without a fault."""
    for label in replay.reference.labels:
        if replay.reference.grown.instances[label][0].fault is None:
            try:
                if not isinstance(replay.reference.take(replay.states[-1], label), NotTaken):
                    yield label
            except ModelError:
                continue


def _transits(replay: Replay, timing: Timing) -> Iterator[_Told]:
    states = [replay.reference.show(state) for state in replay.states]
    for transit in timing.transits:
        pattern = re.escape(transit.count).replace(r"\*", r"\d+")
        for path in states[0]:
            if re.fullmatch(pattern, path):
                yield from _queue(replay, transit, path, [int(state[path]) for state in states])


def _queue(replay: Replay, transit: Transit, path: str, counts: list[int]) -> Iterator[_Told]:
    """Each thing on its way, from the step that sent it to the one that received it, if one did."""
    sent: list[int] = []
    for number, (_, args) in enumerate(replay.labels, 1):
        grown = counts[number] - counts[number - 1]
        sent += [number] * grown
        for _ in range(-grown):
            place = dict(args).get(transit.place, 0)
            yield _Told(transit.who, Gap((sent.pop(int(place)),), number, 0.0, transit.most))
    for i, number in enumerate(sent):
        received = None if i else _received(replay, transit, path)
        yield _Told(transit.who, Gap((number,), None, 0.0, transit.most), received)


def _received(replay: Replay, transit: Transit, path: str) -> Label | None:
    """The step that would receive the oldest thing on its way at the end."""
    last = replay.states[-1]
    for label in _pending(replay):
        after = replay.reference.take(last, label)
        if not isinstance(after, NotTaken) and not dict(label[1]).get(transit.place):
            there, left = (int(replay.reference.show(state)[path]) for state in (last, after))
            if left < there:
                return label
    return None

"""What a story waits for: what each step ends, what is on its way, and what is still awaited at the end.

With which step a wait began is told by the order of the story. So the steps that begin a wait, and those that end it,
keep their places among each other in whatever order the story may be told: all tellings have the same waits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from offsetproof.engines.smt.timing import Gap
from offsetproof.ir.system import Label
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Replay
from offsetproof.lang.timing import Timing, Transit, Wait


@dataclass(frozen=True)
class Awaited:
    """A gap with the words for one that is too long, and, where it is not over at the end, the step it waits for."""

    who: str
    gap: Gap
    pending: Label | None = None


def awaited(replay: Replay, timing: Timing) -> tuple[Awaited, ...]:
    """Everything that the story waits for."""
    waiting = _Waiting(replay, timing)
    return tuple(dict.fromkeys([*waiting.waits(), *waiting.transits()]))


def kept_order(replay: Replay, timing: Timing) -> list[tuple[int, int]]:
    """Steps of one wait that must not change places, each with the next one."""
    waiting = _Waiting(replay, timing)
    return list(dict.fromkeys(waiting.order()))


Values = tuple[int | str | None, ...]
"""The values of some parameters."""


class _Waiting:
    """One story, and what is known of time."""

    def __init__(self, replay: Replay, timing: Timing) -> None:
        self.replay, self.timing = replay, timing
        self.ended_by: dict[str, list[Wait]] = {}
        self.begun_by: dict[str, list[tuple[Wait, tuple[str, ...]]]] = {}
        for wait in timing.waits:
            for name in wait.ends:
                self.ended_by.setdefault(name, []).append(wait)
            for group in wait.begins:
                for name in group:
                    self.begun_by.setdefault(name, []).append((wait, group))
        self.params = {action: frozenset(name for name, _ in args) for action, args in replay.reference.grown.instances}
        self.asked = self._asked()
        self.last: dict[tuple[str, tuple[str, ...], Values], int] = {}

    def waits(self) -> Iterator[Awaited]:
        """The waits that steps end, and those that what could be taken at the end would end."""
        for number, label in enumerate(self.replay.labels, 1):
            for wait in self.ended_by.get(label[0], []):
                begins = self._begins(wait, label)
                if begins:
                    yield Awaited(wait.who, Gap(begins, number, wait.least, wait.most))
            self._note(number, label)
        for label in self._pending:
            for wait in self.ended_by.get(label[0], []):
                begins = self._begins(wait, label)
                if begins and wait.most is not None:
                    yield Awaited(wait.who, Gap(begins, None, wait.least, wait.most), label)

    def order(self) -> Iterator[tuple[int, int]]:
        """Each step that begins a wait after the last one before it that began or ended the same wait."""
        for number, label in enumerate(self.replay.labels, 1):
            for wait, group in self.begun_by.get(label[0], []):
                yield from (
                    (last, number) for last in (self._last(wait, each, label) for each in (group, wait.ends)) if last
                )
            self._note(number, label)

    def transits(self) -> Iterator[Awaited]:
        """What is on its way, from the step that sent it to the one that received it, if one did."""
        leaves = self.replay.reference.grown.tree.leaves
        for transit in self.timing.transits:
            pattern = re.escape(transit.count).replace(r"\*", r"\d+")
            for at, leaf in enumerate(leaves):
                if re.fullmatch(pattern, leaf.path):
                    counts = [int(leaf.domain.decode(state[at])) for state in self.replay.states]
                    yield from self._queue(transit, at, counts)

    def _asked(self) -> dict[str, set[tuple[str, ...]]]:
        """By action, the sets of parameters by which its last step is asked for."""
        asked: dict[str, set[tuple[str, ...]]] = {}
        for wait in self.timing.waits:
            for group in wait.begins:
                for earlier, later in product({*group, *wait.ends}, repeat=2):
                    asked.setdefault(earlier, set()).add(self._shared(wait, earlier, later))
        return asked

    def _shared(self, wait: Wait, begin: str, end: str) -> tuple[str, ...]:
        """The parameters that must be equal in two actions."""
        both = self.params.get(begin, frozenset()) & self.params.get(end, frozenset())
        return tuple(name for name in wait.same if name in both)

    def _note(self, number: int, label: Label) -> None:
        action, args = label
        for names in self.asked.get(action, ()):
            self.last[action, names, _values(dict(args), names)] = number

    def _begins(self, wait: Wait, label: Label) -> tuple[int, ...]:
        """With which of the steps noted so far the wait began that this step ends; none where it ends no such wait."""
        return tuple(sorted({self._last(wait, group, label) for group in wait.begins} - {0}))

    def _last(self, wait: Wait, group: tuple[str, ...], label: Label) -> int:
        """The last step noted so far that is one of a group of actions and of the same wait; 0 if there is none."""
        action, args = label[0], dict(label[1])
        shared = ((name, self._shared(wait, name, action)) for name in group)
        return max((self.last.get((name, names, _values(args, names)), 0) for name, names in shared), default=0)

    @cached_property
    def _pending(self) -> list[Label]:
        """What could be taken at the end without a fault."""
        instances = self.replay.reference.grown.instances
        return [
            label for label in self.replay.reference.labels if instances[label][0].fault is None and self._taken(label)
        ]

    def _taken(self, label: Label) -> bool:
        try:
            return not isinstance(self.replay.reference.take(self.replay.states[-1], label), NotTaken)
        except ModelError:
            return False

    def _queue(self, transit: Transit, at: int, counts: list[int]) -> Iterator[Awaited]:
        """Each thing in one queue, whose length is the leaf at this position."""
        sent: list[int] = []
        for number, (_, args) in enumerate(self.replay.labels, 1):
            grown = counts[number] - counts[number - 1]
            sent += [number] * grown
            for _ in range(-grown):
                place = dict(args).get(transit.place, 0)
                yield Awaited(transit.who, Gap((sent.pop(int(place)),), number, 0.0, transit.most))
        for i, number in enumerate(sent):
            received = None if i else self._received(transit, at)
            yield Awaited(transit.who, Gap((number,), None, 0.0, transit.most), received)

    def _received(self, transit: Transit, at: int) -> Label | None:
        """The step that would receive the oldest thing on its way at the end."""
        last = self.replay.states[-1]
        for label in self._pending:
            after = self.replay.reference.take(last, label)
            if not isinstance(after, NotTaken) and not dict(label[1]).get(transit.place) and after[at] < last[at]:
                return label
        return None


def _values(args: dict[str, int | str], names: tuple[str, ...]) -> Values:
    return tuple(args.get(name) for name in names)

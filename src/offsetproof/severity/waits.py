"""What a story waits for: what each step ends, what is on its way, and what is still awaited at the end.

With which step a wait began is told by the order of the story. So the steps that begin a wait, and those that end it,
keep their places among each other in whatever order the story may be told: all tellings have the same waits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from offsetproof.engines.smt.timing import Gap
from offsetproof.ir.system import Label, State
from offsetproof.lang.domain import Domain
from offsetproof.lang.errors import DeclarationError, ModelError
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.reference import NotTaken, Reference, Replay
from offsetproof.lang.timing import Timing, Transit, Wait


@dataclass(frozen=True)
class Awaited:
    """A gap with the words for one that is too long, and, where it is not over at the end, the step it waits for."""

    who: str
    gap: Gap
    pending: Label | None = None


def waits_of(replay: Replay, timing: Timing) -> tuple[Awaited, ...]:
    """Everything that the story waits for."""
    pending = pending_labels(replay)
    return tuple(dict.fromkeys([*_Waiting(replay, timing).waits(pending), *_transits(replay, timing, pending)]))


def kept_order(replay: Replay, timing: Timing) -> list[tuple[int, int]]:
    """Steps of one wait that must not change places, each with the next one."""
    return list(dict.fromkeys(_Waiting(replay, timing).order()))


Value = int | str | None


@dataclass(frozen=True)
class _Event:
    """An action with its arguments, those that only a field holds included."""

    action: str
    args: Mapping[str, Value]


class _Declarations:
    """What a timing says of a model's actions, whatever the story."""

    def __init__(self, grown: ModelInstance, timing: Timing) -> None:
        self.timing = timing
        self.ended_by: dict[str, list[Wait]] = {}
        self.begun_by: dict[str, list[tuple[Wait, tuple[str, ...]]]] = {}
        self.held: dict[str, dict[str, str]] = {}
        for wait in timing.waits:
            for name in wait.ends:
                self.ended_by.setdefault(name, []).append(wait)
                self.held.setdefault(name, {}).update(wait.held)
            for group in wait.begins:
                for name in group:
                    self.begun_by.setdefault(name, []).append((wait, group))
                    at_begin = {param: field for action, param, field in wait.held_at_begin if action == name}
                    self.held.setdefault(name, {}).update(at_begin)
        self.params = {
            action: frozenset([*(name for name, _ in args), *self.held.get(action, ())])
            for action, args in grown.instances
        }
        self.leaves = {leaf.path: (position, leaf.domain) for position, leaf in enumerate(grown.tree.leaves)}
        self.keys = self._keys()

    def _keys(self) -> dict[str, set[tuple[str, ...]]]:
        """By action, the sets of parameters by which its last step is asked for."""
        keys: dict[str, set[tuple[str, ...]]] = {}
        for wait in self.timing.waits:
            for group in wait.begins:
                for earlier, later in product({*group, *wait.ends}, repeat=2):
                    keys.setdefault(earlier, set()).add(self.shared_parameters(wait, earlier, later))
        return keys

    def shared_parameters(self, wait: Wait, earlier: str, later: str) -> tuple[str, ...]:
        """The parameters of an action that decide whether it belongs to the same wait as another."""
        mine, others = (self.params.get(action, frozenset()) for action in (earlier, later))
        same = (name for name in wait.same if name in mine & others)
        return tuple(dict.fromkeys([*same, *(name for name, _ in wait.only if name in mine)]))


@lru_cache(maxsize=8)
def _declarations_of(grown: ModelInstance, timing: Timing) -> _Declarations:
    """The same for all orders of a story's steps, so that they are made once."""
    return _Declarations(grown, timing)


class _Waiting:
    """One story, and the waits that are known."""

    def __init__(self, replay: Replay, timing: Timing) -> None:
        self.replay, self.declared = replay, _declarations_of(replay.reference.grown, timing)
        self.last: dict[tuple[str, tuple[str, ...], tuple[Value, ...]], int] = {}

    def waits(self, pending: Sequence[Label]) -> Iterator[Awaited]:
        """The waits that steps end, and those that what could be taken at the end, the `pending` ones, would end."""
        for number, step in enumerate(self._steps(), 1):
            for wait, begins in self._waits_ended(step):
                yield Awaited(wait.who, self._gap(wait, begins, number, self.replay.labels[number - 1]))
            self._note(number, step)
        for label in pending:
            for wait, begins in self._waits_ended(self._step(label, self.replay.states[-1])):
                if wait.most is not None:
                    yield Awaited(wait.who, self._gap(wait, begins, None, label), label)

    def order(self) -> Iterator[tuple[int, int]]:
        """Each step that begins a wait after the last one before it that began or ended the same wait."""
        for number, step in enumerate(self._steps(), 1):
            for wait, group in self.declared.begun_by.get(step.action, []):
                groups = (group, wait.ends) if _belongs(wait, step) else ()
                before = [self._last(wait, each, step) for each in groups]
                yield from ((last, number) for last in before if last)
            self._note(number, step)

    def _steps(self) -> Iterator[_Event]:
        return (self._step(*taken) for taken in zip(self.replay.labels, self.replay.states, strict=False))

    def _step(self, label: Label, before: State) -> _Event:
        action, args = label[0], dict[str, Value](label[1])
        for name, field in self.declared.held.get(action, {}).items():
            position, domain = self._leaf(field.format(**args))
            args[name] = domain.decode(before[position])
        return _Event(action, args)

    def _leaf(self, path: str) -> tuple[int, Domain]:
        if path not in self.declared.leaves:
            raise DeclarationError(f"a wait reads {path}, which is not a field of the model; correct its timing")
        return self.declared.leaves[path]

    def _waits_ended(self, step: _Event) -> Iterator[tuple[Wait, tuple[int, ...]]]:
        """The waits that a step ends, each with the steps noted so far with which it began."""
        for wait in self.declared.ended_by.get(step.action, []):
            begins = {self._last(wait, group, step) for group in wait.begins} - {0}
            if begins and _belongs(wait, step):
                yield wait, tuple(sorted(begins))

    def _gap(self, wait: Wait, begins: tuple[int, ...], end: int | None, label: Label) -> Gap:
        sooner = dict(wait.sooner)
        taken = [(number, self.replay.labels[number - 1][0]) for number in begins]
        soon = tuple((number, sooner[action]) for number, action in taken if action in sooner)
        at = (max(begins), -1 if end is None else end - 1)
        rounds = wait.idle_least if any(self._is_idle(wait, label, self.replay.states[i]) for i in at) else None
        return Gap(begins, end, wait.least, wait.most, soon, rounds)

    def _is_idle(self, wait: Wait, label: Label, before: State) -> bool:
        """May the step be taken here in a round that leaves all as it was?"""
        reference, args = self.replay.reference, label[1]
        rest = [(name, args) for name in wait.idle if (name, args) in reference.grown.instances]
        after = _after(reference, before, label) if rest else None
        for _ in rest:
            taken = (_after(reference, after, each) for each in rest) if after is not None else ()
            after = next((state for state in taken if state is not None), None)
            if after == before:
                return True
        return False

    def _note(self, number: int, step: _Event) -> None:
        for names in self.declared.keys.get(step.action, ()):
            self.last[step.action, names, tuple(step.args.get(name) for name in names)] = number

    def _last(self, wait: Wait, group: tuple[str, ...], step: _Event) -> int:
        """The last step noted so far that is one of a group of actions and of the same wait; 0 if there is none."""
        args = {**step.args, **dict(wait.only)}
        shared = ((action, self.declared.shared_parameters(wait, action, step.action)) for action in group)
        keys = ((action, names, tuple(args.get(name) for name in names)) for action, names in shared)
        return max((self.last.get(key, 0) for key in keys), default=0)


def _belongs(wait: Wait, step: _Event) -> bool:
    """Has a step the arguments that the steps of a wait must have?"""
    return all(step.args.get(name, value) == value for name, value in wait.only)


def pending_labels(replay: Replay) -> list[Label]:
    """What could be taken at the end without a fault."""
    instances, last = replay.reference.grown.instances, replay.states[-1]

    return [
        label
        for label, (action, _) in instances.items()
        if action.fault is None and _after(replay.reference, last, label) is not None
    ]


def _after(reference: Reference, before: State, label: Label) -> State | None:
    """The state after a step; None where it cannot be taken."""
    try:
        after = reference.take(before, label)
    except ModelError:
        return None
    return None if isinstance(after, NotTaken) else after


def _transits(replay: Replay, timing: Timing, pending: Sequence[Label]) -> Iterator[Awaited]:
    """What is on its way, from the step that sent it to the one that received it, if one did."""
    for transit in timing.transits:
        pattern = re.escape(transit.count).replace(r"\*", r"\d+")
        for position, leaf in enumerate(replay.reference.grown.tree.leaves):
            if re.fullmatch(pattern, leaf.path):
                counts = [int(leaf.domain.decode(state[position])) for state in replay.states]
                yield from _queue(replay, transit, position, counts, pending)


def _queue(
    replay: Replay, transit: Transit, position: int, counts: list[int], pending: Sequence[Label]
) -> Iterator[Awaited]:
    """Each thing in one queue, whose length is the leaf at this position."""
    sent: list[int] = []
    for number, (_, args) in enumerate(replay.labels, 1):
        grown = counts[number] - counts[number - 1]
        sent += [number] * grown
        for _ in range(-grown):
            index = dict(args).get(transit.place, 0)
            yield Awaited(transit.who, Gap((sent.pop(int(index)),), number, 0.0, transit.most))
    for i, number in enumerate(sent):
        received = None if i else _receiving_label(replay, transit, position, pending)
        yield Awaited(transit.who, Gap((number,), None, 0.0, transit.most), received)


def _receiving_label(replay: Replay, transit: Transit, position: int, pending: Sequence[Label]) -> Label | None:
    """The step that would receive the oldest thing on its way at the end."""
    last = replay.states[-1]
    for label in pending:
        after = replay.reference.take(last, label)
        if (
            not isinstance(after, NotTaken)
            and not dict(label[1]).get(transit.place)
            and after[position] < last[position]
        ):
            return label
    return None

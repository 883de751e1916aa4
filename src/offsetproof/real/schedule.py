"""Where the steps of a model begin in a release, and where its threads stop: what a rigging says, as places there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeVar

from offsetproof.lang.anchor import Anchor, AnchorLines
from offsetproof.lang.rigging import Rigging, ThreadStep
from offsetproof.real.program import AbsentError, JavaLine

NOWHERE = JavaLine("nowhere", 0)
"""A place to which no thread ever comes."""
_Gate = TypeVar("_Gate", Anchor, Anchor | str)


class RigSchedule:
    """What a trace asks of the rig: where each step begins, and where each thread stops."""

    def __init__(
        self,
        rigging: Rigging,
        anchors: Mapping[str, Sequence[Anchor]],
        tables: Sequence[AnchorLines],
        instead: Callable[[Anchor], JavaLine | None] | None = None,
    ) -> None:
        """`anchors` has the actions that the setting has at all, each with the places that it stands for.

        `instead` gives a place for one that has no line, or none either.
        """
        self.rigging = rigging
        self._instead = instead
        self._tables = tables
        self._anchors = anchors
        self._stops: dict[str, tuple[str, ...]] = {}

    def place(self, anchor: Anchor) -> JavaLine:
        """Where an anchor is in the release. AbsentError if it is nowhere."""
        why = ""
        for table in self._tables:
            line = table.line_of.get(anchor.unplaced)
            if line is not None:
                return JavaLine(table.class_of[anchor.unplaced], line)
            why = why or table.why_of.get(anchor.unplaced, "")
        place = self._instead(anchor) if self._instead else None
        if place is not None:
            return place
        raise AbsentError(f"{anchor} has no line in this release" + (f": {why}" if why else ""))

    def in_release(self, released: Sequence[AnchorLines] | None = None) -> tuple[RigSchedule, dict[str, str]]:
        """The schedule of what the release has places for, and of each other action the place that it lacks.

        `released` are the release's own lines, where the schedule has those of other classes in front of it. A step
        that may begin at several places begins at those that are there. Where a class is not published, so that the
        rig plays it, a call of it is done as a whole.
        """
        known = _Known(self._tables if released is None else released)
        lacking: dict[str, str] = {}
        steps = dict(self.rigging.steps)
        for action, anchors in self._anchors.items():
            step = steps.get(action)
            if isinstance(step, ThreadStep) and not step.whole:
                found = known.place_step(step, step.gates or anchors[:1])
                if found is not None:
                    steps[action] = found
                else:
                    del steps[action]
                    lacking[action] = f"{(step.gates or anchors)[0]} has no line in this release"
        own = {action: anchors for action, anchors in self._anchors.items() if action not in lacking}
        holds = {role: known.there(places) for role, places in self.rigging.holds.items()}
        passes = {role: known.there(places) for role, places in self.rigging.passes.items()}
        rigging = replace(self.rigging, steps=steps, holds=holds, passes=passes)
        return RigSchedule(rigging, own, self._tables, self._instead), lacking

    def has(self, action: str) -> bool:
        """Can the rig do this action, in this setting and release?"""
        return action in self.rigging.steps and action in self._anchors

    def gates(self, action: str) -> tuple[str, ...]:
        """Where a thread stops for a step: at lines, or where it waits, by name; nowhere if it is a whole call."""
        return tuple(map(self.stop, self._begins_at(action)))

    def _begins_at(self, action: str) -> Sequence[Anchor | str]:
        step = self.rigging.steps.get(action)
        if not isinstance(step, ThreadStep) or step.whole:
            return ()
        return step.gates or self._anchors[action][:1]

    def stop(self, gate: Anchor | str) -> str:
        """Where a thread stops: a line, or where it waits, by name."""
        return gate if isinstance(gate, str) else str(self.place(gate))

    def beginnings(self, action: str) -> tuple[str, ...]:
        """Where a step may begin."""
        step = self.rigging.steps[action]
        also = step.also if isinstance(step, ThreadStep) else ()
        return (*self.gates(action), *map(self.stop, also))

    def holds(self, role: str) -> list[str]:
        """Where a thread of a role stops although no step begins there."""
        return [str(self.place(anchor)) for anchor in self.rigging.holds.get(role, ())]

    def passes(self, role: str) -> list[str]:
        """What a thread of a role may pass on its way to where a step begins."""
        own = (str(self.place(anchor)) for anchor in self.rigging.passes.get(role, ()))
        return [*self.holds(role), *own, *self._replaced]

    @cached_property
    def _replaced(self) -> tuple[str, ...]:
        """The places that stand for ones that are gone: threads pass them on their way to other steps."""
        anchors = (gate for action in self._anchors for gate in self._begins_at(action) if isinstance(gate, Anchor))
        known = _Known(self._tables)
        replaced = {str(self.place(anchor)) for anchor in anchors if not known.there([anchor])} if self._instead else ()
        return tuple(sorted({*replaced} - {str(NOWHERE)}))

    def why_blurred(
        self, actions: Iterable[str], released: Sequence[AnchorLines], doubt: Callable[[Anchor], str] = lambda _: ""
    ) -> str:
        """Why threads cannot be held where steps of these actions begin in the release; empty where they can.

        The place is gone in the classes in front of the release, there is a `doubt` which it is, or two places are on
        one line there.
        """
        gates = {gate: None for action in actions for gate in self._begins_at(action) if isinstance(gate, Anchor)}
        there = _Known(released).there(tuple(gates))
        lost = [gate for gate in there if not _Known(self._tables).there([gate])]
        if lost:
            return f"{lost[0].unplaced} is gone, so no thread can be held there"
        if unclear := next(filter(None, map(doubt, there)), ""):
            return f"{unclear}, so it is not known where a thread is to be held"
        before = RigSchedule(self.rigging, self._anchors, released)
        first: dict[JavaLine, Anchor] = {}
        for gate in there:
            other = first.setdefault(self.place(gate), gate)
            if before.place(other) != before.place(gate):
                return f"{other.unplaced} and {gate.unplaced} are on one line, so no thread can be held between them"
        return ""

    def stops(self, role: str) -> tuple[str, ...]:
        """Where a thread of a role stops: its own steps' gates, and those of the roles that it goes through."""
        if role not in self._stops:
            roles = (role, *self.rigging.roles.get(role, ()))
            gates = (self.gates(action) for action in self._anchors if self._role(action) in roles)
            self._stops[role] = tuple(sorted({*chain(*gates), *self.holds(role)}))
        return self._stops[role]

    def _role(self, action: str) -> str | None:
        step = self.rigging.steps.get(action)
        return step.role if isinstance(step, ThreadStep) else None

    def lines(self) -> Iterator[JavaLine]:
        """Every line at which a thread may be held."""
        steps = [step for step in self.rigging.steps.values() if isinstance(step, ThreadStep)]
        stops = {stop for role in {step.role for step in steps} for stop in self.stops(role)}
        stops |= {str(self.place(anchor)) for step in steps for anchor in step.until}
        for place in sorted(stop for stop in stops if ":" in stop):
            java_class, _, line = place.rpartition(":")
            if place != str(NOWHERE):
                yield JavaLine(java_class, int(line))


@dataclass(frozen=True)
class _Known:
    """What has a place in a release."""

    tables: Sequence[AnchorLines]

    def place_step(self, step: ThreadStep, gates: Sequence[Anchor | str]) -> ThreadStep | None:
        """The step with the places that the release has; None where it cannot begin anywhere."""
        if there := self.there(gates):
            also, within, until = self.there(step.also), self.there(step.within), self.there(step.until)
            return replace(step, gates=there, also=also, within=within, until=until)
        published = {_outermost(anchor) for table in self.tables for anchor in table.class_of}
        is_played = all(isinstance(gate, Anchor) and _outermost(gate) not in published for gate in gates)
        return replace(step, gates=(), whole=True) if is_played and step.call else None

    def there(self, gates: Sequence[_Gate]) -> tuple[_Gate, ...]:
        """Those that have a place in the release."""
        return tuple(gate for gate in gates if isinstance(gate, str) or gate.unplaced in self._anchors)

    @cached_property
    def _anchors(self) -> frozenset[Anchor]:
        lines = (table.line_of.items() for table in self.tables)
        return frozenset(anchor for anchor, line in chain.from_iterable(lines) if line is not None)


def _outermost(anchor: Anchor) -> str:
    return anchor.java_class.partition(".")[0]

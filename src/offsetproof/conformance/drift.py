"""Drift: which methods are others in somebody's own classes than in the release, and what that does to a story.

What runs is judged, and nothing else: of a method that does something else and that no thread came to, nobody knows
what it does to a claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from offsetproof.checking.catalogue import SINGLES
from offsetproof.conformance.on_release import ReplayOnRelease, lines_of
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.changes import every_action
from offsetproof.lang.rigging import RigChange
from offsetproof.lang.subject import Subject
from offsetproof.real.method_digests import AnchoredMethod, anchored_methods, digests, fields_of, methods_in
from offsetproof.real.own_classes import OwnClasses
from offsetproof.real.program import JavaLine
from offsetproof.real.replay import OutcomeKind

_CONSTRUCTOR = "<init>"


class CauseFate(StrEnum):
    """What becomes of a recorded cause under a patch."""

    REMOVED = "removed"
    LEFT = "left"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Drift:
    """How somebody's own classes differ from a release, as far as a subject's model speaks of them.

    `changed` are methods that do something else. `missing` are places that are not there any more, each with the
    reason, and `new` such that only these classes have. `beside` are methods of the replaced classes that do something
    else and that no action stands for: what calls them may do so as well. `elsewhere` are those of them that actions of
    other subjects stand for, and that this one's say nothing of.
    """

    subject: Subject
    release: str
    own: OwnClasses
    changed: tuple[AnchoredMethod, ...]
    missing: tuple[tuple[Anchor, str], ...]
    new: tuple[Anchor, ...]
    beside: tuple[AnchoredMethod, ...]
    elsewhere: tuple[AnchoredMethod, ...] = ()

    @property
    def is_any(self) -> bool:
        """Is anything different?"""
        return bool(self.changed or self.missing or self.new or self.beside or self.elsewhere)

    @cached_property
    def methods(self) -> tuple[AnchoredMethod, ...]:
        """The methods on which any claim of the subject may rest: what changed, or has a place that is gone."""
        gone = (AnchoredMethod(anchor.java_class, anchor.method) for anchor, _ in self.missing)
        return tuple(sorted({*self.changed, *gone, *self.beside}))

    @cached_property
    def by_action(self) -> dict[str, frozenset[AnchoredMethod]]:
        """The methods of these that each action stands for."""
        found = {
            action.name: frozenset(AnchoredMethod(anchor.java_class, anchor.method) for anchor in action.stands_for)
            for action in every_action(self.subject.model)
        }
        here = frozenset(self.methods)
        return {name: methods & here for name, methods in found.items() if methods & here}

    @cached_property
    def _begins(self) -> dict[AnchoredMethod, frozenset[JavaLine]]:
        """Where the changed overloads of these methods begin, and the changed lambdas in them."""
        return {method: frozenset(self.own.changed_beginnings(method)) for method in self.methods}

    @cached_property
    def places(self) -> tuple[JavaLine, ...]:
        """All of these places: who comes there runs what changed."""
        return tuple(sorted(frozenset().union(*self._begins.values()), key=str))

    @cached_property
    def lines(self) -> tuple[tuple[JavaLine, AnchoredMethod], ...]:
        """The lines of the changes in them, each with its method: of methods that actions stand for first."""
        # Another compiler changes many of the others, such as all enums.
        near = [method for method in self.methods if method not in self.beside]
        found = {
            (line, method): None
            for method in (*near, *self.beside)
            for line in sorted(self.own.changed_lines(method), key=_in_file)
        }
        return tuple(found)

    def ran(self, entered: Iterable[JavaLine], built: Iterable[JavaLine]) -> frozenset[AnchoredMethod]:
        """Those of the methods of which all that changed has run; while a rig is built only constructors count."""
        here, before = frozenset(entered), frozenset(built)
        return frozenset(
            method
            for method, places in self._begins.items()
            if places and places <= (here | before if method.method == _CONSTRUCTOR else here)
        )

    def becomes(self, replay: ReplayOnRelease) -> tuple[CauseFate, str]:
        """What becomes of a story that was replayed loosely on the classes, its places watched; why, where unknown."""
        outcome, presumed = replay.outcome, self._presumption(replay)
        if presumed or outcome.kind is OutcomeKind.NOT_FORCEABLE:
            return CauseFate.UNKNOWN, presumed
        if outcome.happens:
            doubt = self._doubt_that_it_happens(replay)
            return CauseFate.UNKNOWN if doubt else CauseFate.LEFT, doubt
        doubt = self._doubt(replay)
        return CauseFate.UNKNOWN if doubt else CauseFate.REMOVED, doubt

    def _presumption(self, replay: ReplayOnRelease) -> str:
        """What the rig does in the place of a method that changed."""
        steps = replay.prepared.rigging.steps
        for action in dict.fromkeys(step.action for step in replay.trace.steps):
            step = steps.get(action)
            for anchor in step.presumes if isinstance(step, RigChange) else ():
                if AnchoredMethod(anchor.java_class, anchor.method) in self.methods:
                    return f"the rig plays {action} as the release's {anchor.java_class}.{anchor.method} has it"
        return ""

    def _doubt_that_it_happens(self, replay: ReplayOnRelease) -> str:
        """Why nothing is known of what changed, although the classes come to a story's end."""
        outcome, steps = replay.outcome, replay.trace.steps
        seen = replay.prepared.rigging.fields_in_rig
        if outcome.entered and len({repr(sorted(seen(state).items())) for state in replay.trace.states[-2:]}) == 1:
            return "the story's last step changes nothing that both sides show: nobody sees whether it happens"
        below = {method for step in steps for method in self.by_action.get(step.action, ())}
        for method in sorted(below - self.ran(outcome.entered, outcome.built)):
            if not self._begins[method] & outcome.entered:
                return f"{method} has changed, but the rig does not run it: the story happens without it"
        return ""

    def _doubt(self, replay: ReplayOnRelease) -> str:
        """Why it need not be for what changed that the classes come to another end than a story."""
        outcome = replay.outcome
        if not outcome.end:
            return "an error was thrown where they part: perhaps the rig does not fit"
        schedule = replay.prepared.schedule(replay.release, self.own, loosely=True)
        actions = dict.fromkeys(step.action for step in replay.trace.steps)
        if blurred := schedule.why_blurred(actions, lines_of(self.subject, self.release), self.own.doubt):
            return f"{blurred}: nobody knows whether the story happens when they are held elsewhere"
        if outcome.has_failed:
            return "an error was thrown where they part: perhaps the rig does not fit"
        if not outcome.entered and not self.ran((), outcome.built):
            return "no method that changed has run up to that step: perhaps the rig does not fit"
        return ""


def drift_of(subject: Subject, release: str, own: OwnClasses) -> Drift:
    """How somebody's own classes differ from a release; UnusableFileError for one without line numbers."""
    stated = _stated_anchors(subject)
    before, now = lines_of(subject, release), lines_of(subject, release, own)
    was = {anchor: line for table in before for anchor, line in table.line_of.items() if anchor in stated}
    is_now = {anchor: line for table in now for anchor, line in table.line_of.items() if anchor in stated}
    why = {anchor: reason for table in now for anchor, reason in table.why_of.items()}
    recorded = {name: digest for table in before for name, digest in table.digest_of.items()}
    found = digests(anchored_methods(stated), own.program)
    others = [method for method in _changed_methods(own) if method not in found]
    of_others = {*anchored_methods(_stated_elsewhere())} if others else set()
    return Drift(
        subject,
        release,
        own,
        tuple(m for m, digest in found.items() if digest is not None and digest != recorded.get(str(m))),
        tuple((anchor, why[anchor]) for anchor, line in was.items() if line is not None and is_now[anchor] is None),
        tuple(anchor for anchor, line in was.items() if line is None and is_now[anchor] is not None),
        tuple(method for method in others if method not in of_others),
        tuple(method for method in others if method in of_others),
    )


def _in_file(place: JavaLine) -> tuple[str, int]:
    return place.java_class, place.line


def _stated_anchors(subject: Subject) -> set[Anchor]:
    return {anchor.unplaced for action in every_action(subject.model) for anchor in action.stands_for}


def _stated_elsewhere() -> set[Anchor]:
    """The places that actions of all built-in subjects with a rigging stand for."""
    subjects = (entry.subjects[0] for entry in SINGLES.values())
    return {anchor for subject in subjects if subject.rigging is not None for anchor in _stated_anchors(subject)}


def _changed_methods(own: OwnClasses) -> Iterator[AnchoredMethod]:
    """The methods of the replaced classes that do something else, and those of classes that these use and the release
    does not have, each once, in the order of the classes.

    One that is gone and was the class's own affair is none: those who called it are others as well. Fields of the
    release that are others here count as a method that never runs; new ones are used by methods that changed.
    """
    release, here = own.release, own.whole
    for name in own.added:
        yield from sorted(methods_in(here.class_named(name), here))
    for name in own.others:
        before, now = methods_in(release.class_named(name), release), methods_in(here.class_named(name), here)
        private = {method.name for method in release.class_named(name).methods if method.is_private}
        for method in sorted(before.keys() | now.keys()):
            is_own_affair = method not in now and method.method in private
            if before.get(method) != now.get(method) and not is_own_affair:
                yield method
        (fields, were), (_, are) = (
            fields_of(release.class_named(name), release),
            fields_of(here.class_named(name), here),
        )
        if any(are.get(field) != text for field, text in were.items()):
            yield fields

"""Drift: which methods that a model's actions stand for are others in somebody's own classes than in the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from offsetproof.checking.on_release import ReplayOnRelease, lines_of
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.subject import Subject
from offsetproof.real.method_digests import AnchoredMethod, anchored_methods, digests, methods_in
from offsetproof.real.own_classes import OwnClasses
from offsetproof.real.program import Program, released_jars


@dataclass(frozen=True)
class Drift:
    """How somebody's own classes differ from a release, as far as a subject's model speaks of them.

    `changed` are methods that do something else. `missing` are places that are not there any more, each with the
    reason, and `new` such that only these classes have. `beside` are methods of the replaced classes that do something
    else and that no action stands for: what calls them may do so as well.
    """

    subject: Subject
    release: str
    own: OwnClasses
    changed: tuple[AnchoredMethod, ...]
    missing: tuple[tuple[Anchor, str], ...]
    new: tuple[Anchor, ...]
    beside: tuple[AnchoredMethod, ...]

    @property
    def is_any(self) -> bool:
        """Is anything different?"""
        return bool(self.changed or self.missing or self.new or self.beside)

    @cached_property
    def by_action(self) -> dict[str, tuple[str, ...]]:
        """The actions that stand for something that changed or is missing, each with what that is."""
        found = {}
        for name, action in self.subject.model.actions.items():
            what = tuple(dict.fromkeys(word for anchor in action.stands_for for word in self._of(anchor.unplaced)))
            if what:
                found[name] = what
        return found

    def explains(self, replay: ReplayOnRelease) -> bool:
        """May it be for what is different that the classes part from a story where they do?

        What is different stands below the step, or is a method of which nobody knows who calls it. Else, or where an
        error was thrown, the rig may not fit these classes, which says nothing about the story.
        """
        step = replay.parted
        return step is not None and not replay.outcome.has_failed and bool(step.action in self.by_action or self.beside)

    def _of(self, anchor: Anchor) -> Iterator[str]:
        method = AnchoredMethod(anchor.java_class, anchor.method)
        if method in self.changed or any(anchor == gone for gone, _ in self.missing):
            yield str(method)


def drift_of(subject: Subject, release: str, own: OwnClasses) -> Drift:
    """How somebody's own classes differ from a release; ClassPathError for one without line numbers."""
    stated = {anchor.unplaced for action in subject.model.actions.values() for anchor in action.stands_for}
    before, now = lines_of(subject, release), lines_of(subject, release, own)
    was = {anchor: line for table in before for anchor, line in table.line_of.items() if anchor in stated}
    is_now = {anchor: line for table in now for anchor, line in table.line_of.items() if anchor in stated}
    why = {anchor: reason for table in now for anchor, reason in table.why_of.items()}
    recorded = {name: digest for table in before for name, digest in table.digest_of.items()}
    found = digests(anchored_methods(stated), own.program)
    return Drift(
        subject,
        release,
        own,
        tuple(m for m, digest in found.items() if digest is not None and digest != recorded.get(str(m))),
        tuple((anchor, why[anchor]) for anchor, line in was.items() if line is not None and is_now[anchor] is None),
        tuple(anchor for anchor, line in was.items() if line is None and is_now[anchor] is not None),
        _beside(own, {str(method) for method in found}),
    )


def _beside(own: OwnClasses, anchored: set[str]) -> tuple[AnchoredMethod, ...]:
    """The methods of the replaced classes that do something else, and that no anchor names."""
    jars = [*released_jars(own.jars).values()]
    release, here = Program(jars), Program([*own.containers, *jars])
    changed = []
    for name in own.others:
        before, now = methods_in(release.named(name), release), methods_in(here.named(name), here)
        changed += [method for method in sorted(before.keys() | now.keys()) if before.get(method) != now.get(method)]
    return tuple(method for method in dict.fromkeys(changed) if str(method) not in anchored)

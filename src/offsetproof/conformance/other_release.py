"""A model beside the classes of a release that it is not of: each way in which they differ, as far as walks can see.

One difference hides others behind it. So once a field differs it is not compared any more in this component, and once a
thread is not where an action begins, or an action fails, walks take that action no more. What comes of it is a list of
what to look at for a model of that release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from offsetproof.conformance.on_release import lines_of
from offsetproof.conformance.walks import component_of, schedule_of
from offsetproof.ir.system import show_label
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.real.conform import Conformer, Disagreement
from offsetproof.real.replay import Replayer, without_numbers
from offsetproof.real.sidecar import Sidecar

ROUNDS_MAX = 40

BEGINNING = "the beginning"
"""Stands for the action where a release differs before any."""


@dataclass(frozen=True)
class Difference:
    """One way in which a release differs from a model: after which action, in which field, at which Java place.

    `field` is without numbers, and None where it is the thread that is elsewhere, or the place is not in the release.
    `length` is how many steps lead there.
    """

    component: str
    action: str
    field: str | None
    place: str
    reason: str
    step: str = ""
    length: int = 0


@dataclass(frozen=True)
class Differences:
    """All of one component, and how many steps were compared for them."""

    component: str
    steps: int
    found: tuple[Difference, ...]


def differences(
    sidecar: Sidecar, release: str, subject: Subject, setting: Setting, *, steps: int, seed: int
) -> Differences:
    """Walks a setting that many steps again and again, until nothing differs that is still compared."""
    staged = Staged(subject.model, setting)
    schedule, lacking = schedule_of(subject, staged, release).in_release()
    replayer, component = Replayer(sidecar, schedule), component_of(setting)
    found = [
        Difference(component, action, None, _place(subject, release, action), why) for action, why in lacking.items()
    ]
    compared = 0
    for number in range(ROUNDS_MAX):
        result = Conformer(staged, replayer, seed + number).go(steps)
        compared += result.steps
        if not result.disagreements:
            break
        found.append(difference_of(component, subject, release, result.disagreements[0]))
        if not _leave_out(replayer, result.disagreements[0]):
            break
    return Differences(component, compared, tuple(found))


def _leave_out(replayer: Replayer, found: Disagreement) -> bool:
    """Has others looked for behind this one; False where nothing can be left out."""
    if found.field is not None and not found.is_elsewhere:
        replayer.ignored.add(without_numbers(found.field))
    elif found.steps:
        replayer.avoided.add(found.steps[-1][0])
    else:
        return False
    return True


def difference_of(component: str, subject: Subject, release: str, found: Disagreement) -> Difference:
    """What a disagreement of walks in a component says of the release."""
    field = None if found.field is None or found.is_elsewhere else without_numbers(found.field)
    reason = f"{found.real} and not {found.model}" if field else found.reason
    if not found.steps:
        return Difference(component, BEGINNING, field, "", reason)
    action = found.steps[-1][0]
    place = _place(subject, release, action)
    return Difference(component, action, field, place, reason, show_label(found.steps[-1]), len(found.steps))


def _place(subject: Subject, release: str, action: str) -> str:
    """The Java method and call that an action stands for, with its line in the release where it has one."""
    for anchor in with_all_changes(subject.model).actions[action].stands_for[:1]:
        tables = lines_of(subject, release)
        lines = (table.line_of[anchor.unplaced] for table in tables if anchor.unplaced in table.line_of)
        return str(replace(anchor, line=next(lines, None)))
    return ""


def without_twins(components: list[Differences]) -> Iterator[tuple[Difference, int]]:
    """Each difference once, with the number of components that show it."""
    count: dict[tuple[str, str | None], int] = {}
    first: dict[tuple[str, str | None], Difference] = {}
    for each in components:
        for one in each.found:
            key = (one.action, one.field)
            count[key] = count.get(key, 0) + 1
            known = first.setdefault(key, one)
            if one.length < known.length:
                first[key] = one
    yield from ((one, count[key]) for key, one in first.items())

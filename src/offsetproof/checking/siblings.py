"""The cases that take a case's place in releases of which it says nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping

from offsetproof.lang.claim import Property
from offsetproof.lang.setting import Release, Setting
from offsetproof.lang.subject import Subject


def asked_instead(subject: Subject, prop: Property, releases: Mapping[str, Release]) -> tuple[str, ...]:
    """The ids of the cases that speak of these releases, and of none of which a case speaks that does not.

    They are of the same claim, or else of one whose cases begin with the same letter and number: `I7-at-broker` is
    asked where `I7` is not.
    """
    if (not prop.case.not_of and not prop.case.only_of) or _speaks(subject, prop, releases):
        return ()
    every = (dict.fromkeys(subject.model.roles, release) for release in subject.model.releases)
    own = [each for each in every if _speaks(subject, prop, each)]
    instead = [
        other
        for other in subject.properties
        if _speaks(subject, other, releases) and not any(_speaks(subject, other, each) for each in own)
    ]
    same = tuple(other.id for other in instead if other.function is prop.function)
    return same or tuple(other.id for other in instead if _number(other) == _number(prop))


def _speaks(subject: Subject, prop: Property, releases: Mapping[str, Release]) -> bool:
    scope = subject.scope(prop.scopes[0]) if prop.scopes else subject.model.scopes[0]
    return prop.case.speaks_of(Setting(scope, releases))


def _number(prop: Property) -> str:
    """What the ids of related cases begin with: `I7` of `I7-no-stalled-task`; the whole id of one without a number."""
    begins = re.match(r"[A-Z]\d+(?=-|$)", prop.id)
    return begins[0] if begins else prop.id

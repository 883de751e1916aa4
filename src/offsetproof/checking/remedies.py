"""Which of a case's remedies are known to be any in some releases: what mends one may leave another as it is."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang.cases import HOLDS, Remedy
from offsetproof.lang.claim import Property
from offsetproof.lang.scope import Scope
from offsetproof.lang.setting import Release, Setting
from offsetproof.lang.subject import Subject


def remedies_in(subject: Subject, prop: Property, releases: Mapping[str, Release]) -> tuple[Remedy, ...]:
    """The remedies of a case, by the release of each role.

    One that another case states is one where that case holds; what the case spells out is asked of one release. None
    where the case says nothing of the releases.
    """
    return tuple(each for each in prop.remedies if _is_known(subject, prop, each, releases))


def is_asked_of(remedy: Remedy, release: Release, subject: Subject) -> bool:
    """Is it the release of which a remedy that no case states is asked?"""
    return release.name == remedy.release if remedy.release else release == subject.model.usual_release


def _is_known(subject: Subject, prop: Property, remedy: Remedy, releases: Mapping[str, Release]) -> bool:
    if not prop.case.speaks_of(Setting(Scope(remedy.scope), releases)):
        return False
    if not remedy.case:
        return all(is_asked_of(remedy, release, subject) for release in releases.values())
    other = subject.find(remedy.case)
    setting = Setting(Scope(remedy.scope), releases, other.fixes, other.assumptions)
    return other.case.expected_in(setting) is HOLDS

"""Whether what holds also holds in wider worlds: the same scope with one bound or fault raised by one.

It was asked beforehand of the subjects that come with the program (docs/studies/widened.md); `widen` asks it anew, and
keeps it of a model of one's own. It is told of a result only where the setting and the system that was explored are
those whose wider worlds were asked: in another release, or with a fix, the same system may have other ones. `guard`
asks again of what is recorded.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from msgspec.json import decode

from offsetproof.checking.catalogue import WIDER
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.setting import Setting
from offsetproof.lang.subject import Subject
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import Result, Verdict


class RecordedCase(NamedTuple):
    """What is recorded of one case: the digest of its setting, the beginning of that of its own system, how many of its
    wider worlds came out in each way, and of those that hold, by what was raised, the beginning of their digests."""

    setting: str
    system: str
    worlds: dict[str, int]
    held: dict[str, str]


Cases = dict[str, RecordedCase]
"""By claim, scope and release."""

Known = dict[str, Cases]
"""By subject."""

LETTERS = 12
"""So much of a system's digest is recorded."""


def with_wider_worlds(result: Result, subject: Subject) -> Result:
    """The result; a HOLDS says in how many wider worlds it is so, where that is known."""
    notes = tuple(note for note in result.notes if not note.startswith(_SAID))
    result = result if notes == result.notes else replace(result, notes=notes)
    if result.verdict is not Verdict.HOLDS or result.prop.kind is ClaimKind.SOMETIMES or result.vacuous:
        return result
    case = case_in(_recorded_worlds().get(subject.name, {}), result.prop, result.setting)
    if case is None or not case.worlds or not result.digest.startswith(case.system):
        return result
    return replace(result, notes=(*notes, in_words(case.worlds)))


def key_of_case(prop: Property, setting: Setting) -> str:
    """What a case in one of its worlds is recorded by.

    A name with a blank in it is nobody's, so the parts can be told apart.
    """
    return " ".join(filter(None, (prop.id, setting.scope.name, setting.release)))


def case_in(cases: Cases, prop: Property, setting: Setting) -> RecordedCase | None:
    """What is recorded of a case in this very setting."""
    found = cases.get(key_of_case(prop, setting))
    return found if found is not None and found.setting == digest_of(setting) else None


def digest_of(setting: Setting) -> str:
    """What tells a setting from others, without the texts about it, in a few letters."""
    values = [sorted(map(str, each.items())) for each in (setting.scope.bounds, setting.scope.faults)]
    releases = sorted((role, release.name) for role, release in setting.releases.items())
    named = [fix.name for fix in setting.fixes], [each.name for each in setting.assumptions]
    parts = values, releases, named, setting.listener_name, setting.other_listener
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


_SAID = "with one bound or fault raised by one: "

_OPEN = {"too large": "too large", "witness": "without a needed witness", "bound": "kept by a bound"}
"""How worlds are told of in which the claim is neither."""


def in_words(worlds: dict[str, int]) -> str:
    """What came of the worlds.

    >>> in_words({"holds": 14, "too large": 3})
    'with one bound or fault raised by one: holds in 14 worlds, 3 too large'
    >>> in_words({"holds": 14, "by stubborn sets": 2})
    'with one bound or fault raised by one: holds in 16 worlds, 2 of them by stubborn sets'
    """
    reduced = worlds.get(BY_STUBBORN_SETS, 0)
    parts = [f"holds in {quantity(worlds.get('holds', 0) + reduced, 'world')}"]
    if reduced:
        parts.append(f"{reduced} of them {BY_STUBBORN_SETS}")
    if "refuted" in worlds:
        parts.append(f"refuted in {worlds['refuted']} (docs/studies/widened.md says why)")
    parts += [f"{count} {_OPEN.get(outcome, outcome)}" for outcome, count in worlds.items() if outcome not in _DECIDED]
    return f"{_SAID}{', '.join(parts)}"


BY_STUBBORN_SETS = "by stubborn sets"
"""Worlds that hold, and are too large for a whole search."""

_DECIDED = "holds", BY_STUBBORN_SETS, "refuted"


@cache
def _recorded_worlds() -> Known:
    return decode(WIDER.read_bytes(), type=Known)

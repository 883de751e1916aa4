"""Whether what holds also holds in wider worlds: the same scope with one bound or fault raised by one.

It was asked beforehand of the subjects that come with the program (docs/studies/widened.md); `widen` asks it anew. It
is told of a result only where the setting and the system that was explored are those whose wider worlds were asked: in
another release, or with a fix, the same system may have other ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache

from msgspec.json import decode

from offsetproof.checking.catalogue import WIDER
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.setting import Setting
from offsetproof.lang.subject import Subject
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import Result, Verdict

Known = dict[str, dict[str, tuple[str, str, dict[str, int]]]]
"""By subject, and by claim and scope: the digest of the setting, the beginning of that of the system of the case
itself, and how many of its wider worlds came out in each way."""


def with_wider_worlds(result: Result, subject: Subject) -> Result:
    """The result; a HOLDS says in how many wider worlds it is so, where that is known."""
    notes = tuple(note for note in result.notes if not note.startswith(_SAID))
    result = result if notes == result.notes else replace(result, notes=notes)
    if result.verdict is not Verdict.HOLDS or result.prop.kind is ClaimKind.SOMETIMES or result.vacuous:
        return result
    case = f"{result.prop.id} {result.setting.scope.name}"
    setting, digest, worlds = _recorded_worlds().get(subject.name, {}).get(case, ("", "", {}))
    if not worlds or not result.digest.startswith(digest) or digest_of(result.setting) != setting:
        return result
    return replace(result, notes=(*notes, in_words(worlds)))


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
    """
    parts = [f"holds in {quantity(worlds.get('holds', 0), 'world')}"]
    if "refuted" in worlds:
        parts.append(f"refuted in {worlds['refuted']} (docs/studies/widened.md says why)")
    parts += [f"{count} {_OPEN.get(outcome, outcome)}" for outcome, count in worlds.items() if outcome not in _DECIDED]
    return f"{_SAID}{', '.join(parts)}"


_DECIDED = "holds", "refuted"


@cache
def _recorded_worlds() -> Known:
    return decode(WIDER.read_bytes(), type=Known)

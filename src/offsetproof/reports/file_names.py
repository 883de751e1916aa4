"""Names of files that are written beside each other: such as every folder may have, and no two the same.

What is told of another world has another name, so that it does not replace what an earlier run has written.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Set

from offsetproof.checking.answers import Answer
from offsetproof.lang.model import Model, usual_releases
from offsetproof.lang.world import CHANGED, ClaimInWorld

_OWN_WORDS = frozenset({"release", "fix", "assume", "listener"})
"""What begins the parts of a trace's name that are no bounds."""

_NAME_MAX = 100
"""How long a name may be; folders allow 255 bytes, its suffix included."""


def free_name(name: str, taken: Set[str]) -> str:
    """The name, or with a number where it is taken (by case, too: not every folder tells letters apart)."""
    lower = {each.lower() for each in taken}
    number, free = 1, name
    while free.lower() in lower:
        number += 1
        free = f"{name}-{number}"
    return free


def file_name(meant: str, reserved: Collection[str] = ()) -> str:
    """A name that a file may have everywhere: letters, digits and a few signs, not too long, and none that is reserved.

    It does not hide the file, and ends no folder. One that had to be changed or shortened ends with a digest.

    >>> file_name("I5-reset"), file_name("../x")[:5]
    ('I5-reset', '_._x-')
    """
    name = re.sub(r"^\.|[^\w.=,-]", "_", meant, flags=re.ASCII)
    if name == meant and len(name) <= _NAME_MAX and name not in reserved:
        return name
    return f"{name[:_NAME_MAX]}-{hashlib.sha256(meant.encode(errors='replace')).hexdigest()[:12]}"


def trace_name(answer: Answer, *, with_subject: bool) -> str:
    """What names an answer's trace: the claim's id, the scope, and what else its world has; the subject where asked.

    `I5-reset`, `I5-reset-fix=poll-checks-dropped-messages=2`. A digest follows where another claim and scope of the
    model have the same words together, so that the name does not depend on what else a run has asked.
    """
    result = answer.result
    world = ClaimInWorld.of(result.prop.id, result.setting)
    assert result.replay is not None
    model = result.replay.reference.model
    subject = [answer.subject.name] if with_subject and answer.subject else []
    name = "-".join([*subject, world.claim, world.scope, *_additions(answer, model)])
    return f"{name}-{world.id[:8]}" if _is_ambiguous(answer, world, model) else name


def _additions(answer: Answer, model: type[Model]) -> Iterator[str]:
    """The release where it is not the one that is asked of anyhow, and what was added to the case, or changed."""
    setting, prop = answer.result.setting, answer.result.prop
    if setting.release and [setting.release] != [release.name for release in usual_releases(model)]:
        yield f"release={setting.release}"
    yield from (f"fix={fix.name}" for fix in setting.fixes if fix not in prop.fixes)
    yield from (f"assume={each.name}" for each in setting.assumptions if each not in prop.assumptions)
    if answer.result.other_listener:
        yield f"listener={answer.result.other_listener}"
    name = setting.scope.name.removesuffix(CHANGED)
    declared = next((scope for scope in model.scopes if scope.name == name), setting.scope)
    known = {**declared.bounds, **declared.faults}
    for bound, value in {**setting.scope.bounds, **setting.scope.faults}.items():
        if known.get(bound) != value:
            yield f"{bound}={value}"


def _is_ambiguous(answer: Answer, world: ClaimInWorld, model: type[Model]) -> bool:
    """May the name be that of another world, too: by claim and scope together, or by a sign within one of its parts?"""
    claims = answer.subject.properties if answer.subject else (answer.result.prop,)
    own = f"{world.claim}-{world.scope}".lower()
    ids = Counter(claim.id.lower() for claim in claims)
    scopes = Counter(scope.name.lower() for scope in model.scopes)
    alike = sum(ids[own[:place]] * scopes[own[place + 1 :]] for place, sign in enumerate(own) if sign == "-")
    names = [world.claim, world.scope, *world.fixes, *world.assumptions, world.listener or ""]
    is_odd = any("=" in name for name in names) or not _OWN_WORDS.isdisjoint(answer.result.setting.scope.bounds)
    return alike > 1 or is_odd

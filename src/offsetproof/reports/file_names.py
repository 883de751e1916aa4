"""Names of files that are written beside each other: such as every folder may have, and no two the same.

What is told of another world has another name, so that it does not replace what an earlier run has written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Set

from offsetproof.checking.answers import Answer
from offsetproof.lang.reference import Replay
from offsetproof.lang.world import CHANGED

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
    """What names an answer's trace: the claim's id, the scope, and what else its world has; the subject where asked."""
    replay = answer.result.replay
    subject = [answer.subject.name] if with_subject and answer.subject else []
    return "-".join([*subject, answer.result.prop.id, *(_world(answer, replay) if replay else ())])


def _world(answer: Answer, replay: Replay) -> Iterator[str]:
    """The scope, the release where the model has several, and what was added to the case."""
    setting, prop, model = answer.result.setting, answer.result.prop, replay.reference.model
    name = setting.scope.name.removesuffix(CHANGED)
    yield name
    if setting.release and len(model.releases) > 1:
        yield setting.release
    yield from (fix.name for fix in setting.fixes if fix not in prop.fixes)
    yield from (assumption.name for assumption in setting.assumptions if assumption not in prop.assumptions)
    if answer.result.other_listener:
        yield answer.result.other_listener
    declared = next((scope for scope in model.scopes if scope.name == name), setting.scope)
    known = {**declared.bounds, **declared.faults}
    for bound, value in {**setting.scope.bounds, **setting.scope.faults}.items():
        if known.get(bound) != value:
            yield f"{bound}={value}"

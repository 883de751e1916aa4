"""A bound that a subject accepts matters: raised by one, it changes what can happen in one of its scopes at least.

A bound that nothing reads would be accepted in silence, and what holds then says nothing of what the user asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.request import Request, questions_of
from offsetproof.ir.constants import without_constants
from offsetproof.lang import Scope, Subject
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import faults_of
from offsetproof.lang.scope import Default, UnknownNameError
from offsetproof.lang.stage import Staged

SUBJECTS = [subject for entry in BUILT_INS.values() if not entry.is_family for subject in entry.subjects]
BOUNDS = [(subject, bound) for subject in SUBJECTS for bound in subject.model.bounds]


BESIDE = {"strategy": {"queues": 3}, "queues": {"queues": 2, "queue": 1}}
"""What a bound needs beside it to matter: two clients share two queues alike, by either strategy; the first queue is
the first client's, however many there are.
"""


def _id(value: object) -> str:
    return value.name if isinstance(value, Subject) else str(value)


def _digests(subject: Subject, scope: Scope, name: str) -> Iterator[str]:
    """The whole model in a scope, in each release, as the first claim about the scope asks it.

    Without the fields that never change.
    """
    about = next((prop for prop in subject.properties if name.rstrip("*") in prop.scopes), subject.properties[0])
    asked = questions_of(Request(subject, (about.id,), scope=scope, every_release=True))
    settings = {question.setting.release: (question.model, question.setting) for question in asked}
    return (without_constants(Staged(*each).system(())).digest for each in settings.values())


def _matters(subject: Subject, scope: Scope, bound: str, value: int) -> bool:
    """Does this value of the bound make the scope another world? One that cannot be staged is another, too.

    One that the scope's other bounds rule out is none.
    """
    try:
        changed = scope.with_bounds({bound: value}).fitted(subject.model.bounds)
    except UnknownNameError:
        return False
    try:
        pairs = zip(_digests(subject, changed, scope.name), _digests(subject, scope, scope.name), strict=True)
        return any(one != other for one, other in pairs)
    except DeclarationError:
        return True


def _is_fixed(kind: Default) -> bool:
    return isinstance(kind.sort, range) and len(kind.sort) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "bound"), BOUNDS, ids=_id)
def test_bound_that_may_be_raised_changes_what_can_happen(subject: Subject, bound: str) -> None:
    kind = subject.model.bounds[bound]
    assert isinstance(kind, Default)
    beside = BESIDE.get(bound, {})
    small = [scope for scope in subject.model.scopes if not scope.large]
    if beside.keys() <= subject.model.bounds.keys():
        small = [scope.with_bounds(beside) for scope in small]
    others = [(scope, value) for scope in small for value in (kind.value, scope.bounds[bound] + 1)]
    changed = [(scope, value) for scope, value in others if value != scope.bounds[bound]]
    assert _is_fixed(kind) or any(_matters(subject, scope, bound, value) for scope, value in changed)


@pytest.mark.parametrize(
    ("subject", "bound"),
    [(s, b) for s, b in BOUNDS if _is_fixed(s.model.bounds[b])],
    ids=_id,  # type: ignore[arg-type]  # it names what it is given here
)
def test_bound_that_feeds_nothing_is_refused(subject: Subject, bound: str) -> None:
    value = subject.model.bounds[bound].value + 1  # type: ignore[union-attr]  # it has a default, see above
    with pytest.raises(UnknownNameError, match=f"bound {bound} is always .* here, not {value}"):
        questions_of(Request(subject, (subject.properties[0].id,), bounds={bound: value}))


@pytest.mark.parametrize("subject", SUBJECTS, ids=_id)
def test_fault_that_a_scope_allows_is_what_some_action_is(subject: Subject) -> None:
    allowed = {fault for scope in subject.model.scopes for fault in scope.faults}
    assert allowed == {fault.name for fault in faults_of(subject.model)}

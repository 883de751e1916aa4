"""What makes a refuted case hold, found among the cases of its claim.

A world in which a claim holds is written down once. Where it is a case of the claim, the refuted case names that case,
and what this has beside the refuted one is the remedy; where it is none, the refuted case spells it out. What names a
case that says nothing of the refuted one, or spells out what a case says, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from offsetproof.lang.cases import HOLDS, Case, Remedy
from offsetproof.lang.errors import DeclarationError

Named = TypeVar("Named")

_SPELLED = "write remedy(SCOPE, fixes=[...])"


def remedies_of(refuted: Case, cases: Sequence[Case], whose: str) -> tuple[Remedy, ...]:
    """The remedies of one of a claim's cases: those that it spells out, and one for each scope of a case that it names.

    DeclarationError for what is none, and for what a case states already; `whose` says of whom it speaks.
    """
    found: list[Remedy] = []
    for each in refuted.remedies:
        if isinstance(each, Remedy):
            _refuse_twin(each, refuted, cases, whose)
            found.append(each)
        else:
            found += _stated_by(_case_named(each, refuted, cases, whose), refuted)
    return tuple(found)


def _stated_by(held: Case, refuted: Case) -> Iterator[Remedy]:
    """What a case has beside the refuted one, in each scope in which both are asked."""
    for scope in _shared_scopes(held, refuted):
        yield Remedy(
            scope,
            _beside(held.fixes, refuted.fixes),
            _beside(held.assumptions, refuted.assumptions),
            None if held.listener == refuted.listener else held.listener,
            case=held.id,
        )


def _case_named(name: object, refuted: Case, cases: Sequence[Case], whose: str) -> Case:
    """The case with this id; DeclarationError where there is none, or it says nothing of the refuted one."""
    if not isinstance(name, str):
        raise DeclarationError(f"{whose} has the remedy {name!r}; name a case of the claim that holds, or {_SPELLED}")
    held = next((each for each in cases if each.id == name), None)
    if held is None:
        known = ", ".join(each.id for each in cases if each.expected is HOLDS) or "there is none"
        raise DeclarationError(
            f"{whose} has the remedy {name!r}, which is not a case of the claim; name one that holds ({known}), or "
            f"{_SPELLED}"
        )
    if reason := _why_not(held, refuted):
        raise DeclarationError(
            f"{whose} has the remedy {name}, which {reason}; name a case that holds with what {refuted.id} has and "
            f"more, or {_SPELLED}"
        )
    return held


def _why_not(held: Case, refuted: Case) -> str:
    """Why a case does not make the refuted one hold; empty where it does.

    It may be without an assumption of the refuted one: an assumption rules something out, and it holds without that.
    """
    lacks = [fix.name for fix in _beside(refuted.fixes, held.fixes)]
    if refuted.listener is not None and held.listener is None:
        lacks.append(refuted.listener.name)
    if held.expected is not HOLDS:
        return "is not expected to hold"
    if lacks:
        return f"is without {', '.join(lacks)}"
    if not _shared_scopes(held, refuted):
        return f"is asked in no scope of {refuted.id} ({', '.join(refuted.scopes) or 'that of the model'})"
    more = {*held.fixes, *held.assumptions, held.listener} - {*refuted.fixes, *refuted.assumptions, refuted.listener}
    return "" if more else f"has nothing that {refuted.id} has not"


def _refuse_twin(spelled: Remedy, refuted: Case, cases: Sequence[Case], whose: str) -> None:
    """DeclarationError for a remedy that a case states already, perhaps with fewer assumptions."""
    fixes, assumptions = {*refuted.fixes, *spelled.fixes}, {*refuted.assumptions, *spelled.assumptions}
    listener = spelled.listener or refuted.listener
    for held in cases:
        there = spelled.scope in held.scopes or not (held.scopes or refuted.scopes)
        said = held.expected is HOLDS and there and not spelled.bounds
        if said and set(held.fixes) == fixes and set(held.assumptions) <= assumptions and held.listener == listener:
            raise DeclarationError(
                f"{whose} has a remedy for scope {spelled.scope} that case {held.id} states already; name it, as in "
                f'remedies=["{held.id}"]'
            )


def _shared_scopes(held: Case, refuted: Case) -> list[str]:
    """The scopes in which both are asked; one without a name where neither names any."""
    return [scope for scope in refuted.scopes or ("",) if scope in (held.scopes or ("",))]


def _beside(these: Sequence[Named], those: Sequence[Named]) -> tuple[Named, ...]:
    return tuple(each for each in these if each not in those)

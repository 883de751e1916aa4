"""Within which bounds claims hold: below a page, whose rows name scopes alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.lang.scope import Scope
from offsetproof.verdict.result import Verdict


def bounds_told(answers: Sequence[Answer], width: int) -> Iterator[str]:
    """The bounds of each scope in which some claim holds; what most have, of what all have, is said once."""
    several = have_several_subjects(answers)
    scopes = {
        f"{answer.key[0]}: {answer.result.setting.scope.name}" if several else answer.result.setting.scope.name: (
            _parts(answer.result.setting.scope)
        )
        for answer in answers
        if answer.result.verdict is Verdict.HOLDS and answer.result.replay is None
    }
    bounded = {name: parts for name, parts in scopes.items() if parts}
    if not bounded:
        return
    usual = _usual(list(scopes.values()))
    rest = f", with {', '.join(usual)} where nothing else is said" if usual else ""
    yield fill(f"bounds of the scopes in which something HOLDS{rest}:", width, subsequent_indent="  ")
    room = max(map(len, bounded))
    for name, parts in bounded.items():
        own = ", ".join(part for part in parts if part not in usual) or "no others"
        indent = " " * min(room + 4, width // 2)
        yield fill(f"  {name:<{room}}  {own}", width, subsequent_indent=indent, break_on_hyphens=False)


def _usual(scopes: Sequence[Sequence[str]]) -> list[str]:
    """The values that more than half of several scopes have, of bounds that all of them have."""
    counts = Counter(part for parts in scopes for part in parts)
    names = Counter(_name(part) for parts in scopes for part in parts)
    everywhere = [part for part in counts if names[_name(part)] == len(scopes)]
    return [part for part in everywhere if counts[part] * 2 > len(scopes) > 1]


def _name(part: str) -> str:
    return part.partition("=")[0].rstrip("<")


def _parts(scope: Scope) -> list[str]:
    """The bounds and fault budgets of a scope, one by one."""
    bounds, _, faults = scope.describe().partition("faults ")
    return [part for text in (bounds.rstrip("; "), faults) for part in text.split(", ") if part]

"""Within which bounds claims hold: below a page, whose rows name scopes alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.lang.scope import Scope
from offsetproof.verdict.result import Verdict


def bounds_told(answers: Sequence[Answer], width: int, *, packed: bool = False) -> Iterator[str]:
    """The bounds of each scope in which some claim holds; the value that most have, of what all have, is said once.

    A scope has a line; `packed`, several share one.
    """
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
    rest = f", with {', '.join(usual)} unless stated" if usual else ""
    yield fill(f"bounds of the scopes in which something HOLDS{rest}:", width, subsequent_indent="  ")
    own = {
        name: ", ".join(part for part in parts if part not in usual) or "no others" for name, parts in bounded.items()
    }
    yield from _pack(own, width) if packed else _table(own, width)


def _table(own: Mapping[str, str], width: int) -> Iterator[str]:
    room = max(map(len, own))
    indent = " " * min(room + 4, width // 2)
    for name, bounds in own.items():
        yield fill(f"  {name:<{room}}  {bounds}", width, subsequent_indent=indent, break_on_hyphens=False)


def _pack(own: Mapping[str, str], width: int) -> Iterator[str]:
    """As many scopes in a line as fit there whole."""
    line = ""
    for name, bounds in own.items():
        scope = f"{name}: {bounds};"
        if line and len(line) + 1 + len(scope) > width:
            yield fill(line, width, subsequent_indent="    ", break_on_hyphens=False)
            line = ""
        line = f"{line} {scope}" if line else f"  {scope}"
    yield fill(line.rstrip(";"), width, subsequent_indent="    ", break_on_hyphens=False)


def _usual(scopes: Sequence[Sequence[str]]) -> list[str]:
    """The value that most of several scopes have, of each bound that all of them have."""
    counts = Counter(part for parts in scopes for part in parts)
    by_name: dict[str, Counter[str]] = defaultdict(Counter)
    for part, count in counts.items():
        by_name[_name(part)][part] = count
    everywhere = [values.most_common(2) for values in by_name.values() if values.total() == len(scopes)]
    return [first[0] for first, *others in everywhere if first[1] > max(1, *(count for _, count in others), 1)]


def _name(part: str) -> str:
    return part.partition("=")[0].rstrip("<")


def _parts(scope: Scope) -> list[str]:
    """The bounds and fault budgets of a scope, one by one."""
    bounds, _, faults = scope.describe().partition("faults ")
    return [part for text in (bounds.rstrip("; "), faults) for part in text.split(", ") if part]

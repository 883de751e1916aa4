"""Writes docs/claims.md (`make readme`), from the claims in `properties/`.

The page begins with a line per claim, and has a table per claim with a line per case. The verdicts are those that each
run of the checker is held to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from offsetproof.lang import REFUTED, Assumption, Fix, Listener, Property, Remedy
from offsetproof.lang.cases import Case
from offsetproof.lang.claim import ClaimKind
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.traces.recorded_stories import RecordedStories, recorded_stories
from studies.real import mark_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "claims.md"
Repair = tuple[tuple[Fix, ...], tuple[Assumption, ...], Listener | None]

_HEAD = """# All claims about the concurrent consumer of RocketMQ 4.9.4

Written by `make readme` from the claims in `properties/`. A claim is one sentence; each line of its table is a case:
the world in which the claim is judged, the verdict there, and what makes a refuted one hold. Where nothing is said of
the world, nothing is special about it. `offsetproof list CASE` has the bounds of the scopes and the witnesses that are
needed, `offsetproof check CASE` decides the case, and `offsetproof show STORY` tells a recorded counterexample step by
step with the Java lines. A story with ✓ has been reproduced on the classes of 4.9.4 ([real.md](real.md)).

What makes a case hold does so in the scope that is named: bounded, not proved for every size. Where a case is named, it
is the one that holds with it, and each check decides it; `tests/properties/test_fixes.py` decides the others.
`offsetproof list fixes` and `list assumptions` say what they are, and [fixes.md](fixes.md) what each fix breaks.

The first table has a line per claim. Its last column names a repair's scopes, unless the repair was decided in all
scopes in which the claim is refuted.
"""


def page() -> str:
    """The text of docs/claims.md."""
    stories = recorded_stories().about(ROCKETMQ.name)
    parts = ["\n".join(_section(name, cases, stories)) for name, cases in _claims().items()]
    return "\n\n".join([_HEAD.rstrip(), table(), *parts]) + "\n"


def table() -> str:
    """A line per claim."""
    rows = ["| | claim | verdict on 4.9.4 | what makes it hold |", "|---|---|---|---|"]
    return "\n".join([*rows, *(_row(name, cases) for name, cases in _claims().items())])


def repairs_of(prop: Property) -> str:
    """What makes a refuted case hold, with the cases that say so and the scopes, or why nothing would."""
    worlds: dict[str, list[str]] = {}
    for each in prop.remedies:
        worlds.setdefault(remedy_in_words(each), []).append(each.world)
    return "; or ".join(f"{words} ({'; '.join(where)})" for words, where in worlds.items()) or prop.case.no_remedy


def _claims() -> dict[str, list[Property]]:
    """Each claim's name and cases, in the order of reports; witnesses are not among them."""
    cases: dict[str, list[Property]] = {}
    for prop in PROPERTIES:
        if prop.kind is not ClaimKind.SOMETIMES:
            cases.setdefault(prop.name, []).append(prop)
    return cases


def _section(name: str, cases: Sequence[Property], stories: RecordedStories) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield cases[0].sentence
    yield ""
    yield "| case | world | verdict | scopes | story | what makes it hold |"
    yield "|---|---|---|---|---|---|"
    for prop in cases:
        links = ", ".join(f"`{story}`{mark_of(story)}" for story in stories.of(prop.id))
        cells = (prop.id, prop.case.where, prop.case.expected, ", ".join(prop.scopes), links, repairs_of(prop))
        yield f"| {' | '.join(map(str, cells))} |"


def _row(name: str, cases: Sequence[Property]) -> str:
    refuted = [prop for prop in cases if prop.case.expected is REFUTED]
    link = f"[{cases[0].id}](#{name})"
    return f"| {link} | {cases[0].sentence} | {_verdict(cases, refuted)} | {_repairs(refuted)} |"


def _verdict(cases: Sequence[Property], refuted: Sequence[Property]) -> str:
    """That of the first case, and how many others are refuted where that one is not."""
    if not refuted or cases[0] in refuted:
        return str(cases[0].case.expected)
    return f"{cases[0].case.expected}; REFUTED in {len(refuted)} of {len(cases)} cases"


def _repairs(refuted: Sequence[Property]) -> str:
    """What makes the refuted cases hold, each once; what asks for more assumptions than another there is left out.

    A scope is named where the claim is refuted in another one as well, or with other bounds.
    """
    decided: dict[Repair, list[str]] = {}
    for prop in refuted:
        for each in prop.remedies:
            scopes = decided.setdefault(_whole(prop.case, each), [])
            scopes += {_scope(each)} - {*scopes}
    smallest = [each for each in decided if not any(_does_more(other, each, decided) for other in decided)]
    everywhere = {scope for prop in refuted for scope in prop.scopes}
    said = [_short(each) + _unless(everywhere, decided[each]) for each in smallest]
    return "; ".join(said) or "; ".join(prop.case.no_remedy for prop in refuted)


def _whole(case: Case, remedy: Remedy) -> Repair:
    """A remedy with the fixes and assumptions that its case has already."""
    fixes, assumptions = (*case.fixes, *remedy.fixes), (*case.assumptions, *remedy.assumptions)
    return tuple(dict.fromkeys(fixes)), tuple(dict.fromkeys(assumptions)), remedy.listener


def _scope(remedy: Remedy) -> str:
    """The scope in which it was decided, and what is other than there: `hand-over with messages=1`."""
    bounds = " and ".join(f"{name}={value}" for name, value in remedy.bounds.items())
    return f"{remedy.scope} with {bounds}" if bounds else remedy.scope


def _unless(everywhere: set[str], scopes: Sequence[str]) -> str:
    """The scopes of a repair in brackets; nothing where they are all in which the claim is refuted."""
    return "" if {*scopes} == everywhere else f" (in {', '.join(scopes)})"


def _does_more(one: Repair, other: Repair, scopes: Mapping[Repair, Sequence[str]]) -> bool:
    """Does one ask for fewer assumptions, and else for the same, wherever the other was decided?"""
    fewer = (set(one[0]), one[2]) == (set(other[0]), other[2]) and set(one[1]) < set(other[1])
    return fewer and {*scopes[other]} <= {*scopes[one]}


def _short(repair: Repair) -> str:
    """In words; many assumptions are counted."""
    fixes, assumptions, listener = repair
    if len(assumptions) < 3:
        return _words(fixes, assumptions, listener)
    return f"{_words(fixes, (), listener)}, given {len(assumptions)} assumptions"


def remedy_in_words(remedy: Remedy) -> str:
    """What a remedy changes: ``fix `a` and `b`, given `c`, listener `d` ``."""
    return _words(remedy.fixes, remedy.assumptions, remedy.listener)


def _words(fixes: Iterable[Fix], assumptions: Iterable[Assumption], listener: Listener | None) -> str:
    parts = []
    if names := " and ".join(f"`{fix.name}`" for fix in fixes):
        parts.append(f"fix {names}")
    if names := ", ".join(f"`{each.name}`" for each in assumptions):
        parts.append(f"given {names}")
    if listener is not None:
        parts.append(f"listener `{listener.name}`")
    return ", ".join(parts)


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The generated parts of a subject's page: what is seen of its claims, a line per claim, a table of cases for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.lang import REFUTED, Assumption, ClaimKind, Fix, Listener, Property, Release, Remedy, Subject
from offsetproof.lang.cases import Expectation
from offsetproof.traces.recorded_stories import RecordedStories, recorded_stories
from studies import DOCS
from studies.real import mark_of


def page_of(subject: Subject) -> Path:
    """The page of a subject."""
    return DOCS / f"{'concurrent' if subject.name == DEFAULT else subject.name}.md"


def symptoms(subject: Subject) -> str:
    """A line for each thing that an operator may see, with the cases that show it."""
    seen: dict[str, list[Property]] = {}
    for prop in subject.properties:
        if prop.case.symptom:
            seen.setdefault(prop.case.symptom, []).append(prop)
    rows = (f"| {_as_sentence(text)} | {', '.join(map(_link, cases))} |" for text, cases in seen.items())
    return "\n".join(["| seen | cases |", "|---|---|", *rows])


def index(subject: Subject) -> str:
    """A line for each claim, with its verdict."""
    rows = (
        f"| {cases[0].id} | [{name}](#{name}) | {cases[0].sentence} | {_verdict(subject, cases)} |"
        for name, cases in claims_of(subject)
    )
    return "\n".join(["| first case | claim | in words | verdict |", "|---|---|---|---|", *rows])


def cases(subject: Subject) -> str:
    """A heading for each claim, with a line for each case below it."""
    stories = recorded_stories().about(subject.name)
    return "\n\n".join("\n".join(_section(subject, name, cases, stories)) for name, cases in claims_of(subject))


def claims_of(subject: Subject) -> list[tuple[str, list[Property]]]:
    """Each claim's name and cases, in the order of reports; witnesses are not among them."""
    found: dict[str, list[Property]] = {}
    for prop in subject.properties:
        if prop.kind is not ClaimKind.SOMETIMES:
            found.setdefault(prop.name, []).append(prop)
    return [*found.items()]


def _as_sentence(text: str) -> str:
    """With a capital letter, unless it begins with a name that has capitals or dots of its own."""
    first, _, _ = text.partition(" ")
    return f"{text[0].upper()}{text[1:]}" if first.rstrip(",:;").replace("'", "").replace("-", "").islower() else text


def _link(prop: Property) -> str:
    return f"[{prop.id}](#{prop.name})"


def _verdict(subject: Subject, cases: Sequence[Property]) -> str:
    """That of the first case, and how many others are refuted where that one is not."""
    refuted = [prop for prop in cases if prop.case.expected is REFUTED]
    own = _verdict_by_release(subject, cases[0])
    if not refuted or cases[0] in refuted:
        return own
    return f"{own}; REFUTED in {len(refuted)} of {len(cases)} cases"


def _verdict_by_release(subject: Subject, prop: Property) -> str:
    """The verdict of a case, and the releases in which it is another one."""
    others: dict[str, list[str]] = {}
    for release in subject.model.releases:
        expected = _expected_words(release, prop, subject)
        if expected != str(prop.case.expected):
            others.setdefault(expected, []).append(release.name)
    turned = [f"{verdict} in {', '.join(names)}" for verdict, names in others.items()]
    return "; ".join([str(prop.case.expected), *turned])


def _expected_words(release: Release, prop: Property, subject: Subject) -> str:
    """The verdict of a case in a release; by scope where they differ."""
    asked = subject.expected_in(release, prop)
    if len({*asked.values()}) < 2:
        return str(next(iter(asked.values()), "not asked"))
    return " and ".join(f"{expected} ({scope})" for scope, expected in asked.items())


def expected_in(release: Release, prop: Property, subject: Subject, scope: str | None = None) -> Expectation | None:
    """The verdict of a case in a scope, or in the first of its own of which it speaks; None where it says nothing."""
    found = subject.expected_in(release, prop)
    return next(iter(found.values()), None) if scope is None else found.get(scope)


def _section(subject: Subject, name: str, cases: Sequence[Property], stories: RecordedStories) -> Iterator[str]:
    yield from (f"### {name}", "", cases[0].sentence, "")
    yield "| case | world | verdict | scopes | story | what makes it hold |"
    yield "|---|---|---|---|---|---|"
    for prop in cases:
        told = ", ".join(f"`{story}`{mark_of(story)}" for story in stories.of(prop.id))
        verdict = _verdict_by_release(subject, prop)
        cells = (prop.id, prop.case.where, verdict, ", ".join(prop.scopes), told, repairs_of(prop))
        yield f"| {' | '.join(map(str, cells))} |"


def repairs_of(prop: Property) -> str:
    """What makes a refuted case hold, or why nothing would."""
    return remedies_in_words(prop, prop.remedies) or prop.case.no_remedy


def remedies_in_words(prop: Property, remedies: Iterable[Remedy]) -> str:
    """Remedies of a case, with the cases that state them and the scopes.

    The scopes are named where they are not all in which the case is refuted.
    """
    worlds: dict[str, list[Remedy]] = {}
    for each in remedies:
        worlds.setdefault(remedy_in_words(each), []).append(each)
    return "; or ".join(words + _where(prop, those) for words, those in worlds.items())


def _where(prop: Property, remedies: Sequence[Remedy]) -> str:
    """The worlds in which remedies of the same words were decided, in brackets."""
    everywhere = {each.scope for each in remedies} == {*prop.scopes}
    if not everywhere or any(each.bounds for each in remedies):
        return f" ({'; '.join(_worlds(remedies))})"
    releases = sorted({each.release for each in remedies})
    return f" (in {', '.join(releases)})" if all(releases) else ""


def _worlds(remedies: Iterable[Remedy]) -> Iterator[str]:
    """Where each was decided; scopes of one case together."""
    for case, those in groupby(remedies, key=lambda each: each.case):
        worlds = [*those]
        if case and len(worlds) > 1:
            yield f"case {case}, scopes {', '.join(each.scope for each in worlds)}"
        else:
            yield from (each.world for each in worlds)


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

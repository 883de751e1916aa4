"""What a subject offers: releases, claims, scopes, bounds, faults, fixes, assumptions and what its model leaves out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from textwrap import fill, shorten

from offsetproof.checking.catalogue import Entry
from offsetproof.escaping import visible
from offsetproof.lang.changes import before_change, left_out_of, model_of, with_change
from offsetproof.lang.claim import NO_DEADLOCK, ClaimKind, Property, title_of
from offsetproof.lang.model import Model, faults_of
from offsetproof.lang.scope import ANY_NUMBER, BoundKind, BoundSort, Default, sort_in
from offsetproof.lang.setting import Fix, Release
from offsetproof.lang.subject import Subject
from offsetproof.reports.listed_in_full import (
    behaviours_of_releases,
    claim_lines,
    expectation_in_words,
    facts_about,
    first_with,
    lines_of_facts,
    named_values,
    timers_of_releases,
    verdicts_of_release,
)
from offsetproof.symptoms.declared import meanings, phrases_of
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.verdict.phrases import first_sentence, quantity

SECTIONS = (
    "releases", "behaviours", "timers", "claims", "witnesses", "scopes", "bounds", "faults", "fixes", "assumptions",
    "listeners", "actions", "left-out",
)  # fmt: skip
"""What a list can be asked for, in the order in which it is shown."""

SINGULAR = {"fixes": "fix"}
"""A section's word for one of it, where that is not the word without its `s`."""

ALL = "all"
"""In place of a section: every one."""

SCREEN = 24
"""Lines of a terminal as it usually is. What fits is listed whole."""


Looked = Callable[[str], bool]
"""Is what is looked for in a text?"""


@dataclass(frozen=True)
class ListingRow:
    """A name with its sentence, and what is said in brackets before or after that; below it what it is divided into.

    `alias` is another name that can be typed, and `seen_as` what an operator sees: it is searched, and shown where what
    is looked for is in it alone. `phrases` are other words for that, which are searched alone.
    """

    name: str
    about: str = ""
    before: str = ""
    after: str = ""
    alias: str = ""
    seen_as: str = ""
    phrases: tuple[str, ...] = ()
    parts: tuple[ListingRow, ...] = ()

    def __str__(self) -> str:
        title = title_of(self.name, self.alias or self.name)
        return "  ".join(filter(None, (title, " ".join(filter(None, (self.before, self.about, self.after))))))

    def lines(self, width: int, indent: str = "  ") -> Iterator[str]:
        """The row and its parts, a little further to the right."""
        yield from fill(
            str(self), width, initial_indent=indent, subsequent_indent=f"{indent}    ", break_on_hyphens=False
        ).splitlines()
        for part in self.parts:
            yield from part.lines(width, f"{indent}  ")

    def about_it(self, looked: Looked) -> ListingRow | None:
        """The row where it has what is looked for; with those parts alone that have it where it has not itself."""
        found = {part: part.about_it(looked) for part in self.parts}
        if self._is_itself_seen_as(looked):
            return replace(self, after=f"(seen as: {self.seen_as})")
        if looked(f"{self.name} {self.alias} {self.about}"):
            return replace(self, parts=tuple(found[part] or part for part in self.parts))
        parts = tuple(filter(None, found.values()))
        return replace(self, parts=parts) if parts else None

    def is_seen_as(self, looked: Looked) -> bool:
        """Has the symptom of the row, or of a part, what is looked for?"""
        return self._is_itself_seen_as(looked) or any(part.is_seen_as(looked) for part in self.parts)

    def _is_itself_seen_as(self, looked: Looked) -> bool:
        return any(map(looked, filter(None, (self.seen_as, *self.phrases))))


def listing_text(
    subject: Subject, width: int, words: Sequence[str] = (), about: str = "", release: Release | None = None
) -> str:
    """Sections as text, and all about the claims and other things that are named; without any an overview.

    `about` keeps the rows that have this text in name, sentence or symptom, in whatever case. `release` keeps what that
    release has and is asked, with the verdicts that are expected there; with nothing else named it is all about that.
    """
    if release is not None and not (words or about):
        words = [release.name]
    sections = [word for word in words if word == ALL or word in SECTIONS]
    claims = [prop for word in words if word not in sections and subject.knows(word) for prop in subject.named(word)]
    everything = ALL in sections or (about and not words)
    chosen = [name for name in SECTIONS if everything or name in sections]
    if words or about:
        looked = _as_written(about) if about else None
        lines = [*_chosen_sections(subject, chosen, looked, width, release)] if chosen else []
        lines += [_nothing(about)] if about and chosen and "" not in lines else []
        stories = recorded_stories().about(subject.name)
        explained: set[str] = set()
        for prop in dict.fromkeys(claims):
            own = [*stories.of(prop.id)]
            explanation = "" if prop.name in explained else inspect.getdoc(prop.function) or ""
            explained.add(prop.name)
            lines += [*([""] if lines else []), *claim_lines(subject, prop, explanation, own, width, release)]
        for word in dict.fromkeys(words):
            if word not in sections and not subject.knows(word):
                lines += [*([""] if lines else []), *_named_lines(subject, word, width)]
    else:
        lines = [*_chosen_sections(subject, SECTIONS, None, width)]
        lines = lines if len(lines) <= SCREEN else [*_overview(subject, width)]
    return visible("\n".join(lines)) + "\n"


def names_in(subject: Subject) -> list[str]:
    """What can be listed alone, beside claims: the names of scopes, bounds, faults, fixes, actions and so on."""
    return [*kinds_in(subject)]


def kinds_in(subject: Subject) -> Mapping[str, str]:
    """Of each of them, what it is: a scope, a fix..."""
    of_claims = ("claims", "witnesses", "left-out")
    named = [(title, row) for title, rows in _rows(subject).items() if title not in of_claims for row in rows]
    return {row.name: _kind(title) for title, row in reversed(named)}


def _kind(title: str) -> str:
    """A section's word for one of it."""
    return SINGULAR.get(title, title.removesuffix("s"))


def _named_lines(subject: Subject, name: str, width: int) -> Iterator[str]:
    """The rows of a name, each with the section that it stands in, and all that there is to say of it."""
    for title, rows in _rows(subject).items():
        for row in [row for row in rows if row.name == name][:1]:
            yield f"{_kind(title)} {name}"
            yield from lines_of_facts([("", str(replace(row, name="")).strip())], width)
    things = named_values(subject.model)
    if name in things:
        yield from lines_of_facts(facts_about(subject, things[name]), width)


def family_text(
    entry: Entry, subjects: Sequence[Subject], width: int, words: Sequence[str] = (), about: str = ""
) -> str:
    """A family's members, a row each with the number of claims; with words, what each has to say of them."""
    if words or about:
        kept = [
            (each, [word for word in words if word in known or each.knows(word)])
            for each in subjects
            for known in [(ALL, *SECTIONS, *names_in(each))]
        ]
        return "\n".join(listing_text(each, width, known, about) for each, known in kept if known or about)
    rows = [
        ListingRow(
            each.name,
            first_sentence((each.model.__doc__ or "").strip()),
            after=f"({quantity(len(each.properties), 'claim')})",
        )
        for each in subjects
    ]
    lines = [fill(f"{entry.name}: {entry.about}", width), ""]
    lines += [line for row in rows for line in row.lines(width)]
    lines += ["", fill(f"  list {entry.name}:{subjects[0].name}  all about one of them", width)]
    return visible("\n".join(lines)) + "\n"


def _rows(subject: Subject, release: Release | None = None) -> Mapping[str, list[ListingRow]]:
    """The rows of each section; those of one release, if one is named."""
    model = subject.model
    asked = [prop for prop in subject.properties if release is None or subject.expected_in(release, prop)]
    claims = [prop for prop in asked if prop.kind is not ClaimKind.SOMETIMES]
    witnesses = [prop for prop in asked if prop.kind is ClaimKind.SOMETIMES]
    return {
        "releases": [_release_row(each) for each in model.releases if release in (None, each)],
        "behaviours": [
            _fix_row(behaviour.fix, model)
            for behaviour in behaviours_of_releases(model)
            if release is None or release.shows(behaviour)
        ],
        "timers": [
            ListingRow(each.name, each.about, after=f"(in {first})")
            for each, first in timers_of_releases(model).items()
            if release is None or each in release.timer_changes
        ],
        "claims": _claim_rows(subject, claims, release),
        "witnesses": _claim_rows(subject, witnesses, release),
        "scopes": [
            ListingRow(s.name, s.about, after=f"({s.describe()})" if s.describe() else "") for s in model.scopes
        ],
        "bounds": [_bound_row(name, kind) for name, kind in model.bounds.items()],
        "faults": [
            ListingRow(kind.name, kind.about, after=kind.source and f"({kind.source})") for kind in faults_of(model)
        ],
        "fixes": [_fix_row(fix, model) for fix in model.fixes],
        "assumptions": [ListingRow(a.name, a.about) for a in model.assumptions],
        "listeners": [ListingRow(x.name, x.about) for x in model.listeners],
        "actions": [*_action_rows(model, release)],
        "left-out": [
            ListingRow("-", text, after=_only(model, releases))
            for text, releases in left_out(model)
            if release is None or release in releases
        ],
    }


def _action_rows(model: type[Model], release: Release | None = None) -> Iterator[ListingRow]:
    """The model's actions, and those that a behaviour brings, or tells or does otherwise; or those of one release."""
    if release is not None:
        for action in model_of(release, model).actions.values():
            yield ListingRow(action.name, action.about, seen_as=action.logs or "")
        return
    own = dict.fromkeys(model.actions.values())
    for action in own:
        yield ListingRow(action.name, action.about, seen_as=action.logs or "")
    for change in model.changed_by:
        before = {*own, *before_change(model, change).actions.values()}
        for action in with_change(model, change).actions.values():
            if action not in before:
                yield ListingRow(action.name, action.about, after=f"(with {change.name})", seen_as=action.logs or "")


def _release_row(release: Release) -> ListingRow:
    """A release, what it does otherwise than the one before it, and which that is."""
    own = [each.name for each in sorted(release.behaviours, key=lambda behaviour: behaviour.name)]
    lost = [f"without {each.name}" for each in sorted(release.loses, key=lambda behaviour: behaviour.name)]
    base = f"as {release.based_on.name}" if release.based_on else ""
    return ListingRow(release.name, ", ".join(filter(None, (base, *own, *lost))))


def _case_row(subject: Subject, prop: Property, release: Release | None) -> ListingRow:
    expected = f"({_expected_and_where(subject, prop, release)})"
    return ListingRow(prop.id, prop.case.where, expected, seen_as=prop.case.symptom, phrases=phrases_of(prop))


def _fix_row(fix: Fix, model: type[Model]) -> ListingRow:
    """A fix, and the first release that has it."""
    first = first_with(fix.adds, model)
    return ListingRow(fix.name, fix.about, after=f"(in {first})" if first else "")


def _claim_rows(subject: Subject, props: Sequence[Property], release: Release | None = None) -> list[ListingRow]:
    """A row per claim, by its name; one with several cases has these below it, by their aliases."""
    rows = []
    for _, those in groupby(props, lambda prop: prop.function):
        first, *more = those
        if more:
            cases = tuple(_case_row(subject, prop, release) for prop in (first, *more))
            rows.append(ListingRow(first.name, first.sentence, f"({first.kind})", parts=cases))
        else:
            known = "; ".join(filter(None, (str(first.kind), _expected_and_where(subject, first, release))))
            seen_as, phrases = first.case.symptom, phrases_of(first)
            rows.append(
                ListingRow(first.name, first.about, f"({known})", alias=first.id, seen_as=seen_as, phrases=phrases)
            )
    return rows


def left_out(model: type[Model]) -> list[tuple[str, tuple[Release, ...]]]:
    """The parts that the model leaves out, and in which of its releases."""
    texts = {release: left_out_of(release, model) for release in model.releases}
    every = dict.fromkeys(text for those in (texts.values() or [model.left_out]) for text in those)
    return [(text, tuple(release for release in texts if text in texts[release])) for text in every]


def _only(model: type[Model], releases: tuple[Release, ...]) -> str:
    """Which releases something is said of, if not all."""
    return "" if releases == tuple(model.releases) else f"({', '.join(release.name for release in releases)})"


def _bound_row(name: str, kind: BoundKind) -> ListingRow:
    """What a bound means, what it is where a scope does not say, and what it may be."""
    default = [f"usually {getattr(kind.value, 'name', kind.value)}"] if isinstance(kind, Default) else []
    about = kind.about if isinstance(kind, Default) else ""
    facts = "; ".join([*default, *_values(sort_in({name: kind}, name))])
    return ListingRow(name, about, after=f"({facts})")


def _values(sort: BoundSort) -> Iterator[str]:
    """What a bound may be, in words; nothing where it may be any number."""
    if not isinstance(sort, range):
        yield "one of " + ", ".join(member.name for member in sort)
    elif sort != ANY_NUMBER:
        yield f"{sort[0]} to {sort[-1]}" if len(sort) > 1 else "nothing else"


def _title(subject: Subject, width: int, release: Release | None = None) -> str:
    doc = (subject.model.__doc__ or "").strip()
    name = subject.name if release is None else f"{subject.name} {release.name}"
    return fill(f"{name}: {doc.splitlines()[0] if doc else ''}".rstrip(": "), width)


def _chosen_sections(
    subject: Subject,
    chosen: Sequence[str],
    looked: Looked | None,
    width: int,
    release: Release | None = None,
    shown: frozenset[ListingRow] = frozenset(),
) -> Iterator[str]:
    """The chosen sections, row by row, without those that were `shown`; empty ones are omitted."""
    yield from _title(subject, width, release).splitlines()
    is_any = False
    for title, rows in _rows(subject, release).items():
        kept = [row for row in rows if row not in shown]
        if looked is not None:
            seen_first = sorted(kept, key=lambda row: not row.is_seen_as(looked))
            kept = [about for row in seen_first if (about := row.about_it(looked))]
        if title not in chosen or not kept:
            continue
        is_any = True
        yield ""
        yield title
        for row in kept:
            yield from row.lines(width)
    if not is_any and looked is None:
        yield f"there are no {' or '.join(chosen)}"


def everywhere_text(subjects: Sequence[Subject], width: int, sections: Sequence[str], about: str) -> str:
    """What of these subjects has a text, in these sections or in all; where nothing has it as it is written, its words.

    What two of them say in the same words is told once.
    """
    chosen = [name for name in SECTIONS if name in sections or ALL in sections or not sections]
    for looked in (_as_written(about), _in_words(about)):
        shown: frozenset[ListingRow] = frozenset()
        blocks = []
        for subject in subjects:
            lines = [*_chosen_sections(subject, chosen, looked, width, shown=shown)]
            shown |= frozenset(row for rows in _rows(subject).values() for row in rows)
            blocks += ["\n".join(lines)] if "" in lines else []
        if blocks:
            return visible("\n\n".join(blocks)) + "\n"
    return f"{_nothing(about)}\n"


def _as_written(about: str) -> Looked:
    wanted = about.casefold()
    return lambda said: wanted in said.casefold()


def _in_words(about: str) -> Looked:
    """Whether a text has all words of another, or words that mean the same."""
    asked = meanings().of(about)
    return lambda said: bool(asked) and asked <= meanings().of(said)


def _nothing(about: str) -> str:
    return f"no match for {about!r} in names, sentences and symptoms"


def _overview(subject: Subject, width: int) -> Iterator[str]:
    """How much there is of what, with the first names, and how to see more."""
    yield from _title(subject, width).splitlines()
    yield ""
    rows = {title: rows for title, rows in _rows(subject).items() if rows}
    for title, those in rows.items():
        distinct = dict.fromkeys(row.about if row.name == "-" else row.name for row in those)
        head = f"  {title:<{max(map(len, rows))}}  {len(distinct):>3}  "
        cases = sum(len(row.parts) or 1 for row in those) if any(row.parts for row in those) else 0
        names = (f"{cases} cases: " if cases else "") + ", ".join(distinct)
        yield head + shorten(names, width - len(head), placeholder="...", break_on_hyphens=False)
    yield ""
    example = min((prop.name for prop in subject.properties or (NO_DEADLOCK,)), key=len)
    for what, does in (
        ("SECTION", "a section (one of the above), or `all`"),
        ("CLAIM", f"all about a claim, as in `list {example}`"),
        ("--about TEXT", "what has this text in name, sentence or symptom"),
    ):
        yield from fill(f"  list {what:<14} {does}", width, subsequent_indent=" " * 22).splitlines()


def _expected_and_where(subject: Subject, prop: Property, release: Release | None) -> str:
    """What is expected of a case, and in which scopes."""
    if release is not None:
        return "; ".join(f"expected {each}" for each in verdicts_of_release(release, subject, prop))
    expected, where = expectation_in_words(subject, prop), ", ".join(prop.scopes)
    return "; ".join(filter(None, (expected and f"expected {expected}", where and f"in {where}")))

"""The table of verdicts that a report for people begins with: a row per answer, or a column per release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.table import Table
from rich.text import Text

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.setting import Setting
from offsetproof.reports.page import Hyphenated
from offsetproof.verdict.phrases import additions_in_words, expectation_in_words, thousands, verdict_in_words
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict

ALIAS = 32
"""Columns of a terminal that the name of a row's case gets in a short report, if it is that long."""

WITH_MORE = "+"
"""What follows the name of a case that has fixes, assumptions or a listener beside its release."""

LARGE = "large"
"""What stands for the verdict on a question that is too large to be asked."""

_COLOURS = {Verdict.HOLDS: "green", Verdict.REFUTED: "red", Verdict.UNKNOWN: "yellow"}


def verdict_table(answers: Sequence[Answer], *, is_short: bool, large: Sequence[Question] = ()) -> Table:
    """The table; a short one is without witnesses that are reached, and has a claim's name once.

    Of several releases each has a column, and each case in a scope a row. `large` are questions that were not asked.
    """
    if have_several_releases(answers):
        return _table_of_releases(answers, is_short=is_short, large=large)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    longest = max(len(answer.result.prop.id) for answer in answers)
    table.add_column("claim", overflow="fold", min_width=min(longest, ALIAS) if is_short else None)
    table.add_column("scope", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for name in ("states",) if is_short else ("states", "depth", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    shown = [answer for answer in answers if not (is_short and is_reached(answer))]
    for answer, name in zip(shown, _names(shown, is_short=is_short), strict=True):
        result, mark = answer.result, _expectation(answer)
        if is_short:
            mark = "; ".join(filter(None, ("" if answer.as_expected else mark, additions_in_words(result))))
        table.add_row(
            Hyphenated(name),
            Hyphenated(result.setting.scope.name),
            _verdict(answer),
            *_numbers(result, is_short=is_short),
            Hyphenated(mark) if is_short else mark,
        )
    return table


def _table_of_releases(answers: Sequence[Answer], *, is_short: bool, large: Sequence[Question]) -> Table:
    """A column for each release, as narrow as its verdicts, and what is not as expected in the last one."""
    rows = [row for row in _rows(answers, large) if not (is_short and row.is_reached)]
    releases = releases_of(answers)
    marks = [_marks([*row.given.values()]) for row in rows]
    named = have_several_subjects(answers)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    table.add_column("claim, scope", overflow="fold")
    for release in releases:
        verdicts = [row.cell(release).plain for row in rows]
        table.add_column(Hyphenated(release), width=max(map(len, (*verdicts, *release.split("-")))))
    if any(marks):
        table.add_column("", overflow="fold")
    before = None
    for row, mark in zip(rows, marks, strict=True):
        claim = row.subject, row.prop.name
        title = f"{row.subject}: {row.prop.title}" if named else row.prop.title
        name = row.prop.id if is_short and claim == before else title
        more = WITH_MORE * (is_short and row.has_more)
        table.add_row(
            Hyphenated(f"{name}{more} in {row.setting.scope.name}"),
            *(row.cell(release) for release in releases),
            *([Hyphenated(mark)] if any(marks) else ()),
        )
        before = claim
    return table


def releases_of(answers: Sequence[Answer]) -> list[str]:
    """The releases that were asked, in the order of the model."""
    known = answers[0].subject.model.releases if answers[0].subject else ()
    place = {release.name: number for number, release in enumerate(known)}
    asked = dict.fromkeys(answer.result.setting.release or "" for answer in answers)
    return sorted(asked, key=lambda release: place.get(release, len(place)))


@dataclass
class _Row:
    """A case in a scope: what is known of it in each release, and in which releases it was too large to be asked."""

    subject: str
    prop: Property
    setting: Setting
    given: dict[str, Answer] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)

    @property
    def is_reached(self) -> bool:
        """Is it a witness that is reached in every release?"""
        return not self.large and all(map(is_reached, self.given.values()))

    @property
    def has_more(self) -> bool:
        """Has its world more than a scope and a release?"""
        return bool(self.setting.fixes or self.setting.assumptions or self.setting.other_listener or self.prop.listener)

    @property
    def place_of_scope(self) -> int:
        """Where the scope is among those that the case names."""
        named, own = self.prop.scopes, self.setting.scope.name
        return named.index(own) if own in named else len(named)

    def cell(self, release: str) -> Text:
        """A verdict, with a `!` where it is not the expected one; a dash where the case says nothing of the release."""
        answer = self.given.get(release)
        if answer is None:
            return Text(LARGE if release in self.large else "-")
        return _verdict(answer) if answer.as_expected else _verdict(answer).append(" !")


def _rows(answers: Sequence[Answer], large: Sequence[Question]) -> list[_Row]:
    """The answers by claim, case and scope, those of several releases together; in the order of the catalogue."""
    rows: dict[object, _Row] = {}
    for answer in answers:
        setting, key = answer.result.setting, (*answer.key[:2], answer.result.setting.scope.name)
        row = rows.setdefault(key, _Row(answer.key[0], answer.result.prop, setting))
        row.given[setting.release or ""] = answer
    subject = answers[0].subject if large else None
    if subject is None:
        return [*rows.values()]
    for question in large:
        key = (subject.name, question.prop.id, question.setting.scope.name)
        row = rows.setdefault(key, _Row(subject.name, question.prop, question.setting))
        row.large.add(question.setting.release or "")
    place = {prop.id: number for number, prop in enumerate(subject.properties)}
    return sorted(rows.values(), key=lambda row: (place[row.prop.id], row.place_of_scope))


def _names(shown: Sequence[Answer], *, is_short: bool) -> Iterator[str]:
    """What each row is called: by its claim, or, where the row before is of the same claim, by its case alone."""
    before = ("", "")
    for answer, title in zip(shown, titles(shown), strict=True):
        claim = answer.key[0], answer.result.prop.name
        yield answer.result.prop.id if is_short and claim == before else title
        before = claim


def titles(answers: Sequence[Answer]) -> list[str]:
    """Each answer's claim, with its subject where there are several."""
    named = have_several_subjects(answers)
    names = [answer.result.prop.title for answer in answers]
    return [f"{answer.key[0]}: {name}" if named else name for answer, name in zip(answers, names, strict=True)]


def is_reached(answer: Answer) -> bool:
    """Is it a witness that is reached, as it should be?"""
    result = answer.result
    return result.prop.kind is ClaimKind.SOMETIMES and result.verdict is Verdict.HOLDS and answer.as_expected


def have_several_releases(answers: Sequence[Answer]) -> bool:
    """Must a reader be told which release an answer is about? (A single one stands in the title.)"""
    return len({answer.result.setting.release for answer in answers}) > 1


def _verdict(answer: Answer) -> Text:
    result = answer.result
    colour = _COLOURS[Verdict.UNKNOWN if result.vacuous else result.verdict]
    return Text(verdict_in_words(result), style=colour)


def _numbers(result: Result, *, is_short: bool) -> tuple[str, ...]:
    """How much was visited, and in a whole report how deep, and how long that took."""
    more = () if is_short else (str(result.counts.depth), f"{result.seconds:.1f}")
    return (thousands(result.counts.states), *more)


def _marks(row: Sequence[Answer]) -> str:
    """What is not as expected, and in which releases."""
    odd = [answer for answer in row if not answer.as_expected]
    return "; ".join(f"{answer.result.setting.release}: {_expectation(answer)}" for answer in odd)


def _expectation(answer: Answer) -> str:
    return "DISAGREEMENT" if answer.disagreement else expectation_in_words(answer.result)

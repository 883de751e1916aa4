"""A claim's part of a page: its sentence, its cases with a row per answer, and below a row its story.

A case that is decided in one way everywhere, as expected, is one paragraph: the verdict, the case, where, and what is
special about it. Where a page is short of room (`Sentences`), what is said in words is cut, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from textwrap import fill

from rich.text import Text

from offsetproof.checking.answers import Answer
from offsetproof.conformance.reproduced import found_of
from offsetproof.reports.stories import smallest
from offsetproof.reports.text import COLOURS, colour_of
from offsetproof.traces.brief import Brief
from offsetproof.verdict.phrases import (
    additions_in_words,
    expectation_in_words,
    first_sentence,
    quantity,
    size_in_words,
    unspent_in_words,
    verdict_in_words,
)
from offsetproof.verdict.result import Result, Verdict

ROW, STEP = "  ", "    "

WORDS_MIN = 24
"""Columns that the words of a case keep, however long its row is."""


class Sentences(IntEnum):
    """How much a page says in words. Where room is short, words of cases are cut so that each takes two lines; then
    those of claims, to one, and rows have no depth; then those of cases once more, to a line where that says something.
    """

    WHOLE = 0
    CASES_CUT = 1
    CLAIMS_CUT = 2
    SHORTEST = 3


@dataclass(frozen=True)
class Room:
    """What the blocks of a page share: its width, the `usual` method, which no row says, and the room for words."""

    width: int
    usual: str
    sentences: Sentences = Sentences.WHOLE

    def fill(self, text: str, indent: str, *, lines_max: int | None = None) -> str:
        """A text in lines that are no wider, and no more than `lines_max`."""
        return fill(
            text,
            self.width,
            subsequent_indent=indent,
            break_on_hyphens=False,
            max_lines=lines_max,
            placeholder="...",
        )

    def size(self, result: Result) -> str:
        """How far a search went, or how long its story is."""
        states = result.counts.states
        is_exhausted = result.verdict is Verdict.HOLDS and result.replay is None
        if self.sentences >= Sentences.CLAIMS_CUT and is_exhausted and states is not None:
            return quantity(states, "state")
        return size_in_words(result)


@dataclass(frozen=True)
class _Row:
    """What stands in one row: where, and what is said of it; and the answer, where it is about one alone."""

    colour: str
    word: str
    where: str
    said: str
    answer: Answer | None = None

    @property
    def is_plain(self) -> bool:
        """Is there nothing in it that a reader must not miss?"""
        return self.answer is None or (self.answer.as_expected and not self.answer.vacuous)


def block(
    group: Sequence[Answer], briefs: Mapping[int, Brief], same: Mapping[int, str], page: Room, before: str
) -> Iterator[Text]:
    """A case with its answers and stories; the claim's sentence as well, where another claim was `before`."""
    prop = group[0].result.prop
    begins = prop.name != before
    words = _words_of(group)
    is_special = bool(words) or not begins
    if begins:
        heading = f"{prop.name if is_special else prop.title}  {first_sentence(prop.sentence)}".rstrip()
        yield Text(page.fill(heading, ROW, lines_max=1 if page.sentences >= Sentences.CLAIMS_CUT else None))
    rows = _rows(group, briefs, same, page)
    if is_special and len(rows) == 1 and rows[0].is_plain:
        yield _paragraph(prop.id, words, rows[0], page)
        yield from _story(rows[0], briefs)
    else:
        if is_special:
            yield Text(page.fill(f"{ROW}{prop.id}: {words}".rstrip(": "), ROW))
        room = max((len(row.where) for row in rows), default=0)
        for row in rows:
            yield _styled_row(row, f"{row.where:<{room}}  {row.said}" if row.where else row.said, page)
            yield from _story(row, briefs)
    alike = _alike(group)
    if alike:
        others = _scopes_in_words(alike, page, several=_are_several_releases(group))
        yield _styled_row(_Row(COLOURS[Verdict.REFUTED], "REFUTED", "", ""), f"also in {others}", page)


def _rows(group: Sequence[Answer], briefs: Mapping[int, Brief], same: Mapping[int, str], page: Room) -> list[_Row]:
    """The rows of a case: one for all scopes in which it holds with nothing more to say, and one for each other answer,
    but for those that refute it once more."""
    several, rows = _are_several_releases(group), []
    holding = _holding_alike(group, page.usual)
    if holding:
        additions = additions_in_words(holding[0].result)
        scopes = _scopes_in_words(holding, page, several=several)
        rows.append(_Row(COLOURS[Verdict.HOLDS], "HOLDS", "", "; ".join(filter(None, (scopes, additions)))))
    for answer in group:
        if all(answer is not other for other in (*_alike(group), *holding)):
            length = _length_in_words(briefs.get(id(answer)), same.get(id(answer)))
            said, word = _said(answer, length, page), verdict_in_words(answer.result)
            rows.append(_Row(colour_of(answer.result), word, _where(answer, several=several), said, answer))
    return rows


def _words_of(group: Sequence[Answer]) -> str:
    """What is special about a case, where it is so in all settings that its answers are of."""
    settings = [answer.result.setting for answer in group]
    words = {group[0].result.prop.words_in(setting.scope.name, setting.listener_name) for setting in settings}
    return words.pop() if len(words) == 1 else ""


def _paragraph(id: str, words: str, row: _Row, page: Room) -> Text:
    """A case that has one row: verdict, id, where, what is said of it, and the case in words."""
    where = f"{row.where} ({row.said})" if row.where else row.said
    head = f"{id} in {where}"
    whole = f"{head}: {words}" if words else head
    if page.sentences is Sentences.WHOLE:
        return _styled_row(row, whole, page)
    least = str(_styled_row(row, whole[: len(head) + WORDS_MIN], page)).count("\n") + 1
    return _styled_row(row, whole, page, lines_max=least if page.sentences is Sentences.SHORTEST else max(2, least))


def _story(row: _Row, briefs: Mapping[int, Brief]) -> Iterator[Text]:
    story = briefs.get(id(row.answer))
    if story:
        yield Text("\n".join(STEP + line for line in story.lines))


def _are_several_releases(group: Sequence[Answer]) -> bool:
    return len({answer.result.setting.release for answer in group}) > 1


def _alike(group: Sequence[Answer]) -> list[Answer]:
    """The answers that refute a claim once more, with a story that is not told, and as expected."""
    with_story = {id(answer) for answer in smallest(group)}
    return [a for a in group if a.is_refutation and id(a) not in with_story and a.as_expected]


def _holding_alike(group: Sequence[Answer], usual: str) -> list[Answer]:
    """The answers of a case that holds in several scopes, with nothing to say but in which: they share a row."""
    plain = [
        answer
        for answer in group
        if answer.result.verdict is Verdict.HOLDS and answer.result.method == usual and answer.result.replay is None
        and answer.as_expected and not answer.vacuous and not answer.result.unspent
    ]  # fmt: skip
    return plain if len(plain) > 1 else []


def _where(answer: Answer, *, several: bool) -> str:
    setting = answer.result.setting
    return f"{setting.scope.name} of {setting.release}" if several else setting.scope.name


def _scopes_in_words(answers: Sequence[Answer], page: Room, *, several: bool) -> str:
    """`come-back (2,893,378 states, depth 61), crash (18,553 states, depth 48)`."""
    return ", ".join(f"{_where(answer, several=several)} ({page.size(answer.result)})" for answer in answers)


def _length_in_words(story: Brief | None, same_as: str | None) -> str:
    """What is said of a story's length: how much of it is told, or where."""
    if same_as:
        return f"the story of {same_as}"
    return f"{story.step_count} shown here" if story and story.left_out else ""


def _said(answer: Answer, length: str, page: Room) -> str:
    """What is said of an answer: how far the search went or how long the story is, how bad it is, and what is odd."""
    result = answer.result
    method = "" if result.method == page.usual or result.replay else result.method
    said = [
        ", ".join(filter(None, (page.size(result), length, method))),
        _effect(answer),
        _on_release(answer),
        additions_in_words(result),
        result.vacuous,
        *unspent_in_words(result),
        answer.disagreement or "",
        "" if result.as_expected or result.verdict is Verdict.UNKNOWN else f"NOT AS EXPECTED{_instead(result)}",
    ]
    return "; ".join(filter(None, said))


def _styled_row(row: _Row, rest: str, page: Room, lines_max: int | None = None) -> Text:
    """A row, its verdict in the verdict's colour."""
    text = Text(page.fill(f"{ROW}{row.word:<7}  {rest}", STEP, lines_max=lines_max))
    text.stylize(row.colour, len(ROW), len(ROW) + len(row.word))
    return text


def _effect(answer: Answer) -> str:
    """How bad a violation is, in a word, and what it costs, if anything: `permanent, 1 lost`."""
    effect = answer.trace.effect if answer.is_refutation and answer.trace else None
    if effect is None:
        return ""
    costs = [f"{n} {what}" for n, what in ((effect.lost, "lost"), (effect.repeated, "repeated")) if n]
    return ", ".join([effect.kind if effect.kind != "unknown" else "effect unknown", *costs])


def _on_release(answer: Answer) -> str:
    """Where the very story was reproduced on the real classes: `happens on 4.9.4`."""
    found = found_of(answer.subject, answer.trace)
    return f"happens on {found.release}" if found and found.is_reproduced else ""


def _instead(result: Result) -> str:
    mark = expectation_in_words(result)
    return f" ({mark})" if mark.startswith("expected") else ""

"""The report for people who asked much: a page by claim, with a line per answer and a few lines per story.

A story has as many lines as the page has room for: those of verdicts that nobody expected have what a brief story may
have, and the others share what is left; where that is too little, each claim tells one. The page says what to type for
the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import fill

from rich.text import Text

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.setting import Setting
from offsetproof.lang.subject import Subject
from offsetproof.reports.bounds import bounds_told
from offsetproof.reports.page import Page
from offsetproof.reports.stories import STEPS_MOST, Stories, smallest, stories
from offsetproof.reports.text import COLOURS, headline, not_asked
from offsetproof.traces.brief import Brief, brief
from offsetproof.verdict.agreement import total
from offsetproof.verdict.phrases import expectation_in_words, first_sentence, size_in_words, verdict_in_words
from offsetproof.verdict.result import Result, Verdict

PAGE_MAX = 300
"""How many lines a page is meant to have; what must be said may take more."""

STEPS_MIN = 3
"""In fewer lines no story is told."""

_ROW, STEP = "  ", "    "


def condensed_report(
    subject: str, answers: Sequence[Answer], width: int, *, colour: bool = False, form: Stories, model: str = ""
) -> str:
    """The page, no line wider than `width` columns where words allow.

    `model` is what the subject is called on the command line, if it has to be named there.
    """
    page = Page(width, colour=colour)
    methods = methods_of(answers)
    usual = methods[0] if len(methods) == 1 else ""
    head = [fill(headline(subject, answers), width), *method_told(methods if usual else [], width), ""]
    foot = after(answers, model, width)
    groups = [[*group] for _, group in groupby(rows_of(answers), lambda answer: answer.key[:2])]
    unexpected_first = sorted(smallest(answers), key=lambda answer: answer.result.as_expected)
    with_story, same = Told().share(unexpected_first) if form is Stories.BRIEF else ([], {})
    least = _briefs(with_story, 0, width)
    lines: list[str | Text] = [*head, *foot, *_table(groups, least, same, width, usual)]
    length = sum(str(text).count("\n") + 1 for text in lines) - sum(len(story.lines) for story in least.values())
    lines = [*head, *_table(groups, _briefs(with_story, PAGE_MAX - length, width), same, width, usual), *foot]
    for text in lines:
        page.put(text)
    put_whole_stories(page, answers, width, form)
    return page.text


def put_whole_stories(page: Page, answers: Sequence[Answer], width: int, form: Stories) -> None:
    """Below a page that tells no story within it, the stories where they are wanted whole."""
    if form is Stories.FULL:
        page.put("")
        for story in stories(answers, width, form):
            page.put(story)


def rows_of(answers: Sequence[Answer]) -> list[Answer]:
    """The answers that have a row of their own: all but witnesses that are reached, as they should be."""
    return [answer for answer in answers if not _is_as_usual(answer.result)]


def _is_as_usual(result: Result) -> bool:
    return result.prop.kind is ClaimKind.SOMETIMES and result.verdict is Verdict.HOLDS and result.as_expected


def method_told(methods: Sequence[str], width: int) -> list[str]:
    """By which method claims hold where their rows do not say it; nothing where all do, or none holds."""
    unless = " (or as it says itself)" if len(methods) > 1 else ""
    return [fill(f"HOLDS: {methods[0]}, in the scope that its row names{unless}", width)] if methods else []


def methods_of(answers: Sequence[Answer]) -> list[str]:
    """By which methods claims hold, in the order in which they are met."""
    holding = [a.result for a in answers if a.result.verdict is Verdict.HOLDS and a.result.replay is None]
    return list(dict.fromkeys(result.method for result in holding))


def after(answers: Sequence[Answer], model: str, width: int) -> list[str]:
    """What stands below the table: witnesses, what was not asked, engines, surprises, and what to type for more."""
    reached = [answer.result.prop.id for answer in answers if _is_as_usual(answer.result)]
    count = len({*reached})
    often = "" if count == len(reached) else f" ({len(reached)} answers)"
    lines = (
        [f"{count} witness{'es' * (count != 1)} reached{often}, each in a story that was replayed"] if reached else []
    )
    if any(answer.result.vacuous for answer in answers):
        lines.append("VACUOUS: nothing could have broken the claim, so that it holds says nothing; its row says why")
    lines += not_asked(answers)
    agreements = [answer.agreement for answer in answers if answer.agreement]
    lines += [total(agreements)] if agreements else []
    odd = [f"{a.result.prop.title} in {a.result.setting.scope.name}" for a in answers if not a.result.as_expected]
    lines += [f"not as expected: {', '.join(odd)}"] if odd else []
    named = f"{model} " if model else ""
    lines.append(
        f"for what was left out and the whole story: `offsetproof check {named}{_one_case(answers)}`; "
        f"for what a scope is: `offsetproof list {named}scopes`"
    )
    below = [fill(line, width, subsequent_indent=_ROW, break_on_hyphens=False) for line in lines]
    return ["", *bounds_told(answers, width), *below]


def _one_case(answers: Sequence[Answer]) -> str:
    """The id of a case to ask alone: one whose verdict nobody expected, else one that is refuted."""
    answer = min(answers, key=lambda a: (a.result.as_expected, a.result.verdict is not Verdict.REFUTED))
    return answer.result.prop.id


class Told:
    """The stories that a page has told so far: claims whose stories have the same steps share one."""

    def __init__(self) -> None:
        self._claims: dict[tuple[int, tuple[str, ...]], str] = {}

    def share(self, refuted: Sequence[Answer]) -> tuple[list[Answer], dict[int, str]]:
        """The answers whose stories are new, and for the others, by identity, the claim that has told theirs."""
        new: list[Answer] = []
        same: dict[int, str] = {}
        for answer in refuted:
            steps = tuple(step.name for step in answer.trace.steps) if answer.trace else ()
            key = id(answer.subject), steps
            if key in self._claims:
                same[id(answer)] = self._claims[key]
            else:
                self._claims[key] = answer.result.prop.title
                new.append(answer)
        return new, same


def _table(
    groups: Sequence[Sequence[Answer]], briefs: Mapping[int, Brief], same: Mapping[int, str], width: int, usual: str
) -> Iterator[Text]:
    """A claim with its sentence, below it its cases with their answers, below an answer its story."""
    before = ""
    about = None
    several_subjects = have_several_subjects([answer for group in groups for answer in group])
    for group in groups:
        if several_subjects and group[0].subject is not about:
            if about is not None:
                yield Text("")
            about = group[0].subject
            yield from _subject_heading(about, width)
        yield from block(group, briefs, same, width, before, usual)
        before = group[0].result.prop.name


def block(
    group: Sequence[Answer],
    briefs: Mapping[int, Brief],
    same: Mapping[int, str],
    width: int,
    before: str,
    usual: str,
) -> Iterator[Text]:
    """A case with its answers and stories; the claim's sentence as well, where another claim was `before`.

    The method of a HOLDS is said where it is not the `usual` one.
    """
    prop = group[0].result.prop
    for line in _headings(prop, begins=prop.name != before):
        yield Text(fill(line, width, subsequent_indent=_ROW, break_on_hyphens=False))
    several = len({answer.result.setting.release for answer in group}) > 1
    alike = _alike(group)
    holding = _holding_alike(group, usual)
    if holding:
        scopes = _scopes_in_words(holding, several=several)
        additions = _additions_in_words(holding[0].result.setting)
        yield _styled_row(Verdict.HOLDS, "HOLDS", "; ".join(filter(None, (scopes, additions))), width)
    rows = [answer for answer in group if all(answer is not other for other in (*alike, *holding))]
    room = max((len(_where(answer, several=several)) for answer in rows), default=0)
    for answer in rows:
        story = briefs.get(id(answer))
        method = "" if answer.result.method == usual or answer.result.replay else answer.result.method
        where = f"{_where(answer, several=several):<{room}}"
        yield _row(answer, where, _length_in_words(story, same.get(id(answer))), method, width)
        if story:
            yield Text("\n".join(STEP + line for line in story.lines))
    if alike:
        others = _scopes_in_words(alike, several=several)
        yield _styled_row(Verdict.REFUTED, "REFUTED", f"also in {others}", width)


def _subject_heading(subject: Subject | None, width: int) -> Iterator[Text]:
    """The subject that the claims below are about, where a page has several."""
    if subject is not None:
        sentence = first_sentence((subject.model.__doc__ or "").strip())
        yield Text(fill(f"{subject.name}: {sentence}", width, subsequent_indent=_ROW), style="bold")


def _headings(prop: Property, *, begins: bool) -> Iterator[str]:
    """The claim with its sentence, where it begins, and the case where that is a special one."""
    plain = begins and not prop.case.where
    if begins:
        yield f"{prop.title if plain else prop.name}  {first_sentence(prop.sentence)}".rstrip()
    if not plain:
        yield f"{_ROW}{prop.id}: {prop.case.where}".rstrip(": ")


def _alike(group: Sequence[Answer]) -> list[Answer]:
    """The answers that refute a claim once more, with a story that is not told, and as expected."""
    with_story = {id(answer) for answer in smallest(group)}
    return [a for a in group if a.is_refutation and id(a) not in with_story and a.result.as_expected]


def _holding_alike(group: Sequence[Answer], usual: str) -> list[Answer]:
    """The answers of a case that holds in several scopes, with nothing to say but in which: they share a row."""
    plain = [
        answer
        for answer in group
        if answer.result.verdict is Verdict.HOLDS and answer.result.method == usual and answer.result.replay is None
        and answer.result.as_expected and not answer.result.vacuous and not answer.disagreement
    ]  # fmt: skip
    return plain if len(plain) > 1 else []


def _where(answer: Answer, *, several: bool) -> str:
    setting = answer.result.setting
    return f"{setting.scope.name} of {setting.release}" if several else setting.scope.name


def _scopes_in_words(answers: Sequence[Answer], *, several: bool) -> str:
    """`come-back (2,893,378 states, depth 61), crash (18,553 states, depth 48)`."""
    return ", ".join(f"{_where(answer, several=several)} ({size_in_words(answer.result)})" for answer in answers)


def _length_in_words(story: Brief | None, same_as: str | None) -> str:
    """What is said of a story's length: how much of it is told, or where."""
    if same_as:
        return f"the story of {same_as}"
    return f"{story.told} told here" if story and story.left_out else ""


def _row(answer: Answer, where: str, length: str, method: str, width: int) -> Text:
    """An answer in a line: verdict, scope, how far the search went or how long the story is, and what is odd."""
    result = answer.result
    said = [
        ", ".join(filter(None, (size_in_words(result), length, method))),
        _effect(answer),
        _additions_in_words(result.setting),
        f"VACUOUS: {result.vacuous}" if result.vacuous else "",
        answer.disagreement or "",
        "" if result.as_expected or result.verdict is Verdict.UNKNOWN else f"NOT AS EXPECTED{_instead(result)}",
    ]
    return _styled_row(result.verdict, verdict_in_words(result), f"{where}  {'; '.join(filter(None, said))}", width)


def _additions_in_words(setting: Setting) -> str:
    """`fix a, b; assuming c`."""
    fixes, assumptions = (", ".join(each.name for each in some) for some in (setting.fixes, setting.assumptions))
    return "; ".join(filter(None, (f"fix {fixes}" if fixes else "", f"assuming {assumptions}" if assumptions else "")))


def _styled_row(verdict: Verdict, word: str, rest: str, width: int) -> Text:
    """A row, its verdict in the verdict's colour."""
    line = f"{_ROW}{word:<7}  {rest}"
    text = Text(fill(line, width, subsequent_indent=STEP, break_on_hyphens=False))
    text.stylize(COLOURS[verdict], len(_ROW), len(_ROW) + len(word))
    return text


def _effect(answer: Answer) -> str:
    """How bad a violation is, in a word, and what it costs, if anything: `permanent, 1 lost`."""
    effect = answer.trace.effect if answer.is_refutation and answer.trace else None
    if effect is None:
        return ""
    costs = [f"{n} {what}" for n, what in ((effect.lost, "lost"), (effect.repeated, "repeated")) if n]
    return ", ".join([effect.kind if effect.kind != "unknown" else "effect unknown", *costs])


def _instead(result: Result) -> str:
    mark = expectation_in_words(result)
    return f" ({mark})" if mark.startswith("expected") else ""


def _briefs(answers: Sequence[Answer], room: int, width: int) -> dict[int, Brief]:
    """The stories in brief, by the answer that each belongs to, in as many lines together as there is room for."""
    wants = {id(answer): len(story.lines) for answer in answers if (story := row_story(answer, width, PAGE_MAX))}
    lines = {
        id(answer): wants[id(answer)] for answer in answers if not answer.result.as_expected and id(answer) in wants
    }
    room -= sum(lines.values())
    others = [which for which in wants if which not in lines]
    if room < STEPS_MIN * len(others):
        first = {id(answer) for answer in _first_of_each_claim(answers)}
        others = [which for which in others if which in first]
    others.sort(key=lambda which: wants[which])
    for i, which in enumerate(others):  # those that want as much come in the order of the page
        lines[which] = min(wants[which], max(STEPS_MIN, room // (len(others) - i)))
        room -= lines[which]
    return {
        id(answer): story
        for answer in answers
        if id(answer) in lines and (story := row_story(answer, width, lines[id(answer)]))
    }


def _first_of_each_claim(answers: Sequence[Answer]) -> list[Answer]:
    """The claims' first answers, in the order in which they are given."""
    first: dict[tuple[int, str], Answer] = {}
    for answer in answers:
        first.setdefault((id(answer.subject), answer.result.prop.name), answer)
    return [*first.values()]


def row_story(answer: Answer, width: int, lines_max: int) -> Brief | None:
    """The story below an answer's row, if it has one, in up to `lines_max` lines."""
    if answer.trace is None or answer.outline is None:
        return None
    return brief(answer.trace, answer.outline, width - len(STEP), lines_max, STEPS_MOST)

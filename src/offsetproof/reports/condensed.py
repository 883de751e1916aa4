"""The report for people who asked much: a page by claim, with a line per answer and a few lines per story.

A story has as many lines as the page has room for: those of verdicts that nobody expected have what a brief story may
have, and the others share what is left; where that is too little, each claim tells one. The page says what to type for
the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from textwrap import fill

from rich.text import Text

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.subject import Subject
from offsetproof.reports.block import ROW, STEP, Room, Sentences, block
from offsetproof.reports.bounds import bounds_told
from offsetproof.reports.page import Page
from offsetproof.reports.stories import STEPS_MOST, Stories, smallest, stories
from offsetproof.reports.text import headline, missing_in_words, not_asked, vacuous_in_words
from offsetproof.traces.brief import Brief, brief
from offsetproof.verdict.agreement import total
from offsetproof.verdict.phrases import first_sentence
from offsetproof.verdict.result import Verdict

PAGE_MAX = 350
"""How many lines a page is meant to have; what must be said may take more."""

STEPS_MIN, STEPS_GOOD = 2, 3
"""In fewer lines no story is told; and for stories in fewer than these, other things are said in fewer first."""


def condensed_report(
    subject: str,
    answers: Sequence[Answer],
    width: int,
    *,
    colour: bool = False,
    form: Stories,
    model: str = "",
    asked: int | None = None,
) -> str:
    """The page, no line wider than `width` columns where words allow.

    `model` is what the subject is called on the command line, if it has to be named there. `asked` is how many
    questions there were, if not all have an answer.
    """
    page = Page(width, colour=colour)
    methods = methods_of(answers)
    usual = methods[0] if len(methods) == 1 else ""
    head = [fill(headline(subject, answers, asked), width), *missing_in_words(answers, asked)]
    head += [*method_told(methods if usual else [], width), ""]
    groups = [[*group] for _, group in groupby(rows_of(answers), lambda answer: answer.key[:2])]
    unexpected_first = sorted(smallest(answers), key=lambda answer: answer.as_expected)
    with_story, same = SharedStories().share(unexpected_first) if form is Stories.BRIEF else ([], {})
    for sentences, steps in (*product(Sentences, [STEPS_GOOD]), (Sentences.SHORTEST, STEPS_MIN)):
        room, foot = Room(width, usual, sentences), after(answers, model, width, packed=sentences > Sentences.WHOLE)
        least = _briefs(with_story, 0, width, steps)
        length = _length([*head, *_table(groups, least, same, room), *foot])
        if length <= PAGE_MAX:
            break
    left = PAGE_MAX - length + sum(len(story.lines) for story in least.values())
    briefs = _briefs(with_story, left, width, steps)
    lines: list[str | Text] = [*head, *_table(groups, briefs, same, room), *foot]
    for text in lines:
        page.put(text)
    put_whole_stories(page, answers, width, form)
    return page.text


def _length(lines: Sequence[str | Text]) -> int:
    return sum(str(text).count("\n") + 1 for text in lines)


def put_whole_stories(page: Page, answers: Sequence[Answer], width: int, form: Stories) -> None:
    """Below a page that tells no story within it, the stories where they are wanted whole."""
    if form is Stories.FULL:
        page.put("")
        for story in stories(answers, width, form):
            page.put(story)


def rows_of(answers: Sequence[Answer]) -> list[Answer]:
    """The answers that have a row of their own: all but witnesses that are reached, as they should be."""
    return [answer for answer in answers if not _is_as_usual(answer)]


def _is_as_usual(answer: Answer) -> bool:
    result = answer.result
    return result.prop.kind is ClaimKind.SOMETIMES and result.verdict is Verdict.HOLDS and answer.as_expected


def method_told(methods: Sequence[str], width: int) -> list[str]:
    """By which method claims hold where their rows do not say it; nothing where all do, or none holds."""
    unless = " (unless the row says otherwise)" if len(methods) > 1 else ""
    return [fill(f"HOLDS: {methods[0]}, in the scope that its row names{unless}", width)] if methods else []


def methods_of(answers: Sequence[Answer]) -> list[str]:
    """By which methods claims hold, in the order in which they are met."""
    holding = [a.result for a in answers if a.result.verdict is Verdict.HOLDS and a.result.replay is None]
    return list(dict.fromkeys(result.method for result in holding))


def after(answers: Sequence[Answer], model: str, width: int, *, packed: bool = False) -> list[str]:
    """What stands below the table: bounds (`packed`: close together), witnesses, what was not asked, engines,
    surprises, and what to type for more."""
    reached = [answer.result.prop.id for answer in answers if _is_as_usual(answer)]
    count = len({*reached})
    often = "" if count == len(reached) else f" ({len(reached)} answers)"
    lines = (
        [f"{count} witness{'es' * (count != 1)} reached{often}, each in a story that was replayed"] if reached else []
    )
    lines += [*vacuous_in_words(answers), *not_asked(answers)]
    agreements = [answer.agreement for answer in answers if answer.agreement]
    lines += [total(agreements)] if agreements else []
    odd = [f"{a.result.prop.title} in {a.result.setting.scope.name}" for a in answers if not a.as_expected]
    lines += [f"not as expected: {', '.join(odd)}"] if odd else []
    named = f"{model} " if model else ""
    lines.append(
        f"for what was left out and the whole story: `offsetproof check {named}{_one_case(answers)}`; "
        f"for what a scope is: `offsetproof list {named}scopes`"
    )
    below = [fill(line, width, subsequent_indent=ROW, break_on_hyphens=False) for line in lines]
    return ["", *bounds_told(answers, width, packed=packed), *below]


def _one_case(answers: Sequence[Answer]) -> str:
    """The id of a case to ask alone: one whose verdict nobody expected, else one that is refuted."""
    answer = min(answers, key=lambda a: (a.as_expected, a.result.verdict is not Verdict.REFUTED))
    return answer.result.prop.id


class SharedStories:
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
                self._claims[key] = answer.result.prop.id
                new.append(answer)
        return new, same


def _table(
    groups: Sequence[Sequence[Answer]], briefs: Mapping[int, Brief], same: Mapping[int, str], room: Room
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
            yield from _subject_heading(about, room.width)
        yield from block(group, briefs, same, room, before)
        before = group[0].result.prop.name


def _subject_heading(subject: Subject | None, width: int) -> Iterator[Text]:
    """The subject that the claims below are about, where a page has several."""
    if subject is not None:
        sentence = first_sentence((subject.model.__doc__ or "").strip())
        yield Text(fill(f"{subject.name}: {sentence}", width, subsequent_indent=ROW), style="bold")


def _briefs(answers: Sequence[Answer], room: int, width: int, steps_min: int) -> dict[int, Brief]:
    """The stories in brief, by the answer that each belongs to, in as many lines together as there is room for, and in
    `steps_min` each if they have as many.
    """
    wants = {id(answer): len(story.lines) for answer in answers if (story := row_story(answer, width, PAGE_MAX))}
    lines = {id(answer): wants[id(answer)] for answer in answers if not answer.as_expected and id(answer) in wants}
    room -= sum(lines.values())
    others = [which for which in wants if which not in lines]
    if room < STEPS_GOOD * len(others):
        first = {id(answer) for answer in _first_of_each_claim(answers)}
        others = [which for which in others if which in first]
    others.sort(key=lambda which: wants[which])
    for i, which in enumerate(others):  # those that want as much come in the order of the page
        lines[which] = min(wants[which], max(steps_min, room // (len(others) - i)))
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

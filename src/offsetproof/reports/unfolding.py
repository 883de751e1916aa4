"""The page of many claims for somebody who looks on in a terminal: claim by claim, as they are decided."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from offsetproof.checking.answers import Answer
from offsetproof.lang.cases import Expectation
from offsetproof.reports.condensed import (
    PAGE_MAX,
    STEPS_MIN,
    Told,
    after,
    block,
    method_told,
    methods_of,
    put_whole_stories,
    row_story,
    rows_of,
)
from offsetproof.reports.page import Page
from offsetproof.reports.stories import Stories, smallest
from offsetproof.reports.text import headline
from offsetproof.traces.brief import Brief
from offsetproof.verdict.question import Question


class Unfolding:
    """The page for somebody who looks on: each claim when it is decided, in their order, and the counts at the end.

    How many claims will be refuted is not known then, so a story has the room that the expected verdicts leave it.
    """

    def __init__(
        self, subject: str, questions: Sequence[Question], width: int, *, colour: bool, form: Stories, model: str
    ) -> None:
        self.subject, self.width, self.colour, self.form, self.model = subject, width, colour, form, model
        claims = [question.prop.id for question in questions]
        self._ends = {i for i, id in enumerate(claims) if claims[i + 1 : i + 2] != [id]}
        refuted = {q.prop.id for q in questions if q.prop.expects(q.setting) is Expectation.REFUTED}
        self._lines = max(STEPS_MIN, (PAGE_MAX - len(claims) - len({*claims})) // max(1, len(refuted)))
        self._given: list[Answer] = []
        self._open: list[Answer] = []
        self._told = Told()
        self._before = ""

    def add(self, answer: Answer) -> str:
        """What can be shown with one answer more; nothing within a claim, and of witnesses that are reached."""
        self._given.append(answer)
        self._open.append(answer)
        return self._show_group() if len(self._given) - 1 in self._ends else ""

    def end(self) -> str:
        """What is left to say when no more answers come."""
        page = Page(self.width, colour=self.colour)
        blank, *lines = after(self._given, self.model, self.width)
        head = fill(headline(self.subject, self._given), self.width)
        for line in [blank, head, *method_told(methods_of(self._given), self.width), *lines]:
            page.put(line)
        put_whole_stories(page, self._given, self.width, self.form)
        return self._show_group() + page.text

    def _show_group(self) -> str:
        group, self._open = rows_of(self._open), []
        if not group:
            return ""
        page = Page(self.width, colour=self.colour)
        briefs, same = self._stories(group)
        usual = next(iter(methods_of(self._given)), "")
        for line in block(group, briefs, same, self.width, self._before, usual):
            page.put(line)
        self._before = group[0].result.prop.name
        return page.text

    def _stories(self, group: Sequence[Answer]) -> tuple[dict[int, Brief], dict[int, str]]:
        new, same = self._told.share(smallest(group)) if self.form is Stories.BRIEF else ([], {})
        briefs = {}
        for answer in new:
            story = row_story(answer, self.width, self._lines if answer.result.as_expected else PAGE_MAX)
            if story:
                briefs[id(answer)] = story
        return briefs, same

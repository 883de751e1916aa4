"""The page of many claims for somebody who looks on in a terminal: claim by claim, as they are decided."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from offsetproof.checking.answers import Answer
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.reports.block import Room, Sentences, block
from offsetproof.reports.condensed import (
    PAGE_MAX,
    STEPS_GOOD,
    SharedStories,
    after,
    method_told,
    methods_of,
    put_whole_stories,
    row_story,
    rows_of,
)
from offsetproof.reports.page import Page
from offsetproof.reports.stories import Stories, smallest
from offsetproof.reports.text import headline, missing_in_words
from offsetproof.traces.brief import Brief
from offsetproof.verdict.question import Question


class Unfolding:
    """The page for somebody who looks on: each claim when it is decided, in their order, and the counts at the end.

    How many claims will be refuted is not known then, so a story has the room that the expected verdicts leave it.
    Where that is little, each claim tells one, and words are cut.
    """

    def __init__(
        self, subject: str, questions: Sequence[Question], width: int, *, colour: bool, form: Stories, model: str
    ) -> None:
        self.subject, self.width, self.colour, self.form, self.model = subject, width, colour, form, model
        ids = [question.prop.id for question in questions]
        self._asked = len(ids)
        self._ends = {i for i, id in enumerate(ids) if ids[i + 1 : i + 2] != [id]}
        claims = [question for question in questions if question.prop.kind is not ClaimKind.SOMETIMES]
        cases = len({question.prop.id for question in claims})
        refuted = [q.prop for q in claims if q.prop.expects(q.setting) is Expectation.REFUTED]
        room = PAGE_MAX - 3 * cases  # two lines each, and what a page has besides
        self._tells_all = room >= STEPS_GOOD * len({prop.id for prop in refuted})
        stories = len({prop.id if self._tells_all else prop.name for prop in refuted})
        self._lines = max(STEPS_GOOD, room // max(1, stories))
        self._sentences = Sentences.WHOLE if 4 * cases <= PAGE_MAX else Sentences.CLAIMS_CUT
        self._given: list[Answer] = []
        self._open: list[Answer] = []
        self._shared = SharedStories()
        self._tellers: set[str] = set()
        self._before = ""

    def add(self, answer: Answer) -> str:
        """What can be shown with one answer more; nothing within a claim, and of witnesses that are reached."""
        self._given.append(answer)
        self._open.append(answer)
        return self._show_group() if len(self._given) - 1 in self._ends else ""

    def end(self) -> str:
        """What is left to say when no more answers come."""
        page = Page(self.width, colour=self.colour)
        packed = self._sentences is not Sentences.WHOLE
        blank, *lines = after(self._given, self.model, self.width, packed=packed)
        head = [
            fill(headline(self.subject, self._given, self._asked), self.width),
            *missing_in_words(self._given, self._asked),
        ]
        for line in [blank, *head, *method_told(methods_of(self._given), self.width), *lines]:
            page.put(line)
        put_whole_stories(page, self._given, self.width, self.form)
        return self._show_group() + page.text

    def _show_group(self) -> str:
        group, self._open = rows_of(self._open), []
        if not group:
            return ""
        page = Page(self.width, colour=self.colour)
        briefs, same = self._stories(group)
        room = Room(self.width, next(iter(methods_of(self._given)), ""), self._sentences)
        for line in block(group, briefs, same, room, self._before):
            page.put(line)
        self._before = group[0].result.prop.name
        return page.text

    def _stories(self, group: Sequence[Answer]) -> tuple[dict[int, Brief], dict[int, str]]:
        new, same = self._shared.share(smallest(group)) if self.form is Stories.BRIEF else ([], {})
        briefs = {}
        for answer in new:
            expected, name = answer.as_expected, answer.result.prop.name
            if expected and not self._tells_all and name in self._tellers:
                continue
            story = row_story(answer, self.width, self._lines if expected else PAGE_MAX)
            if story:
                self._tellers.add(name)
                briefs[id(answer)] = story
        return briefs, same

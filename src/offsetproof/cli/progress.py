"""Progress on stderr: one live line on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from offsetproof.cli.streams import tell
from offsetproof.escaping import one_line
from offsetproof.verdict.question import Question

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """Tells how far a search has come, under the name of what is being decided."""

    def __init__(self, *, on: bool) -> None:
        self.on, self.name, self._question = on, "", ""
        self._live = sys.stderr.isatty()
        self._told = 0.0
        self._shown = False

    def naming(self, name: str) -> None:
        """From now on the search decides this."""
        self.name, self._question = name, ""
        self._told = time.monotonic()

    def naming_each(self, questions: Sequence[Question]) -> Iterator[Question]:
        """The questions, each named when its turn comes."""
        for done, question in enumerate(questions):
            self.naming("")
            self._deciding(question, done, len(questions))
            yield question

    def among(self, questions: Sequence[Question]) -> Callable[[Question, object, int], None]:
        """What is called where several of the questions are decided at once: with one, what it tells, and how many
        are decided."""

        def report(question: Question, status: object, done: int) -> None:
            self._deciding(question, done, len(questions))
            self._report(status)

        self._told = time.monotonic()
        return report

    def reporter(self) -> Callable[[object], None]:
        """What an engine calls."""
        return self._report

    def clear(self) -> None:
        """Removes the live line, so that a report can follow."""
        if self._shown:
            tell("\r\x1b[2K")
            self._shown = False

    def _deciding(self, question: Question, done: int, of: int) -> None:
        """Numbers stand before what the search tells and the claim after it: a narrow terminal cuts that off."""
        self.name = f"{done} of {of}" if of > 1 else ""
        self._question = f"{question.prop.title} in {question.setting.scope.name}"

    def _report(self, status: object) -> None:
        now = time.monotonic()
        if not self.on or (not self._live and now - self._told < _SECONDS_BETWEEN_LINES):
            return
        self._told = now
        before, after = self.name and f"{self.name}: ", self._question and f"; {self._question}"
        text = one_line(f"{before}{status}{after}")
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            tell("\r\x1b[2K" + text[:width])
            self._shown = True
        else:
            tell(text + "\n")

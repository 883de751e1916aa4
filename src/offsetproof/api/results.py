"""Answers as Python and its readers get them: a sequence that shows itself, in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import overload

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from offsetproof.checking.answers import Answer as Decided
from offsetproof.lang.claim import with_hyphens
from offsetproof.lang.scope import UnknownNameError
from offsetproof.reports.stories import Stories
from offsetproof.reports.text import headline, report_for_people
from offsetproof.verdict.exits import Exit, worst
from offsetproof.verdict.phrases import quantity

_COLUMNS = 100
"""How wide a report is where nobody says how wide it may be, in columns."""

_PAGES = 2
"""How many stories' pages a notebook is given at once: each is a document with all that it needs."""

_FRAME = '<iframe sandbox="allow-scripts" srcdoc="{page}" style="width: 100%; height: 40em; border: 0"></iframe>'


@dataclass(frozen=True, repr=False)
class Answer(Decided):
    """An answer that shows itself: `print` writes its report, rich and notebooks show it."""

    def __str__(self) -> str:
        return str(self._alone)

    def __rich__(self) -> Results:
        return self._alone

    def _repr_html_(self) -> str:
        return self._alone._repr_html_()

    @property
    def _alone(self) -> Results:
        return Results(self.key[0], (self,))


class Results(Sequence[Answer]):
    """The answers to everything that was asked, in the order of the catalogue; by number, or by claim.

    They are neither true nor false: ask `holds` or `as_expected`. `print` writes the report that `offsetproof check`
    writes, rich and notebooks show it.

    `subject` is what was asked about. `results["never_falls"]` is the first answer about that claim; UnknownNameError
    where nothing was asked about it.
    """

    def __init__(self, subject: str, answers: Sequence[Decided]) -> None:
        self.subject, self.answers = subject, tuple(Answer(**vars(answer)) for answer in answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    @overload
    def __getitem__(self, which: int | str) -> Answer: ...
    @overload
    def __getitem__(self, which: slice) -> Results: ...
    def __getitem__(self, which: int | str | slice) -> Answer | Results:
        if isinstance(which, slice):
            return Results(self.subject, self.answers[which])
        return self.answers[which] if isinstance(which, int) else self._about(which)

    def _about(self, claim: str) -> Answer:
        for names in ([answer.claim for answer in self], [answer.result.prop.name for answer in self]):
            alike = [*map(with_hyphens, names)]
            if with_hyphens(claim) in alike:
                return self.answers[alike.index(with_hyphens(claim))]
        raise UnknownNameError("answer about a claim", claim, {answer.claim for answer in self})

    def __bool__(self) -> bool:
        raise TypeError("results are neither true nor false; ask for .holds, .as_expected, or each answer's .verdict")

    @property
    def holds(self) -> bool:
        """Does every claim hold, and was every witness reached? UNKNOWN is no, and so is no answer at all."""
        return bool(self.answers) and all(answer.holds for answer in self)

    @property
    def as_expected(self) -> bool:
        """Is every verdict what its claim expects (where it expects none: HOLDS)? UNKNOWN is no, as is no answer."""
        return bool(self.answers) and all(answer.as_expected for answer in self)

    @property
    def exit(self) -> Exit:
        """The exit code with which `offsetproof check` would end; without any answer that of UNKNOWN."""
        return worst(answer.exit for answer in self) if self.answers else Exit.UNKNOWN

    def report(self, width: int = _COLUMNS, *, colour: bool = False, stories: str | None = None) -> str:
        """The text that `offsetproof check` prints, no line wider than `width` columns where words allow.

        `stories` is `brief`, `full` or `none`; without it they are told as `offsetproof check` tells them.
        """
        form = None if stories is None else Stories(stories)
        claims = [answer.result.prop for answer in self]
        return report_for_people(self.subject, self.answers, width, claims=claims, colour=colour, form=form)

    def __str__(self) -> str:
        return self.report().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Results of {headline(self.subject, self.answers) if self.answers else f'{self.subject}: nothing'}>"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text.from_ansi(self.report(options.max_width, colour=True).rstrip("\n"))

    def _repr_html_(self) -> str:
        """The report without its stories, and below it the page of each story, up to `_PAGES` of them.

        A page is a document of its own in a frame: neither its style nor its program reaches the notebook.
        """
        with_story = [answer for answer in self if answer.trace is not None]
        form = Stories.NONE if with_story else None
        console = Console(record=True, file=StringIO(), width=_COLUMNS)
        console.print(Text.from_ansi(self.report(_COLUMNS, colour=True, stories=form).rstrip("\n")))
        text = console.export_html(inline_styles=True, code_format='<pre style="line-height: normal">{code}</pre>')
        from offsetproof.reports.html.folder import page_of_answer  # with it comes jinja2

        frames = [_FRAME.format(page=escape(page_of_answer(answer))) for answer in with_story[:_PAGES]]
        left = len(with_story) - _PAGES
        more = f"<p>{left} more: an answer, as in <code>results[3]</code>, shows its own</p>" if left > 0 else ""
        return "".join([text, *frames, more])


class CheckInterruptedError(KeyboardInterrupt):
    """The user has stopped a check; `results` has what was established before. Also a KeyboardInterrupt."""

    def __init__(self, results: Results) -> None:
        super().__init__(f"interrupted after {quantity(len(results), 'answer')}; they are in .results")
        self.results = results

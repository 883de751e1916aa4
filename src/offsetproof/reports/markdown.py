"""The reports for pull requests: a Markdown table with folded stories, and GitHub's workflow annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from offsetproof.checking.answers import Answer
from offsetproof.escaping import one_line, visible
from offsetproof.lang.claim import Property
from offsetproof.lang.source_paths import shown_file
from offsetproof.lang.world import CHANGED
from offsetproof.reports.text import expectations_in_words, large_in_words, missing_in_words
from offsetproof.traces.text import in_report
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import (
    additions_in_words,
    describe_in_full,
    expectation_in_words,
    open_in_words,
    quantity,
    thousands,
    unspent_in_words,
    verdict_in_words,
    verdict_of_release,
)
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result, Verdict


def markdown_report(
    subject: str, answers: Sequence[Answer], asked: int | None = None, large: Sequence[Question] = ()
) -> str:
    """A table of all answers, then each counterexample in a folded section; `asked` as in `missing_in_words`."""
    lines = [
        f"## offsetproof: {inline(subject)}",
        "",
        *(f"**{line}**\n" for line in (*missing_in_words(answers, asked), *large_in_words(large))),
        "| claim | release | scope | verdict | states | |",
        "|---|---|---|---|---:|---|",
    ]
    for answer in answers:
        result = answer.result
        cells = (result.prop.title, result.setting.release or "", _where(result), verdict_in_words(result))
        lines.append(row(*cells, thousands(result.counts.states), _mark(answer)))
    lines += [
        f"\n**DISAGREEMENT** on {inline(a.result.prop.title)}: {inline(a.disagreement)}"
        for a in answers
        if a.disagreement
    ]
    for answer in answers:
        if answer.is_refutation and answer.trace is not None:
            lines += folded_story(answer.trace)
    return "\n".join(lines) + "\n"


def _where(result: Result) -> str:
    """The scope, its bounds where somebody changed some, and what was added."""
    scope = result.setting.scope
    name = f"{scope.name} ({scope.describe()})" if scope.name.endswith(CHANGED) else scope.name
    return "; ".join(filter(None, (name, additions_in_words(result))))


def _mark(answer: Answer) -> str:
    """How the verdict compares with what is expected, or that engines disagree; why it is unknown or means little; what
    is open of a trace."""
    result = answer.result
    expectation = "DISAGREEMENT" if answer.disagreement else expectation_in_words(result)
    why = f"{result.reason}{f': {result.detail}' if result.detail else ''}" if result.reason else ""
    compared = " ".join(filter(None, (expectation, why, open_in_words(result))))
    return "; ".join(filter(None, (compared, result.vacuous, *unspent_in_words(result))))


def folded_story(trace: Trace) -> list[str]:
    """A story as a folded section, in lines."""
    of = f" of {trace.world.release}" if trace.world.release else ""
    summary = f"<summary>{inline(f'{trace.property.title}{of}')}: {quantity(len(trace.steps), 'step')}</summary>"
    story = in_report(trace, 100).rstrip()
    fence = max(["```", *(f"{ticks}`" for ticks in re.findall("`{3,}", story))], key=len)
    return ["", "<details>", summary, "", fence, story, fence, "", "</details>"]


def row(*cells: str) -> str:
    r"""A row of a table; a bar or a line end in a cell does not end it.

    >>> print(row("a|b", "c"))
    | a\|b | c |
    """
    return "".join(f"| {inline(cell)} " for cell in cells) + "|"


def inline(text: str) -> str:
    """A text within a line of Markdown, where it means nothing but itself to tables and HTML."""
    return one_line(text).replace("<", "&lt;").replace("|", "\\|")


def github_report(
    subject: str, answers: Sequence[Answer], asked: int | None = None, large: Sequence[Question] = ()
) -> str:
    """One workflow command per answer that is not as expected; a notice that says so when there is none.

    `asked` as in `missing_in_words`.
    """
    lines = [annotation("error", "offsetproof", line) for line in missing_in_words(answers, asked)]
    for answer in answers:
        result = answer.result
        if answer.disagreement:
            lines.append(annotation("error", f"{result.prop.title} DISAGREEMENT", answer.disagreement, result.prop))
        elif result.vacuous or not result.as_expected:
            level = "warning" if result.as_expected or result.verdict is Verdict.UNKNOWN else "error"
            lines.append(
                annotation(
                    level, f"{result.prop.title} {verdict_of_release(result)}", describe_in_full(result), result.prop
                )
            )
    if not lines:
        verdicts = f"{quantity(len(answers), 'verdict')} on {subject}: {expectations_in_words(answers)}"
        lines.append(annotation("notice", "offsetproof", verdicts))
    lines += [annotation("notice", "offsetproof", line) for line in large_in_words(large)]
    return "\n".join(lines) + "\n"


def annotation(
    level: str, title: str, text: str, prop: Property | None = None, *, place: tuple[str, int] | None = None
) -> str:
    """One workflow command, at the claim's place where one is given, or at this file and line."""
    at = (shown_file(prop.file), prop.line) if prop is not None else place
    where = "" if at is None else f"file={_escape(at[0], extra=True)},line={max(1, at[1])},"
    return f"::{level} {where}title={_escape(title, extra=True)}::{_escape(text)}"


def _escape(text: str, *, extra: bool = False) -> str:
    text = visible(text).replace("%", "%25").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if extra else text

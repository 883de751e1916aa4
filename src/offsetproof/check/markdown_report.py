"""The reports for pull requests: a Markdown table with folded stories, and GitHub's workflow annotations."""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.check.answers import Answer
from offsetproof.check.words import how, mark, number
from offsetproof.lang.claim import Property
from offsetproof.traces.text import to_text
from offsetproof.traces.trace import shown_file
from offsetproof.verdict.result import Verdict


def markdown_report(subject: str, answers: Sequence[Answer]) -> str:
    """A table of all answers, then each counterexample in a folded section."""
    lines = [
        f"## offsetproof: {subject}",
        "",
        "| claim | release | scope | verdict | states | |",
        "|---|---|---|---|---:|---|",
    ]
    for answer in answers:
        result = answer.result
        lines.append(
            f"| {_title(result.prop)} | {result.setting.release or ''} "
            f"| {result.setting.scope.name} | {result.verdict} | {number(result.counts.states)} | {mark(result)} |"
        )
    for answer in answers:
        if answer.is_refutation and answer.trace is not None:
            lines += [
                "",
                "<details>",
                f"<summary>{answer.result.prop.id}: {len(answer.trace.steps)} steps</summary>",
                "",
                "```",
                to_text(answer.trace, 100).rstrip(),
                "```",
                "",
                "</details>",
            ]
    return "\n".join(lines) + "\n"


def _title(prop: Property) -> str:
    return prop.id if prop.id == prop.name else f"{prop.id} {prop.name}"


def github_report(subject: str, answers: Sequence[Answer]) -> str:
    """One workflow command per answer that is not as expected; a notice that says so when there is none."""
    lines = []
    for answer in answers:
        result = answer.result
        if not result.as_expected:
            level = "warning" if result.verdict is Verdict.UNKNOWN else "error"
            where = f"file={shown_file(result.prop.file)},line={max(1, result.prop.line)}"
            title = _escaped(f"{result.prop.id} {result.verdict}", extra=True)
            lines.append(f"::{level} {where},title={title}::{_escaped(how(result))}")
    if not lines:
        lines.append(f"::notice title=offsetproof::{len(answers)} verdicts on {_escaped(subject)} are as expected")
    return "\n".join(lines) + "\n"


def _escaped(text: str, *, extra: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if extra else text

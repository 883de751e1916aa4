"""What guarding found, for other programs: JUnit, SARIF, GitHub's annotations, and Markdown for pull requests.

What is equal to the baseline passes, but for what no baseline excuses: UNKNOWN, a verdict that is not expected, a
witness that is not reached, a claim that nothing could have broken. An action that never fires fails beside the
questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from junitparser import Error, Failure, TestCase

from offsetproof.guard.comparison import Change, ComparedQuestion, Guard
from offsetproof.guard.report import (
    changed_lines,
    gaps,
    gaps_of,
    has_story,
    labelled_gaps,
    summary,
    verdicts,
    ways_out,
)
from offsetproof.guard.wider_report import stories_of_worlds
from offsetproof.lang.claim import Property
from offsetproof.reports import junit as junit_report
from offsetproof.reports import sarif as sarif_report
from offsetproof.reports.markdown import annotation, folded_story, inline, row
from offsetproof.traces.text import in_report
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import thousands

_GAP = "guard"
"""The rule, or test, of what is wrong with the matrix as a whole."""


def guard_junit(guard: Guard) -> str:
    """A test case per question, and one for the matrix as a whole."""
    cases = [_case(guard, each) for each in guard.compared]
    whole = TestCase("every verdict is expected, every witness and action reached", f"{guard.subject.name}.{_GAP}", 0.0)
    lines = list(gaps(guard))
    if lines:
        whole.result = [junit_report.with_text(Failure(lines[0], _GAP), "\n".join(lines))]
    return junit_report.document(guard.subject.name, [*cases, whole])


def guard_sarif(guard: Guard) -> str:
    """A result per question; a claim that held and does not comes with its story."""
    rules = {each.asked.claim: _rule(each) for each in guard.compared}
    results = [_result(each) for each in guard.compared]
    lines = list(gaps(guard))
    if lines:
        rules[_GAP] = {
            "id": _GAP,
            "shortDescription": {"text": "Verdicts are expected, witnesses reached, actions taken."},
        }
        results += [sarif_report.finding(_GAP, "fail", "error", line, None) for line in lines]
    return sarif_report.document(guard.subject.name, list(rules.values()), results)


def guard_github(guard: Guard) -> str:
    """One workflow command per change; a notice that says so when there is none."""
    lines = [
        annotation(_level(each), f"{each.claim} {each.change}", " ".join(_words(each)), _prop(each))
        for each in guard.compared
        if each.change is not Change.NONE
    ]
    lines += [annotation("error", "offsetproof guard", line) for line in labelled_gaps(guard)]
    lines += [annotation("notice", "offsetproof guard", line) for line in ways_out(guard)]
    return "\n".join(lines or [annotation("notice", "offsetproof guard", summary(guard))]) + "\n"


def guard_markdown(guard: Guard) -> str:
    """A table of what changed, then the story of each claim that held in a folded section."""
    lines = [f"## offsetproof guard: {inline(guard.subject.name)}", "", inline(summary(guard)), ""]
    changed = [each for each in guard.compared if each.change is not Change.NONE]
    if changed:
        lines += ["| claim | release | scope | verdict | states | change |", "|---|---|---|---|---:|---|"]
    for each in changed:
        states = thousands(each.now.states if each.now else None)
        lines.append(row(each.claim, each.release, each.scope.name, verdicts(each), states, str(each.change)))
    lines += [f"\n{inline(line)}" for line in (*labelled_gaps(guard), *ways_out(guard))]
    for each in changed:
        story = _story(each)
        lines += folded_story(story) if story else []
    for story in stories_of_worlds(guard.wider):
        lines += folded_story(story)
    return "\n".join(lines).rstrip() + "\n"


def _case(guard: Guard, each: ComparedQuestion) -> TestCase:
    release = f"-{each.release}" if each.release else ""
    seconds = each.answer.result.seconds if each.answer is not None else 0.0
    case = TestCase(f"{each.asked.claim}[{each.scope.name}{release}]", f"{guard.subject.name}.{_GAP}", seconds)
    wrong = list(gaps_of(each))
    if each.change is Change.NONE and wrong:
        case.result = [junit_report.with_text(Failure(wrong[0], _GAP), "\n".join([verdicts(each), *wrong]))]
        return case
    if each.change is Change.NONE:
        case.system_out = verdicts(each)
        return case
    story = _story(each)
    text = "\n".join([*changed_lines(each), *([in_report(story, 100)] if story else [])])
    kind = Error if each.change is Change.UNKNOWN else Failure
    case.result = [junit_report.with_text(kind(f"{each.change}: {verdicts(each)}", str(each.change)), text)]
    return case


def _rule(each: ComparedQuestion) -> dict[str, Any]:
    question = each.question
    return {"id": each.asked.claim} if question is None else sarif_report.rule(question.prop, question.setting)


def _result(each: ComparedQuestion) -> dict[str, Any]:
    wrong = list(gaps_of(each))
    passes = each.change is Change.NONE and not wrong
    kind, level = ("pass", "none") if passes else ("fail", _level(each))
    text = " ".join((*_words(each), *wrong))
    finding = sarif_report.finding(each.asked.claim, kind, level, text, _prop(each))
    story = _story(each)
    return {**finding, **sarif_report.evidence(story, each.asked.release)} if story else finding


def _words(each: ComparedQuestion) -> Iterator[str]:
    return (line.strip() for line in changed_lines(each))


def _level(each: ComparedQuestion) -> str:
    return "warning" if each.change is Change.UNKNOWN else "error"


def _prop(each: ComparedQuestion) -> Property | None:
    return each.question.prop if each.question else None


def _story(each: ComparedQuestion) -> Trace | None:
    return each.answer.trace if each.answer is not None and has_story(each) else None

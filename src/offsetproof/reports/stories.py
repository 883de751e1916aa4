"""Which stories a report tells, and how: of each refuted claim one, the smallest over its scopes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from textwrap import fill

from offsetproof.checking.answers import Answer
from offsetproof.traces.brief import Outline, brief
from offsetproof.traces.text import heading, in_report, wrap_lines
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import quantity

BRIEF_MAX = 15
"""The most lines that a brief story has, its heading included, where each step fits into one."""

_INDENT = "  "


class Stories(StrEnum):
    """How the stories of refuted claims are told."""

    BRIEF = "brief"
    FULL = "full"
    NONE = "none"


def stories(answers: Sequence[Answer], width: int, form: Stories) -> Iterator[str]:
    """Each refuted claim's story, and where else it is refuted."""
    if form is Stories.NONE:
        return
    scope_by_story: dict[str, str] = {}
    several = len({answer.result.setting.release for answer in answers}) > 1
    for answer in smallest(answers):
        assert answer.trace is not None
        title = answer.result.prop.title
        trace = answer.trace
        key = repr((answer.key[:2], trace.initial, [(step.name, step.changed) for step in trace.steps]))
        where = _where(answer, several=several)
        if key in scope_by_story:
            yield fill(f"{title} in {where}: the same story as in {scope_by_story[key]}", width) + "\n"
            continue
        scope_by_story[key] = where
        yield story(answer, width, form, of_release=several)
        yield from _elsewhere(answer, answers, width, several=several)


def story(answer: Answer, width: int, form: Stories, *, of_release: bool = False) -> str:
    """The story of an answer that has one, as text that ends its line; empty where none is wanted.

    `of_release` as in `brief_story`.
    """
    assert answer.trace is not None
    if form is Stories.NONE:
        return ""
    if form is Stories.FULL:
        return in_report(answer.trace, width)
    return brief_story(answer.trace, answer.outline, width, of_release=of_release)[0]


def brief_story(
    trace: Trace, outline: Outline | None, width: int, *, of_release: bool = False
) -> tuple[str, tuple[int, ...]]:
    """A story with its heading, in up to `BRIEF_MAX` lines, or somewhat more where these are narrow.

    And the numbers of the steps that it tells. With `of_release` the heading names the release, as it must beside
    stories of others.
    """
    kept = [line for line in heading(trace) if line.startswith(("  effect: ", "  timing: "))]
    head = [*wrap_lines([headline(trace, of_release=of_release), *kept], width)]
    if outline is None:
        return "\n".join(head) + "\n", ()
    text = brief(trace, outline, width - len(_INDENT), BRIEF_MAX - len(head) - 1 - bool(trace.goes_on))
    lines = [*head, *(_INDENT + line for line in text.lines)]
    if trace.goes_on:
        lines.append(f"{_INDENT}... {trace.goes_on}")
    left_out = trace.length - len(text.steps)
    if left_out:
        lines.append(f"{_INDENT}{left_out} of {trace.length} steps are left out; `--stories full` tells all")
    return "\n".join(lines) + "\n", text.steps


def headline(trace: Trace, *, of_release: bool) -> str:
    """The first line of a story: what fails, after how many steps, and where."""
    of = f" of {trace.world.release}" if of_release else ""
    return f"{next(heading(trace))} in {trace.world.scope.name}{of}"


def smallest(answers: Sequence[Answer]) -> list[Answer]:
    """Of each claim that was refuted in a release, the answer with the smallest story: fewest faults, then steps."""
    best: dict[tuple[str, str, str | None], Answer] = {}
    for answer in answers:
        if answer.is_refutation and (answer.key not in best or _size(answer) < _size(best[answer.key])):
            best[answer.key] = answer
    return list(best.values())


def _size(answer: Answer) -> tuple[int, int]:
    return (answer.trace.faults, answer.trace.length) if answer.trace else (0, 0)


def _where(answer: Answer, *, several: bool) -> str:
    return f"scope {answer.result.setting.scope.name}{_of_release(answer, several=several)}"


def _of_release(answer: Answer, *, several: bool) -> str:
    return f" of {answer.result.setting.release}" if several else ""


def _elsewhere(first: Answer, answers: Sequence[Answer], width: int, *, several: bool) -> Iterator[str]:
    """In which other scopes the same claim is refuted, where it is."""
    others = [
        f"{answer.result.setting.scope.name} ({quantity(answer.trace.length, 'step')})"
        for answer in answers
        if answer is not first and answer.is_refutation and answer.trace is not None and answer.key == first.key
    ]
    if others:
        where = f"{', '.join(others)}{_of_release(first, several=several)}"
        text = f"{first.result.prop.title} is refuted in {where} as well; `--scope NAME` tells that story"
        yield fill(text, width, break_on_hyphens=False) + "\n"

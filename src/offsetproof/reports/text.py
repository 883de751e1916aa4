"""The report for people: the verdict table, how each verdict was reached, the smallest story of each refutation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill

from rich import box
from rich.table import Table
from rich.text import Text

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.conformance.reproduced import found_of
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.reports.stories import Stories, stories
from offsetproof.verdict.agreement import total
from offsetproof.verdict.exits import found_nothing
from offsetproof.verdict.phrases import (
    VACUOUS,
    additions_in_words,
    describe_method,
    details,
    expectation_in_words,
    thousands,
    verdict_in_words,
)
from offsetproof.verdict.result import Reason, Result, Verdict

COLOURS = {Verdict.HOLDS: "green", Verdict.REFUTED: "red", Verdict.UNKNOWN: "yellow"}


def colour_of(result: Result) -> str:
    """The colour of a verdict; a vacuous one is not green."""
    return COLOURS[Verdict.UNKNOWN if result.vacuous else result.verdict]


def text_report(
    subject: str,
    answers: Sequence[Answer],
    width: int,
    *,
    colour: bool = False,
    form: Stories = Stories.FULL,
    asked: int | None = None,
    sampled: bool = False,
) -> str:
    """The whole report, no line wider than `width` columns where words allow; `asked`, `sampled` as in `headline`."""
    page = Page(width, colour=colour)
    page.put(headline(subject, answers, asked, sampled=sampled))
    for line in missing_in_words(answers, asked):
        page.put(fill(line, width))
    page.put(_table(answers))
    for line in _reasons(answers, width):
        page.put(line)
    for line in (*vacuous_in_words(answers), *not_asked(answers)):
        page.put(fill(line, width) + "\n")
    agreements = [answer.agreement for answer in answers if answer.agreement]
    if agreements:
        page.put(fill(total(agreements), width) + "\n")
    for line in stories(answers, width, form):
        page.put(line)
    return page.text


def headline(subject: str, answers: Sequence[Answer], asked: int | None = None, *, sampled: bool = False) -> str:
    """What was checked, how many verdicts of each kind there are, and whether they are the expected ones.

    `asked` as in `missing_in_words`; where answers were `sampled`, more than no violation is not expected.
    """
    releases = sorted({answer.result.setting.release or "" for answer in answers} - {""})
    title = f"{subject} {', '.join(releases)}".strip()
    counts = Counter(verdict_in_words(answer.result) for answer in answers)
    surprises = sum(not (answer.as_expected or (sampled and found_nothing(answer.result))) for answer in answers)
    so_far = " so far" if missing_in_words(answers, asked) else ""
    parts = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts[kind])
    return f"{title}: {parts}; {f'all as expected{so_far}' if not surprises else f'{surprises} not as expected'}"


_KINDS = ("HOLDS", VACUOUS, "REFUTED", "UNKNOWN", "reached", "not reached")


def missing_in_words(answers: Sequence[Answer], asked: int | None) -> list[str]:
    """How many questions are decided, in a line, where there were more or somebody interrupted the work.

    `asked` is how many there were; None: as many as have an answer.
    """
    decided = sum(answer.result.reason is not Reason.INTERRUPTED for answer in answers)
    if decided == (len(answers) if asked is None else asked):
        return []
    why = "interrupted: " if any(answer.is_interrupted for answer in answers) else ""
    return [f"{why}{decided} of {len(answers) if asked is None else asked} questions decided"]


def vacuous_in_words(answers: Sequence[Answer]) -> list[str]:
    """What VACUOUS means and what to do about it, in a line; nothing where no answer is."""
    vacuous = [answer.result for answer in answers if answer.vacuous]
    if not vacuous:
        return []
    allowed = all(result.allows_vacuous for result in vacuous)
    way_out = "" if allowed else "; change the claim, the model or the scope, or accept it with `--allow-vacuous`"
    return [f"VACUOUS: nothing could have broken the claim, so its HOLDS means nothing{way_out}"]


def not_asked(answers: Sequence[Answer]) -> list[str]:
    """The releases and scopes that claims were not asked in although the model has them, a line for each."""
    return [*_releases_not_asked(answers), *_scopes_not_asked(answers)]


def _releases_not_asked(answers: Sequence[Answer]) -> list[str]:
    """Nothing where another release than the usual one was asked: somebody has named it."""
    models = {answer.subject.model for answer in answers if answer.subject is not None}
    usual = {model.usual_release.name for model in models if model.usual_release is not None}
    left = [name for name in dict.fromkeys(r.name for model in models for r in model.releases) if name not in usual]
    if not left or {answer.result.setting.release for answer in answers} != usual:
        return []
    return [f"asked of {', '.join(usual)} only; `--release all` asks of {', '.join(left)} as well"]


def _scopes_not_asked(answers: Sequence[Answer]) -> list[str]:
    left = list(dict.fromkeys(name for answer in answers for name in answer.unasked))
    if not left:
        return []
    names = list(dict.fromkeys(a.result.setting.scope.name for a in answers if a.unasked))
    return [f"asked in scope {', '.join(names)} only; `--scope all` asks in {', '.join(left)} as well"]


def _table(answers: Sequence[Answer]) -> Table:
    results = [answer.result for answer in answers]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("claim", overflow="fold")
    table.add_column("scope", overflow="fold")
    several = _several_releases(results)
    if several:
        table.add_column("release", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("states", justify="right", no_wrap=True)
    table.add_column("depth", justify="right", no_wrap=True)
    table.add_column("s", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for answer, title in zip(answers, _titles(answers), strict=True):
        result = answer.result
        verdict = Text(verdict_in_words(result), style=colour_of(result))
        table.add_row(
            Hyphenated(title),
            Hyphenated(result.setting.scope.name),
            *([result.setting.release or ""] if several else []),
            verdict,
            thousands(result.counts.states),
            str(result.counts.depth),
            f"{result.seconds:.1f}",
            "DISAGREEMENT" if answer.disagreement else expectation_in_words(result),
        )
    return table


def _reasons(answers: Sequence[Answer], width: int) -> Iterator[str]:
    several = _several_releases([answer.result for answer in answers])
    said: set[tuple[str, str]] = set()
    for answer, title in zip(answers, _titles(answers), strict=True):
        result = answer.result
        where = f" in {result.setting.release}" if several else ""
        about = result.prop.about_in(result.setting.scope.name, result.setting.listener_name)
        is_new = (result.prop.name, about) not in said
        said.add((result.prop.name, about))
        head = f"{title} {verdict_in_words(result)}{where}: {about if is_new else ''}".rstrip(": ")
        yield fill(head, width, subsequent_indent="  ")
        more = additions_in_words(result)
        agreed = [str(answer.agreement)] if answer.agreement else []
        real = _on_release(answer)
        for line in [*([more] if more else []), describe_method(result), *real, *details(result), *agreed]:
            yield fill(line, width, initial_indent="    ", subsequent_indent="      ")
        yield ""


def _on_release(answer: Answer) -> list[str]:
    """What became of the very story on the real classes, if it was replayed there."""
    found = found_of(answer.subject, answer.trace)
    if found is None:
        return []
    again = f"`offsetproof replay {found.story}` does it again"
    return [f"its steps were {found.outcome} on the real classes of {found.release} ({again})"]


def _titles(answers: Sequence[Answer]) -> list[str]:
    """Each answer's claim, with its subject where there are several."""
    named = have_several_subjects(answers)
    titles = [answer.result.prop.title for answer in answers]
    return [f"{answer.key[0]}: {title}" if named else title for answer, title in zip(answers, titles, strict=True)]


def _several_releases(results: Sequence[Result]) -> bool:
    """Must a reader be told which release an answer is about? (A single one stands in the title.)"""
    return len({result.setting.release for result in results}) > 1

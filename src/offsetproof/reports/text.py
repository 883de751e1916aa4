"""The report for people: the verdict table, how each verdict was reached, the smallest story of each refutation.

About many questions it is the same report with less in it: an answer that is as expected and means what it says has its
row and nothing else, and bounds stand below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill

from offsetproof.checking.answers import Answer
from offsetproof.conformance.reproduced import found_of
from offsetproof.lang.claim import Property
from offsetproof.lang.world import CHANGED
from offsetproof.reports.page import Page
from offsetproof.reports.stories import Stories, stories
from offsetproof.reports.verdict_table import (
    LARGE,
    WITH_MORE,
    have_several_releases,
    is_reached,
    releases_of,
    titles,
    verdict_table,
)
from offsetproof.verdict.agreement import total
from offsetproof.verdict.exits import found_nothing
from offsetproof.verdict.phrases import (
    VACUOUS,
    additions_in_words,
    describe_method,
    details,
    quantity,
    unspent_in_words,
    verdict_in_words,
)
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Verdict

FEW = 6
"""About up to this many questions a report has every detail, and about one claim always."""


def report_for_people(
    name: str,
    answers: Sequence[Answer],
    width: int,
    *,
    claims: Sequence[Property],
    colour: bool = False,
    form: Stories | None = None,
    model: str = "",
    large: Sequence[Question] = (),
) -> str:
    """The report. `claims` are those of all questions, answered or not; `large` are questions that were not asked.

    `model` is what the subject is called on the command line, if it has to be named there.
    """
    if not answers:
        return f"{name}: nothing was decided\n"
    is_one, hint = len({prop.function for prop in claims}) == 1, ""
    if len(claims) > FEW and (not is_one or have_several_releases(answers)):
        form, hint = form or (Stories.BRIEF if is_one else None), _hint(answers, model)
    else:
        form = form or (Stories.FULL if is_one else Stories.BRIEF)
    return text_report(name, answers, width, colour=colour, form=form, asked=len(claims), hint=hint, large=large)


def text_report(
    subject: str,
    answers: Sequence[Answer],
    width: int,
    *,
    colour: bool = False,
    form: Stories | None = Stories.FULL,
    asked: int | None = None,
    sampled: bool = False,
    hint: str = "",
    large: Sequence[Question] = (),
) -> str:
    """The whole report, no line wider than `width` columns where words allow; `asked`, `sampled` as in `headline`.

    It is a short one where there is a `hint` what to type for the rest. Without a `form` an answer has a story where it
    has details.
    """
    is_brief = bool(hint) and have_several_releases(answers)
    odd = [answer for answer in answers if not hint or _must_be_told(answer, says_empty=not is_brief)]
    page = Page(width, colour=colour)
    page.put(headline(subject, answers, asked, sampled=sampled))
    for line in (*missing_in_words(answers, asked), *large_in_words(large)):
        page.put(fill(line, width))
    page.put(verdict_table(answers, is_short=bool(hint), large=large))
    for line in _reasons(odd, answers, width):
        page.put(line)
    for line in _empty_in_words(answers) if is_brief else ():
        page.put(fill(line, width, subsequent_indent="  "))
    for line in (*vacuous_in_words(answers), *not_asked(answers)):
        page.put(fill(line, width) + "\n")
    agreements = [answer.agreement for answer in answers if answer.agreement]
    if agreements:
        page.put(fill(total(agreements), width) + "\n")
    story_lines = [*stories(odd if form is None else answers, width, form or Stories.BRIEF)]
    for line in [*_left_out(answers), hint, *([""] if story_lines else [])] if hint else ():
        page.put(fill(line, width, subsequent_indent="  ", break_on_hyphens=False))
    for line in story_lines:
        page.put(line)
    return page.text


def _must_be_told(answer: Answer, *, says_empty: bool) -> bool:
    """Is there something about an answer that a reader must not miss, and that its row does not say?"""
    result = answer.result
    is_empty = says_empty and result.unspent
    return bool(not answer.as_expected or answer.vacuous or is_empty or result.fewer_faults_open)


def _empty_in_words(answers: Sequence[Answer]) -> Iterator[str]:
    """What of its scope never happened beside a HOLDS: a line for each case in a scope, with its releases."""
    empty: dict[tuple[str, ...], list[str]] = {}
    for answer in answers:
        result = answer.result
        for sentence in unspent_in_words(result):
            key = (sentence, result.prop.id, result.setting.scope.name)
            empty.setdefault(key, []).append(result.setting.release or "")
    for (sentence, claim, scope), releases in empty.items():
        yield f"{sentence}: {claim} in {scope} of {', '.join(releases)}"


def _hint(answers: Sequence[Answer], model: str) -> str:
    """What to type for what a short report leaves out; `model` as in `report_for_people`."""
    named = f"{model} " if model else ""
    refuted = next((answer for answer in answers if answer.is_refutation), answers[0])
    claim = refuted.result.prop.id
    words = f"{named}{claim} --release {refuted.key[2]}" if have_several_releases(answers) else f"{named}{claim}"
    return (
        f"for all stories: `--stories brief`; for every detail of a claim: `offsetproof check {words}`; "
        f"for what a scope is: `offsetproof list {named}scopes`"
    )


def _left_out(answers: Sequence[Answer]) -> Iterator[str]:
    """What a short report says of all answers together: witnesses, methods, bounds."""
    if have_several_releases(answers) and any(additions_in_words(answer.result) for answer in answers):
        yield f"{WITH_MORE}: the case has fixes, assumptions or a listener of its own, which `offsetproof list` tells"
    reached = [answer.result.prop.id for answer in answers if is_reached(answer)]
    if reached:
        count = len({*reached})
        often = "" if count == len(reached) else f" ({len(reached)} answers)"
        yield f"{count} witness{'es' * (count != 1)} reached{often}, each in a story that was replayed"
    holding = [each.result for each in answers if each.result.verdict is Verdict.HOLDS and each.result.replay is None]
    methods = {result.method: [each for each in holding if each.method == result.method] for result in holding}
    for method, those in methods.items():
        rows = ", ".join(f"{each.prop.title} in {each.setting.scope.name}" for each in those)
        yield f"HOLDS: {method}, in the scope that its row names{f': {rows}' if len(methods) > 1 else ''}"
    scopes = {result.setting.scope.name: result.setting.scope.describe() for result in holding}
    yield from (f"{name}: {bounds}" for name, bounds in scopes.items() if name.endswith(CHANGED))


def headline(subject: str, answers: Sequence[Answer], asked: int | None = None, *, sampled: bool = False) -> str:
    """What was checked, how many verdicts of each kind there are, and whether they are the expected ones.

    `asked` as in `missing_in_words`; where answers were `sampled`, more than no violation is not expected.
    """
    title = f"{subject} {', '.join(filter(None, releases_of(answers)))}".strip()
    counts = Counter(verdict_in_words(answer.result) for answer in answers)
    so_far = " so far" if missing_in_words(answers, asked) else ""
    parts = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts[kind])
    return f"{title}: {parts}; {expectations_in_words(answers, so_far, sampled=sampled)}"


def expectations_in_words(answers: Sequence[Answer], so_far: str = "", *, sampled: bool = False) -> str:
    """How many verdicts are not the expected ones, or that all are, `so_far`; of how many none was expected."""
    usual = [each for each in answers if each.as_expected or (sampled and found_nothing(each.result))]
    silent = sum(each.result.expects_nothing for each in usual)
    if silent and silent == len(answers):
        return f"nothing expected of {'it' if silent == 1 else 'them'}"
    surprises = len(answers) - len(usual)
    of_most = f"{surprises} not as expected" if surprises else f"all as expected{so_far}"
    return f"{of_most}, nothing expected of {silent}" if silent else of_most


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


def large_in_words(large: Sequence[Question]) -> list[str]:
    """How many questions were not asked for their size, in a line; nothing where all were."""
    if not large:
        return []
    are_not = "is not asked for its" if len(large) == 1 else "are not asked for their"
    return [f"{quantity(len(large), 'question')} {are_not} size ({LARGE}); `--release all` asks all"]


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


def _reasons(detailed: Sequence[Answer], answers: Sequence[Answer], width: int) -> Iterator[str]:
    """How each verdict that is told was reached, and what else there is to say of it; `answers` are all."""
    several = have_several_releases(answers)
    said: set[tuple[str, str]] = set()
    for answer, title in zip(detailed, titles(detailed), strict=True):
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

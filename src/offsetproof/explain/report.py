"""What `explain` found, for people and for programs: a table of causes, what ended the search, and their stories.

A cause has a name and a sentence, by which the table, the stories and the JSON can be told to each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import fill
from typing import Annotated

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.explain.causes import Cause, Explained, distinct, names_of
from offsetproof.explain.names import CauseName
from offsetproof.explain.removers import Removal
from offsetproof.reading.typed_json import NULL, TEXT, Count, JsonObject, Name, Names, rule, write_json
from offsetproof.reports.json import DocumentJson, FlatScope, ReportedTraceJson, envelope, setting_json, trace_json
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.reports.stories import Stories, story
from offsetproof.verdict.phrases import (
    VACUOUS,
    additions_in_words,
    describe_method,
    nothing_expected_in_words,
    open_in_words,
    quantity,
    size_in_words,
)
from offsetproof.verdict.result import Reason, Verdict

_NOTHING = "nothing that was asked alone"

_IN_PART = "only its steps are known to be removed"


_UNKNOWN_HAS_A_REASON = rule({"verdict": {"const": "UNKNOWN"}}, {"reason": TEXT}, {"reason": NULL})


class UnsettledJson(JsonObject):
    """A fix or an assumption that removes the steps, and was not shown to remove the cause."""

    RULES = (_UNKNOWN_HAS_A_REASON,)
    remover: str
    scope: str
    verdict: Annotated[Verdict | None, Meta(description="Of the claim with it; null: it was not asked.")]
    reason: Reason | None
    cause: Annotated[Names, Meta(description="The actions that break the claim then.")]
    steps: Count | None


class CauseJson(JsonObject):
    """A way in which the claim fails."""

    property: Name
    release: str | None
    fixes: Names
    assumptions: Names
    listener: str | None
    scope: FlatScope
    name: Name
    sentence: str
    cause: Annotated[Names, Meta(description="Its actions.")]
    removed_by: Annotated[Names, Meta(description="Fixes and assumptions.")]
    unsettled: tuple[UnsettledJson, ...]
    excluded: Annotated[
        bool,
        Meta(description="Was it excluded by its actions? Other causes that have all of them are not seen then."),
    ]
    also_in: Annotated[Names, Meta(description="Other scopes in which it was met.")]
    trace: ReportedTraceJson | None


class SearchEndJson(JsonObject):
    """The end of the search in a setting."""

    RULES = (_UNKNOWN_HAS_A_REASON,)
    property: Name
    release: str | None
    fixes: Names
    assumptions: Names
    listener: str | None
    scope: FlatScope
    excluded: tuple[Names, ...]
    verdict: Verdict
    reason: Reason | None
    vacuous: Annotated[
        str | None, Meta(description="Why the claim's own HOLDS means nothing: nothing could have broken it.")
    ]
    states: Count | None
    not_asked: Annotated[
        Names, Meta(description="Fixes and assumptions that go round whatever breaks the claim; `--repairs` asks them.")
    ]


class ExplainJson(DocumentJson):
    """Version 1 of the causes of refuted claims."""

    whole: Annotated[bool, Meta(description="Are these all causes?")]
    causes: tuple[CauseJson, ...]
    ends: tuple[SearchEndJson, ...]


def explain_text(
    subject: str,
    explanations: Sequence[Explained],
    width: int,
    *,
    colour: bool = False,
    form: Stories = Stories.BRIEF,
) -> str:
    """The whole explanation, no line wider than `width` columns where words allow."""
    page = Page(width, colour=colour)
    if not explanations:
        page.put(f"{subject}: nothing was explained before the search ended")
    for number, those in enumerate(_by_claim(explanations)):
        if number:
            page.put("")
        _put_claim(page, subject, those, width, form)
    return page.text


def _by_claim(explanations: Sequence[Explained]) -> list[list[Explained]]:
    """The explanations of each claim in each release: causes of different ones are not told from each other."""
    return [[*those] for _, those in groupby(explanations, lambda one: (one.first.prop.id, one.first.setting.release))]


def _put_claim(page: Page, subject: str, explanations: Sequence[Explained], width: int, form: Stories) -> None:
    """The causes of one claim, in all of its settings."""
    causes = distinct(explanations)
    names = names_of(causes)
    first = explanations[0].first
    lead = f"{subject} {first.setting.release or ''}".strip()
    page.put(fill(f"{lead}: {first.prop.title} {_causes_in_words(len(causes), explanations)}", width))
    for line in nothing_expected_in_words(first):
        page.put(fill(line, width))
    if causes:
        page.put(_table(causes, names))
    for line in [*_not_asked_in_words(causes, explanations), *endings(explanations)]:
        page.put(fill(line, width, subsequent_indent="    ", break_on_hyphens=False))
    for number, cause in enumerate(causes, 1):
        page.put("")
        for line in _heading(number, cause, causes, names):
            page.put(fill(line, width, subsequent_indent="  ", break_on_hyphens=False))
        if cause.answer.trace and form is not Stories.NONE:
            page.put(story(cause.answer, width, form).rstrip())


def _not_asked_in_words(causes: Sequence[Cause], explanations: Sequence[Explained]) -> Iterator[str]:
    """What may remove the causes that nothing removes; nothing to say where there are none."""
    names = dict.fromkeys(name for one in explanations for name in one.not_asked)
    if names and not all(cause.removed_by for cause in causes):
        yield f"not asked, as they go round whatever breaks the claim: {', '.join(names)}; `--repairs` asks them"


def _causes_in_words(count: int, explanations: Sequence[Explained]) -> str:
    """How many causes there are: all, or those that were found before a search came to its end."""
    whole = all(one.is_whole for one in explanations)
    if not count:
        vacuous = f", and is {VACUOUS}" if any(map(_is_vacuous, explanations)) else ""
        return f"has no cause{vacuous}" if whole else "is not explained: no cause was found before the search ended"
    causes = "1 cause" if count == 1 else f"{count} distinct causes"
    return f"has {causes}" if whole else f"has at least {causes}"


def explain_json(subject: str, explanations: Sequence[Explained]) -> str:
    """One document: the causes, whether these are all, and in `ends`, for each setting, what ended the search."""
    found = [distinct(those) for those in _by_claim(explanations)]
    document = ExplainJson(
        **envelope(subject),
        whole=all(one.is_whole for one in explanations),
        causes=tuple(_cause_json(*pair) for causes in found for pair in zip(causes, names_of(causes), strict=True)),
        ends=tuple(map(_end_json, explanations)),
    )
    return write_json(document)


def _table(causes: Sequence[Cause], names: Sequence[CauseName]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("cause", overflow="fold")
    table.add_column("steps", justify="right", no_wrap=True)
    table.add_column("faults", justify="right", no_wrap=True)
    table.add_column("effect", overflow="fold")
    table.add_column("stall", justify="right", no_wrap=True)
    table.add_column("removed by", overflow="fold")
    table.add_column("scope", overflow="fold")
    for number, (cause, name) in enumerate(zip(causes, names, strict=True), 1):
        trace = cause.answer.trace
        if trace is None:
            continue
        effect = "" if trace.effect is None else str(trace.effect).partition(" (")[0]
        stall = "" if trace.timing is None else f"{trace.timing.stall:.3g} s" if trace.timing.stall else "none"
        scopes = ", ".join((trace.world.scope.name, *cause.also_in))
        removed = Hyphenated("\n".join(cause.removed_by) or ("see below" if cause.removals else "-"))
        size = str(trace.length), str(trace.faults)
        table.add_row(str(number), Hyphenated(name.name), *size, effect, stall, removed, Hyphenated(scopes))
    return table


def endings(explanations: Sequence[Explained]) -> Iterator[str]:
    """What ended the search in each setting, a sentence each."""
    for one in explanations:
        last = one.last
        added, left_out = additions_in_words(last), len(one.excluded)
        lead = f"scope {last.setting.scope.name}{f' with {added}' if added else ''}"
        if left_out:
            lead += f"{',' * bool(added)} without {quantity(left_out, 'excluded cause')}"
        if last.replay is not None:
            yield f"{lead}: REFUTED, and the search for further causes ended there"
        elif last.verdict is Verdict.UNKNOWN:
            yield f"{lead}: UNKNOWN, there may be more: {describe_method(last)}"
        elif _is_vacuous(one):
            yield f"{lead}: {VACUOUS}, {last.vacuous}; {describe_method(last)}"
        else:
            yield f"{lead}: HOLDS, {describe_method(last)}"


def _is_vacuous(one: Explained) -> bool:
    """Does the claim hold, as it is, because nothing could have broken it?"""
    return bool(one.first.vacuous)


def _heading(number: int, cause: Cause, causes: Sequence[Cause], names: Sequence[CauseName]) -> Iterator[str]:
    yield f"cause {number}, {names[number - 1].name}: {_removed_in_words(cause)}"
    yield f"  {names[number - 1].sentence}"
    if cause.answer.result.fewer_faults_open is not None:
        yield f"  {open_in_words(cause.answer.result)}"
    if cause.is_excluded:
        yield "  excluded by its actions: other causes that contain all of them are not seen"
    yield from (f"  {line}" for line in _remover_lines(cause, causes, names))
    shared = set.intersection(*(set(each.actions) for each in causes))
    own = [name for name in cause.actions if name not in shared]
    if own and len(causes) > 1:
        yield f"  actions that not every cause has: {', '.join(own)}"
    if cause.also_in:
        yield f"  also in scope {', '.join(cause.also_in)}"


def _removed_in_words(cause: Cause) -> str:
    if cause.unsettled_removals and not cause.removed_by:
        return _IN_PART
    if not cause.is_asked and not cause.removed_by:
        return "what removes it was not asked: interrupted"
    return f"removed by {' or '.join(cause.removed_by) or _NOTHING}"


def _remover_lines(cause: Cause, causes: Sequence[Cause], names: Sequence[CauseName]) -> Iterator[str]:
    """What is to be said of fixes and assumptions that remove its steps and were not shown to remove the cause."""
    for scope, removal in cause.unsettled_removals:
        where = f" in scope {scope}" if cause.elsewhere else ""
        if removal.is_whole:
            yield f"{removal.name} removes it{where}"
        elif removal.left is None:
            yield f"{removal.name} removes these steps{where}; what is left then was not asked"
        elif removal.left.verdict is Verdict.UNKNOWN:
            why = size_in_words(removal.left)
            yield f"{removal.name} removes these steps{where}; whether it removes the cause is not known: {why}"
        else:
            how = f"in {size_in_words(removal.left)}, {_difference(removal.cause, cause, causes, names)}"
            yield f"{removal.name} removes these steps{where}; the claim is then broken {how}"


def _difference(actions: Sequence[str], cause: Cause, causes: Sequence[Cause], names: Sequence[CauseName]) -> str:
    """What breaks a claim instead of a cause: another one by its name, or else how its actions differ."""
    for other, name in zip(causes, names, strict=True):
        if {*other.actions} == {*actions}:
            return f"by {name.name}"
    more = ", ".join(action for action in actions if action not in cause.actions)
    fewer = ", ".join(action for action in cause.actions if action not in actions)
    return " and ".join(filter(None, (more and f"with {more}", fewer and f"without {fewer}")))


def _cause_json(cause: Cause, name: CauseName) -> CauseJson:
    result, trace = cause.answer.result, cause.answer.trace
    return CauseJson(
        property=result.prop.id,
        **setting_json(result.setting),
        name=name.name,
        sentence=name.sentence,
        cause=cause.actions,
        removed_by=cause.removed_by,
        unsettled=tuple(_unsettled_json(scope, removal) for scope, removal in cause.unsettled_removals),
        excluded=cause.is_excluded,
        also_in=cause.also_in,
        trace=trace_json(trace) if trace else None,
    )


def _unsettled_json(scope: str, removal: Removal) -> UnsettledJson:
    left = removal.left
    return UnsettledJson(
        remover=removal.name,
        scope=scope,
        verdict=left.verdict if left else None,
        reason=left.reason if left else None,
        cause=removal.cause,
        steps=len(left.replay.labels) if left and left.replay else None,
    )


def _end_json(one: Explained) -> SearchEndJson:
    last = one.last
    return SearchEndJson(
        property=last.prop.id,
        **setting_json(last.setting),
        excluded=one.excluded,
        verdict=last.verdict,
        reason=last.reason,
        vacuous=last.vacuous if _is_vacuous(one) else None,
        not_asked=one.not_asked,
        states=last.counts.states,
    )

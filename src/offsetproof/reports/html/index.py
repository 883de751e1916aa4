"""The data of the index: each claim with its cases and answers, what is seen of it, and where its stories are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Literal

from offsetproof.checking.answers import Answer
from offsetproof.checking.remedies import remedies_in
from offsetproof.lang.claim import ClaimKind
from offsetproof.reports.html.data import IndexAnswerJson, IndexClaimJson, IndexPageJson, WitnessJson
from offsetproof.reports.html.story import remedies_json
from offsetproof.reports.html.symptom_rows import Pages, symptom_rows, symptoms_not_asked
from offsetproof.reports.json import envelope
from offsetproof.reports.text import headline, large_in_words, missing_in_words
from offsetproof.verdict.phrases import (
    additions_in_words,
    details,
    expectation_in_words,
    size_in_words,
    unspent_in_words,
    verdict_in_words,
)
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict


def index_json(
    subject: str, answers: Sequence[Answer], pages: Pages, asked: int | None = None, large: Sequence[Question] = ()
) -> IndexPageJson:
    """All that the index shows; claims in the order of the report, witnesses behind them.

    `asked` is how many questions there were; None: as many as have an answer. `large` were not asked.
    """
    rows = symptom_rows(answers, pages)
    return IndexPageJson(
        **envelope(subject),
        page="index",
        headline=headline(subject, answers, asked) if answers else f"{subject}: nothing was decided",
        missing=(*missing_in_words(answers, asked), *large_in_words(large)),
        symptoms=rows,
        symptoms_not_asked=symptoms_not_asked(rows) if any(row.kind for row in rows) else 0,
        claims=_claims(answers, pages, witnesses=False),
        witnesses=_claims(answers, pages, witnesses=True),
    )


def _claims(answers: Sequence[Answer], pages: Pages, *, witnesses: bool) -> tuple[IndexClaimJson, ...]:
    """The claims of one sort; those of several subjects apart."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, answer in enumerate(answers):
        if (answer.result.prop.kind is ClaimKind.SOMETIMES) is witnesses:
            places.setdefault((answer.key[0], answer.result.prop.name), []).append(place)
    reached = {answer.claim: pages[place] for place, answer in enumerate(answers) if place in pages}
    return tuple(
        _claim(subject, [answers[i] for i in those], [pages.get(i) for i in those], reached)
        for (subject, _), those in places.items()
    )


def _claim(
    subject: str, answers: Sequence[Answer], pages: Sequence[str | None], reached: Mapping[str, str]
) -> IndexClaimJson:
    first = answers[0].result.prop
    return IndexClaimJson(
        subject=subject,
        name=first.name,
        sentence=first.sentence,
        kind=first.kind,
        about=PurePath(first.file).stem.replace("_", " "),
        answers=tuple(_answer(answer, page, reached) for answer, page in zip(answers, pages, strict=True)),
    )


def _answer(answer: Answer, page: str | None, reached: Mapping[str, str]) -> IndexAnswerJson:
    result, prop, setting = answer.result, answer.result.prop, answer.result.setting
    effect = answer.trace.effect if answer.is_refutation and answer.trace else None
    return IndexAnswerJson(
        case=prop.id,
        where=prop.words_in(setting.scope.name, setting.listener_name),
        scope=setting.scope.name,
        bounds=setting.scope.describe(),
        release=setting.release,
        fixes=tuple(fix.name for fix in setting.fixes),
        additions=additions_in_words(result),
        verdict=_shade(answer),
        word=verdict_in_words(result),
        expectation=expectation_in_words(result),
        as_expected=answer.as_expected,
        disagreement=answer.disagreement,
        size=size_in_words(result),
        unspent=tuple(unspent_in_words(result)),
        states=result.counts.states,
        levels=result.counts.levels,
        method=result.method,
        seconds=round(result.seconds, 1),
        details=tuple(details(result)),
        effect=str(effect) if effect else None,
        page=page,
        witnesses=tuple(
            WitnessJson(id=id, reached=seen, page=reached.get(id)) for id, seen in result.witnesses.items()
        ),
        why=prop.case.why,
        symptom=prop.case.symptom,
        remedies=remedies_json(remedies_in(answer.subject, prop, setting.releases) if answer.subject else ()),
        no_remedy="" if result.expects_nothing else prop.case.no_remedy,
    )


def _shade(answer: Answer) -> Literal["holds", "refuted", "unknown"]:
    """The colour of an answer: good, bad, or neither."""
    result = answer.result
    if result.verdict is Verdict.UNKNOWN or result.vacuous or answer.disagreement:
        return "unknown"
    return "holds" if result.verdict is Verdict.HOLDS else "refuted"

"""The symptoms at the head of a report's index: from what somebody sees to releases, costs, what to do, and stories.

Those that are declared (`symptoms.toml`) stand there where one of their cases was asked; what the cases of other models
are seen as, as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from offsetproof.checking.answers import Answer
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import RELEASES
from offsetproof.reports.html.data import SymptomNowJson, SymptomRowJson
from offsetproof.reports.symptom import costs, no_procedure, releases_in_words, where_seen
from offsetproof.symptoms.answering import Advice
from offsetproof.symptoms.answering import Answer as Known
from offsetproof.symptoms.answering import answer as answer_by
from offsetproof.symptoms.declared import Symptom, symptoms

Pages = Mapping[int, str]
"""The name of each answer's story, by the answer's place in the report."""


def symptom_rows(answers: Sequence[Answer], pages: Pages) -> tuple[SymptomRowJson, ...]:
    """A row for each symptom of what was asked, in the order in which they are declared.

    Where all was asked of one release the rows tell what happens in it: its causes, costs and procedures.
    """
    return (*_rows_of_declared(answers, pages), *_of_other_models(answers, pages))


def symptoms_not_asked(rows: Sequence[SymptomRowJson]) -> int:
    """How many of the declared symptoms have no case that was asked."""
    return len(symptoms()) - sum(bool(row.kind) for row in rows)


def _rows_of_declared(answers: Sequence[Answer], pages: Pages) -> Iterator[SymptomRowJson]:
    pages_by_case: dict[tuple[str, str], list[str]] = {}
    releases = {each.result.setting.release for each in answers}
    only = (releases.pop() or "") if len(releases) == 1 else ""
    for place, each in enumerate(answers):
        if each.subject is not None and SINGLES.get(each.subject.name) is not None:
            own = pages_by_case.setdefault((each.subject.name, each.result.prop.id), [])
            own += [pages[place]] if place in pages else []
    for symptom in symptoms():
        asked = [case for case in symptom.cases if (case.subject.name, case.prop.id) in pages_by_case]
        known = _answer_in(symptom, only) if asked else None
        if known is not None:
            those = [page for case in asked for page in pages_by_case[case.subject.name, case.prop.id]]
            yield _row(known, only, sorted(dict.fromkeys(those), key=lambda page: page != known.story))


def _answer_in(symptom: Symptom, release: str) -> Known | None:
    """What is known of a symptom in a release, or in all where this one does not have it, or none is named."""
    there = answer_by(symptom, symptom.cases[0], release) if release in RELEASES else None
    return there or answer_by(symptom, symptom.cases[0])


def _row(known: Known, release: str, pages: Sequence[str]) -> SymptomRowJson:
    why = [f"{each.words} ({each.rests_on})" for each in known.because] or [known.cause]
    return SymptomRowJson(
        kind=known.symptom.kind,
        says=known.says,
        phrases=(*known.symptom.phrases, *{case.subject.name: None for case in known.symptom.cases}),
        why=tuple(filter(None, why)),
        where=where_seen(known),
        seen_in=(*known.seen_in, *known.otherwise_in),
        effect=costs(known, release),
        now=tuple(
            _now(each, [release] if release in known.seen_in else known.seen_in)
            for each in known.now
            if each.is_procedure
        ),
        no_procedure=no_procedure(known),
        story=known.story or None,
        pages=tuple(pages),
    )


def _now(advice: Advice, seen_in: Sequence[str]) -> SymptomNowJson:
    everywhere = {*seen_in} <= {*advice.releases}
    where = "" if everywhere else releases_in_words(advice.releases)
    return SymptomNowJson(words=advice.words, where=where, rests_on=advice.rests_on)


def _of_other_models(answers: Sequence[Answer], pages: Pages) -> Iterator[SymptomRowJson]:
    """What the refuted cases of models that are not built in are seen as."""
    found: dict[str, list[int]] = {}
    for place, each in enumerate(answers):
        seen_as = each.result.prop.case.symptom
        if seen_as and place in pages and (each.subject is None or each.subject.name not in SINGLES):
            found.setdefault(seen_as, []).append(place)
    for seen_as, places in found.items():
        releases = tuple(dict.fromkeys(release for i in places if (release := answers[i].result.setting.release)))
        trace = answers[places[0]].trace
        why = answers[places[0]].result.prop.case.why
        yield SymptomRowJson(
            kind="",
            says=seen_as,
            phrases=(),
            why=(why,) if why else (),
            where=", ".join(releases),
            seen_in=releases,
            effect=str(trace.effect) if trace and trace.effect else "not measured",
            now=(),
            no_procedure="",
            story=None,
            pages=tuple(dict.fromkeys(pages[i] for i in places)),
        )

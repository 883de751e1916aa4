"""What is known of a symptom: the story, the releases, what is lost or repeated, and what to do now."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from offsetproof.checking.causes import RELEASES, doings_for, happens_in
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import UnknownNameError
from offsetproof.symptoms.declared import BoundCase, Statement, Symptom, meanings
from offsetproof.symptoms.finding import Found, find, is_said
from offsetproof.symptoms.named_release import release_named_in
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.traces.trace import Trace

FEW = 5
"""So many answers are told unless all are asked for."""

NOT_COUNTED = "not counted: what consumers that start or get a queue later are given again, and what is sent later"
"""An effect is of what follows by itself, so that nothing repeated is not nothing that comes again."""

ALL = "all"
"""Asks for all releases, whichever the text names."""


@dataclass(frozen=True)
class Advice:
    """What somebody can do now, in which releases, and the cases that hold where it is done.

    `is_procedure`: it says what to do, and not only what has to be so.
    """

    words: str
    releases: tuple[str, ...]
    rests_on: str
    is_procedure: bool


@dataclass(frozen=True)
class Reason:
    """Why something is as it is, in which releases, and the verdicts that say it."""

    words: str
    releases: tuple[str, ...]
    rests_on: str


@dataclass(frozen=True)
class Answer:
    """A symptom with one of its cases, and the recorded story that shows it, if there is one.

    The very steps of the story happen in the releases of `same_steps`; what is seen can happen in those of `seen_in`,
    perhaps by other steps, and cannot in those of `unseen_in`, in the worlds of the case; in those of `otherwise_in`
    another case of the symptom can be seen, and this one cannot. `cause` is the story's, or that of the case; it is
    empty where another release than theirs is asked for. `others` are the other stories of the symptom. `unchecked` is
    what the claim says of a remedy that no case states.
    """

    symptom: Symptom
    says: str
    case: BoundCase
    story: str
    others: tuple[str, ...]
    cause: str
    same_steps: tuple[str, ...]
    seen_in: tuple[str, ...]
    unseen_in: tuple[str, ...]
    otherwise_in: tuple[str, ...]
    effect: str
    now: tuple[Advice, ...]
    unchecked: str
    because: tuple[Reason, ...]
    none: str

    @property
    def known_cause(self) -> Reason:
        """What happens in the story, or else why the case is as it is, with its releases."""
        return Reason(_cause(self.case, self.story), self.same_steps or _usual(self.case), self.story)

    @property
    def of_case(self) -> tuple[str, ...]:
        """The other stories of the case."""
        return tuple(each for each in _stories_of(self.case) if each != self.story)


@dataclass(frozen=True)
class Answered:
    """What was found for a text, and what is known of the answers that were asked for; `more` are not told.

    `absent` are as near as answers, and the release that was asked for has none of them; `is_release_of_text`: nobody
    asked for that release, but the text names it.
    """

    found: Found
    answers: tuple[Answer, ...]
    absent: tuple[Symptom, ...]
    more: int
    release: str
    is_release_of_text: bool = False

    @property
    def nearness(self) -> Mapping[str, float]:
        """How near each symptom is, by its id."""
        return {match.symptom.id: match.nearness for match in self.found.matches}


def look_up(text: str, release: str = "", limit: int | None = FEW) -> Answered:
    """What is known of a text, the nearest first: so many answers, or all.

    Where a release is asked for, or else where the text names one, only what happens in that; `all` are all releases.
    UnknownNameError for a release that there is not.
    """
    if release and release not in (*RELEASES, ALL):
        raise UnknownNameError("release", release, (*RELEASES, ALL))
    of_text = "" if release else release_named_in(text, RELEASES)
    release = "" if release == ALL else release or of_text
    found = find(text, release)
    matches = found.answers if release else found.answers[:limit]
    known = {match.symptom: answer(match.symptom, match.case, release) for match in matches}
    answers = [each for each in known.values() if each is not None]
    answers = _those_of_the_text_s_group_first(found, answers) if release else answers
    absent = tuple(symptom for symptom, each in known.items() if each is None)
    total = len(answers) if release else len(found.answers)
    more = total - len(answers[:limit])
    return Answered(found, tuple(answers[:limit]), absent, more, release, bool(of_text))


def _those_of_the_text_s_group_first(found: Found, answers: Sequence[Answer]) -> list[Answer]:
    """The nearest first; behind them what a release has of orderly or broadcasting groups alone, if these are not said.

    The text's words are of all groups then, and in a group of the text's it is another symptom.
    """
    matches, said = {match.symptom: match for match in found.matches}, meanings().of(found.text)

    def distance(each: Answer) -> tuple[bool, float]:
        match = matches[each.symptom]
        is_another = each.case.kind_of_group != match.case.kind_of_group
        return is_another and not is_said(each.symptom, each.case, said), -match.nearness

    return sorted(answers, key=distance)


def answer(symptom: Symptom, case: BoundCase, release: str = "") -> Answer | None:
    """What is known of a symptom by one of its cases, or by its next that there is in a release, if one is named.

    None where no case of the symptom says anything of the release.
    """
    chosen, story = _case_to_tell(symptom, case, release)
    if release and not _is_about(symptom, chosen, release):
        return None
    trace = recorded_stories()[story] if story else None
    anywhere = {release for each in symptom.cases for release in _seen_in(each)}
    same_steps = tuple(each for each in RELEASES if story and happens_in(story, each))
    return Answer(
        symptom,
        _says(symptom, case, chosen),
        chosen,
        story,
        tuple(each for each in _stories(symptom) if each != story),
        _cause(chosen, story) if not release or release in (same_steps or _usual(chosen)) else "",
        same_steps,
        _seen_in(chosen),
        tuple(each for each in chosen.unseen_in() if each not in anywhere),
        tuple(each for each in RELEASES if each in anywhere - {*_seen_in(chosen)}),
        _effect(chosen, trace),
        tuple(each for each in _now(symptom, chosen) if not release or release in each.releases),
        chosen.prop.case.no_remedy,
        tuple(
            Reason(each.words, each.releases(), _rests_on(each))
            for each in _because(symptom, chosen)
            if not release or release in each.releases()
        ),
        symptom.none if chosen == symptom.cases[0] else "",
    )


def _says(symptom: Symptom, case: BoundCase, chosen: BoundCase) -> str:
    """What somebody sees: as the symptom says it, unless one case is meant, or only another model's has it."""
    is_general = case == symptom.cases[0] and chosen.subject is case.subject
    return symptom.says if is_general else chosen.prop.case.symptom or symptom.says


def _case_to_tell(symptom: Symptom, case: BoundCase, release: str) -> tuple[BoundCase, str]:
    """The case to tell, and its story: the one that is meant, or the next that can be seen in the release, if any.

    One with a story comes before one without, unless it is the one that is meant. Where a text is about one case, the
    cases of other claims tell of something else.
    """
    chosen = symptom.story if case == symptom.cases[0] else ""
    if chosen and _happens(chosen, release):
        return _case_of(symptom, chosen), chosen
    near = symptom.cases if case == symptom.cases[0] else [each for each in symptom.cases if each.claim == case.claim]
    seen = [each for each in dict.fromkeys((case, *near)) if _can_be_seen(each, release)]
    for each in seen:
        stories = [story for story in _stories_of(each) if _happens(story, release)]
        if stories or each == case:
            return each, next(iter(stories or _stories_of(each)), "")
    return (seen or [case])[0], ""


def _can_be_seen(case: BoundCase, release: str) -> bool:
    return release in _seen_in(case) if release else bool(_seen_in(case))


@cache
def _seen_in(case: BoundCase) -> tuple[str, ...]:
    """The releases in which it can happen, or in which the steps of one of its stories do, with no fix."""
    seen = case.seen_in()
    asked = {each.name for each in case.subject.model.releases}
    return tuple(
        each
        for each in RELEASES
        if each in seen or (each in asked and any(_happens(story, each) for story in _stories_of(case)))
    )


def _usual(case: BoundCase) -> tuple[str, ...]:
    """The release of which a case says why it is so."""
    usual = case.subject.model.usual_release
    return (usual.name,) if usual is not None else ()


def _happens(story: str, release: str) -> bool:
    return not release or happens_in(story, release)


def _case_of(symptom: Symptom, story: str) -> BoundCase:
    """The case of a symptom that a story is of."""
    return next(case for case in symptom.cases if story in _stories_of(case))


def _is_about(symptom: Symptom, case: BoundCase, release: str) -> bool:
    own = any(release in statement.releases() for statement in _because(symptom, case))
    return own or release in _seen_in(case)


def _because(symptom: Symptom, case: BoundCase) -> Iterator[Statement]:
    """What rests on a verdict of this case: where it is so by design, another case of the symptom may be a defect."""
    yield from (each for each in symptom.because if any(verdict.case == case for verdict in each.where))


def _stories_of(case: BoundCase) -> Iterator[str]:
    """The recorded stories of a case: those without fixes first, as nobody runs a fix."""
    named = recorded_stories().about(case.subject.name).of(case.prop.id)
    yield from sorted(named, key=lambda name: bool(named[name].world.fixes))


def _stories(symptom: Symptom) -> Iterator[str]:
    for case in symptom.cases:
        yield from _stories_of(case)


def _cause(case: BoundCase, story: str) -> str:
    """What happens in the story, or else why the case is as it is, or else what it says."""
    return mechanisms().get(story) or case.prop.case.why or case.prop.about


def _effect(case: BoundCase, trace: Trace | None) -> str:
    if trace is not None and trace.effect is not None:
        if trace.effect.kind == "unknown":
            return "unknown: not all that can follow was seen"
        return f"{trace.effect}; {NOT_COUNTED}" if trace.effect.repeated == 0 else str(trace.effect)
    if case.prop.kind is ClaimKind.SOMETIMES:
        return "not measured: it is shown that this can happen, and no more"
    return "not measured: no story of this case is recorded" if _seen_in(case) else "none: the case holds"


def _now(symptom: Symptom, case: BoundCase) -> Iterator[Advice]:
    """What the symptom says, then the remedies of the case that need no change of RocketMQ; procedures first.

    What makes nothing sure, as no case of it holds, comes last. What was checked of another kind of group alone
    (orderly, broadcasting, ...) is not told of the case's.
    """
    own = [
        statement
        for statement in symptom.now
        if any(verdict.case.kind_of_group == case.kind_of_group for verdict in statement.where)
    ]
    checked = [each for each in symptom.now if each.is_checked]
    said = {verdict.case.prop.id for statement in checked for verdict in statement.where}
    yield from (_advice(each) for each in own if each.is_checked)
    yield from _remedies(case, said)
    yield from (_advice(each) for each in own if not each.is_checked)


def _advice(statement: Statement) -> Advice:
    return Advice(statement.words, statement.releases(), _rests_on(statement), is_procedure=True)


def _remedies(case: BoundCase, said: Collection[str]) -> Iterator[Advice]:
    """Those that no case says which is told anyway; given what the case assumes, so that is to be done as well."""
    first = [each.today for each in case.prop.assumptions if each.today]
    found: dict[tuple[str, bool], dict[str, set[str]]] = {}
    for release in _seen_in(case):
        for doing in doings_for(case.subject, case.prop, release):
            if doing.case not in said:
                worlds = found.setdefault(("; ".join((*first, *doing.parts)), doing.is_procedure), {})
                worlds.setdefault(doing.world, set()).add(release)
    for (words, is_procedure), worlds in sorted(found.items(), key=lambda each: not each[0][1]):
        releases = tuple(each for each in RELEASES if any(each in those for those in worlds.values()))
        yield Advice(words, releases, f"holds in {' and in '.join(worlds)}", is_procedure)


def _rests_on(statement: Statement) -> str:
    return "; ".join(verdict.words for verdict in statement.where)

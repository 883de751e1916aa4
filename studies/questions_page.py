"""The part of docs/questions.md: each question with its answers, its stories and what to do now, by release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from offsetproof.checking.replaying import question_of_trace, replay_trace
from offsetproof.checking.request import question_of
from offsetproof.lang import Release
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.lang.stage import Staged
from offsetproof.model.releases import USUAL
from offsetproof.traces.brief import brief, outline_of
from offsetproof.traces.recorded_stories import mechanisms, recorded_stories
from offsetproof.traces.trace import Trace
from studies.claims import remedies_in_words
from studies.questions import Question, Statement, UnsupportedError, questions
from studies.real import mark_of
from studies.remedies import is_told_of, known_remedies
from studies.verdicts import RELEASES, SUBJECTS, AskedCase

STEPS = 5
"""How many steps of a story are told."""

WIDTH = 92

NOW, CHANGES = "*What to do now*", "*What a change of RocketMQ's code mends*"
"""What stands above the two lists of what to do."""

Told = tuple[tuple[Release, ...], str]
"""A line, and the releases of which it is told."""


def answers() -> str:
    """A heading for each question, with all that belongs to it."""
    return "\n\n".join("\n".join(_section(question)) for question in questions())


def _section(question: Question) -> Iterator[str]:
    yield from (f"## {question.title}", "")
    yield from by_release(map(_told, question.answers))
    for name, releases in question.unanswered:
        yield from ("", f"`{name}` has no {names_of(releases)}: what rests on its cases is not said of it.")
    for name in question.stories:
        yield from ("", _heading(name), "", "```", *steps_of(name), "```")
    yield from ("", NOW, "")
    without = (each for case in question.remedies for each in remedies_by_release(case, changing=False))
    yield from by_release([*map(_told, question.advice), *without])
    if changes := [each for case in question.remedies for each in remedies_by_release(case, changing=True)]:
        yield from ("", CHANGES, "")
        yield from by_release(changes)
    yield from ("", f"*Cases*: {', '.join(_links(question.cases))}")


def _links(cases: Iterable[AskedCase]) -> Iterator[str]:
    """The ids of cases, those of one claim in one link."""
    of_claim: dict[str, dict[str, None]] = {}
    for case in cases:
        of_claim.setdefault(case.place, {})[case.prop.id] = None
    for place, ids in of_claim.items():
        yield f"[{', '.join(ids)}]({place})" if place else ", ".join(ids)


def _told(statement: Statement) -> Told:
    return statement.releases, statement.line


def by_release(told: Iterable[Told]) -> Iterator[str]:
    """A list for all releases, then one for each set of releases that share lines, the oldest first."""
    lists: dict[tuple[Release, ...], list[str]] = {}
    for releases, line in told:
        lists.setdefault(releases, []).append(line)
    for number, releases in enumerate(sorted(lists, key=_order)):
        if number:
            yield ""
        yield from (f"**{names_of(releases)}**", "")
        yield from (f"- {line}" for line in lists[releases])


def _order(releases: tuple[Release, ...]) -> tuple[bool, list[int]]:
    return releases != RELEASES, [RELEASES.index(release) for release in releases]


def names_of(releases: Iterable[Release]) -> str:
    """Each by its name, as who runs one of them looks for it."""
    named = tuple(releases)
    return "All releases" if named == RELEASES else ", ".join(release.name for release in named)


def remedies_by_release(case: AskedCase, *, changing: bool) -> Iterator[Told]:
    """What is known to make a refuted case hold, with the releases: with or without a change of RocketMQ.

    Where nothing is known at all, the changes say so.
    """
    found: dict[str, list[Release]] = {}
    for release in (each for each in RELEASES if is_told_of(case, each)):
        known = [replace(each, release="") for each in known_remedies(case, release)]
        words = remedies_in_words(case.prop, (each for each in known if bool(each.fixes) is changing))
        if words:
            line = f"{case.id} holds {words if words.startswith('given') else f'with {words}'}."
            found.setdefault(line, []).append(release)
        elif changing and not known:
            found.setdefault(f"{case.id}: no change is known.", []).append(release)
    yield from ((tuple(releases), line) for line, releases in found.items())


def _heading(name: str) -> str:
    """A story's name, what happens in it, where else, its effect, and the stall or delay that it needs."""
    trace = recorded_stories()[name]
    what = mechanisms().get(name) or _reason(trace)
    timing = str(trace.timing).split(" between ")[0]
    others = {"the same steps": same_steps(name), "other steps": other_steps(name)}
    releases = [trace.world.release or "", *(f"{how} in {names_of(in_)}" for how, in_ in others.items() if in_)]
    head = f"`{name}`{mark_of(name)} ({'; '.join(releases)})" + (f": {what}" if what else "")
    return f"{head}. *Effect*: {trace.effect}. *Timing*: {timing}."


def _reason(trace: Trace) -> str:
    """The reason that a case gives for its verdict, where the story refutes that of the usual release."""
    prop = SUBJECTS[str(trace.subject)].find(trace.property.id)
    return prop.case.why if trace.world.release == USUAL.name else ""


def same_steps(name: str) -> list[Release]:
    """The other releases in which the very steps of a story refute its case, too."""
    return [release for release in _other_releases(name) if _refutes(recorded_stories()[name], release)]


def other_steps(name: str) -> list[Release]:
    """The other releases in which its case is refuted, and not by these steps."""
    same = same_steps(name)
    return [release for release in _other_releases(name) if release not in same]


def _other_releases(name: str) -> list[Release]:
    trace = recorded_stories()[name]
    subject = SUBJECTS[str(trace.subject)]
    case = AskedCase(subject, subject.find(trace.property.id), trace.world.scope.name)
    return [each for each in RELEASES if each.name != trace.world.release and is_told_of(case, each)]


def _refutes(trace: Trace, release: Release) -> bool:
    """Can the steps of a trace be taken in a release, and does its claim fail at their end alone?"""
    world = replace(trace.world.claim(trace.property.id), release=release.name)
    question = question_of(SUBJECTS[str(trace.subject)], world)
    try:
        Replay(Reference(question.model, question.setting), question.prop, [step.label for step in trace.steps])
    except ReplayError:
        return False
    return True


@cache
def steps_of(name: str) -> tuple[str, ...]:
    """The lines of the steps of a recorded story that say most."""
    trace = recorded_stories()[name]
    subject = SUBJECTS[str(trace.subject)]
    replayed, asked = replay_trace(trace, subject), question_of_trace(subject, trace)
    if replayed.replay is None:
        raise UnsupportedError(f"{name}: {replayed}")
    outline = outline_of(replayed.replay, Staged(asked.model, asked.setting))
    return brief(trace, outline, WIDTH, STEPS).lines

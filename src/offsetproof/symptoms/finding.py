"""Which symptoms a text is about, the nearest first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import subject_named, trace_happens_in
from offsetproof.lang.changes import left_out_of
from offsetproof.symptoms.declared import BoundCase, Symptom, meanings, symptoms
from offsetproof.symptoms.log_lines import WritingStep, is_in, steps_in, stories_with
from offsetproof.symptoms.named_release import without_versions
from offsetproof.symptoms.words import Scale
from offsetproof.traces.recorded_stories import recorded_stories

FOUND = 0.35
"""A symptom that is less near than this is not an answer."""

SAID = 0.75
"""What is as near as this says nearly the same."""

BESIDE = 0.5
"""Nor is one that is less near than this part of the nearest."""

NEAR = 0.15
"""One that is less near than this is not even near."""

UNSAID = 0.6
"""What a text speaks of in no word is so much less near."""


@dataclass(frozen=True)
class Match:
    """A symptom, how near it is from 0 to 1, by which phrase or log line, and the case that the phrase is of."""

    symptom: Symptom
    nearness: float
    by: str
    case: BoundCase


@dataclass(frozen=True)
class LeftOut:
    """What a model leaves out, and how near that is."""

    subject: str
    words: str
    nearness: float


@dataclass(frozen=True)
class Found:
    """What there is to a text: symptoms, what is left out of the models, and the steps that write it as a log line."""

    text: str
    matches: tuple[Match, ...]
    left_out: tuple[LeftOut, ...]
    steps: tuple[WritingStep, ...]

    @property
    def answers(self) -> tuple[Match, ...]:
        """The symptoms that are near enough."""
        least = max(FOUND, BESIDE * self.matches[0].nearness) if self.matches else FOUND
        return tuple(each for each in self.matches if each.nearness >= least)


def find(text: str, release: str = "") -> Found:
    """What a text is about. Of symptoms that are equally near the one that is declared first comes first.

    Of a line of a log it says little that somebody has used its words otherwise, unless he said nearly all of them.
    Where a release is named the line leads to the stories that happen in it, if there are any.
    """
    asked, steps = meanings().of(without_versions(text)), steps_in(text)
    own = [*_by_own_lines(text)]
    is_log = bool(steps or own)
    stories = _stories_with(text, release) if is_log else frozenset()
    by_words = (_by_words(symptom, asked) for symptom in symptoms())
    matches = [
        *own,
        *(match for symptom in symptoms() for match in _by_stories(symptom, stories)),
        *(match for match in by_words if match.nearness >= (SAID if is_log else NEAR)),
    ]
    best: dict[str, Match] = {}
    for match in sorted(matches, key=lambda each: -each.nearness):
        best.setdefault(match.symptom.id, match)
    kept = tuple(each for each in best.values() if each.nearness >= NEAR)
    return Found(text, kept, () if is_log else tuple(_left_out(asked)), steps)


def is_said(symptom: Symptom, case: BoundCase, said: frozenset[str]) -> bool:
    """Does a text speak of what a symptom is about, where that is not every group?

    A restart without a broker is a consumer's, and a group that is not said to be orderly is none.
    """
    about = meanings().of(" ".join(symptom.about or (case.kind_of_group,)))
    return not about or bool(about & said)


def _by_words(symptom: Symptom, asked: frozenset[str]) -> Match:
    """By the nearest of all that a symptom is known by."""
    scale = _scale()
    near = (
        (scale.nearness(asked, words) * (1 if is_said(symptom, case, asked) else UNSAID), phrase, case)
        for phrase, words, case in _known_by(symptom)
    )
    nearness, phrase, case = max(near, key=lambda each: each[0])
    return Match(symptom, round(nearness, 3), phrase, case)


def _by_own_lines(text: str) -> Iterator[Match]:
    """Those that are declared with a line; near by how many are, as a story is by how many have its line.

    Of two messages that are in the line one may be part of the other, which says more.
    """
    every = [(symptom, line) for symptom in symptoms() for line in symptom.logs if is_in(line, text)]
    said = [
        (symptom, line) for symptom, line in every if not any(line != other and line in other for _, other in every)
    ]
    count = len({symptom.id for symptom, _ in said})
    for symptom, line in said:
        yield Match(symptom, round(1 / math.sqrt(count), 3), line, symptom.cases[0])


def _stories_with(line: str, release: str) -> frozenset[str]:
    stories = stories_with(line)
    there = {name for name in stories if _is_of(name, release)} if release else stories
    return frozenset(there or stories)


@cache
def _is_of(story: str, release: str) -> bool:
    return trace_happens_in(recorded_stories()[story], release, with_fixes=True)


def _by_stories(symptom: Symptom, stories: frozenset[str]) -> Iterator[Match]:
    """Near by how many of a symptom's stories have the line, against how many there are and how many have the line."""
    by_case = {case: frozenset(recorded_stories().about(case.subject.name).of(case.prop.id)) for case in symptom.cases}
    own = frozenset().union(*by_case.values())
    if both := own & stories:
        nearness = round(len(both) / math.sqrt(len(own) * len(stories)), 3)
        yield Match(
            symptom, nearness, ", ".join(sorted(both)), max(by_case, key=lambda case: len(by_case[case] & both))
        )


@cache
def _known_by(symptom: Symptom) -> tuple[tuple[str, frozenset[str], BoundCase], ...]:
    """Its phrases, and what its cases are seen as, each with the case that is meant."""
    own = [(phrase, symptom.cases[0]) for phrase in symptom.phrases]
    seen = [(case.prop.case.symptom, case) for case in symptom.cases if case.prop.case.symptom]
    return tuple((phrase, meanings().of(phrase), case) for phrase, case in (*own, *seen))


@cache
def _scale() -> Scale:
    """A word weighs by how many symptoms, and sentences about what is left out, have it."""
    of_symptoms = [frozenset(word for _, words, _ in _known_by(each) for word in words) for each in symptoms()]
    return Scale.of([*of_symptoms, *(words for _, words in _every_left_out().values())])


def _left_out(asked: frozenset[str]) -> Iterator[LeftOut]:
    """What the models leave out and is as near as an answer, the nearest first."""
    near = [
        LeftOut(subject, words, round(_scale().nearness(asked, of_words), 3))
        for words, (subject, of_words) in _every_left_out().items()
    ]
    yield from sorted((each for each in near if each.nearness >= FOUND), key=lambda each: -each.nearness)


@cache
def _every_left_out() -> Mapping[str, tuple[str, frozenset[str]]]:
    """Each sentence once, with the first model that says it."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for name in SINGLES:
        model = subject_named(name).model
        for words in dict.fromkeys(text for release in model.releases for text in left_out_of(release, model)):
            found.setdefault(words, (name, meanings().of(words)))
    return found

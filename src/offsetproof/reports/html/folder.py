"""Which pages a report has: one for each counterexample and each reached witness, an index, one for two stories."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache

from offsetproof.checking.answers import Answer, have_several_subjects
from offsetproof.reports.html.index import index_json
from offsetproof.reports.html.pages import compare_page, index_page, story_page
from offsetproof.reports.html.story import ToldStory, story_json
from offsetproof.reports.json import envelope
from offsetproof.traces.store import recorded_stories
from offsetproof.traces.trace import Trace

INDEX, COMPARE = "index.html", "compare.html"

_NAME_MAX = 100
"""How long the name of a page may be; folders allow 255 bytes."""


def report_pages(subject: str, answers: Sequence[Answer], asked: int | None = None) -> Iterator[tuple[str, str]]:
    """The files of a report, each with its text, the index last: what leads to the others is there when they are."""
    names = story_names(answers)
    told = {name: _told(answers[place], name) for place, name in reversed(names.items())}
    stories = [told[name] for name in dict.fromkeys(names.values())]
    for each in stories:
        yield f"{each.name}.html", story_page(story_json(each))
    if stories:
        yield COMPARE, compare_page(_compare_json(subject, stories))
    yield INDEX, index_page(index_json(subject, answers, names, asked))


def story_names(answers: Sequence[Answer]) -> dict[int, str]:
    """What the story of each answer that has one is called: as it is recorded, or by its claim and its world.

    Answers about one case with the same steps have one story, that of the first.
    """
    several = len({answer.result.setting.release for answer in answers}) > 1
    subjects = have_several_subjects(answers)
    names: dict[int, str] = {}
    known: dict[object, str] = {}
    for place, answer in enumerate(answers):
        if answer.trace is not None:
            world, steps = answer.trace.world, tuple(step.name for step in answer.trace.story.steps)
            same = (*answer.key, world.fixes, world.assumptions, world.listener, steps)
            if same not in known:
                own = recorded_name(answer.trace) or _name(answer, with_release=several, with_subject=subjects)
                known[same] = _free(own, {*known.values()})
            names[place] = known[same]
    return names


def _told(answer: Answer, name: str) -> ToldStory:
    assert answer.trace is not None
    return ToldStory(name, answer.trace, answer.subject, answer.outline)


def recorded_name(trace: Trace) -> str | None:
    """The name of the recorded story of the same claim and release with the same steps, if there is one."""
    return _names_of_recorded().get(_identity(trace))


@cache  # what came with the program does not change while it runs
def _names_of_recorded() -> Mapping[Hashable, str]:
    return {_identity(trace): name for name, trace in reversed([*recorded_stories().items()])}


def _identity(trace: Trace) -> Hashable:
    steps = tuple(step.name for step in trace.story.steps)
    return trace.subject, trace.property.id, trace.world.release, trace.world.fixes, steps


def _name(answer: Answer, *, with_release: bool, with_subject: bool) -> str:
    setting = answer.result.setting
    subject = answer.subject.name if with_subject and answer.subject else ""
    release = (setting.release or "") if with_release else ""
    fixes = [fix.name for fix in setting.fixes if fix not in answer.result.prop.fixes]
    parts = [subject, answer.result.prop.id, setting.scope.name.rstrip("*"), release, *fixes]
    return file_name("-".join(part for part in parts if part))


def file_name(meant: str) -> str:
    """A name that a file may have everywhere: letters, digits and a few signs, and not too long.

    >>> file_name("I5-reset"), file_name("../x")[:5]
    ('I5-reset', '___x-')
    """
    name = re.sub(r"[^\w=,-]", "_", meant, flags=re.ASCII)
    if name == meant and len(name) <= _NAME_MAX and f"{name}.html" not in (INDEX, COMPARE):
        return name
    return f"{name[:_NAME_MAX]}-{hashlib.sha256(meant.encode(errors='replace')).hexdigest()[:12]}"


def _free(name: str, taken: set[str]) -> str:
    """The name, or with a number where it is taken (by case, too: not every folder tells letters apart)."""
    lower = {each.lower() for each in taken}
    number, free = 1, name
    while free.lower() in lower:
        number += 1
        free = f"{name}-{number}"
    return free


def _compare_json(subject: str, told: Sequence[ToldStory]) -> dict[str, object]:
    stories = [
        {
            "name": each.name,
            "title": each.trace.property.title,
            "scope": each.trace.world.scope.name,
            "steps": each.trace.length,
        }
        for each in told
    ]
    return {**envelope(subject), "page": "compare", "stories": stories}

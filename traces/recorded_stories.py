"""The stories that came with the program: recorded traces, by name, each read when it is asked for.

Whose a story is stands at the head of its file, and is looked up in all of them without making traces of them. Which
of them a trace is, if it is one: names and explanations are of the very story, and of no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from msgspec import Struct

from offsetproof.lang.claim import with_hyphens
from offsetproof.reading.typed_json import read_json
from offsetproof.traces.store import AGAIN, ClaimJson, read_record, record
from offsetproof.traces.trace import Trace

_FOLDER = files("offsetproof.traces") / "recorded"


def recorded_traces() -> Mapping[str, Traversable]:
    """The files, by name."""
    return {entry.name.removesuffix(".json"): entry for entry in _FOLDER.iterdir() if entry.name.endswith(".json")}


class _Head(Struct):
    """Whose story it is: the subject's word, and the claim's case by id and by name."""

    subject: str | None
    property: ClaimJson


class RecordedStories(Mapping[str, Trace]):
    """Some of the recorded stories. UnreadableFileError at the first use of one whose file is damaged."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Trace:
        if name not in self._names:
            raise KeyError(name)
        return _story(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def about(self, subject: str) -> RecordedStories:
        """Those of the subject with this name; two subjects may have a case of one id."""
        return self._where(lambda head: head.subject == subject)

    def of(self, claim: str) -> RecordedStories:
        """Those that refute a case, by its id, or else any case of a claim, by its name with hyphens or underscores."""
        by_id = self._where(lambda head: head.property.id == claim)
        return by_id or self._where(lambda head: with_hyphens(head.property.name) == with_hyphens(claim))

    def cases(self) -> Iterator[tuple[str, str | None, str]]:
        """The name of each, its subject, and the id of the case that it refutes: of the heads alone."""
        return ((name, head.subject, head.property.id) for name, head in ((name, _head(name)) for name in self))

    def _where(self, is_wanted: Callable[[_Head], bool]) -> RecordedStories:
        return RecordedStories(name for name in self if is_wanted(_head(name)))


@cache  # what came with the program does not change while it runs
def recorded_stories() -> RecordedStories:
    """All of them, in the order of their names with numbers as numbers: I5 before I11."""

    def order(name: str) -> list[tuple[int, str]]:
        return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]

    return RecordedStories(sorted(recorded_traces(), key=order))


@cache  # the same
def mechanisms() -> Mapping[str, str]:
    """What happens in a recorded story, in half a sentence, by the story's name; not all have one."""
    text = (files("offsetproof.traces") / "mechanisms.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


def recorded_name(trace: Trace) -> str | None:
    """The name of the recorded story that this trace is: of the same claim, with the same values from step to step."""
    named = recorded_stories().about(trace.subject).of(trace.property.id) if trace.subject else {}
    alike = {
        name: story
        for name, story in named.items()
        if (story.property.id, story.length) == (trace.property.id, trace.length)
    }
    own = _what_happens(trace) if alike else ""
    return next((name for name, story in alike.items() if _what_happens(story) == own), None)


def story_of_cause(subject: str | None, claim: str, actions: Iterable[str], release: str | None) -> str | None:
    """The recorded story of a claim, in any of its cases, of these very actions; one of the release, if there is.

    >>> story_of_cause("rocketmq", "backward-reset-stays", recorded_stories()["I5-late-poll"].cause, "5.3.3")
    'I5-late-poll'
    """
    named = recorded_stories().about(subject).of(claim) if subject else {}
    wanted = {*actions}
    alike = [name for name, story in named.items() if wanted and {*story.cause} == wanted]
    return next((name for name in alike if named[name].world.release == release), next(iter(alike), None))


def mechanism_of(trace: Trace) -> str:
    """What happens in the recorded story that this trace is, in half a sentence; empty where nobody has written it."""
    return mechanisms().get(recorded_name(trace) or "", "")


@cache
def _text(name: str) -> str:
    return _FOLDER.joinpath(f"{name}.json").read_text(encoding="utf-8")


@cache
def _story(name: str) -> Trace:
    return read_record(_text(name), name).trace


@cache
def _head(name: str) -> _Head:
    return read_json(_text(name), _Head, name, AGAIN)


def _what_happens(trace: Trace) -> str:
    """The claim, the world, the initial values, and who changes what in each step; as JSON, so that 1 and True differ.

    Of the world it is what shapes states and steps: releases, fixes, listener and bounds. What else might have happened
    there makes no other story of it (the fault budgets and the assumptions, and so the scope's name), nor does what is
    told beside it: places, times, effect.
    """
    story = record(trace.story)
    world = [story.subject, story.releases, story.fixes, story.listener, story.initial, story.scope.bounds]
    steps = [[x.action, x.args, x.actor, x.thread, x.fault, x.changed] for x in story.trace.steps]
    return json.dumps([world, story.property.id, story.property.kind, steps], sort_keys=True)

"""Traces as people name them: a file, a recorded story, or a claim that has some."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import typer

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT, SINGLES
from offsetproof.checking.subject import load_subject, refuse_claim_of_another
from offsetproof.lang.scope import UnknownNameError
from offsetproof.traces.recorded_stories import RecordedStories, recorded_stories, recorded_traces
from offsetproof.traces.store import read_record, read_record_file
from offsetproof.traces.trace import Trace


def only_trace(name: str, found: Mapping[str, Trace], option: str) -> Trace:
    """The trace that was found by a name; a claim with several stories is refused."""
    if len(found) > 1:
        raise typer.BadParameter(f"{name} has {len(found)} stories ({', '.join(found)}); name one", param_hint=option)
    return next(iter(found.values()))


def traces_named(name: str, subject: str | None, size_max: int) -> Mapping[str, Trace]:
    """A trace by file, or by the name of one that came with the program; of a claim all that it has.

    By the names that they have themselves: those of the file or story, or of the claim's stories.
    """
    path = Path(name)
    has_suffix = path.suffix and not path.suffix[1:].isdigit()  # 5.3.3 is a release
    if os.path.exists(path) or has_suffix or "/" in name:  # noqa: PTH110 - Path.exists raises where it is too long
        return {name: read_record_file(path, size_max).trace}
    recorded = recorded_traces()
    if name in recorded:
        return {name: read_record(recorded[name].read_text(encoding="utf-8"), name).trace}
    stories = recorded_stories()
    return _of_claim(stories, name, subject) or _refuse_unknown(name, subject, stories)


def _of_claim(stories: RecordedStories, claim: str, subject: str | None) -> Mapping[str, Trace]:
    """Those of a claim: of the subject that is named, else of the first built-in one that has such a claim."""
    subjects = [subject] if subject is not None and subject in BUILT_INS else [DEFAULT, *BUILT_INS]
    return next(filter(None, (stories.about(each).of(claim) for each in subjects)), {})


def _refuse_unknown(name: str, subject: str | None, stories: RecordedStories) -> NoReturn:
    """Says that a claim has no story, or that there is nothing of this name."""
    for each in [subject] if subject is not None and subject in SINGLES else SINGLES:
        loaded = load_subject(each)
        if loaded.knows(name):
            title, whose = ", ".join(prop.title for prop in loaded.named(name)), "" if each == DEFAULT else f"{each} "
            raise typer.BadParameter(
                f"no story of {title} is recorded; `offsetproof check {whose}{name}` decides it", param_hint="CLAIM"
            )
    if subject is not None and subject in SINGLES:
        refuse_claim_of_another(load_subject(subject), name)
    claims = [known for trace in stories.values() for known in (trace.property.id, trace.property.name)]
    raise UnknownNameError("recorded trace, claim or file", name, [*dict.fromkeys([*stories, *claims])])

"""The record of what was found in wider worlds, for `guard` to ask again."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from inspect import getsourcefile
from pathlib import Path

from offsetproof.checking.catalogue import BUILT_INS, WIDER
from offsetproof.checking.widening import UNDECIDED, Found, WiderWorld, WorldOutcome
from offsetproof.checking.wider import BY_STUBBORN_SETS, LETTERS, Cases, Known, RecordedCase, digest_of, key_of_case
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError, read_text
from offsetproof.reading.typed_json import read_json

_WORLDS = Sequence[tuple[WiderWorld, Found]]


def cases_of(worlds: Iterable[tuple[WiderWorld, Found]], known: Cases) -> Cases:
    """What is to be recorded: only worlds that hold are asked again, and of others it is counted what they are.

    What is known of a world in the same setting stays where it is not decided now. Pairs are not recorded.
    """
    by_case: dict[str, list[tuple[WiderWorld, Found]]] = {}
    for world, found in worlds:
        if len(world.raised) > 1:
            continue
        by_case.setdefault(key_of_case(world.question.prop, world.question.setting), []).append((world, found))
    return {key: _case(those, known.get(key)) for key, those in by_case.items()}


def _case(worlds: _WORLDS, before: RecordedCase | None) -> RecordedCase:
    setting = digest_of(worlds[0][0].question.setting)
    counts = Counter(_outcome(found) for _, found in worlds if found.outcome not in _UNASKED)
    held = {world.raised[0]: found.digest[:LETTERS] for world, found in worlds if found.outcome is WorldOutcome.HOLDS}
    if before is not None and before.setting == setting:
        undecided = {world.raised[0] for world, found in worlds if found.outcome in (*UNDECIDED, WorldOutcome.LEFT)}
        held = {name: digest for name, digest in before.held.items() if name in undecided} | held
    return RecordedCase(setting, "", dict(counts), held)


def _outcome(found: Found) -> str:
    return BY_STUBBORN_SETS if found.reduced and found.outcome is WorldOutcome.HOLDS else str(found.outcome)


_UNASKED = WorldOutcome.SAME, WorldOutcome.LEFT


def record_file(name: str, subject: Subject) -> Path:
    """Where what was found in a subject's wider worlds is: one file for those that come with the program, for a model
    of one's own beside the model's file."""
    if name in BUILT_INS:
        return Path(str(WIDER))
    file = Path(getsourcefile(subject.model) or subject.model.__name__)
    return file.with_name(f"{file.stem}.wider.json")


def read_worlds(path: Path, size_max: int = SIZE_MAX) -> Known | None:
    """What a file has of each subject, None where there is none; UnreadableFileError where it is not such a file."""
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where the name is too long
        return None
    return read_json(read_text(path, size_max), Known, str(path), _ANEW)


def recorded_cases(path: Path, subject: Subject, size_max: int = SIZE_MAX) -> Cases:
    """What a file has of a subject; UnreadableFileError where there is none, or nothing of this subject in it."""
    known = read_worlds(path, size_max)
    if known is None:
        raise UnreadableFileError(str(path), "the file", f"there is none yet; {_ANEW}")
    if subject.name not in known:
        raise UnreadableFileError(str(path), "the document", f"says nothing of {subject.name!r}; {_ANEW}")
    return known[subject.name]


_ANEW = "write it with `offsetproof widen --update`"


def record_text(known: Known) -> str:
    """The file's text, a line for each case: the same worlds always give the same bytes."""
    subjects = [f" {json.dumps(name)}: {{\n{_lines(cases)}\n }}" for name, cases in known.items()]
    return "{\n" + ",\n".join(subjects) + "\n}\n"


def _lines(cases: Cases) -> str:
    return ",\n".join(f"  {json.dumps(case)}: {json.dumps(found)}" for case, found in sorted(cases.items()))

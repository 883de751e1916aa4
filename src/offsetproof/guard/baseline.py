"""The baseline: what was found of every question (a claim in one release and scope), as a committed file.

A finding is a few lines of JSON, sorted by name, so that a change of a verdict reads as such in a diff. `digest` is
that of the explored system: where it is the same, nothing that the verdict rests on has changed in the model. `idle`
are the actions of the slice that were not taken, `judged` the states (or steps) that the claim says something of,
`vacuous` why that is nothing. `accepted` says that a verdict which the claim does not expect was accepted by
somebody. `seal` is over all of these: a finding that was edited is not believed.

A digest says little of what computes it, so some questions are decided again although it is known (`RecheckPolicy`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from inspect import getsourcefile
from pathlib import Path
from typing import Any, Literal

from msgspec import ValidationError, convert, to_builtins
from msgspec.structs import asdict

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import Scope
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError, read_text
from offsetproof.reading.typed_json import (
    THIS_TOOL,
    Count,
    JsonObject,
    Names,
    ToolJson,
    read_json,
)
from offsetproof.reports.json import FlatScope, scope_json
from offsetproof.traces.store import WholeScopeJson, scope_of

SCHEMA = 2
"""The version of the file's shape."""

_NEW = "write it with `offsetproof guard --update`"
_WRITE_ANEW = "write it again with `offsetproof guard --update`"

Key = tuple[ClaimInWorld, ClaimKind]
"""What names a finding."""


TURNS = 10
"""One question in this many is decided again whatever its digest says."""


@dataclass(frozen=True)
class Finding:
    """What was found of one question: of which claim in which world, and in which system.

    `faults` and `steps` are those of its trace.
    """

    asked: ClaimInWorld
    kind: ClaimKind
    scope: Scope
    verdict: Expectation
    states: int
    transitions: int
    depth: int
    faults: int | None
    steps: int | None
    cause: tuple[str, ...]
    idle: tuple[str, ...]
    digest: str
    judged: int | None = None
    vacuous: str = ""
    accepted: bool = False

    @property
    def seal(self) -> str:
        """What the finding is known by: a digest over everything that it says."""
        groups = _groups(_members(self))
        return hashlib.sha256(json.dumps(groups, sort_keys=True).encode()).hexdigest()

    @property
    def key(self) -> Key:
        """The finding's name."""
        return self.asked, self.kind

    @property
    def title(self) -> str:
        """The claim and its scope, as lines of reports begin: `I5 in calm-reset`."""
        return f"{self.asked.claim} in {self.scope.name}"


@dataclass(frozen=True)
class Baseline:
    """All findings about one subject."""

    subject: str
    findings: Mapping[Key, Finding]


class _FindingJson(JsonObject):
    """A finding as the file has it."""

    property: str
    kind: ClaimKind
    release: str | None
    verdict: Expectation
    scope: FlatScope
    fixes: Names
    assumptions: Names
    listener: str | None
    states: Count
    transitions: Count
    depth: Count
    faults: Count | None
    steps: Count | None
    cause: Names
    idle: Names
    judged: Count | None
    vacuous: str
    accepted: bool
    digest: str
    seal: str


_LINES = (
    "property kind release verdict", "scope", "fixes assumptions listener", "states transitions depth",
    "faults steps cause", "idle", "judged vacuous accepted", "digest",
)  # fmt: skip
"""The members in each line of a finding; the seal has a line of its own."""


class _BaselineJson(JsonObject):
    """The file."""

    schema: Literal[2]
    tool: ToolJson
    subject: str
    cells: tuple[_FindingJson, ...]


def baseline_file(name: str, subject: Subject) -> Path:
    """Where the baseline of a subject is: beside its claims, for a user's model beside the model's file."""
    if name in BUILT_INS:
        return BUILT_INS[name].folder / "baseline.json"
    file = Path(getsourcefile(subject.model) or subject.model.__name__)
    return file.with_name(f"{file.stem}.baseline.json")


def read_baseline(path: Path, subject: Subject, size_max: int = SIZE_MAX) -> Baseline:
    """The subject's baseline in a file (of `size_max` bytes); UnreadableFileError names file, place and way out."""
    return of_subject(subject, any_baseline_in(path, size_max), path)


def any_baseline_in(path: Path, size_max: int) -> Baseline:
    """The baseline in a file, whatever it is of; UnreadableFileError where there is none that can be read."""
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where the name is too long
        raise UnreadableFileError(str(path), "the file", f"there is none yet; {_NEW}")
    try:
        return _read(read_json(read_text(path, size_max), _BaselineJson, str(path), _WRITE_ANEW), str(path))
    except UnreadableFileError as error:
        way_out = "" if error.wrong.endswith(_WRITE_ANEW) else _WRITE_ANEW
        raise UnreadableFileError(error.file, error.place, error.wrong, way_out) from None


def of_subject(subject: Subject, baseline: Baseline, path: Path) -> Baseline:
    """The baseline; UnreadableFileError where it is another subject's, which is never overwritten."""
    if baseline.subject != subject.name:
        wrong = f"is of {baseline.subject!r}, not of {subject.name!r}; name another file with --baseline"
        raise UnreadableFileError(str(path), "subject", wrong)
    return baseline


def write_baseline(subject: Subject, findings: Iterable[Finding]) -> str:
    """The file's text: the same findings always give the same bytes."""
    head = {"schema": SCHEMA, "tool": to_builtins(THIS_TOOL), "subject": subject.name}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = [_text_of(finding) for finding in sorted(findings, key=lambda finding: (finding.asked.order, finding.kind))]
    return "\n".join(["{", *lines, ' "cells": [', ",\n".join(rows), " ]", "}"]) + "\n"


def _text_of(finding: Finding) -> str:
    groups = [*_groups(_members(finding)), {"seal": finding.seal}]
    return "  {" + ",\n   ".join(json.dumps(group)[1:-1] for group in groups) + "}"


def _members(finding: Finding) -> dict[str, Any]:
    """All that a finding says, by the names of `_FindingJson`."""
    asked, own = finding.asked, {**vars(finding), "scope": scope_json(finding.scope)}
    named = {name: getattr(asked, name) for name in ("release", "fixes", "assumptions", "listener")}
    return {**own, "property": asked.claim, **named}


def _groups(members: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{name: members[name] for name in line.split()} for line in _LINES]


@dataclass(frozen=True)
class RecheckPolicy:
    """Which questions are decided although the baseline knows their digests: all, or those whose turn it is."""

    everything: bool = False
    turn: int | None = None

    @classmethod
    def of_today(cls) -> RecheckPolicy:
        """Those whose turn it is by the day."""
        return cls(turn=datetime.now(UTC).toordinal() % TURNS)

    def wants(self, finding: Finding) -> bool:
        """Is the question to be decided again?"""
        number = int(hashlib.sha256(repr((finding.asked.order, finding.kind)).encode()).hexdigest(), 16) % TURNS
        return self.everything or number == self.turn


def _read(data: _BaselineJson, file: str) -> Baseline:
    findings: dict[Key, Finding] = {}
    for number, each in enumerate(data.cells):
        finding, place = _finding(each, f"cells[{number}].scope", file), f"cells[{number}]"
        if finding.key in findings:
            raise UnreadableFileError(file, place, f"is a second finding about {finding.title}")
        if each.seal != finding.seal:
            wrong = f"is not what was written of {finding.title}: its seal does not fit"
            raise UnreadableFileError(file, place, wrong)
        findings[finding.key] = finding
    return Baseline(data.subject, findings)


def _finding(data: _FindingJson, place: str, file: str) -> Finding:
    scope_members: dict[str, Any] = {"bounds": {}}
    for name, value in data.scope.items():
        (scope_members if name in ("name", "faults") else scope_members["bounds"])[name] = value
    try:
        scope = scope_of(convert(scope_members, WholeScopeJson))
    except ValidationError as error:
        raise UnreadableFileError(file, place, str(error)) from None
    own = {name: value for name, value in asdict(data).items() if name in Finding.__dataclass_fields__}
    asked = ClaimInWorld(data.property, data.release, scope.name, data.fixes, data.assumptions, data.listener)
    return Finding(**{**own, "asked": asked, "scope": scope})

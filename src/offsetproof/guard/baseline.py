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
from inspect import getsourcefile
from pathlib import Path
from typing import Any

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.scope import Scope
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError, read_text
from offsetproof.reading.strict_json import JsonValue, parse
from offsetproof.reports.json import scope_json
from offsetproof.traces.store import read_scope
from offsetproof.version import __version__

SCHEMA = 2
"""The version of the file's shape."""

_NEW = "write it with `offsetproof guard --update`"
_WRITE_ANEW = "write it again with `offsetproof guard --update`"

Key = tuple[ClaimInWorld, ClaimKind]
"""What names a finding."""


TURNS = 10
"""One question in this many is decided again whatever its digest says."""


@dataclass(eq=False)
class UnreadableBaselineError(Exception):
    """A file that is not a baseline: which one, where in it, what is wrong there, and what to do."""

    file: str
    place: str
    wrong: str

    def __str__(self) -> str:
        way = "" if self.wrong.endswith((_NEW, _WRITE_ANEW)) else f"; {_WRITE_ANEW}"
        return f"{self.file}: {self.place}: {self.wrong}{way}"


@dataclass(eq=False)
class ForeignBaselineError(UnreadableBaselineError):
    """A baseline, but another subject's; it is never overwritten."""

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.wrong}"


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
        return hashlib.sha256(json.dumps(_groups(self), sort_keys=True).encode()).hexdigest()

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


def baseline_file(name: str, subject: Subject) -> Path:
    """Where the baseline of a subject is: beside its claims, for a user's model beside the model's file."""
    if name in BUILT_INS:
        return BUILT_INS[name].folder / "baseline.json"
    file = Path(getsourcefile(subject.model) or subject.model.__name__)
    return file.with_name(f"{file.stem}.baseline.json")


def read_baseline(path: Path, subject: Subject, size_max: int = SIZE_MAX) -> Baseline:
    """The baseline in a file (of `size_max` bytes); UnreadableBaselineError names file, place and way out."""
    try:
        if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where the name is too long
            raise UnreadableBaselineError(str(path), "the file", f"there is none yet; {_NEW}")
        baseline = _read(parse(read_text(path, size_max), str(path), _WRITE_ANEW))
    except UnreadableFileError as error:
        raise UnreadableBaselineError(error.file, error.place, error.wrong) from None
    if baseline.subject != subject.name:
        wrong = f"is of {baseline.subject!r}, not of {subject.name!r}; name another file with --baseline"
        raise ForeignBaselineError(str(path), "subject", wrong)
    return baseline


def write_baseline(subject: Subject, findings: Iterable[Finding]) -> str:
    """The file's text: the same findings always give the same bytes."""
    head = {"schema": SCHEMA, "tool": {"name": "offsetproof", "version": __version__}, "subject": subject.name}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = [_text_of(finding) for finding in sorted(findings, key=lambda finding: (finding.asked.order, finding.kind))]
    return "\n".join(["{", *lines, ' "cells": [', ",\n".join(rows), " ]", "}"]) + "\n"


def _text_of(finding: Finding) -> str:
    groups = [*_groups(finding), {"seal": finding.seal}]
    return "  {" + ",\n   ".join(json.dumps(group)[1:-1] for group in groups) + "}"


def _groups(finding: Finding) -> list[dict[str, Any]]:
    """What a finding says, a line each."""
    world = finding.asked
    return [
        {"property": world.claim, "kind": finding.kind, "release": world.release, "verdict": finding.verdict},
        {"scope": scope_json(finding.scope)},
        {"fixes": list(world.fixes), "assumptions": list(world.assumptions), "listener": world.listener},
        {"states": finding.states, "transitions": finding.transitions, "depth": finding.depth},
        {"faults": finding.faults, "steps": finding.steps, "cause": list(finding.cause)},
        {"idle": list(finding.idle)},
        {"judged": finding.judged, "vacuous": finding.vacuous, "accepted": finding.accepted},
        {"digest": finding.digest},
    ]


@dataclass(frozen=True)
class RecheckPolicy:
    """Which questions are decided although the baseline knows their digests: all, or those whose turn it is."""

    everything: bool = False
    turn: int | None = None

    def wants(self, finding: Finding) -> bool:
        """Is the question to be decided again?"""
        number = int(hashlib.sha256(repr((finding.asked.order, finding.kind)).encode()).hexdigest(), 16) % TURNS
        return self.everything or number == self.turn


def _read(data: JsonValue) -> Baseline:
    schema = data.item("schema")
    if schema.number() != SCHEMA:
        schema.refuse(f"is {schema.value}, but this version reads schema {SCHEMA}")
    findings: dict[Key, Finding] = {}
    for item in data.item("cells").items():
        finding = _finding(item)
        if finding.key in findings:
            item.refuse(f"is a second finding about {finding.title}")
        findings[finding.key] = finding
    return Baseline(data.item("subject").text(), findings)


def _finding(data: JsonValue) -> Finding:
    scope = _scope(data.item("scope"))
    finding = Finding(
        ClaimInWorld(
            data.item("property").text(),
            _or_none(data.item("release")),
            scope.name,
            data.item("fixes").texts(),
            data.item("assumptions").texts(),
            _or_none(data.item("listener")),
        ),
        ClaimKind(_one_of(data.item("kind"), ClaimKind)),
        scope,
        Expectation(_one_of(data.item("verdict"), Expectation)),
        data.item("states").number(),
        data.item("transitions").number(),
        data.item("depth").number(),
        _number_or_none(data.item("faults")),
        _number_or_none(data.item("steps")),
        data.item("cause").texts(),
        data.item("idle").texts(),
        data.item("digest").text(),
        _number_or_none(data.item("judged")),
        data.item("vacuous").text(),
        data.item("accepted").truth(),
    )
    if data.item("seal").text() != finding.seal:
        data.refuse(f"is not what was written of {finding.title}: its seal does not fit")
    return finding


def _scope(data: JsonValue) -> Scope:
    inside = data.entries()
    faults = {kind: budget.number() for kind, budget in data.item("faults").entries().items()}
    bounds = {name: bound.number() for name, bound in inside.items() if name not in ("name", "faults")}
    return read_scope(data, bounds, faults)


def _one_of(data: JsonValue, kind: type[ClaimKind] | type[Expectation]) -> str:
    known = [member.value for member in kind]
    if data.text() not in known:
        data.refuse(f"is {data.value!r}, but must be one of {', '.join(known)}")
    return data.text()


def _or_none(data: JsonValue) -> str | None:
    return None if data.is_null else data.text()


def _number_or_none(data: JsonValue) -> int | None:
    return None if data.is_null else data.number()

"""A run's manifest: what is explored, the totals of every complete level, and a digest of every file of it.

It is sealed (`ir.sealed_json`), read strictly, and must add up: what it says of a level, of its parts, of the states
that raised an alarm and of how the run ended are told more than once, and have to agree. So neither damage nor an edit
makes an answer of it. It knows nothing of Spark: a part is a file of states, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from msgspec import Meta, Struct, to_builtins

from offsetproof.compiled.lower import CLAIMS, DEAD
from offsetproof.engines.spark.states import WAY_OUT
from offsetproof.engines.whole_files import CheckpointError, DamagedError, write_whole
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.reading.files import UnreadableFileError, read_regular
from offsetproof.reading.typed_json import Count, Seconds, read_json

SCHEMA: Literal[3] = 3
MANIFEST = "manifest.json"

BYTES_MOST = 1 << 29
"""What is read of a manifest: a long run's has a few hundred bytes for each level and part."""

NUMBER_MOST = (1 << 63) - 1

PARTS_MOST = 1 << 20
"""More parts than a run has, and more words than a state has."""

LIMITS = ("STATES", "MEMORY", "TIME")
"""The limits that end a run, by their `Reason`."""

Alarm = Annotated[str, Meta(pattern="^(state|step|dead|failed)$")]
"""What states can have shown: a violation, a violating step out of them, no step at all, or an error of the model."""


class AlarmFile(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a task has written the states of a level that raised an alarm, how many they are, and the file's digest."""

    kind: Alarm
    task: Count
    rows: Annotated[int, Meta(ge=1, le=NUMBER_MOST)]
    digest: str


class Level(Struct, forbid_unknown_fields=True):
    """What one level gave: its states, the steps out of them, and which claims were alarmed by which of both.

    `rows` says how many of the states are in each part, `digests` what tells the part's file.
    """

    states: Count
    transitions: Count
    fired: list[Count]
    cuts: list[Count]
    judged: Count
    expanded: Count
    failed: bool = False
    bytes: Count = 0
    sent: Count = 0
    seconds: Seconds = 0.0
    rows: list[Count] = []
    digests: list[str] = []
    alarms: list[AlarmFile] = []

    @property
    def expansion(self) -> tuple[object, ...]:
        """What a level gives whenever it is expanded, and by however many tasks."""
        return self.states, self.transitions, self.fired, self.cuts, self.judged, self.expanded, self.failed

    def alarms_of(self, kind: str) -> list[AlarmFile]:
        """The files of one kind of alarm."""
        return [file for file in self.alarms if file.kind == kind]


class Pass(Struct, forbid_unknown_fields=True):
    """One exploration, with at most this many faults (None: as many as the scope has).

    `outcome` is "" while it goes on; then "finished", or how the claim was violated ("state", "step", "dead"), or the
    limit that was met (the name of a `Reason`). `end` has the digests of the empty level that a finished one ends with.
    """

    cap: Count | None
    levels: list[Level] = []
    outcome: str = ""
    end: list[str] = []


class Manifest(Struct, forbid_unknown_fields=True):
    """What a run explores (`digest`), which program does, in how many parts, and how far it has come."""

    digest: str
    program: str
    parts: Annotated[int, Meta(ge=1, le=PARTS_MOST)]
    words: Annotated[int, Meta(ge=1, le=PARTS_MOST)]
    passes: list[Pass] = []
    schema: Literal[3] = SCHEMA

    def with_faults(self, cap: int | None) -> Pass:
        """The pass with at most this many faults, a new one where there was none."""
        for each in self.passes:
            if each.cap == cap:
                return each
        self.passes.append(Pass(cap))
        return self.passes[-1]


def write_manifest(file: Path, manifest: Manifest) -> None:
    """Puts a manifest in place at once."""
    write_whole(file, seal(to_builtins(manifest)))


def read_manifest(file: Path) -> Manifest:
    """A run's manifest; CheckpointError where there is none of this version, DamagedError where it was changed."""
    try:
        data = read_regular(file, BYTES_MOST)
    except FileNotFoundError as error:
        raise CheckpointError(f"there is no {file}: nothing to resume; drop --resume") from error
    except OSError as error:
        raise DamagedError(f"{file} cannot be read: {error}; {WAY_OUT}") from error
    sealed = unseal(data)
    if sealed is None:
        _refuse_other_version(data, file)
        raise DamagedError(f"{file} is not what was written: its digest differs; {WAY_OUT}")
    try:
        manifest = read_json(sealed.decode(), Manifest, str(file), WAY_OUT)
        _must_make_sense(manifest, str(file))
    except UnreadableFileError as error:
        complaint = str(error).removesuffix(f"; {WAY_OUT}")
        raise DamagedError(f"{complaint}; {WAY_OUT}") from error
    except UnicodeDecodeError as error:
        raise DamagedError(f"{file} cannot be read: {error}; {WAY_OUT}") from error
    return manifest


def _refuse_other_version(data: bytes, file: Path) -> None:
    """CheckpointError where a manifest without a seal says that it is of another version."""
    with suppress(UnreadableFileError, UnicodeDecodeError):
        schema = read_json(data.decode(), _Version, str(file), WAY_OUT).schema
        if schema != SCHEMA:
            raise CheckpointError(
                f"{file} was written by another version of offsetproof (schema {schema}; this one reads {SCHEMA}); "
                "use a new --out-dir, or drop --resume"
            )


class _Version(Struct):
    """A manifest of any version."""

    schema: Count


def _must_make_sense(manifest: Manifest, file: str) -> None:
    """UnreadableFileError where a manifest contradicts itself."""
    caps = [each.cap for each in manifest.passes]
    if caps != [None, *range(len(caps))][: len(caps)]:
        _refuse(file, "passes", f"are those with {caps} faults, but must be all, then 0, 1, 2...")
    for number, each in enumerate(manifest.passes):
        before: Level | None = None
        for depth, level in enumerate(each.levels):
            for wrong in _contradictions(level, before, manifest.parts):
                _refuse(file, f"passes[{number}].levels[{depth}]", wrong)
            before = level
        for wrong in _wrong_ends(each, manifest.parts):
            _refuse(file, f"passes[{number}].outcome", wrong)


def _refuse(file: str, place: str, wrong: str) -> NoReturn:
    raise UnreadableFileError(file, place, f"{wrong}; {WAY_OUT}")


def _contradictions(level: Level, before: Level | None, parts: int) -> Iterator[str]:
    """The contradictions between the counts of a level, and with those of the level before."""
    for what, counted, said in (
        ("parts", len(level.rows), parts),
        ("digests", len(level.digests), parts),
        ("states", sum(level.rows), level.states),
        ("steps", sum(level.fired), level.transitions),
    ):
        if counted != said:
            yield f"has {counted:,} {what} by one count and {said:,} by another"
    if not level.states:
        yield "has no states, and would not have been written"
    if before is not None and (level.states > before.transitions or len(level.fired) != len(before.fired)):
        yield f"has {level.states:,} states, and {before.transitions:,} steps lead to it"
    for kind, flagged in (
        ("state", level.judged >> CLAIMS & 1), ("step", level.expanded >> CLAIMS & 1), ("failed", level.failed),
    ):  # fmt: skip
        if bool(level.alarms_of(kind)) is not bool(flagged):
            yield f"does not have the files of its alarms ({kind}) that it must have"
    if level.alarms_of("dead") and not level.expanded & DEAD:
        yield "has files of states without a step, and says that there is none"


def _wrong_ends(over: Pass, parts: int) -> Iterator[str]:
    """The outcome must be one, and the one that the levels call for."""
    last = over.levels[-1:]
    if over.outcome not in ("", "finished", "state", "step", "dead", *LIMITS):
        yield f"is {over.outcome!r}, which is not an outcome"
    if over.outcome in ("state", "step", "dead") and not any(level.alarms_of(over.outcome) for level in last):
        yield f"is {over.outcome!r}, and the last level has no such alarm"
    if over.outcome != "state" and any(level.alarms_of("state") for level in over.levels):
        yield f"is {over.outcome!r}, and a state is violated"
    if len(over.end) != (parts if over.outcome == "finished" else 0):
        yield f"is {over.outcome!r}, and the empty level after the last has {len(over.end)} files"

"""A run's manifest: what is explored, the totals of every complete level, and a digest of every file of it.

It is sealed (`ir.sealed_json`), read strictly, and must add up: what it says of a level, of its parts, of the states
that raised an alarm and of how the run ended are told more than once, and have to agree. So neither damage nor an edit
makes an answer of it. It knows nothing of Spark: a part is a file of states, whoever wrote it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from offsetproof.compiled.lower import CLAIMS, DEAD
from offsetproof.engines.spark.errors import CheckpointError, DamagedError
from offsetproof.engines.spark.states import WAY_OUT
from offsetproof.engines.spark.whole_files import write_whole
from offsetproof.ir.sealed_json import seal, unseal
from offsetproof.reading.files import read_regular
from offsetproof.reading.strict_json import JsonValue, UnreadableJsonError, parse

SCHEMA = 3
MANIFEST = "manifest.json"

BYTES_MOST = 1 << 29
"""What is read of a manifest: a long run's has a few hundred bytes for each level and part."""

NUMBER_MOST = (1 << 63) - 1

PARTS_MOST = 1 << 20
"""More parts than a run has, and more words than a state has."""

LIMITS = ("STATES", "MEMORY", "TIME")
"""The limits that end a run, by their `Reason`."""

ALARMS = ("state", "step", "dead", "failed")
"""What states can have shown: a violation, a violating step out of them, no step at all, or an error of the model."""


@dataclass(frozen=True)
class AlarmFile:
    """Where a task has written the states of a level that raised an alarm, how many they are, and the file's digest."""

    kind: str
    task: int
    rows: int
    digest: str


@dataclass
class Level:
    """What one level gave: its states, the steps out of them, and which claims were alarmed by which of both.

    `rows` says how many of the states are in each part, `digests` what tells the part's file.
    """

    states: int
    transitions: int
    fired: list[int]
    cuts: list[int]
    judged: int
    expanded: int
    failed: bool = False
    bytes: int = 0
    sent: int = 0
    seconds: float = 0.0
    rows: list[int] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    alarms: list[AlarmFile] = field(default_factory=list)

    @property
    def expansion(self) -> tuple[object, ...]:
        """What a level gives whenever it is expanded, and by however many tasks."""
        return self.states, self.transitions, self.fired, self.cuts, self.judged, self.expanded, self.failed

    def alarms_of(self, kind: str) -> list[AlarmFile]:
        """The files of one kind of alarm."""
        return [file for file in self.alarms if file.kind == kind]


@dataclass
class Pass:
    """One exploration, with at most this many faults (None: as many as the scope has).

    `outcome` is "" while it goes on; then "finished", or how the claim was violated ("state", "step", "dead"), or the
    limit that was met (the name of a `Reason`). `end` has the digests of the empty level that a finished one ends with.
    """

    cap: int | None
    levels: list[Level] = field(default_factory=list)
    outcome: str = ""
    end: list[str] = field(default_factory=list)


@dataclass
class Manifest:
    """What a run explores (`digest`), which program does, in how many parts, and how far it has come."""

    digest: str
    program: str
    parts: int
    words: int
    passes: list[Pass] = field(default_factory=list)
    schema: int = SCHEMA

    def with_faults(self, cap: int | None) -> Pass:
        """The pass with at most this many faults, a new one where there was none."""
        for each in self.passes:
            if each.cap == cap:
                return each
        self.passes.append(Pass(cap))
        return self.passes[-1]


def write_manifest(file: Path, manifest: Manifest) -> None:
    """Puts a manifest in place at once."""
    passes = [{**vars(each), "levels": [json_of(level) for level in each.levels]} for each in manifest.passes]
    write_whole(file, seal({**vars(manifest), "passes": passes}))


def json_of(level: Level) -> dict[str, Any]:
    """A level as JSON, for `level_of`; nothing is copied, because a manifest has thousands of them."""
    return {**vars(level), "alarms": [vars(file) for file in level.alarms]}


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
        return _manifest(parse(sealed.decode(), str(file)))
    except UnreadableJsonError as error:
        raise DamagedError(f"{error}; {WAY_OUT}") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise DamagedError(f"{file} cannot be read: {error}; {WAY_OUT}") from error


def level_of(data: JsonValue) -> Level:
    """What one task, or all together, tell of a level; UnreadableJsonError where that is nonsense."""
    inside = _members(data, Level)
    return Level(
        number(inside["states"]),
        number(inside["transitions"]),
        numbers(inside["fired"]),
        numbers(inside["cuts"]),
        number(inside["judged"]),
        number(inside["expanded"]),
        inside["failed"].truth(),
        number(inside["bytes"]),
        number(inside["sent"]),
        _seconds(inside["seconds"]),
        numbers(inside["rows"]),
        list(inside["digests"].texts()),
        [_alarm_file(each) for each in inside["alarms"].items()],
    )


def number(data: JsonValue) -> int:
    """A number that may be one of states, bytes or flags."""
    value = data.number()
    return value if value <= NUMBER_MOST else data.refuse("is more than any run has")


def numbers(data: JsonValue) -> list[int]:
    """A list of such numbers."""
    listed = data.value
    if isinstance(listed, list) and all(type(each) is int and 0 <= each <= NUMBER_MOST for each in listed):
        return listed
    return [number(each) for each in data.items()]


def _refuse_other_version(data: bytes, file: Path) -> None:
    """CheckpointError where a manifest without a seal says that it is of another version."""
    with suppress(UnreadableJsonError, UnicodeDecodeError, RecursionError):
        schema = parse(data.decode(), str(file)).item("schema").number()
        if schema != SCHEMA:
            raise CheckpointError(
                f"{file} was written by another version of offsetproof (schema {schema}; this one reads {SCHEMA}); "
                "use a new --out-dir, or drop --resume"
            )


def _manifest(data: JsonValue) -> Manifest:
    inside = _members(data, Manifest)
    parts, words = (inside[name].number() for name in ("parts", "words"))
    for name, value in (("parts", parts), ("words", words)):
        if not 0 < value <= PARTS_MOST:
            inside[name].refuse(f"is {value}")
    passes = [_pass(each, parts) for each in inside["passes"].items()]
    caps = [each.cap for each in passes]
    if caps != [None, *range(len(caps))][: len(caps)]:
        inside["passes"].refuse(f"are those with {caps} faults, but must be all, then 0, 1, 2...")
    if inside["schema"].number() != SCHEMA:
        inside["schema"].refuse(f"is not {SCHEMA}")
    return Manifest(inside["digest"].text(), inside["program"].text(), parts, words, passes)


def _pass(data: JsonValue, parts: int) -> Pass:
    inside = _members(data, Pass)
    cap = None if inside["cap"].is_null else number(inside["cap"])
    levels = inside["levels"].items()
    result = Pass(cap, [level_of(each) for each in levels], inside["outcome"].text(), list(inside["end"].texts()))
    before: Level | None = None
    for each, level in zip(levels, result.levels, strict=True):
        _must_add_up(each, level, before, parts)
        before = level
    _must_have_ended(inside["outcome"], result, parts)
    return result


def _must_add_up(data: JsonValue, level: Level, before: Level | None, parts: int) -> None:
    """What is told of a level must agree with itself, and with the one before."""
    _must_agree(data, "parts", len(level.rows), parts)
    _must_agree(data, "digests", len(level.digests), parts)
    _must_agree(data, "states", sum(level.rows), level.states)
    _must_agree(data, "steps", sum(level.fired), level.transitions)
    if not level.states:
        data.refuse("has no states, and would not have been written")
    if before is not None and (level.states > before.transitions or len(level.fired) != len(before.fired)):
        data.refuse(f"has {level.states:,} states, and {before.transitions:,} steps lead to it")
    for kind, flagged in (
        ("state", level.judged >> CLAIMS & 1), ("step", level.expanded >> CLAIMS & 1), ("failed", level.failed),
    ):  # fmt: skip
        if bool(level.alarms_of(kind)) is not bool(flagged):
            data.refuse(f"does not have the files of its alarms ({kind}) that it must have")
    if level.alarms_of("dead") and not level.expanded & DEAD:
        data.refuse("has files of states without a step, and says that there is none")


def _must_agree(data: JsonValue, what: str, counted: int, said: int) -> None:
    if counted != said:
        data.refuse(f"has {counted:,} {what} by one count and {said:,} by another")


def _must_have_ended(data: JsonValue, over: Pass, parts: int) -> None:
    """The outcome must be one, and the one that the levels call for."""
    last = over.levels[-1:]
    if over.outcome not in ("", "finished", "state", "step", "dead", *LIMITS):
        data.refuse("is not an outcome")
    if over.outcome in ("state", "step", "dead") and not any(level.alarms_of(over.outcome) for level in last):
        data.refuse(f"is {over.outcome!r}, and the last level has no such alarm")
    if over.outcome != "state" and any(level.alarms_of("state") for level in over.levels):
        data.refuse(f"is {over.outcome!r}, and a state is violated")
    if len(over.end) != (parts if over.outcome == "finished" else 0):
        data.refuse(f"is {over.outcome!r}, and the empty level after the last has {len(over.end)} files")


def _members(data: JsonValue, kind: type) -> dict[str, JsonValue]:
    """The members of an object, which must be the fields of a dataclass."""
    inside, wanted = data.entries(), kind.__dataclass_fields__  # type: ignore[attr-defined]  # a dataclass
    if inside.keys() != wanted.keys():
        data.refuse(f"must have {', '.join(wanted)}, and nothing else")
    return inside


def _alarm_file(data: JsonValue) -> AlarmFile:
    inside = _members(data, AlarmFile)
    kind = inside["kind"].text()
    if kind not in ALARMS:
        inside["kind"].refuse("is not a kind of alarm")
    alarms = AlarmFile(kind, number(inside["task"]), number(inside["rows"]), inside["digest"].text())
    return alarms if alarms.rows else data.refuse("has no rows")


def _seconds(data: JsonValue) -> float:
    value = data.value
    if type(value) not in (int, float) or not 0 <= value <= NUMBER_MOST:
        data.refuse("is not a time")
    return float(value)

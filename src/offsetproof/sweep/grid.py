"""Grids: many questions at once, from a TOML file: claims x releases x fixes x assumptions x scopes x bounds.

properties = ["I5", "I6"]            # or a claim's name, for all of its cases; or "all"
releases = ["4.9.4"]                 # left out: as in `check`
scopes = ["calm-reset"]              # left out: those that each claim names
fixes = [[], ["poll-checks-dropped"]]
assumptions = [[]]
listeners = ["reconsume-later"]      # left out: what each claim states
[bounds]
messages = [1, 2, 3]                 # or "1..3"
[limits]
states = 3000000
seconds = 60.0
bytes = 2000000000
[[exclude]]                          # questions that have all of these are left out
property = "I5"
messages = 3
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from offsetproof.checking.releases import release_names
from offsetproof.checking.request import question_of
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.reading.files import UnusableFileError, read_regular
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.prerequisite import NotStartedError

BUILT_IN = Path(__file__).parent / "grids"
"""Grids that come with the program."""

_KEYS = {"properties", "releases", "scopes", "fixes", "assumptions", "listeners", "bounds", "limits", "exclude"}


QUESTIONS_MOST = 50_000
"""More questions are not asked: at a second each they take more than half a day."""

BYTES_MOST = 1 << 20
"""What is read of a file: TOML is read by Python, at a second or two for as much."""

DOTS_MOST = 200
"""How many dots a line may have: the time that a dotted key takes grows with their square."""

RULES_MOST = 1000
"""How many rules may exclude questions: each is tried on each question."""

NUMBER_MOST = (1 << 62) - 1

_SHOWN_MOST = 60


@dataclass(frozen=True)
class Grid:
    """Questions about a subject, and what each may spend."""

    name: str
    subject: str
    questions: tuple[ClaimInWorld, ...]
    limits: Limits


def read_grid(name: str, subject: Subject) -> Grid:
    """The grid of a file, or the built-in one of this name.

    Raises UnusableFileError for a file that is none, NotStartedError for one that asks more than a sweep takes,
    and UnknownNameError for names of grids that do not come with the program and for those that the subject does not
    have.
    """
    built_in = {each.stem: each for each in BUILT_IN.glob("*.toml")}
    if not name.endswith(".toml") and name not in built_in:
        raise UnknownNameError("grid", name, [*built_in, "path/to/file.toml"])
    file = built_in.get(name, Path(name))
    try:
        table = tomllib.loads(_text(file))
    except FileNotFoundError as error:
        raise UnusableFileError(f"there is no file {name}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableFileError(
            f"{file} cannot be read: {error}; fix it, its keys are {', '.join(sorted(_KEYS))}"
        ) from error
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise UnusableFileError(
            f"{file} has {brief(unknown[0])}, which no grid has; choose from {', '.join(sorted(_KEYS))}"
        )
    try:
        return _grid(file, table, subject)
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnusableFileError(f"{file} is not a grid: {error}") from error


def _text(file: Path) -> str:
    """What a file holds; ValueError for what would keep the reader of TOML for hours."""
    text = read_regular(file, BYTES_MOST).decode()
    if max(line.count(".") for line in text.split("\n")) > DOTS_MOST:
        raise ValueError(f"a line of it has more than {DOTS_MOST} dots")
    return text


def _grid(file: Path, table: Mapping[str, Any], subject: Subject) -> Grid:
    axes = list(_axes(table, subject))
    count = sum(prod(map(_size, each)) for _, each in axes)
    if count > QUESTIONS_MOST:
        raise NotStartedError(
            f"{file} asks {_count_in_words(count)} questions, and a sweep takes at most {QUESTIONS_MOST:,}; "
            "ask fewer bounds, fixes or claims, or split it into several grids"
        )
    limits = _limits(table.get("limits", {}))
    questions = dict.fromkeys(question for question in _questions(axes, table) if not _is_excluded(question, table))
    if not questions:
        raise ValueError("it has no questions; an empty list asks nothing: leave the key out")
    for question in questions:
        question_of(subject, question)
    return Grid(file.stem, subject.name, tuple(questions), limits)


def _axes(table: Mapping[str, Any], subject: Subject) -> Iterator[tuple[str, tuple[Sequence[Any], ...]]]:
    """For each claim what its questions combine: releases, scopes, fixes, assumptions, listeners, each bound."""
    for key in ("properties", "releases", "scopes", "listeners"):
        _must_be_names(key, table.get(key, ["all"]), or_all=key == "properties")
    wanted = table.get("properties", "all")
    named = [prop for name in wanted for prop in subject.named(name)] if wanted != "all" else subject.properties
    releases: Sequence[str | None] = release_names(subject.model, table.get("releases", ())) or [None]
    bounds = [_numbers(values) for values in table.get("bounds", {}).values()]
    if len(table.get("exclude", [])) > RULES_MOST:
        raise ValueError(f"it excludes by more than {RULES_MOST:,} rules; ask fewer questions instead")
    for prop in dict.fromkeys(named):
        scopes = table.get("scopes") or prop.scopes or [subject.model.scopes[0].name]
        fixes, assumptions = table.get("fixes", [[]]), table.get("assumptions", [[]])
        yield prop.id, (releases, scopes, fixes, assumptions, table.get("listeners", [None]), *bounds)


def _size(values: Sequence[Any]) -> int:
    """How many values there are; a range may have more than Python counts."""
    return max(0, values.stop - values.start) if isinstance(values, range) else len(values)


def _count_in_words(count: int) -> str:
    return f"{count:,}" if count < 10**15 else "far too many"


def _questions(axes: Iterable[tuple[str, Iterable[Sequence[Any]]]], table: Mapping[str, Any]) -> Iterator[ClaimInWorld]:
    for claim, values in axes:
        for release, scope, fixes, assumptions, listener, *numbers in product(*values):
            if isinstance(fixes, str) or isinstance(assumptions, str):
                raise ValueError("fixes and assumptions are lists of lists of names, as in [[], ['a', 'b']]")
            named = dict(zip(table.get("bounds", {}), numbers, strict=True))
            yield ClaimInWorld(claim, release, scope, tuple(fixes), tuple(assumptions), listener, named)


def _numbers(values: object) -> Sequence[int]:
    """`[1, 2]` or `"1..3"` as numbers."""
    if isinstance(values, str):
        first, dots, last = values.partition("..")
        if not dots:
            raise ValueError(f'{brief(values)} is not a range of numbers; write "1..3" or [1, 2, 3]')
        return range(int(first), int(last) + 1)
    listed: list[Any] = values if isinstance(values, list) else [values]
    if not all(type(value) is int and abs(value) <= NUMBER_MOST for value in listed):
        raise ValueError(f'{brief(values)} is not a list of whole numbers; write 3, [1, 2, 3] or "1..3"')
    return listed


def _must_be_names(key: str, values: object, *, or_all: bool) -> None:
    listed = isinstance(values, list) and all(isinstance(value, str) for value in values)
    if not values or not (listed or (or_all and values == "all")):
        raise ValueError(
            f"{key} = {brief(values)} is not a list of names, as in ['a', 'b']; leave the key out to ask all"
        )


def _limits(table: Mapping[str, Any]) -> Limits:
    unknown = sorted(set(table) - {"states", "seconds", "bytes"})
    if unknown:
        raise ValueError(f"there is no limit {brief(unknown[0])}; there are states, seconds, bytes")
    for name, value in table.items():
        if type(value) not in ((int, float) if name == "seconds" else (int,)) or not 0 < value <= NUMBER_MOST:
            raise ValueError(f"{name} = {brief(value)} is not a limit; it is a number above 0")
    return Limits(table.get("states"), table.get("bytes"), table.get("seconds"))


def brief(value: object) -> str:
    """A value of a file as a message shows it: no longer than a few words."""
    text = repr(value)
    return text if len(text) <= _SHOWN_MOST else f"{text[:_SHOWN_MOST]}..."


def _is_excluded(question: ClaimInWorld, table: Mapping[str, Any]) -> bool:
    own = {**asdict(question), "property": question.claim, **dict.fromkeys(table.get("bounds", {})), **question.bounds}
    facts = {key: list(value) if isinstance(value, tuple) else value for key, value in own.items()}
    rules = table.get("exclude", [])
    for rule in rules:
        if not rule or set(rule) - set(facts):
            raise ValueError(
                f"[[exclude]] {brief(rule)} names nothing that a question has; choose from {', '.join(sorted(facts))}"
            )
    return any(all(facts.get(key) == value for key, value in rule.items()) for rule in rules)

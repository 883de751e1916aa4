"""Grids: many questions at once, from a TOML file: claims x releases x fixes x assumptions x scopes x bounds.

properties = ["I5", "I6"]            # or "all"
releases = ["4.9.4"]                 # left out: every release
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
[[exclude]]                          # cells that have all of these are left out
property = "I5"
messages = 3
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from offsetproof.check.request import Request, questions
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.subject import Subject
from offsetproof.verdict.question import Limits, Question

BUILT_IN = Path(__file__).parent / "grids"
"""Grids that come with the program."""

_KEYS = {"properties", "releases", "scopes", "fixes", "assumptions", "listeners", "bounds", "limits", "exclude"}


class GridError(Exception):
    """A grid that cannot be read; the message says which file, where and what to do."""


@dataclass(frozen=True)
class Cell:
    """One question of a sweep, in names, so that it can be asked anywhere."""

    claim: str
    release: str | None
    scope: str
    fixes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    listener: str | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The same for the same question, whenever it is asked."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def question(self, subject: Subject, limits: Limits) -> Question:
        """The question; UnknownNameError for a name that the subject does not have."""
        (asked,) = questions(
            Request(
                subject,
                (self.claim,),
                (self.release,) if self.release else (),
                self.fixes,
                self.assumptions,
                self.listener,
                self.scope,
                self.bounds,
                limits,
            )
        )
        return asked


@dataclass(frozen=True)
class Grid:
    """Cells, and what each may spend."""

    name: str
    cells: tuple[Cell, ...]
    limits: Limits


def read_grid(name: str, subject: Subject) -> Grid:
    """The grid of a file, or the built-in one of this name.

    Raises GridError for a file that is none, and UnknownNameError for names of grids that do not come with the program
    and for those that the subject does not have.
    """
    built_in = {each.stem: each for each in BUILT_IN.glob("*.toml")}
    if not name.endswith(".toml") and name not in built_in:
        raise UnknownNameError("grid", name, [*built_in, "a file that ends in .toml"])
    file = built_in.get(name, Path(name))
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise GridError(f"there is no file {name}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GridError(f"{file} cannot be read: {error}; mend it, its keys are {', '.join(sorted(_KEYS))}") from error
    unknown = sorted(set(told) - _KEYS)
    if unknown:
        raise GridError(f"{file} has {unknown[0]!r}, which no grid has; there is {', '.join(sorted(_KEYS))}")
    try:
        cells = dict.fromkeys(cell for cell in _cells(told, subject) if not _excluded(cell, told))
        if not cells:
            raise ValueError("it has no cells; an empty list asks nothing: leave the key out")
        for cell in cells:
            cell.question(subject, Limits())
        return Grid(file.stem, tuple(cells), _limits(told.get("limits", {})))
    except (TypeError, ValueError, AttributeError) as error:
        raise GridError(f"{file} is no grid: {error}") from error


def _cells(told: Mapping[str, Any], subject: Subject) -> Iterator[Cell]:
    for key in ("properties", "releases", "scopes", "listeners"):
        _must_be_names(key, told.get(key, ["all"]), or_all=key == "properties")
    wanted = told.get("properties", "all")
    properties = subject.properties if wanted == "all" else [subject.find(id) for id in wanted]
    releases = told.get("releases") or [release.name for release in subject.model.releases] or [None]
    bounds = {name: _numbers(values) for name, values in told.get("bounds", {}).items()}
    for prop in properties:
        scopes = told.get("scopes") or prop.scopes or [subject.model.scopes[0].name]
        for release, scope, fixes, assumptions, listener, *numbers in product(
            releases,
            scopes,
            told.get("fixes", [[]]),
            told.get("assumptions", [[]]),
            told.get("listeners", [None]),
            *bounds.values(),
        ):
            if isinstance(fixes, str) or isinstance(assumptions, str):
                raise ValueError("fixes and assumptions are lists of lists of names, as in [[], ['a', 'b']]")
            named = dict(zip(bounds, numbers, strict=True))
            yield Cell(prop.id, release, scope, tuple(fixes), tuple(assumptions), listener, _Bounds(named))


class _Bounds(dict[str, int]):
    """Bounds as part of a cell, which is a key."""

    def __hash__(self) -> int:  # type: ignore[override]  # never changed
        return hash(tuple(sorted(self.items())))


def _numbers(values: object) -> list[int]:
    """`[1, 2]` or `"1..3"` as numbers."""
    if isinstance(values, str):
        first, dots, last = values.partition("..")
        if not dots:
            raise ValueError(f'{values!r} is no range of numbers; write "1..3" or [1, 2, 3]')
        return list(range(int(first), int(last) + 1))
    listed: list[Any] = values if isinstance(values, list) else [values]
    if not all(type(value) is int for value in listed):
        raise ValueError(f'{values!r} is no list of whole numbers; write 3, [1, 2, 3] or "1..3"')
    return listed


def _must_be_names(key: str, values: object, *, or_all: bool) -> None:
    listed = isinstance(values, list) and all(isinstance(value, str) for value in values)
    if not values or not (listed or (or_all and values == "all")):
        raise ValueError(f"{key} = {values!r} is no list of names, as in ['a', 'b']; leave the key out to ask all")


def _limits(told: Mapping[str, Any]) -> Limits:
    unknown = sorted(set(told) - {"states", "seconds", "bytes"})
    if unknown:
        raise ValueError(f"there is no limit {unknown[0]!r}; there is states, seconds, bytes")
    for name, value in told.items():
        if type(value) not in ((int, float) if name == "seconds" else (int,)) or value <= 0:
            raise ValueError(f"{name} = {value!r} is no limit; it is a number above 0")
    return Limits(told.get("states"), told.get("bytes"), told.get("seconds"))


def _excluded(cell: Cell, told: Mapping[str, Any]) -> bool:
    own = {**asdict(cell), "property": cell.claim, **dict.fromkeys(told.get("bounds", {})), **cell.bounds}
    facts = {key: list(value) if isinstance(value, tuple) else value for key, value in own.items()}
    rules = told.get("exclude", [])
    for rule in rules:
        if not rule or set(rule) - set(facts):
            raise ValueError(f"[[exclude]] {rule} names nothing that a cell has; there is {', '.join(sorted(facts))}")
    return any(all(facts.get(key) == value for key, value in rule.items()) for rule in rules)

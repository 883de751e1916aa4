"""Options that mean the same in every verb, and the parsing of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT
from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import Request
from offsetproof.checking.scopes import ALL_SCOPES
from offsetproof.checking.subject import NamedSubjects, load_named
from offsetproof.cli.progress import Progress
from offsetproof.lang.subject import Subject as LoadedSubject
from offsetproof.verdict.limits import Limits, spare_bytes
from offsetproof.verdict.question import Reductions


def parse_seconds(given: float | None) -> float | None:
    """A time limit as it was given; BadParameter for one that no clock reaches (nan, inf)."""
    if given is not None and not math.isfinite(given):
        raise typer.BadParameter("give a number of seconds; without the option there is no limit")
    return given


SUBJECTS = f"{', '.join(BUILT_INS)}, path/to/file.py[:Name] or package.module[:Name]"
"""What can be named as a subject, for help texts."""

SubjectAndClaims = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SUBJECT|CLAIM",
        help=f"{SUBJECTS}; then claims by name or alias. Without a model the claims are those of {DEFAULT}.",
    ),
]
Release = Annotated[
    list[str] | None,
    typer.Option(
        "--release",
        metavar="RELEASE",
        help="A release (see `list releases`), all, or one for each role: client=4.9.8,broker=4.9.4; may be repeated.",
    ),
]
Fix = Annotated[
    list[str] | None, typer.Option("--fix", metavar="NAME", help="With this fix (see `list fixes`); may be repeated.")
]
Assume = Annotated[
    list[str] | None,
    typer.Option("--assume", metavar="NAME", help="Under this assumption (see `list assumptions`); may be repeated."),
]
Listener = Annotated[
    str | None,
    typer.Option("--listener", metavar="NAME", help="How the application's listener behaves (see `list listeners`)."),
]
Scope = Annotated[
    str | None,
    typer.Option("--scope", metavar="NAME", help="In this scope, or in every one (all), instead of the claims' own."),
]
BoundOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bound",
        metavar="NAME=VALUE",
        help="Change a bound or how many faults of a kind may be: messages=3, kill=1; may be repeated.",
    ),
]
Property = Annotated[
    list[str] | None,
    typer.Option("--property", metavar="CLAIM", help="A claim, as if named after the model; may be repeated."),
]
MaxStates = Annotated[
    int | None, typer.Option("--max-states", metavar="N", min=1, help="Give up beyond this many states.")
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        help="Give up beyond this much memory: 4GiB.",
        show_default="four fifths of what is free",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.0,
        callback=parse_seconds,
        help="Give up on each question (a case in one scope) after this time.",
    ),
]
Workers = Annotated[
    str,
    typer.Option(
        "--workers",
        metavar="N|auto",
        help="How many processes work, each with its share of the memory; auto: one per CPU. "
        "A question alone gets them as threads.",
    ),
]
AUTO = "auto"
Depth = Annotated[int, typer.Option("--depth", metavar="N", min=0, help="How many steps the smt engine unrolls.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of random choices.")]
Slicing = Annotated[bool, typer.Option("--slice/--no-slice", help="Leave out what the claims cannot depend on.")]
Dead = Annotated[
    bool, typer.Option("--dead/--no-dead", help="Reset fields of finished objects that nothing reads any more.")
]
Output = Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write the report to this file.")]
OutDir = Annotated[
    Path | None, typer.Option("--out-dir", metavar="DIR", help="Write each trace to this folder as JSON.")
]
Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="DIR", help="Write a report for a browser to this folder: an index, and each story."
    ),
]
Master = Annotated[
    str | None, typer.Option("--master", metavar="URL", help="Spark's master.", show_default="local[*]: this machine")
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Continue what an earlier run left in --spill, or one on Spark in --out-dir."),
]
Spill = Annotated[
    Path | None,
    typer.Option(
        "--spill",
        metavar="DIR",
        help="Keep states in files of this folder (explicit; without stubborn sets).",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing on stdout; the exit code and files say it.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="No progress on stderr.")]
ClassPath = Annotated[
    str | None,
    typer.Option(
        "--classpath", metavar="PATH[:PATH...]", help="Your own classes, in folders or jars, before the release's."
    ),
]
MaxInput = Annotated[
    str | None, typer.Option("--max-input", metavar="SIZE", help="Read files up to this size.", show_default="64MiB")
]


@dataclass(frozen=True)
class Claims:
    """A model, and claims of it: what is not a file or module is a claim, and so is what `--property` names."""

    named: SubjectAndClaims = None
    property: Property = None

    def load(self) -> NamedSubjects:
        """The model, or the models of a family, and the claims; UnknownNameError or NoSubjectError for what is none."""
        loaded = load_named(self.named or ())
        return replace(loaded, words=(*loaded.words, *(self.property or ())))


@dataclass(frozen=True)
class Variant:
    """What is asked of: releases, and what is added to them."""

    release: Release = None
    fix: Fix = None
    assume: Assume = None
    listener: Listener = None


@dataclass(frozen=True)
class Selection(Variant):
    """What is asked of, and where."""

    scope: Scope = None
    bound: BoundOption = None

    def must_be_of_one_world(self) -> None:
        """BadParameter where several scopes or releases are named."""
        named = self.release or []
        if len(set(named)) > 1 or ALL_RELEASES in named or self.scope == ALL_SCOPES:
            hint = "--scope" if self.scope == ALL_SCOPES else "--release"
            raise typer.BadParameter("this is of one world; name one scope and one release", param_hint=hint)


@dataclass(frozen=True)
class OwnClassesOptions:
    """Somebody's own classes, what they are said to have, and how long they are compared with the model."""

    class_path: ClassPath = None
    fix: Annotated[
        list[str] | None,
        typer.Option("--fix", metavar="NAME", help="The classes have this fix, and so the model; may be repeated."),
    ] = None
    steps: Annotated[
        int,
        typer.Option(
            "--steps",
            metavar="N",
            min=0,
            help="Steps of conformance in each component (not in all together).",
        ),
    ] = 1_000

    @property
    def fixes(self) -> tuple[str, ...]:
        """The fixes that they are said to have."""
        return tuple(self.fix or ())


@dataclass(frozen=True)
class Spending:
    """What each question may spend."""

    max_states: MaxStates = None
    max_memory: MaxMemory = None
    timeout: Timeout = None

    @property
    def limits(self) -> Limits:
        """The limits; memory has one in any case. BadParameter for what is not an amount."""
        return Limits(self.max_states, parse_memory(self.max_memory), self.timeout)


@dataclass(frozen=True)
class Reducing:
    """Which reductions are on."""

    slicing: Slicing = True
    dead: Dead = True

    @property
    def reductions(self) -> Reductions:
        """The same, as a question has it."""
        return Reductions(self.slicing, self.dead)


@dataclass(frozen=True)
class Destination:
    """Where the report goes, and what is said beside it."""

    output: Output = None
    quiet: Quiet = False
    no_progress: NoProgress = False

    @property
    def is_wanted(self) -> bool:
        """Does anybody read the report?"""
        return not self.quiet or self.output is not None

    @property
    def is_talkative(self) -> bool:
        """May stderr have more than errors?"""
        return not (self.quiet or self.no_progress)

    def progress(self) -> Progress:
        """The line of progress, if it is wanted."""
        return Progress(on=self.is_talkative)


_UNITS = {"b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_VALUE_LENGTH = 18

Stubborn = Annotated[
    bool,
    typer.Option(
        "--stubborn/--no-stubborn",
        help="In large worlds leave out steps that decide nothing (explicit, spark); counts are of what is left.",
    ),
]


def request(
    subject: LoadedSubject,
    selected: Variant,
    *,
    claims: Iterable[str] = (),
    bound: Iterable[str] | None = None,
    limits: Limits = Limits(),
    reductions: Reductions = Reductions(),
    progress: Progress | None = None,
) -> Request:
    """What the options of a verb ask for, of these claims; BadParameter for a bound that is none.

    `bound` comes on top of those that are selected.
    """
    scope, bounds = None, [*(bound or ())]
    if isinstance(selected, Selection):
        scope = selected.scope
        bounds += selected.bound or ()
    made = Request(
        subject,
        tuple(claims),
        tuple(selected.release or ()),
        tuple(selected.fix or ()),
        tuple(selected.assume or ()),
        selected.listener,
        scope,
        parse_bounds(bounds),
        limits,
        reductions,
    )
    return made if progress is None else replace(made, progress=progress.reporter())


def parse_memory(text: str | None) -> int:
    """`4GiB` in bytes; without a value, most of what the machine has left.

    >>> parse_memory("2KiB")
    2048
    """
    if text is None:
        return spare_bytes()
    return parse_size(text, "--max-memory")


def parse_workers(text: str) -> int | None:
    """How many processes; None for `auto`.

    >>> parse_workers("2"), parse_workers("auto")
    (2, None)
    """
    if text == AUTO:
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", text, flags=re.ASCII):
        message = f"{text[:40]!r} is not a number of processes; write auto, 1, 2..."
        raise typer.BadParameter(message, param_hint="--workers")
    return int(text)


def parse_size(text: str, option: str) -> int:
    """An amount with its unit in bytes; BadParameter for none, for nothing, and without a unit.

    >>> parse_size("1.5MiB", "--max-input")
    1572864
    """
    match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,18})?)\s*([A-Za-z]+)\s*", text, flags=re.ASCII)
    size = int(float(match[1]) * _UNITS.get(match[2].lower(), 0)) if match else 0
    if not size:
        raise typer.BadParameter(f"{text!r} is not an amount of memory; write 512MiB or 4GiB", param_hint=option)
    return size


def parse_bounds(texts: Iterable[str] | None) -> dict[str, int | str]:
    """`messages=3` as a bound with its value; a bound that is a choice is given by name.

    >>> parse_bounds(["messages=3", "start=FIRST"])
    {'messages': 3, 'start': 'FIRST'}
    """
    bounds: dict[str, int | str] = {}
    for text in texts or ():
        name, _, value = text.partition("=")
        if not value.isascii() or not (value.isdigit() or value.isidentifier()) or len(value) > _VALUE_LENGTH:
            raise typer.BadParameter(
                f"{text[:40]!r} is not a bound; write NAME=NUMBER, as in messages=3", param_hint="--bound"
            )
        bounds[name.strip()] = int(value) if value.isdigit() else value
    return bounds

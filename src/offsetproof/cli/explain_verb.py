"""`offsetproof explain`: all distinct causes of a refuted claim, each with its story and what removes it.

With `--repairs` it is what repairs the claim: the smallest sets of fixes and assumptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import NamedSubjects
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, width, writable
from offsetproof.cli.progress import Progress
from offsetproof.cli.signals import Working
from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.reports.stories import Stories
from offsetproof.verdict.exits import Exit, exit_of, worst
from offsetproof.verdict.result import Verdict

if TYPE_CHECKING:
    from offsetproof.explain.causes import Explained


CAUSES_MAX = 20
"""How many causes are looked for in a scope where nobody says how many."""

REPAIRS_MAX = 2
"""How many fixes and assumptions a repair has at most where nobody says how many."""


MaxCauses = Annotated[
    int | None,
    typer.Option(
        "--max-causes",
        metavar="N",
        min=1,
        help="Stop a scope after this many causes.",
        show_default=str(CAUSES_MAX),
    ),
]
Repairs = Annotated[
    bool,
    typer.Option(
        "--repairs", help="Find the smallest sets of fixes and assumptions with which it holds in all scopes."
    ),
]
MaxRepairs = Annotated[
    int, typer.Option("--max-repairs", metavar="N", min=1, help="Try sets of up to so many of them.")
]


def explain(
    claims: options.Claims = options.Claims(),
    variant: options.Variant = options.Variant(),
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="NAME", help="In this scope instead of the claim's own; may be repeated."),
    ] = None,
    bound: options.BoundOption = None,
    max_causes: MaxCauses = None,
    repairs: Repairs = False,
    max_repairs: MaxRepairs = REPAIRS_MAX,
    spending: options.Spending = options.Spending(),
    stories: Annotated[Stories, typer.Option("--stories", help="How the causes' stories are told.")] = Stories.BRIEF,
    format: Annotated[str, format_option("explain")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Find all causes of a refuted claim, and what removes each.

    In one process: each search is for what the one before it left. Several scopes: a run each.
    """
    from offsetproof.explain.causes import explanations_of  # the engine is only loaded for the verb that needs it

    writable(destination.output, reads=claims.named or ())
    named = claims.load()
    loaded = named.only
    if not named.words:
        raise typer.BadParameter(f"say what to explain, as in `explain {_example(named)}`", param_hint="CLAIM")
    _refuse_witnesses(named)
    progress = destination.progress()
    progress.naming(f"explaining {', '.join(named.words)}")
    request = options.request(
        loaded,
        variant,
        claims=named.words,
        bound=bound,
        limits=spending.limits,
        progress=progress,
    )
    if repairs:
        return _repair(replace(request, scope=_only_scope(scope)), max_repairs, progress, format, destination)
    done: list[Explained] = []
    with Working(progress) as stop:
        scopes: list[str | None] = [*dict.fromkeys(scope or ())]
        for name in scopes or [None]:
            done.extend(explanations_of(replace(request, scope=name), max_causes or CAUSES_MAX))
    codes = [exit_of(one.first) for one in done]
    if any(_is_cut_short(one, asked_for_fewer=max_causes is not None) for one in done):
        codes.append(Exit.UNKNOWN)
    if destination.is_wanted:
        text = _report(format, loaded.name, done, stories, colour=shows_colours(destination.output))
        codes.append(deliver(text, destination.output))
    return stop.code or worst(codes)


def _only_scope(scopes: Sequence[str] | None) -> str | None:
    if scopes and len(scopes) > 1:
        raise typer.BadParameter("name one scope, or none for all of the claim's", param_hint="--scope")
    return scopes[0] if scopes else None


def _repair(request: Request, size_max: int, progress: Progress, format: str, destination: options.Destination) -> int:
    """What repairs the claim, in one release."""
    from offsetproof.explain.repairs import smallest_repairs
    from offsetproof.explain.repairs_report import repairs_json, repairs_text

    questions = questions_of(request)
    if len({(each.prop.id, each.setting.release) for each in questions}) > 1:
        named = ", ".join(dict.fromkeys(f"{each.prop.id} of {each.setting.release}" for each in questions))
        raise typer.BadParameter(f"name one case and one release to repair; these are {named}", param_hint="CLAIM")
    with Working(progress) as stop:
        found = smallest_repairs(
            questions,
            size_max,
            lambda tried, size: request.progress(f"{tried} sets, up to {size}"),
            subject=request.subject.name,
        )
    name = request.subject.name
    codes = [Exit.AS_EXPECTED] if found.whole else [Exit.UNKNOWN] if found.is_needed else [*map(exit_of, found.first)]
    codes += [Exit.UNKNOWN] * found.interrupted
    if destination.is_wanted:
        colour = shows_colours(destination.output)
        text = repairs_text(name, found, width(), colour=colour) if format == TEXT else repairs_json(name, found)
        codes.append(deliver(text, destination.output))
    return stop.code or worst(codes)


def _refuse_witnesses(named: NamedSubjects) -> None:
    """Nothing causes a witness: each story of it is as good as another. Whole runs are not explained, either."""
    for word in named.words:
        for prop in named.only.named(word):
            if prop.kind is ClaimKind.SOMETIMES:
                how = f"`check {named.word} {word}`".replace("  ", " ")
                raise typer.BadParameter(
                    f"{word} is a witness, which has no causes; {how} tells how it is reached", param_hint="CLAIM"
                )
            if prop.kind.is_about_runs:
                how = f"`check {named.word} {word}`".replace("  ", " ")
                why = "causes are told of states and steps alone"
                raise typer.BadParameter(
                    f"{word} is about whole runs, and {why}; {how} tells its story", param_hint="CLAIM"
                )


def _example(named: NamedSubjects) -> str:
    """A model, if one is named, with a claim of it that is refuted, if there is one."""
    props = named.only.properties
    refuted = [prop.name for prop in props if Expectation.REFUTED in prop.expectations.values()]
    claims = [*refuted, *(prop.name for prop in props), "CLAIM"]
    return f"{named.word} {claims[0]}".strip()


def _is_cut_short(explained: Explained, *, asked_for_fewer: bool) -> bool:
    """May there be more causes, although nobody has asked for fewer?"""
    met_limit = explained.interrupted or explained.last.verdict is Verdict.UNKNOWN
    return met_limit or (not explained.is_whole and not asked_for_fewer)


def _report(format: str, name: str, done: Sequence[Explained], form: Stories, *, colour: bool) -> str:
    from offsetproof.explain.report import explain_text

    if format != TEXT:
        return writer_of("explain", format)(name, done)
    return explain_text(name, done, width(), colour=colour, form=form)

"""The program: verbs, and what each kind of error means for the caller."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from offsetproof import __version__
from offsetproof.check.baseline import UnreadableBaselineError
from offsetproof.check.grid import GridError, TooManyCellsError
from offsetproof.check.subject import NoSubjectError
from offsetproof.cli.check_verb import check
from offsetproof.cli.explain_verb import explain
from offsetproof.cli.export_verb import export
from offsetproof.cli.graph_verb import graph
from offsetproof.cli.guard_verb import guard
from offsetproof.cli.list_verb import list_subject
from offsetproof.cli.mutate_verb import mutate
from offsetproof.cli.output import warn
from offsetproof.cli.show_verb import show
from offsetproof.cli.simulate_verb import simulate
from offsetproof.cli.sweep_verb import sweep
from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.pipeline.errors import CheckpointError, PrerequisiteError, TasksFailedError
from offsetproof.traces.strict import UnreadableTraceError
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.result import DisagreementError

app = typer.Typer(
    name="offsetproof",
    help="A stateful model checker for the way Apache RocketMQ moves consumer offsets.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"offsetproof {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What all verbs share."""


_CODES: tuple[tuple[tuple[type[Exception], ...], Exit], ...] = (
    ((UnknownNameError, NoSubjectError), Exit.USAGE),
    ((DeclarationError, RefusedError), Exit.DECLARATION),
    ((ModelError,), Exit.MODEL_ERROR),
    ((UnreadableTraceError, UnreadableBaselineError, CheckpointError, GridError), Exit.UNREADABLE),
    ((TooManyCellsError,), Exit.REFUSED),
    ((DisagreementError, TasksFailedError), Exit.INTERNAL),
    ((PrerequisiteError,), Exit.PREREQUISITE),
)


def _ending(verb: Callable[..., int]) -> Callable[..., None]:
    """The verb with its errors turned into one line and the contract's exit code."""

    @wraps(verb)
    def ended(*args: Any, **options: Any) -> None:
        raise typer.Exit(_code(verb, args, options))

    return ended


def _code(verb: Callable[..., int], args: tuple[Any, ...], options: dict[str, Any]) -> int:
    try:
        return verb(*args, **options)
    except (typer.Exit, typer.BadParameter):
        raise
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    for kinds, code in _CODES:
        if isinstance(error, kinds):
            warn(f"offsetproof: {error}")
            return code
    traceback.print_exc()
    warn("offsetproof: internal error; please report it with the lines above")
    return Exit.INTERNAL


for _name, _verb in (
    ("list", list_subject),
    ("check", check),
    ("explain", explain),
    ("simulate", simulate),
    ("export", export),
    ("show", show),
    ("graph", graph),
    ("guard", guard),
    ("mutate", mutate),
    ("sweep", sweep),
):
    app.command(_name)(_ending(_verb))


def run() -> None:
    """Runs the program; the process ends with the contract's exit code."""
    app()

"""The verbs by name, each imported when it is asked for, and what each kind of error means for the caller."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import wraps
from importlib import import_module
from io import StringIO
from typing import Annotated, Any

import typer

from offsetproof.cli.completion import install_completion, show_completion
from offsetproof.cli.examples import examples_of
from offsetproof.cli.groups import flatten_groups
from offsetproof.cli.option_of_another import hint_for
from offsetproof.cli.options_once import OptionsOnce
from offsetproof.cli.plain_refusals import plain_refusal
from offsetproof.cli.signals import STOP
from offsetproof.cli.streams import aside, warn
from offsetproof.version import ABOUT, __version__

VERBS = {
    "symptom": "symptom_verb:symptom",
    "list": "list_verb:list_subject",
    "check": "check_verb:check",
    "explain": "explain_verb:explain",
    "simulate": "simulate_verb:simulate",
    "export": "export_verb:export",
    "show": "show_verb:show",
    "graph": "graph_verb:graph",
    "explore": "explore_verb:explore",
    "guard": "guard_verb:guard",
    "compare": "compare_verb:compare",
    "mutate": "mutate_verb:mutate",
    "widen": "widen_verb:widen",
    "sweep": "sweep_verb:sweep",
    "audit": "audit_verb:audit",
    "watch": "watch_verb:watch",
    "rocketmq": "rocketmq_verb:rocketmq",
    "replay": "replay_verb:replay",
    "conform": "conform_verb:conform",
    "judge": "judge_verb:judge",
    "schema": "schema_verb:schema",
    "doctor": "doctor_verb:doctor",
    "new": "new_verb:new",
    "mcp": "mcp_verb:mcp",
}
"""Each verb's module and function."""

USAGE, INTERNAL = 2, 255
"""The codes of `verdict.exits` that are needed before it is imported."""


def run_verb(args: list[str]) -> int:
    """Does what the arguments ask for; the exit code."""
    try:
        return int(program(args)(args, prog_name="offsetproof", standalone_mode=False) or 0)
    except SystemExit as ended:  # the option parser's, after it has printed a shell's script
        return int(ended.code or 0)
    except Exception as error:
        return _report_refusal(error)


def program(args: Iterable[str]) -> typer.Typer:
    """The option parser with the one verb that is asked for, or with all where none is."""
    app = typer.Typer(
        name="offsetproof",
        help=ABOUT,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_top)
    first = next((arg for arg in args if not arg.startswith("-")), "")
    for name in [first] if first in VERBS else VERBS:
        module, _, function = VERBS[name].partition(":")
        verb = getattr(import_module(f"offsetproof.cli.{module}"), function)
        app.command(name, cls=OptionsOnce, epilog=examples_of(name))(_with_exit_codes(flatten_groups(verb)))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"offsetproof {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    show: Annotated[
        str | None,
        typer.Option(
            "--show-completion",
            metavar="SHELL",
            callback=show_completion,
            is_eager=True,
            help="Print what bash, zsh or fish has to read to complete words.",
        ),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option(
            "--install-completion",
            metavar="SHELL",
            callback=install_completion,
            is_eager=True,
            help="Write that to where the shell reads it.",
        ),
    ] = None,
) -> None:
    """What all verbs share."""


def _with_exit_codes(verb: Callable[..., int]) -> Callable[..., int]:
    """The verb with its errors turned into one line and the contract's exit code; what it prints goes to stderr."""

    @wraps(verb)
    def run_to_exit_code(*args: Any, **options: Any) -> int:
        with redirect_stdout(aside()):
            return _code(verb, args, options)

    return run_to_exit_code


def _code(verb: Callable[..., int], args: tuple[Any, ...], options: dict[str, Any]) -> int:
    try:
        return verb(*args, **options)
    except typer.BadParameter:
        raise
    except (KeyboardInterrupt, SystemExit) as error:
        return STOP.code or _report_exit(error)
    except Exception as error:
        return _report_failure(error)


def _report_refusal(error: Exception) -> int:
    """What the option parser has to say about the arguments."""
    show = getattr(error, "show", None)
    if show is None:
        return _report_failure(error)
    if isinstance(error, typer.BadParameter):
        error.message = plain_refusal(error.message)
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        _name_option_of_another(error)
    said = StringIO()
    show(file=said)
    warn(said.getvalue().expandtabs(2).rstrip("\n"))
    return int(getattr(error, "exit_code", USAGE))


def _name_option_of_another(error: Any) -> None:
    """Says of an option that this verb does not have what does it here, where another verb has it."""
    verb = error.ctx.info_name if error.ctx is not None else ""
    hint = hint_for(error.option_name, verb, typer.main.get_command(program(())).commands)  # type: ignore[attr-defined]  # of several verbs
    if hint:
        error.possibilities, error.message = None, f"{error.message}; {hint}"


def _report_failure(error: Exception) -> int:
    for kinds, code in _codes():
        if isinstance(error, kinds):
            said = " ".join(str(error).split("\n"))
            warn(f"offsetproof: {said}{_named_elsewhere(error, said)}")
            return code
    warn("".join(traceback.format_exception(error)).rstrip("\n"))
    warn("offsetproof: internal error; please report it with the lines above")
    return INTERNAL


def _named_elsewhere(error: Exception, said: str) -> str:
    """What else a name is that was looked for in vain."""
    from offsetproof.lang.scope import UnknownNameError
    from offsetproof.lang.subject import NoSubjectError

    if not isinstance(error, (UnknownNameError, NoSubjectError)):
        return ""
    from offsetproof.cli.names_elsewhere import elsewhere

    what = elsewhere(error.name, getattr(error, "kind", ""), said)
    return what and f"{' ' if said.endswith('?') else '; '}{what}"


def _report_exit(error: BaseException) -> int:
    """The program never ends or interrupts itself: the model's code has tried to."""
    from offsetproof.lang.errors import raised_place
    from offsetproof.verdict.exits import Exit

    warn(f"offsetproof: {raised_place(error)}: {type(error).__name__}; a model must not end the program")
    return Exit.MODEL_ERROR


def _codes() -> tuple[tuple[tuple[type[Exception], ...], int], ...]:
    """The exit code of every error that is told in one line."""
    from offsetproof.engines.whole_files import CheckpointError
    from offsetproof.lang.errors import DeclarationError, ModelError, RefusedError
    from offsetproof.lang.scope import UnknownNameError
    from offsetproof.lang.subject import NoSubjectError
    from offsetproof.programs import ProgramFailedError
    from offsetproof.reading.files import UnusableFileError
    from offsetproof.verdict.exits import Exit
    from offsetproof.verdict.prerequisite import NotForceableError, NotStartedError, PrerequisiteError
    from offsetproof.verdict.result import DisagreementError

    return (
        ((UnknownNameError, NoSubjectError), Exit.USAGE),
        ((DeclarationError, RefusedError), Exit.DECLARATION),
        ((ModelError,), Exit.MODEL_ERROR),
        ((UnusableFileError, CheckpointError), Exit.UNREADABLE),
        ((NotStartedError,), Exit.REFUSED),
        ((NotForceableError,), Exit.UNKNOWN),
        ((DisagreementError, ProgramFailedError), Exit.INTERNAL),
        ((PrerequisiteError,), Exit.PREREQUISITE),
    )

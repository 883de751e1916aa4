"""What a shell completes: verbs, options, and the names that they take, without loading what the verbs need.

All that can be completed is kept in the cache, made of the option parser and the built-in models; it is made again
when a file of the program has changed. The option parser's own machinery then reads the words and answers the shell:
it gets verbs that do nothing, with the arguments and options of the real ones.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from offsetproof.cache import cache_folder, read_kept, write_kept
from offsetproof.version import __version__

Words = Mapping[str, Any]
"""As it is kept: verbs, each with its sentence and its parameters; and the names that each subject has, by kind."""

_OF_OPTIONS = {
    "--release": ("releases",),
    "--base": ("releases",),
    "--fix": ("fixes",),
    "--assume": ("assumptions",),
    "--listener": ("listeners",),
    "--scope": ("scopes",),
    "--property": ("claims",),
    "--keep": ("claims",),
    "--trace": ("stories",),
    "--subject": ("subjects",),
}
"""The kinds of names that an option takes."""

_OF_ARGUMENTS = {
    "SUBJECT|CLAIM": ("subjects", "claims"),
    "SUBJECT|SECTION|NAME": ("subjects", "sections", "claims", "scopes", "fixes", "assumptions", "listeners"),
    "TRACE|CLAIM": ("stories", "claims"),
    "TRACE": ("stories",),
    "DOCUMENT": ("documents",),
    "[PART]...": ("parts",),
}
"""The kinds of names that an argument takes, by what stands for it in the help."""


_TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The variables in which shells say what is typed so far."""


def complete() -> int:
    """Answers the shell, which has said in its variables what is typed so far; the exit code."""
    _take_signs_out()
    try:
        _app(kept_words())([], prog_name="offsetproof", standalone_mode=False)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def _take_signs_out() -> None:
    """What bash makes three words of, `--release=5.3`, as the two that it means."""
    words, place = os.environ.get("COMP_WORDS", "").split(), os.environ.get("COMP_CWORD", "")
    signs = [n for n in range(1, len(words)) if words[n] == "=" and words[n - 1].startswith("--")]
    if signs and place.isdecimal():
        os.environ["COMP_WORDS"] = " ".join(word for n, word in enumerate(words) if n not in signs)
        os.environ["COMP_CWORD"] = str(int(place) - sum(n < int(place) for n in signs))


def kept_words() -> Words:
    """All that can be completed, from the cache if it is there, and kept there if that can be."""
    file, made_of = cache_folder("completion") / "words", _fingerprint()
    with suppress(OSError):
        kept = read_kept(file, made_of)
        if kept is not None:
            found: Words = json.loads(kept)
            return found
    words = all_words()
    with suppress(OSError):
        write_kept(file, made_of, json.dumps(words).encode())
    return words


def all_words() -> Words:
    """All that can be completed, asked of the option parser and of the built-in models."""
    from typer.core import TyperCommand, TyperGroup
    from typer.main import get_command

    from offsetproof.cli.verbs import program

    app = get_command(program([]))
    assert isinstance(app, TyperGroup)
    verbs = {
        name: {
            "about": verb.get_short_help_str(limit=80),
            "parameters": [_parameter(verb, each) for each in verb.params],
        }
        for name, verb in app.commands.items()
        if isinstance(verb, TyperCommand)
    }
    return {"verbs": verbs, "names": _names()}


def _parameter(verb: Any, parameter: Any) -> dict[str, Any]:
    """A parameter of a verb: how it is written, what it takes, and what is said of it."""
    shown, _ = parameter.get_help_record(typer.Context(verb)) or ("", "")
    choices = re.search(r"<([\w-]+(?:\|[\w-]+)+)>", shown)
    names = [name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")]
    kinds = _OF_OPTIONS.get(names[0], ()) if names else _OF_ARGUMENTS.get(parameter.metavar or "", ())
    return {
        "names": names,
        "about": getattr(parameter, "help", None) or "",
        "is_flag": bool(getattr(parameter, "is_flag", False)),
        "many": parameter.multiple if names else parameter.nargs == -1,
        "kinds": [*kinds],
        "choices": choices[1].split("|") if choices else [],
    }


def _names() -> dict[str, dict[str, list[str]]]:
    """The names of each built-in subject by kind, and under no subject those that go with all."""
    from offsetproof.checking.catalogue import BUILT_INS, SINGLES
    from offsetproof.cli.schema_verb import DOCUMENTS
    from offsetproof.reports.listing import ALL, SECTIONS
    from offsetproof.traces.recorded_stories import recorded_stories
    from offsetproof.verdict.prerequisite import PARTS

    names: dict[str, dict[str, list[str]]] = {
        "": {
            "subjects": [*BUILT_INS],
            "sections": [*SECTIONS, ALL],
            "stories": [*recorded_stories()],
            "documents": [*DOCUMENTS],
            "parts": [part.name for part in PARTS],
        }
    }
    for word, entry in SINGLES.items():
        (subject,) = entry.subjects
        model = subject.model
        names[word] = {
            "claims": [*dict.fromkeys(name for prop in subject.properties for name in (prop.id, prop.name))],
            "releases": [*(release.name for release in model.releases), "all"],
            "scopes": [*(scope.name for scope in model.scopes), "all"],
            "fixes": [each.name for each in model.fixes],
            "assumptions": [each.name for each in model.assumptions],
            "listeners": [each.name for each in model.listeners],
        }
    return names


def _app(words: Words) -> typer.Typer:
    """An option parser that takes the same words, and whose verbs do nothing."""
    app = typer.Typer(add_completion=True, rich_markup_mode=None)  # it is asked as it has completion
    app.callback()(lambda: None)
    typed = {*" ".join(os.environ.get(each, "") for each in _TYPED).split()}
    for name, verb in words["verbs"].items():
        parameters = verb["parameters"] if name in typed else []  # to make them takes time
        app.command(name, help=verb["about"])(_stub(parameters, words["names"]))
    return app


def _stub(parameters: list[dict[str, Any]], names: Mapping[str, Mapping[str, list[str]]]) -> Callable[..., None]:
    def verb(**_given: object) -> None:
        """Nobody calls it: a shell asks what could be typed."""

    made = [_parameter_of(number, each, names) for number, each in enumerate(parameters)]
    verb.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]  # what inspect looks for
    verb.__annotations__ = {each.name: each.annotation for each in made}
    return verb


def _parameter_of(number: int, given: dict[str, Any], names: Mapping[str, Mapping[str, list[str]]]) -> Parameter:
    """One parameter, with what completes it."""

    def completing(context: typer.Context, incomplete: str) -> list[str]:
        typed = [word for value in context.params.values() for word in (value if isinstance(value, list) else [value])]
        return [name for name in _takes(given, typed, names) if name.startswith(incomplete)]

    kind: Any = bool if given["is_flag"] else list[str] | None if given["many"] else str | None
    if given["names"]:
        flags = ["/".join(given["names"])] if given["is_flag"] else given["names"]
        about: Any = typer.Option(*flags, help=given["about"], autocompletion=completing)
    else:
        about = typer.Argument(help=given["about"], autocompletion=completing)
    default = False if given["is_flag"] else None
    return Parameter(f"p{number}", Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, about])


def _takes(given: dict[str, Any], typed: list[object], names: Mapping[str, Mapping[str, list[str]]]) -> Iterator[str]:
    """The words that a parameter takes; the names are those of the subject that was typed, else of the usual one."""
    yield from given["choices"]
    subject = next((str(word) for word in typed if word in names[""]["subjects"]), "")
    usual = next(word for word in names if word)
    for kind in given["kinds"]:
        if kind == "subjects" and subject:
            continue
        yield from names[""].get(kind) or names.get(subject or usual, {}).get(kind) or ()


def _fingerprint() -> bytes:
    """What changes when a file of the program does: names, sizes and times."""
    made_of = [__version__]
    for path, folders, _ in os.walk(Path(__file__).parents[1], followlinks=True):
        folders.sort()
        with os.scandir(path) as entries:
            stats = {entry.name: entry.stat() for entry in entries if entry.name.endswith((".py", ".json"))}
        made_of += [f"{path}/{name} {stats[name].st_size} {stats[name].st_mtime_ns}" for name in sorted(stats)]
    return "\n".join(made_of).encode()


SHELLS = ("bash", "zsh", "fish")


def _shell_named(given: str) -> str:
    if given not in SHELLS:
        raise typer.BadParameter(f"{given!r} is not one of {', '.join(SHELLS)}")
    return given


def show_completion(context: typer.Context, parameter: typer.CallbackParam, given: str | None) -> None:
    """Prints what a shell has to read so that it completes."""
    from typer.completion import show_callback

    if given is not None:
        show_callback(context, parameter, _shell_named(given))


def install_completion(context: typer.Context, parameter: typer.CallbackParam, given: str | None) -> None:
    """Writes it to where a shell of this user reads it, and makes the words ready."""
    from typer.completion import install_callback

    if given is not None:
        shell = _shell_named(given)
        kept_words()
        install_callback(context, parameter, shell)

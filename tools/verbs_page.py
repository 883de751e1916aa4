"""The list in docs/verbs.md: every verb of the command line with its arguments and options, asked of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from typer import Context
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from offsetproof.cli.verbs import program

_NOTE = re.compile(r"  \[(.*)\]$")
"""What the option parser puts behind an option's help: its default and its limits."""


def verbs() -> str:
    """The text of the list."""
    app = get_command(program([]))
    assert isinstance(app, TyperGroup)
    lines: list[str] = []
    for name, verb in app.commands.items():
        assert isinstance(verb, TyperCommand)
        lines += [f"### {name}", "", *_about(name, verb)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _about(name: str, verb: TyperCommand) -> Iterator[str]:
    context = Context(verb, info_name=f"offsetproof {name}")
    usage = " ".join(verb.get_usage(context).split()).removeprefix("Usage: ")
    yield from ["```", usage, "```", "", *(verb.help or "").splitlines(), ""]
    for parameter in sorted(verb.params, key=lambda each: not isinstance(each, TyperArgument)):
        shown, said = parameter.get_help_record(context) or ("", "")
        if isinstance(parameter, TyperArgument):
            shown = shown.partition(" <")[0]
        note = _NOTE.search(said)
        limits = re.sub(r"\((.*)\)", r"\1", note[1]) if note else ""
        yield f"- `{shown}`: {_NOTE.sub('', said)}" + (f" *{limits}*" if limits else "")
    yield ""

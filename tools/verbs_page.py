"""The list in docs/verbs.md: every verb of the command line with its arguments and options, asked of the program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from typer import Context
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from offsetproof.cli.verbs import program

_NOTE = re.compile(r"  \[(.*)\]$")
"""What the option parser puts behind an option's help: its default and its limits."""


_SHARED = 3
"""What as many verbs say in the same words stands once, before them."""


def verbs() -> str:
    """The text of the list."""
    app = get_command(program([]))
    assert isinstance(app, TyperGroup)
    commands = {name: verb for name, verb in app.commands.items() if isinstance(verb, TyperCommand)}
    said = {name: dict(_parameters(name, verb)) for name, verb in commands.items()}
    counted = Counter(item for parameters in said.values() for item in parameters.items())
    shared = dict(item for item, count in counted.items() if count >= _SHARED)
    lines = [f"### {TOGETHER}", "", *(f"- `{shown}`: {words}" for shown, words in shared.items()), ""]
    for name, verb in commands.items():
        own = {shown: words for shown, words in said[name].items() if shared.get(shown) != words}
        common = [f"`{shown}`" for shown in said[name] if shown not in own]
        lines += [f"### {name}", "", *_about(name, verb), *(f"- `{shown}`: {words}" for shown, words in own.items())]
        lines += [f"- as [several verbs](#{TOGETHER.lower().replace(' ', '-')}): {', '.join(common)}"] if common else []
        lines += [""]
    return "\n".join(lines).rstrip("\n") + "\n"


TOGETHER = "Options of several verbs"
"""The heading of what stands once."""


def _about(name: str, verb: TyperCommand) -> Iterator[str]:
    usage = " ".join(verb.get_usage(_context(name, verb)).split()).removeprefix("Usage: ")
    yield from ["```", usage, "```", "", *(verb.help or "").splitlines(), ""]


def _parameters(name: str, verb: TyperCommand) -> Iterator[tuple[str, str]]:
    """Each argument and option as it is written, and what is said of it."""
    for parameter in sorted(verb.params, key=lambda each: not isinstance(each, TyperArgument)):
        shown, said = parameter.get_help_record(_context(name, verb)) or ("", "")
        if isinstance(parameter, TyperArgument):
            shown = shown.partition(" <")[0]
        note = _NOTE.search(said)
        limits = re.sub(r"\((.*)\)", r"\1", note[1]) if note else ""
        yield shown, _NOTE.sub("", said) + (f" *{limits}*" if limits else "")


def _context(name: str, verb: TyperCommand) -> Context:
    return Context(verb, info_name=f"offsetproof {name}")

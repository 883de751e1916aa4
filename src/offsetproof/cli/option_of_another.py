"""An option that a verb does not have and another one has: what does the same in the verb, by the table of all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from offsetproof.verdict.phrases import first_few


def hint_for(option: str, verb: str, commands: Mapping[str, Any]) -> str:
    """What to write in place of an option that other verbs have; empty where none of them has it.

    `commands` are the verbs as the option parser has them.
    """
    having = {name: found for name, command in commands.items() if (found := _option(command, option)) is not None}
    if not having:
        return ""
    if verb not in commands:
        return f"write it behind a verb that has it: {first_few(having)}"
    given, taken = next(iter(having.values())).metavar or "", _arguments(commands[verb])
    for param in commands[verb].params:
        name = str(param.opts[0])
        if not _takes(param, option, given):
            continue
        if name.startswith("-"):
            return f"{verb} calls it {name} {param.metavar}: {param.help}"
        return f"{verb} takes it without an option: write {given} by itself, as {param.metavar}"
    nearest = sorted(having, key=lambda name: -len(taken & _arguments(commands[name])))
    return f"{verb} has nothing that does the same; verbs that have it: {first_few(nearest)}"


def _option(command: Any, option: str) -> Any:
    return next((param for param in command.params if option in (*param.opts, *param.secondary_opts)), None)


def _takes(param: Any, option: str, given: str) -> bool:
    """Is the parameter given what the option is given, which is called `given` there?

    It is where a value is called as the option is (`--base RELEASE` for `--release`); an argument also where it may be
    one of several things (`SUBJECT|CLAIM`), or where its help has the word.
    """
    word, values = option.lstrip("-"), _values(param)
    is_own, is_argument = given.lower() == word, not param.opts[0].startswith("-")
    if given in values:
        return is_own or (is_argument and len(values) > 1)
    return is_own and is_argument and re.search(rf"\b{re.escape(word)}\b", param.help or "") is not None


def _arguments(command: Any) -> set[str]:
    """What a verb may be given without an option."""
    return {value for param in command.params if not param.opts[0].startswith("-") for value in _values(param)}


def _values(param: Any) -> set[str]:
    return {part.strip("[].") for part in (param.metavar or "").split("|")}

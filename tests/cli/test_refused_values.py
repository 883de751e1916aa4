"""Values that the option parser refuses: in this program's words, and not in those of its libraries."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer
from cli.program import run
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from offsetproof.cli.plain_refusals import plain_refusal
from offsetproof.cli.verbs import VERBS, program

THEIRS = re.compile(r"Value error|Input should|unable to parse|valid integer|pydantic", re.IGNORECASE)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--engine=tlc", "'tlc' is not one of 'explicit', 'smt', 'stateful', 'spark', 'all'"),
        ("--max-states=0", "give 1 or more"),
        ("--max-states=many", "give a whole number"),
        ("--depth=-1", "give 0 or more"),
        ("--timeout=soon", "give a number"),
        ("--timeout=nan", "give 0 or more"),
    ],
)
def test_value_is_refused_with_what_to_give(option: str, says: str) -> None:
    ran = run("check", option)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == f"Error: Invalid value for '{option.partition('=')[0]}': {says}"


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_is_refused_in_the_words_of_a_library(verb: str) -> None:
    """Every option that takes a value gets two that few would be meant for."""
    app = get_command(program([verb]))
    assert isinstance(app, TyperGroup)
    command = app.commands[verb]
    for option in command.params:
        if isinstance(option, TyperOption) and not option.is_flag:
            for value in ("~", "-1"):
                assert not THEIRS.search(refusal(command, f"{option.opts[0]}={value}"))


def refusal(command: Any, given: str) -> str:
    """What is said of an option; empty where it is taken."""
    try:
        command.make_context("verb", [given])
    except typer.BadParameter as error:
        return plain_refusal(error.message)
    return ""

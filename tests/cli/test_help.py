"""Help texts: whole sentences on a terminal of 80 columns, and values by what they are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from cli.program import run
from systems.samples import one_in
from typer.core import TyperGroup
from typer.main import get_command

from offsetproof.cli.examples import EXAMPLES
from offsetproof.cli.verbs import VERBS, program


def test_every_verb_is_told_on_one_line_of_the_overview() -> None:
    told = run("--help")
    assert told.code == 0
    rows = dict(re.findall(r"(?m)^  ([a-z]+) +([A-Z].*)$", told.out[told.out.index("Commands:") :]))
    assert [*rows] == [*VERBS]
    assert all(sentence.endswith((".", "?")) and "..." not in sentence for sentence in rows.values())


@pytest.mark.parametrize("verb", one_in(3, VERBS))
def test_help_of_a_verb_fits_and_names_no_type_of_the_option_parser(verb: str) -> None:
    told = run(verb, "--help")
    assert told.code == 0
    options = told.out[told.out.index("Options:") :]
    assert max(map(len, told.out.splitlines())) <= 80
    assert not re.search(r"<(?:str|path|int|float|list)\b", options), options


def test_every_verb_has_two_examples_which_its_help_ends_with() -> None:
    assert [*EXAMPLES] == [*VERBS]
    ending = run("judge", "--help").out.splitlines()[-5:]
    assert [line.strip() for line in ending] == [
        "Examples:",
        "offsetproof judge I5 --classpath target/classes",
        "which causes your patch removes",
        "offsetproof judge I5 --classpath classes --expect removed=I5-late-poll",
        "as a gate",
    ]


@pytest.mark.parametrize("verb", EXAMPLES)
def test_option_parser_takes_every_example(verb: str) -> None:
    app = get_command(program([verb]))
    assert isinstance(app, TyperGroup)
    for given, _ in EXAMPLES[verb]:
        with app.commands[verb].make_context(verb, shlex.split(given)):
            pass


CHEAP = [
    ("symptom", 0), ("symptom", 1), ("list", 0), ("list", 1), ("show", 0), ("show", 1), ("schema", 0), ("schema", 1),
    ("doctor", 0), ("graph", 0), ("new", 0),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "which"), [*CHEAP, ("check", 0), ("explain", 0), ("export", 0), ("mutate", 0)])
def test_example_that_needs_nothing_else_runs(verb: str, which: int, tmp_path: Path) -> None:
    ran = run(verb, *shlex.split(EXAMPLES[verb][which][0]), cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out or [*tmp_path.iterdir()]


def test_choices_that_are_missing_are_listed_without_escapes() -> None:
    told = run("export")
    assert told.code == 2
    assert re.search(r"Choose from:\s+tla,\s+promela,\s+stateright", told.err)
    assert "\\t" not in told.err

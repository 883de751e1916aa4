"""Help texts: whole sentences on a terminal of 80 columns, and values by what they are."""

from __future__ import annotations

import re

import pytest
from cli.program import run
from systems.samples import one_in

from offsetproof.cli.verbs import VERBS


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


def test_choices_that_are_missing_are_listed_without_escapes() -> None:
    told = run("export")
    assert told.code == 2
    assert re.search(r"Choose from:\s+tla,\s+promela,\s+stateright", told.err)
    assert "\\t" not in told.err

"""One registry has every form that a verb writes: `--format` offers these, and each line names what writes it."""

from __future__ import annotations

import inspect

import pytest
from cli.program import run

from offsetproof.cli.formats import FORMATS, TEXT, writer_of
from offsetproof.cli.verbs import VERBS

TEXT_OR_JSON = ("text", "json")
MANY = (*TEXT_OR_JSON, "junit", "sarif", "github", "markdown")
PROMISED = {
    "symptom": TEXT_OR_JSON, "list": TEXT_OR_JSON, "check": MANY, "explain": TEXT_OR_JSON, "simulate": TEXT_OR_JSON,
    "show": (*TEXT_OR_JSON, "itf", "dot", "graphml", "mermaid", "junit4", "junit5", "pytest", "html"),
    "graph": ("dot", "graphml", "json"), "guard": MANY,
    "compare": TEXT_OR_JSON, "mutate": TEXT_OR_JSON, "widen": TEXT_OR_JSON, "sweep": TEXT_OR_JSON,
    "rocketmq": TEXT_OR_JSON,
    "audit": (*TEXT_OR_JSON, "sarif"),
    "replay": (*TEXT_OR_JSON, "markdown"), "conform": TEXT_OR_JSON,
    "judge": (*TEXT_OR_JSON, "sarif", "github", "markdown"), "watch": TEXT_OR_JSON, "doctor": TEXT_OR_JSON,
}  # fmt: skip
"""The names that scripts depend on."""


def test_registry_has_the_promised_forms_and_no_other() -> None:
    assert {verb: tuple(forms) for verb, forms in FORMATS.items()} == PROMISED
    assert VERBS.keys() - FORMATS.keys() == {"export", "explore", "schema", "new", "mcp"}


@pytest.mark.parametrize("verb", FORMATS)
def test_writers_of_one_verb_take_the_same_and_give_text(verb: str) -> None:
    taken = {}
    for form in FORMATS[verb]:
        if form != TEXT:
            told = inspect.get_annotations(writer_of(verb, form))
            assert told.pop("return") == "str"
            taken[form] = tuple(told.values())
    assert len(set(taken.values())) == 1, taken


@pytest.mark.parametrize("verb", FORMATS)
def test_option_offers_what_the_registry_has(verb: str) -> None:
    shown = " ".join(run(verb, "--help").out.split())
    assert f"--format <{'|'.join(PROMISED[verb])}>" in shown
    needed = {
        "explain": ["I5"],
        "watch": ["--namesrv=n:1", "--group=g"],
        "show": ["I5-orphan"],
        "sweep": ["resets"],
        "symptom": ["stuck"],
        "compare": ["4.9.4", "4.9.8"],
    }.get(verb, [])
    refused = run(verb, *needed, "--format=yaml")
    assert (refused.code, refused.out) == (2, "")
    assert f"'yaml' is not one of {', '.join(map(repr, PROMISED[verb]))}" in " ".join(refused.err.split())

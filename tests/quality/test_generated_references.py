"""The generated references of verbs, Python and JSON leave nothing out."""

from __future__ import annotations

import re

import pytest
from cli.program import run
from typer.main import get_command

import offsetproof
from offsetproof.cli.schema_verb import DOCUMENTS, schema_of
from offsetproof.cli.verbs import VERBS, program
from tools import python_reference, schemas_page, verbs_page


def _sections() -> dict[str, str]:
    """The text about each verb, with what it says as several do."""
    parts = re.split(r"(?m)^### (.*)$", verbs_page.verbs())
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    shared = dict(re.findall(r"(?m)^- `([^`]*)`: (.*)$", sections.pop(verbs_page.TOGETHER)))
    return {verb: f"{text}{_lines_of(_common(text), shared)}" for verb, text in sections.items()}


def _common(section: str) -> list[str]:
    return re.findall(r"`([^`]*)`", "".join(re.findall(r"(?m)^- as \[several verbs\]\(#.*?\): (.*)$", section)))


def _lines_of(names: list[str], shared: dict[str, str]) -> str:
    return "".join(f"- `{name}`: {shared[name]}\n" for name in names)


def test_what_several_verbs_say_stands_once_and_is_said_by_several() -> None:
    text = verbs_page.verbs()
    for shown in re.findall(
        r"(?m)^- `([^`]*)`: ", text.partition(f"### {verbs_page.TOGETHER}\n")[2].partition("###")[0]
    ):
        assert sum(shown in _common(section) for section in re.split(r"(?m)^### ", text)) >= 3
    lines = re.findall(r"(?m)^- `.*$", text)
    assert max(lines.count(line) for line in lines) < 3


def test_every_verb_is_on_its_page() -> None:
    assert list(_sections()) == list(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_a_verb_is_on_its_page_and_no_other(verb: str) -> None:
    parameters = get_command(program([verb])).commands[verb].params
    known = {
        word for each in parameters if each.param_type_name == "option" for word in (*each.opts, *each.secondary_opts)
    }
    listed = re.findall(r"(?m)^- `(--[^`]*)`: (?=\S)", _sections()[verb])
    assert {word for text in listed for word in re.findall(r"--[a-z-]+", text)} == known
    assert len(listed) == len([each for each in parameters if each.param_type_name == "option"])


@pytest.mark.parametrize("verb", ["check", "export"])
def test_page_says_of_options_what_help_says(verb: str) -> None:
    said = " ".join(run(verb, "--help").out.split())
    for option, words in re.findall(r"(?m)^- `(--[a-z-]+)[^`]*`: ([^*\n]*)", _sections()[verb]):
        assert option in said
        assert words.strip() in said


def test_everything_that_the_package_offers_has_an_entry() -> None:
    assert set(offsetproof.__all__) - python_reference.names() == {"__version__"}
    text = python_reference.reference()
    for modules in python_reference.THEMES.values():
        for module, names in modules.items():
            for name in names.split():
                (entry,) = re.findall(rf"(?ms)^#### `{name}`\n(.*?)(?=^##|\Z)", text)
                assert len(entry.split()) >= 4
                assert (f"From `{module}`." in entry) == (module != "offsetproof")


def test_every_member_of_a_document_is_on_the_page() -> None:
    text = schemas_page.documents()
    for schema in map(schema_of, DOCUMENTS):
        assert f"### {schema['title']}\n" in text
        assert [name for name in schema.get("properties", ()) if f"- `{name}`: " not in text] == []

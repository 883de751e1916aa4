"""The reference in docs/language.md leaves no name of the language out or unexplained."""

from __future__ import annotations

import pytest

from offsetproof import lang
from tools.reference import THEMES, about, names_of, reference

HOMES = {name: module for modules in THEMES.values() for module in modules.split() for name in names_of(module)}


def test_every_exported_name_is_on_the_page_once() -> None:
    assert sorted(HOMES) == sorted(lang.__all__)
    assert [name for name in lang.__all__ if reference().count(f"\n#### `{name}`\n") != 1] == []


@pytest.mark.parametrize("name", sorted(lang.__all__))
def test_name_says_what_it_is_for(name: str) -> None:
    said = about(name, HOMES[name])
    assert len(said.split()) >= 4, f"{name} has no docstring that says what it is for"
    assert said[0].isupper() or said[0] == "`"
    assert said.split("\n\n")[0].rstrip().endswith((".", ")", "?"))


def test_page_is_narrow_and_shows_no_address() -> None:
    lines = reference().splitlines()
    assert [line for line in lines if len(line) > 120 or " at 0x" in line or "<factory>" in line] == []

"""docs/adding.md sends nobody to a file, a name or a recipe that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")


PATHS = sorted(set(re.findall(r"`([\w.]+/(?:[\w.]+/)*[\w.]*|[\w.]+\.toml)`", TEXT)))


@pytest.mark.parametrize("path", [path for path in PATHS if "THEME" not in path])
def test_path_exists(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "src" / "offsetproof" / path).exists()


def test_paths_are_found() -> None:
    assert len(PATHS) > 20


def test_recipes_exist() -> None:
    named = {name for recipes in re.findall(r"`make ([a-z ]+)`", TEXT) for name in recipes.split()}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert len(named) > 5
    assert [name for name in named if not re.search(rf"(?m)^{name}:", makefile)] == []


def test_claim_that_is_shown_is_one() -> None:
    (shown,) = re.findall(r"(?m)^    (@each_step.*)$", TEXT)
    assert shown in (ROOT / "properties" / "broker_offsets.py").read_text(encoding="utf-8")

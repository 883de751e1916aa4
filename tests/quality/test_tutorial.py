"""docs/tutorial.md: its file is written, its commands are run in the order of the page, and say what stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.program import PROGRAM

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
_BLOCK = re.compile(r"(?ms)^```(\w*)(?: title=\"([\w.]+)\")?\n(.*?)^```$")
_SECONDS = re.compile(r"(?m) +\d+\.\d( {3}!)?$")
_RULE = re.compile(r"(?m)^ ─+$")


@pytest.mark.slow
def test_every_block_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    ran = []
    for kind, title, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            _append(tmp_path / title, text)
            continue
        assert kind == "console", f"nothing runs a block of kind {kind!r}"
        for command, shown in _commands(text):
            said = _said_by(command, tmp_path)
            assert re.fullmatch(_pattern(shown), _plain(said)), f"$ {command}\n{said}"
            ran.append(command)
    assert len(ran) > 6
    assert {command.split()[1] for command in ran} == {"list", "check", "guard"}


@pytest.mark.slow
def test_files_of_the_tutorial_have_the_types_that_mypy_expects(tmp_path: Path) -> None:
    for kind, title, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            _append(tmp_path / title, text)
    files = sorted(file.name for file in tmp_path.iterdir())
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *files], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert (checked.returncode, files) == (0, ["offsets.py"]), checked.stdout


def test_tutorial_tells_of_a_refuted_claim_before_and_after_its_repair() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.index("REFUTED; 1 not as expected") < text.index("1 HOLDS; all as expected")
    assert text.count("is now false") == 2


def _append(file: Path, text: str) -> None:
    """The pieces of a file stand two empty lines apart, as a reader's formatter would have them."""
    before = file.read_text(encoding="utf-8") + "\n\n" if file.exists() else ""
    file.write_text(before + text, encoding="utf-8")


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, with what it is shown to say."""
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def _said_by(command: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.stdout


def _plain(said: str) -> str:
    """The text without what differs from run to run: seconds, and how wide a table is that has them."""
    return re.sub(" +", " ", _RULE.sub(" ─", _SECONDS.sub(r"\1", said))).strip()


def _pattern(shown: str) -> str:
    """What has to be said: the lines that are shown, with anything where `...` stands."""
    return "(?s:.*)".join(re.escape(part) for part in re.split(r"(?m)\n\.\.\.$", _plain(shown)))
